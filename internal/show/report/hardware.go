package report

import (
	judge "github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/show/hardware"
)

// setHardware adds what devices told; results of runs that asked nothing have no such key.
func setHardware(o *object, s *judge.Summary) {
	if s != nil {
		o.Set("hardware", s)
	}
}

// hardware prints the same, in few lines.
func (c *console) hardware(s *judge.Summary) {
	for _, l := range hardware.Lines(s) {
		c.row(l.Label, l.Words)
	}
}
