package main

import (
	"fmt"
	"syscall"

	"github.com/inferometer/inferometer/internal/machine"
)

// spareFiles are what client and simulator open beside their connections.
const spareFiles = 64

// room says what this machine lacks for so many streams at once, before anything is
// started: client and simulator need a descriptor each for every one of them, and
// all go to one address, so each takes a port of its own.
func room(streams int) error {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && uint64(streams)+spareFiles > uint64(limit.Max) {
		return fmt.Errorf("%d streams need %d descriptors in each process, and at most %d may be had here (ulimit -Hn): raise that as root, or use fewer streams",
			streams, streams+spareFiles, limit.Max)
	}
	if low, high, err := machine.This().LocalPorts(); err == nil && streams > high-low+1 {
		return fmt.Errorf("%d streams to one address need as many ports, and there are %d: widen net.ipv4.ip_local_port_range, or use fewer streams", streams, high-low+1)
	}
	return nil
}
