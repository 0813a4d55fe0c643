package merge

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// devices keeps a bounded number of an agent's lines of hardware, evenly over the time, by
// source: what they count grows, and the rest is as true of fewer moments. Reasons why a
// source told nothing are kept apart, and are few.
type devices struct {
	most    int // lines of one source
	sources map[string]*someLines
	reasons []journal.Hardware
}

const (
	mostSources = 64
	mostReasons = 64
	// mostValues bounds the devices of all lines: a line of 8 GPUs counts 8.
	mostValues = 1 << 17
)

type someLines struct {
	list    []journal.Hardware
	every   int
	n       int
	devices int
	last    *journal.Hardware // the newest, if it is not the list's last
}

func newDevices(agents int) *devices {
	return &devices{most: min(max(mostValues/max(agents, 1), 64), mostSamples), sources: map[string]*someLines{}}
}

func (d *devices) add(h journal.Hardware) {
	if h.Reason != "" {
		if len(d.reasons) < mostReasons {
			d.reasons = append(d.reasons, h)
		}
		return
	}
	s := d.sources[h.Source]
	if s == nil {
		if len(d.sources) == mostSources {
			return
		}
		s = &someLines{every: 1}
		d.sources[h.Source] = s
	}
	s.add(h, d.most)
}

func (s *someLines) add(h journal.Hardware, most int) {
	s.n++
	if (s.n-1)%s.every != 0 {
		s.last = &h
		return
	}
	s.list, s.last = append(s.list, h), nil
	s.devices += len(h.Devices)
	if len(s.list) >= most || s.devices >= most*8 {
		s.halve()
	}
}

func (s *someLines) halve() {
	newest := s.list[len(s.list)-1]
	if len(s.list)%2 == 0 {
		s.last = &newest
	}
	half := s.list[:0]
	s.devices = 0
	for i := 0; i < len(s.list); i += 2 {
		half = append(half, s.list[i])
		s.devices += len(s.list[i].Devices)
	}
	s.list, s.every = half, s.every*2
}

// writeHardware writes the lines of each agent after those of the one before.
func (m *merger) writeHardware() error {
	for _, s := range m.sources {
		if s == nil {
			continue
		}
		lines := s.devices.reasons
		for _, name := range slices.Sorted(maps.Keys(s.devices.sources)) {
			one := s.devices.sources[name]
			lines = append(lines, one.list...)
			if one.last != nil {
				lines = append(lines, *one.last)
			}
		}
		for i := range lines {
			if err := m.writer.Hardware(&lines[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
