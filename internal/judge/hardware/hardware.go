// Package hardware says what devices took and did over the measured time of a run: power and
// energy, per token and per request; clocks against what they could be; temperatures; for how
// long they were throttled, and why. It is a pure function of the journal's hardware lines.
//
//	journal.Hardware ─▶ track (one device over time) ─▶ Device ─▶ Energy (of all that worked)
//
// What no source told is nil, never 0. Devices that did nothing are told apart: a machine of
// eight GPUs of which one serves has the energy of one in its tokens.
package hardware

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// Summary is what was told over the measured time.
type Summary struct {
	Seconds float64   `json:"seconds"`
	Devices []Device  `json:"devices"`
	Energy  []Energy  `json:"energy,omitempty"`  // of GPUs, of processors, and of both
	Unknown []Silence `json:"unknown,omitempty"` // sources that told nothing
	Notes   []string  `json:"notes,omitempty"`
}

// Silence is a source that told nothing, and why.
type Silence struct {
	Agent  *int   `json:"agent,omitempty"`
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// The kinds of devices.
const (
	GPU    = "gpu"
	CPU    = "cpu"
	Memory = "memory"
)

// Device is one device over the measured time.
type Device struct {
	Agent   *int   `json:"agent,omitempty"` // of a fleet
	Source  string `json:"source"`
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Kind    string `json:"kind"`
	Samples int    `json:"samples"`
	// Worked is nil where the device does not tell how busy it is.
	Worked *bool `json:"worked,omitempty"`
	// Same names the source whose figures of the same device are counted instead.
	Same string `json:"same,omitempty"`

	PowerW         *float64 `json:"power_w,omitempty"` // the mean
	MaxPowerW      *float64 `json:"max_power_w,omitempty"`
	PowerLimitW    *float64 `json:"power_limit_w,omitempty"`
	EnergyJ        *float64 `json:"energy_j,omitempty"`
	EnergyBy       string   `json:"energy_by,omitempty"` // counter or power
	EnergyUnknown  string   `json:"energy_unknown,omitempty"`
	ClockMHz       *float64 `json:"clock_mhz,omitempty"` // the mean
	MinClockMHz    *float64 `json:"min_clock_mhz,omitempty"`
	MaxClockMHz    *float64 `json:"max_clock_mhz,omitempty"` // that it could have
	MaxTempC       *float64 `json:"max_temperature_c,omitempty"`
	Busy           *float64 `json:"busy,omitempty"` // the mean, 0 to 1
	MaxMemoryBytes *float64 `json:"max_memory_bytes,omitempty"`
	MemoryBytes    *float64 `json:"memory_bytes,omitempty"` // that it has
	Throttled      []Share  `json:"throttled,omitempty"`
}

// Share is in which part of the time a device was throttled for a reason.
type Share struct {
	Reason string  `json:"reason"`
	Share  float64 `json:"share"`
}

// ThrottledBy is that of one reason.
func (d *Device) ThrottledBy(reason string) float64 {
	for _, s := range d.Throttled {
		if s.Reason == reason {
			return s.Share
		}
	}
	return 0
}

// Idle says that a device is known to have done nothing.
func (d *Device) Idle() bool { return d.Worked != nil && !*d.Worked }

// TellsThrottling says that a device without a reason was not throttled, and not that nobody knows.
func (d *Device) TellsThrottling() bool {
	return len(d.Throttled) > 0 || slices.Contains([]string{"nvidia-smi", "amd-smi"}, base(d.Source))
}

// counts says that a device is among those whose energy is added up.
func (d *Device) counts() bool { return d.Same == "" && !d.Idle() }

// Work is what the energy went into.
type Work struct {
	Seconds  float64 // from the run's zero
	Output   int64   // tokens
	Requests int64   // that were completed
	Jobs     int64   // that were completed; 0: there were no conversations
	// Hosts are the machines of a fleet's agents, by agent: two on one machine tell of the same devices.
	Hosts []string
}

// Of is nil where the journal has no line of hardware.
func Of(lines []journal.Hardware, w Work) *Summary {
	if len(lines) == 0 || !(w.Seconds > 0) {
		return nil
	}
	s := &Summary{Seconds: w.Seconds, Devices: []Device{}}
	tracks := s.collect(lines, &w)
	stale := staleSources(tracks)
	for _, t := range tracks {
		if t.stale = stale[t.from]; t.stale {
			s.note(t.key.source + " did not renew its values during the run, so that they may be older: give it a shorter interval (dcgm-exporter -c 1000)")
		}
		s.Devices = append(s.Devices, t.device(w.Seconds))
	}
	s.tellApart()
	s.Energy = energies(s.Devices, &w)
	return s
}

func (s *Summary) note(text string) {
	if !slices.Contains(s.Notes, text) {
		s.Notes = append(s.Notes, text)
	}
}

// collect puts lines together by device, in the order of agents, sources and devices.
func (s *Summary) collect(lines []journal.Hardware, w *Work) []*track {
	fleet := len(w.Hosts) > 0
	byKey := map[key]*track{}
	for i := range lines {
		l := &lines[i]
		if l.Reason != "" {
			silence := Silence{Source: l.Source, Reason: l.Reason}
			if fleet {
				silence.Agent = &l.Agent
			}
			s.Unknown = append(s.Unknown, silence)
		}
		for j := range l.Devices {
			d := &l.Devices[j]
			k := key{l.Agent, l.Source, d.ID}
			t := byKey[k]
			if t == nil {
				t = &track{key: k, from: from{l.Agent, l.Source}, fleet: fleet, order: len(byKey)}
				byKey[k] = t
			}
			t.add(l.At, d)
		}
	}
	s.Unknown = answered(s.Unknown, byKey, fleet)
	tracks := slices.SortedFunc(maps.Values(byKey), func(a, b *track) int {
		return cmp.Or(cmp.Compare(a.key.agent, b.key.agent), cmp.Compare(a.order, b.order))
	})
	for _, t := range tracks {
		t.sort()
	}
	return sameMachine(tracks, w.Hosts)
}

// answered leaves out sources that failed for a moment only.
func answered(silent []Silence, tracks map[key]*track, fleet bool) []Silence {
	return slices.DeleteFunc(silent, func(s Silence) bool {
		for k := range tracks {
			if k.source == s.Source && (!fleet || s.Agent != nil && *s.Agent == k.agent) {
				return true
			}
		}
		return false
	})
}

// sameMachine leaves out what a second agent on one machine told of the same devices.
func sameMachine(tracks []*track, hosts []string) []*track {
	type place struct{ host, source, id string }
	first := map[place]int{}
	return slices.DeleteFunc(tracks, func(t *track) bool {
		if t.key.agent >= len(hosts) || hosts[t.key.agent] == "" {
			return false
		}
		p := place{hosts[t.key.agent], t.key.source, t.key.id}
		agent, known := first[p]
		if !known {
			first[p] = t.key.agent
		}
		return known && agent != t.key.agent
	})
}

// family are the sources that tell of the same devices, the best first: an exporter may be
// older by its interval than a tool that is asked now.
var families = [][]string{
	{"nvidia-smi", "dcgm"},
	{"amd-smi", "rocm-smi", "amd", "sysfs", "node"},
	{"rapl", "node", "sysfs"},
}

// base is a source's name without the number of a second one of its kind.
func base(source string) string {
	if name, number, ok := strings.Cut(source, "-"); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return name
	}
	return source
}

// tellApart marks devices that two sources tell of. Names differ between them (an index, a
// card, a chip), so that it is all of a family's second source or none.
func (s *Summary) tellApart() {
	for i := range s.Devices {
		d := &s.Devices[i]
		for _, family := range families {
			at := slices.Index(family, base(d.Source))
			for j := 0; j < at && d.Same == ""; j++ {
				if other := s.teller(d, family[j]); other != "" {
					d.Same = other
				}
			}
		}
	}
}

// teller is a source of that base that knows the energy of devices of the same kind, on the same agent.
func (s *Summary) teller(d *Device, name string) string {
	for i := range s.Devices {
		o := &s.Devices[i]
		same := d.Agent == nil || o.Agent != nil && *o.Agent == *d.Agent
		if base(o.Source) == name && o.Kind == d.Kind && same && o.EnergyJ != nil && (d.EnergyJ != nil || d.Kind == GPU) {
			return o.Source
		}
	}
	return ""
}
