package merge

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// Lines of hardware are thinned evenly, with the first and the newest, and their reasons kept.
func TestHardwareIsThinned(t *testing.T) {
	d := newDevices(1)
	const n = 100_000
	for i := range n {
		d.add(journal.Hardware{At: int64(i), Source: "nvidia-smi", Devices: make([]journal.Device, 8)})
	}
	for range 1000 {
		d.add(journal.Hardware{Source: "rapl", Reason: "only root"})
	}
	s := d.sources["nvidia-smi"]
	if len(s.list) > d.most || len(s.list) < d.most/4 || s.list[0].At != 0 || len(d.reasons) != mostReasons {
		t.Errorf("%d lines, %d reasons", len(s.list), len(d.reasons))
	}
	if newest := s.list[len(s.list)-1].At; newest != n-1 && (s.last == nil || s.last.At != n-1) {
		t.Errorf("the newest is %d, %v", newest, s.last)
	}
}
