package doctor

import (
	"net/netip"
	"strings"
)

func proxies(m *examination) result {
	switch {
	case m.Proxy != nil:
		return found(Warn, "requests to this server go through %s", m.Proxy.Redacted())
	case len(m.ProxyEnv) == 0:
		return found(OK, "none in the environment")
	case !m.Asked:
		return found(Note, "%s", strings.Join(m.ProxyEnv, ", "))
	}
	return found(OK, "%s; not used for this server", strings.Join(m.ProxyEnv, ", "))
}

// localhost looks at what the name means here: a server that listens on
// 127.0.0.1 only is not found at ::1.
func localhost(m *examination) result {
	addrs, err := m.Lookup(m.ctx, "localhost")
	if err != nil {
		return unknown(err)
	}
	if len(addrs) > 0 {
		if ip, err := netip.ParseAddr(addrs[0]); err == nil && ip.Is6() {
			return found(Note, "%s: IPv6 first", strings.Join(addrs, ", "))
		}
	}
	return found(OK, "%s", strings.Join(addrs, ", "))
}
