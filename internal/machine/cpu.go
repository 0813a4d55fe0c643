package machine

import (
	"math"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// CPUTimes is the time of all processors since boot.
type CPUTimes struct {
	Work       time.Duration // user, nice and system: for programs
	Interrupts time.Duration
	Steal      time.Duration // taken by the hypervisor
	Idle       time.Duration // and waiting for disks
}

// Busy is all time that was not idle.
func (t CPUTimes) Busy() time.Duration { return t.Work + t.Interrupts + t.Steal }

// All is the time that the processors had.
func (t CPUTimes) All() time.Duration { return t.Busy() + t.Idle }

// CPUTimes reads /proc/stat.
func (m *Machine) CPUTimes() (CPUTimes, error) {
	s, err := read(m, "stat", m.proc.Stat)
	if err != nil {
		return CPUTimes{}, err
	}
	c := &s.CPUTotal
	t := CPUTimes{
		Work: seconds(c.User + c.Nice + c.System), Interrupts: seconds(c.IRQ + c.SoftIRQ),
		Steal: seconds(c.Steal), Idle: seconds(c.Idle + c.Iowait),
	}
	if min(t.Work, t.Interrupts, t.Steal, t.Idle) < 0 || t.All() <= 0 {
		return CPUTimes{}, malformed("proc/stat")
	}
	return t, nil
}

// seconds converts exactly: the kernel counts in hundredths. What can't be is negative.
func seconds(s float64) time.Duration {
	const hz = 100
	ticks := math.Round(s * hz)
	if !(ticks >= 0 && ticks < float64(math.MaxInt64/16)/float64(time.Second/hz)) {
		return -1
	}
	return time.Duration(ticks) * (time.Second / hz)
}

// CPUModel is the name of the first processor, "" where it is not told. procfs reads this file on Linux only,
// and each kind of processor in another way.
func (m *Machine) CPUModel() string {
	b, _ := m.Read("proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// LoadAverage is the number of tasks that ran or waited to run, averaged over a minute.
func (m *Machine) LoadAverage() (float64, error) {
	l, err := read(m, "loadavg", m.proc.LoadAvg)
	if err != nil {
		return 0, err
	}
	return l.Load1, nil
}

// CPUPressure is the share of the last 10 seconds, in percent, in which a task waited for a processor.
func (m *Machine) CPUPressure() (float64, error) {
	p, err := read(m, "pressure/cpu", func() (procfs.PSIStats, error) { return m.proc.PSIStatsForResource("cpu") })
	if err != nil {
		return 0, err
	}
	if p.Some == nil || !(p.Some.Avg10 >= 0) {
		return 0, malformed("proc/pressure/cpu")
	}
	return p.Some.Avg10, nil
}
