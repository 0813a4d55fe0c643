package setup

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// mostHosts bounds the names of a certificate.
const mostHosts = 64

var dnsName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// CheckHosts says what is wrong with names and addresses.
func CheckHosts(given []string) error {
	_, err := checkHosts(given)
	return err
}

// checkHosts gives names and addresses as they stand in a certificate, each once.
func checkHosts(given []string) ([]string, error) {
	var hosts []string
	for _, text := range given {
		host := strings.ToLower(strings.TrimSuffix(text, "."))
		if inner, ok := strings.CutPrefix(host, "["); ok {
			host = strings.TrimSuffix(inner, "]")
		}
		addr, err := netip.ParseAddr(host)
		switch {
		case err == nil && addr.IsUnspecified():
			return nil, fmt.Errorf("%s is every address and no one's: give the one that the other machines reach this server at", outside.Word(text))
		case err == nil && addr.Zone() == "":
			host = addr.Unmap().String()
		case err == nil || len(host) > 253 || !dnsName.MatchString(host):
			return nil, fmt.Errorf("%q is no host: give a name or an address, without a scheme and a port", outside.Word(text))
		case strings.Trim(host, "0123456789.") == "":
			return nil, fmt.Errorf("%q is no address", outside.Word(text))
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) > mostHosts {
		return nil, fmt.Errorf("%d hosts are too many: at most %d", len(hosts), mostHosts)
	}
	return hosts, nil
}
