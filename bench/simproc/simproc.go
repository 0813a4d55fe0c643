// Package simproc is internal/simproc under the name that the programs here know.
package simproc

import "github.com/inferometer/inferometer/internal/simproc"

// Sim is a running simulator.
type Sim = simproc.Sim

// Start starts `binary sim` on a free port of the loopback, with these flags.
func Start(binary string, flags ...string) (*Sim, error) { return simproc.Start(binary, flags...) }
