package hardware

import (
	"context"
	"net"
	"net/netip"
	"net/url"
)

// Local says whether all of these servers are on this machine, by their addresses. A tunnel
// (ssh -L, kubectl port-forward) looks the same: nothing here can tell it.
func Local(ctx context.Context, servers []string) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return local(servers, own, func(host string) ([]netip.Addr, error) { return net.DefaultResolver.LookupNetIP(ctx, "ip", host) })
}

func local(servers []string, own []net.Addr, lookup func(string) ([]netip.Addr, error)) bool {
	here := map[netip.Addr]bool{}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			here[p.Addr().Unmap().WithZone("")] = true
		}
	}
	for _, s := range servers {
		u, err := url.Parse(s)
		if err != nil || u.Hostname() == "" {
			return false
		}
		addresses, err := lookup(u.Hostname())
		if err != nil || len(addresses) == 0 {
			return false
		}
		for _, a := range addresses {
			if a = a.Unmap().WithZone(""); !a.IsLoopback() && !a.IsUnspecified() && !here[a] {
				return false
			}
		}
	}
	return len(servers) > 0
}
