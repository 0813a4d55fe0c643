package command

import (
	"fmt"
	"net"
	"net/netip"
)

// Reachable is a line for the user where other machines reach an address that a command listens on: what
// everyone there can do, and how a flag keeps it to this machine. Empty: only this machine reaches it.
func Reachable(at net.Addr, can, flag string) string {
	addr, err := netip.ParseAddrPort(at.String())
	if err == nil && addr.Addr().Unmap().IsLoopback() {
		return ""
	}
	return fmt.Sprintf("WARNING: %s can be reached from other machines, and there is no login: everyone there can %s; --%s 127.0.0.1:%d keeps it to this machine", at, can, flag, addr.Port())
}
