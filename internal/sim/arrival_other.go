//go:build !linux

package sim

import "net"

// stampArrivals: only Linux tells when bytes came.
func stampArrivals(l net.Listener) net.Listener { return l }
