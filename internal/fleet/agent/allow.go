package agent

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Allow says which hosts an agent may load. The zero value allows those of its loopback.
type Allow struct{ rules []rule }

type rule struct {
	text   string
	any    bool
	host   string // whole, in lower case
	suffix string // of a host, with its dot
	prefix netip.Prefix
	port   string // empty: any
}

// ParseAllow reads hosts: a name or address, with a port where only that one is meant,
// *.example.com, a network such as 10.0.0.0/8, or * for all.
func ParseAllow(words []string) (Allow, error) {
	var a Allow
	for _, word := range words {
		r := rule{text: word}
		word = strings.ToLower(strings.TrimSpace(word))
		if prefix, err := netip.ParsePrefix(word); err == nil {
			r.prefix = prefix.Masked()
			a.rules = append(a.rules, r)
			continue
		}
		if host, port, err := net.SplitHostPort(word); err == nil {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				host = ""
			}
			word, r.port = host, port
		}
		word = strings.Trim(word, "[]")
		switch suffix, wild := strings.CutPrefix(word, "*"); {
		case wild && suffix == "":
			r.any = true
		case wild && strings.HasPrefix(suffix, ".") && !strings.Contains(suffix, "*"):
			r.suffix = suffix
		case word == "" || strings.ContainsAny(word, "*/@ \t?#") || strings.Contains(word, ":") && !isAddress(word):
			return a, fmt.Errorf("%q is no host: it is such as llm.example, llm.example:8000, *.example, 10.0.0.0/8, or * for all", outside.Word(r.text))
		default:
			r.host = word
		}
		a.rules = append(a.rules, r)
	}
	return a, nil
}

func isAddress(host string) bool { _, err := netip.ParseAddr(host); return err == nil }

// Words are what it was made of.
func (a Allow) Words() (list []string) {
	for _, r := range a.rules {
		list = append(list, r.text)
	}
	return list
}

func (a Allow) String() string {
	if len(a.rules) == 0 {
		return "servers on this machine (--allow names others)"
	}
	return strings.Join(a.Words(), ", ")
}

// Check refuses an address that is not allowed.
func (a Allow) Check(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return fmt.Errorf("%q is no address", outside.Word(outside.RedactURL(address)))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	numeric := err == nil
	ip = ip.Unmap()
	if len(a.rules) == 0 && (host == "localhost" || numeric && ip.IsLoopback()) {
		return nil
	}
	for _, r := range a.rules {
		if r.port != "" && r.port != portOf(u) {
			continue
		}
		if r.any || r.host == host || r.suffix != "" && strings.HasSuffix(host, r.suffix) || numeric && r.prefix.IsValid() && r.prefix.Contains(ip) {
			return nil
		}
		if other, err := netip.ParseAddr(r.host); err == nil && numeric && other.Unmap() == ip {
			return nil
		}
	}
	return fmt.Errorf("the host %s is not one that this agent may load: its user allows %s", outside.Word(u.Host), a)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	switch strings.ToLower(u.Scheme) {
	case "https":
		return "443"
	case "socks5", "socks5h":
		return "1080"
	}
	return "80"
}
