package hardware

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

type from struct {
	agent  int
	source string
}

type key struct {
	agent      int
	source, id string
}

// reading is what a device said at one moment.
type reading struct {
	at float64 // seconds
	*journal.Device
}

// track is one device over time.
type track struct {
	key      key
	from     from
	fleet    bool
	order    int
	readings []reading
	stale    bool
}

func (t *track) add(at int64, d *journal.Device) {
	t.readings = append(t.readings, reading{float64(at) / 1e9, d})
}

func (t *track) sort() {
	slices.SortStableFunc(t.readings, func(a, b reading) int { return cmp.Compare(a.at, b.at) })
}

// within are the readings of the measured time.
func (t *track) within(end float64) []reading {
	var in []reading
	for _, r := range t.readings {
		if r.at >= 0 && r.at <= end {
			in = append(in, r)
		}
	}
	if len(in) == 0 { // a run of less than a second may have one just behind its end
		for _, r := range t.readings {
			if r.at >= -1 && r.at <= end+1 {
				in = append(in, r)
			}
		}
	}
	return in
}

const (
	// busyFrom: a device that was as busy at any moment worked. One that serves tokens is busy
	// for most of the time; a desktop's or a driver's own work stays below.
	busyFrom = 0.10
)

func (t *track) device(end float64) Device {
	d := Device{Source: t.key.source, ID: t.key.id, Kind: kindOf(t.key.id)}
	if t.fleet {
		d.Agent = &t.key.agent
	}
	in := t.within(end)
	d.Samples = len(in)
	for _, r := range in {
		if r.Name != "" {
			d.Name = r.Name
		}
	}
	of := func(value func(*journal.Device) *float64) values { return collect(in, value) }
	power := of(func(d *journal.Device) *float64 { return d.PowerW })
	clock := of(func(d *journal.Device) *float64 { return d.ClockMHz })
	busy := of(func(d *journal.Device) *float64 { return d.Busy })
	d.MaxPowerW = power.most()
	d.PowerLimitW = of(func(d *journal.Device) *float64 { return d.PowerLimitW }).last()
	d.ClockMHz, d.MinClockMHz = clock.mean(), clock.least()
	d.MaxClockMHz = of(func(d *journal.Device) *float64 { return d.MaxClockMHz }).most()
	d.MaxTempC = of(func(d *journal.Device) *float64 { return d.TemperatureC }).most()
	d.MaxMemoryBytes = of(func(d *journal.Device) *float64 { return d.MemoryUsed }).most()
	d.MemoryBytes = of(func(d *journal.Device) *float64 { return d.MemoryTotal }).most()
	d.Busy = busy.mean()
	if most := busy.most(); most != nil {
		worked := *most >= busyFrom
		d.Worked = &worked
	}
	d.Throttled = throttled(in)
	t.energy(&d, end)
	if d.PowerW == nil && !t.stale {
		d.PowerW = power.mean()
	}
	return d
}

// kindOf goes by the names that sources give to processors.
func kindOf(id string) string {
	switch {
	case strings.HasPrefix(id, "package"):
		return CPU
	case strings.HasPrefix(id, "dram"):
		return Memory
	}
	return GPU
}

// throttled is the share of the readings that have a reason, by reason.
func throttled(in []reading) []Share {
	counts := map[string]int{}
	for _, r := range in {
		for _, why := range slices.Compact(slices.Sorted(slices.Values(r.Throttle))) {
			counts[why]++
		}
	}
	var shares []Share
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		shares = append(shares, Share{why, float64(counts[why]) / float64(len(in))})
	}
	return shares
}

// values are those that were told.
type values []float64

func collect(in []reading, value func(*journal.Device) *float64) values {
	var list values
	for _, r := range in {
		if v := value(r.Device); v != nil {
			list = append(list, *v)
		}
	}
	return list
}

func (v values) mean() *float64 {
	if len(v) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	sum /= float64(len(v))
	return &sum
}

func (v values) most() *float64 {
	if len(v) == 0 {
		return nil
	}
	m := slices.Max(v)
	return &m
}

func (v values) least() *float64 {
	if len(v) == 0 {
		return nil
	}
	m := slices.Min(v)
	return &m
}

func (v values) last() *float64 {
	if len(v) == 0 {
		return nil
	}
	return &v[len(v)-1]
}
