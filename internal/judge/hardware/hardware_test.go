package hardware

import (
	"fmt"
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

func some(v float64) *float64 { return &v }

func at(seconds float64, source string, list ...journal.Device) journal.Hardware {
	return journal.Hardware{At: int64(seconds * 1e9), Source: source, Devices: list}
}

// world is a device whose power is known at every moment: a base, a wave, a step.
type world struct{ base, wave, period, step, stepAt float64 }

func (w world) power(t float64) float64 {
	p := w.base + w.wave*math.Sin(2*math.Pi*t/w.period)
	if t > w.stepAt {
		p += w.step
	}
	return p
}

// energy from 0 to t, exactly.
func (w world) energy(t float64) float64 {
	return w.base*t + w.wave*w.period/(2*math.Pi)*(1-math.Cos(2*math.Pi*t/w.period)) + w.step*max(t-w.stepAt, 0)
}

// Energy is near the truth on drawn runs: by power with jitter and lost readings, and by
// counters that begin anew, but for what went between the last reading and the new beginning.
func TestEnergyAgainstTheTruth(t *testing.T) {
	random := testfiles.Random(t)
	for range 200 {
		end := 20 + 100*random.Float64()
		w := world{100 + 500*random.Float64(), 50 * random.Float64(), 5 + 20*random.Float64(), 200 * random.Float64(), end * random.Float64()}
		var power, counter []journal.Hardware
		reset, base := end*random.Float64(), 1e6
		for x := 0.0; ; x += 1 + 0.2*random.Float64() {
			if random.Float64() > 0.05 || x == 0 {
				power = append(power, at(x, "nvidia-smi", journal.Device{ID: "0", PowerW: some(w.power(x)), Busy: some(0.9)}))
			}
			total := base + w.energy(x)
			if x > reset { // the driver was loaded anew
				total = w.energy(x) - w.energy(reset)
			}
			counter = append(counter, at(x, "rapl", journal.Device{ID: "package-0", EnergyJ: some(total)}))
			if x > end {
				break
			}
		}
		truth := w.energy(end)
		for name, lines := range map[string][]journal.Hardware{"power": power, "counter": counter} {
			s := Of(lines, Work{Seconds: end, Output: 1000, Requests: 10})
			d := s.Devices[0]
			if d.EnergyJ == nil || d.EnergyBy != name {
				t.Fatalf("%s: %+v", name, d)
			}
			lost := 1.2 * (w.wave + w.step) / truth // a change between two readings, of which one may be missing
			if name == "counter" {
				lost = 1.2 * (w.base + w.wave + w.step) / truth // all that went since the last reading
			}
			if off := *d.EnergyJ/truth - 1; math.Abs(off) > 0.03+lost {
				t.Errorf("%s: %.0f J, in truth %.0f (%.1f %%)", name, *d.EnergyJ, truth, 100*off)
			}
			e := s.Energy[0]
			if math.Abs(*e.PerOutputToken*1000-*d.EnergyJ) > 1e-6 || math.Abs(*e.PerRequest*10-*d.EnergyJ) > 1e-6 || math.Abs(*e.TokensPerJoule**d.EnergyJ-1000) > 1e-6 {
				t.Errorf("%+v", e)
			}
		}
	}
}

// A gap of half of the run: its energy is not known. One of a tenth is taken to be like the rest.
func TestGaps(t *testing.T) {
	for _, tt := range []struct {
		from, to float64
		known    bool
	}{{40, 50, true}, {20, 80, false}} {
		var lines []journal.Hardware
		for x := 0.0; x <= 100; x++ {
			if x <= tt.from || x >= tt.to {
				lines = append(lines, at(x, "nvidia-smi", journal.Device{ID: "0", PowerW: some(300)}))
			}
		}
		d := Of(lines, Work{Seconds: 100}).Devices[0]
		if tt.known && (d.EnergyJ == nil || math.Abs(*d.EnergyJ-30000) > 1) || !tt.known && (d.EnergyJ != nil || d.EnergyUnknown == "") {
			t.Errorf("%+v: %+v", tt, d)
		}
		if d.PowerW == nil || math.Abs(*d.PowerW-300) > 1e-9 {
			t.Errorf("the mean of what was read is known: %+v", d.PowerW)
		}
	}
}

// Eight GPUs of which one serves: the seven others are told apart, and not in its tokens.
func TestIdleDevices(t *testing.T) {
	var lines []journal.Hardware
	for x := range 11 {
		l := at(float64(x), "nvidia-smi")
		for i := range 8 {
			d := journal.Device{ID: fmt.Sprint(i), Name: "H200", PowerW: some(80), Busy: some(0), ClockMHz: some(345), MaxClockMHz: some(1980), TemperatureC: some(30)}
			if i == 3 {
				d.PowerW, d.Busy, d.ClockMHz, d.TemperatureC = some(600), some(0.95), some(1900-float64(x)), some(60+float64(x))
				if x%5 == 0 {
					d.Throttle = []string{"power"}
				}
			}
			l.Devices = append(l.Devices, d)
		}
		lines = append(lines, l, at(float64(x), "rapl", journal.Device{ID: "package-0", EnergyJ: some(100 * float64(x))}))
	}
	s := Of(lines, Work{Seconds: 10, Output: 500, Requests: 5, Jobs: 2})
	if len(s.Devices) != 9 || len(s.Energy) != 3 {
		t.Fatalf("%+v", s)
	}
	d := s.Devices[3]
	if d.Idle() || !s.Devices[0].Idle() || *d.MinClockMHz != 1890 || *d.MaxTempC != 70 || math.Abs(d.ThrottledBy("power")-3.0/11) > 1e-9 || *d.MaxClockMHz != 1980 {
		t.Errorf("%+v", d)
	}
	gpu, cpu, all := s.Energy[0], s.Energy[1], s.Energy[2]
	if gpu.Devices != 1 || math.Abs(gpu.Joules-6000) > 1 || *gpu.IdleWatts != 560 || math.Abs(*gpu.PerOutputToken-12) > 0.01 || math.Abs(*gpu.PerJob-3000) > 1 {
		t.Errorf("%+v", gpu)
	}
	if math.Abs(cpu.Joules-1000) > 1 || cpu.By != ByCounter || math.Abs(all.Joules-7000) > 1 || all.By != "counter and power" {
		t.Errorf("%+v, %+v", cpu, all)
	}
}

// Two sources of the same devices are counted once; a source that failed for a moment is no silence.
func TestTwoSources(t *testing.T) {
	var lines []journal.Hardware
	for x := range 11 {
		lines = append(
			lines,
			at(float64(x), "dcgm", journal.Device{ID: "0", PowerW: some(301 + float64(x%2)), Busy: some(1)}),
			at(float64(x), "nvidia-smi", journal.Device{ID: "0", PowerW: some(300), Busy: some(1)}),
			at(float64(x), "sysfs", journal.Device{ID: "package-0", ClockMHz: some(3000)}),
		)
	}
	lines = append(lines, journal.Hardware{Source: "dcgm", Reason: "once"}, journal.Hardware{Source: "rapl", Reason: "only root may read it"})
	s := Of(lines, Work{Seconds: 10, Output: 100})
	if s.Devices[0].Same != "nvidia-smi" || s.Devices[1].Same != "" || s.Devices[2].Same != "" || len(s.Energy) != 1 || math.Abs(s.Energy[0].Joules-3000) > 1 {
		t.Errorf("%+v", s)
	}
	if len(s.Unknown) != 1 || s.Unknown[0].Source != "rapl" {
		t.Errorf("%+v", s.Unknown)
	}
}

// An exporter that keeps its values for longer than the run tells nothing of it.
func TestStaleExporter(t *testing.T) {
	var lines []journal.Hardware
	for x := range 11 {
		lines = append(lines, at(float64(x), "dcgm", journal.Device{ID: "0", PowerW: some(80), EnergyJ: some(12345), Busy: some(0.5)}))
	}
	s := Of(lines, Work{Seconds: 10, Output: 100})
	if d := s.Devices[0]; d.EnergyJ != nil || d.EnergyUnknown == "" || len(s.Notes) != 1 || len(s.Energy) != 0 {
		t.Errorf("%+v", s)
	}
	// Renewed every five seconds: power goes before the counter.
	for i := range lines {
		lines[i].Devices[0].EnergyJ, lines[i].Devices[0].PowerW = some(float64(i/5)*500), some(80+20*float64(i/5))
	}
	if d := Of(lines, Work{Seconds: 10}).Devices[0]; d.EnergyBy != ByPower {
		t.Errorf("%+v", d)
	}
}

// Nothing is made of nothing: no lines, no power, no tokens, a run of no time.
func TestUnknown(t *testing.T) {
	if Of(nil, Work{Seconds: 1}) != nil || Of([]journal.Hardware{at(0, "rapl")}, Work{}) != nil {
		t.Error("there is nothing to say")
	}
	s := Of([]journal.Hardware{{Source: "auto", Reason: "nothing here"}}, Work{Seconds: 5, Output: 10})
	if len(s.Devices) != 0 || len(s.Energy) != 0 || len(s.Unknown) != 1 {
		t.Errorf("%+v", s)
	}
	s = Of([]journal.Hardware{at(0, "nvidia-smi", journal.Device{ID: "0", TemperatureC: some(40)})}, Work{Seconds: 5, Output: 10})
	if d := s.Devices[0]; d.EnergyJ != nil || d.PowerW != nil || d.EnergyUnknown != "" || d.Busy != nil || d.Worked != nil || len(s.Energy) != 0 {
		t.Errorf("%+v", d)
	}
	// A GPU that worked and tells no power: the sum of the others would be too little.
	s = Of([]journal.Hardware{at(0, "nvidia-smi", journal.Device{ID: "0", PowerW: some(1), Busy: some(1)}, journal.Device{ID: "1", Busy: some(1)})}, Work{Seconds: 2, Output: 10})
	if len(s.Energy) != 0 {
		t.Errorf("%+v", s.Energy)
	}
}

// Agents on one machine tell of the same devices.
func TestFleet(t *testing.T) {
	var lines []journal.Hardware
	for x := range 6 {
		for agent := range 3 {
			l := at(float64(x), "nvidia-smi", journal.Device{ID: "0", PowerW: some(100), Busy: some(1)})
			l.Agent = agent
			lines = append(lines, l)
		}
	}
	s := Of(lines, Work{Seconds: 5, Output: 10, Hosts: []string{"a", "b", "a"}})
	if len(s.Devices) != 2 || *s.Devices[1].Agent != 1 || math.Abs(s.Energy[0].Joules-1000) > 1e-6 {
		t.Errorf("%+v", s)
	}
}

func FuzzOf(f *testing.F) {
	f.Add(0.0, 1.0, 100.0, 5.0, 10.0)
	f.Add(-5.0, 1e18, math.Inf(1), -1.0, 0.001)
	f.Fuzz(func(t *testing.T, a, b, power, energy, seconds float64) {
		lines := []journal.Hardware{
			{At: int64(a), Source: "dcgm", Devices: []journal.Device{{ID: "0", PowerW: &power, EnergyJ: &energy}}},
			{At: int64(b), Source: "dcgm", Devices: []journal.Device{{ID: "0", PowerW: &power}, {ID: "package-0", EnergyJ: &power}}},
		}
		s := Of(lines, Work{Seconds: seconds, Output: 5, Requests: 1})
		if s != nil && len(s.Devices) > 3 {
			t.Error(s)
		}
	})
}
