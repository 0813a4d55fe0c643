package agent

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Allow says which hosts an agent may load, at which port. The zero value allows none.
type Allow struct{ rules []rule }

type rule struct {
	text   string
	any    bool
	host   string // whole, in lower case
	suffix string // of a host, with its dot
	prefix netip.Prefix
	port   string // empty: every one
}

// ParseAllow reads hosts: a name or address, *.example.com, a network such as 10.0.0.0/8, or
// * for all; each with a port, or for every port.
func ParseAllow(words []string) (Allow, error) {
	var a Allow
	for _, word := range words {
		r := rule{text: word}
		word = strings.ToLower(strings.TrimSpace(word))
		if host, port, err := net.SplitHostPort(word); err == nil {
			number, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				host = ""
			}
			word, r.port = host, strconv.FormatUint(number, 10)
		}
		if prefix, err := netip.ParsePrefix(word); err == nil {
			r.prefix = prefix.Masked()
			a.rules = append(a.rules, r)
			continue
		}
		word = strings.Trim(word, "[]")
		switch suffix, wild := strings.CutPrefix(word, "*"); {
		case wild && suffix == "":
			r.any = true
		case wild && strings.HasPrefix(suffix, ".") && !strings.Contains(suffix, "*"):
			r.suffix = suffix
		case word == "" || strings.ContainsAny(word, "*/@ \t?#") || strings.Contains(word, ":") && !isAddress(word):
			return a, fmt.Errorf("%q is no host: it is such as llm.example:8000, llm.example for all its ports, *.example:8000, 10.0.0.0/8:8000, or * for all", outside.Word(r.text))
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

// String says it to people, with what a host without a port means.
func (a Allow) String() string {
	if len(a.rules) == 0 {
		return "nothing"
	}
	words := a.Words()
	for i, r := range a.rules {
		switch {
		case r.any && r.port == "":
			words[i] += " (every host and port that this machine reaches, its own too)"
		case r.any:
			words[i] += " (every host that this machine reaches, itself too)"
		case r.port == "":
			words[i] += " (every port)"
		}
	}
	return strings.Join(words, ", ")
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
	return fmt.Errorf("the host %s is not one that this agent may load: its user allows %s", outside.Word(net.JoinHostPort(u.Hostname(), portOf(u))), cmp.Or(strings.Join(a.Words(), ", "), "nothing"))
}

// AllowOf is the word that allows an address, and nothing else; empty: it is none.
func AllowOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return net.JoinHostPort(u.Hostname(), portOf(u))
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
