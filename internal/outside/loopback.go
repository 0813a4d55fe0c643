package outside

import "net/netip"

// Loopback says whether a host, as a URL names it, is this machine and nobody else reaches it.
func Loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
