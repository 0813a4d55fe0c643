// Package ssh starts agents on other machines with the system's ssh. They live as long as
// their connections.
package ssh

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Host is a machine, as ssh is told of it.
type Host struct {
	User string // empty: as ssh's own configuration says
	Name string // a name, an address, or an alias of that configuration
	Port int    // 0: the same
}

// mostHosts bounds a list: each is a process here.
const mostHosts = 1000

// What ssh could take for an option, or a shell for more than a word, is not among these.
var (
	userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
	hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$`)
)

// ParseHosts reads machines such as host, user@host, host:2222 and user@[::1]:2222.
func ParseHosts(texts []string) ([]Host, error) {
	if len(texts) == 0 || len(texts) > mostHosts {
		return nil, fmt.Errorf("needs 1 to %d hosts, not %d", mostHosts, len(texts))
	}
	hosts := make([]Host, len(texts))
	for i, text := range texts {
		var err error
		if hosts[i], err = parseHost(text); err != nil {
			return nil, err
		}
	}
	return hosts, nil
}

func parseHost(text string) (h Host, err error) {
	wrong := fmt.Errorf("%q is no host: it is such as gpu-1, bench@gpu-1 or bench@gpu-1:2222", outside.Word(text))
	rest := text
	if user, after, found := strings.Cut(rest, "@"); found {
		if h.User, rest = user, after; !userName.MatchString(user) {
			return Host{}, wrong
		}
	}
	port := ""
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		address, after, closed := strings.Cut(inner, "]")
		ip, err := netip.ParseAddr(address)
		if !closed || err != nil || ip.Zone() != "" || after != "" && after[0] != ':' {
			return Host{}, wrong
		}
		h.Name = ip.String()
		if after != "" {
			if port = after[1:]; port == "" {
				return Host{}, wrong
			}
		}
	} else {
		var found bool
		if h.Name, port, found = strings.Cut(rest, ":"); !hostName.MatchString(h.Name) || found && port == "" {
			return Host{}, wrong
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Host{}, wrong
		}
		h.Port = int(n)
	}
	return h, nil
}

// String is the host as it is written.
func (h Host) String() string {
	text := h.Name
	if strings.Contains(text, ":") {
		text = "[" + text + "]"
	}
	if h.User != "" {
		text = h.User + "@" + text
	}
	if h.Port != 0 {
		text += ":" + strconv.Itoa(h.Port)
	}
	return text
}
