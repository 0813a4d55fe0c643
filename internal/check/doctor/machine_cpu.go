package doctor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

const cpuFolder = "sys/devices/system/cpu/"

// everyCPU reads a file of each processor's cpufreq folder.
func (m *examination) everyCPU(file string) ([]string, error) {
	names := m.Machine.Glob(cpuFolder + "cpu[0-9]*/cpufreq/" + file)
	if len(names) == 0 {
		if m.OS != "linux" {
			return nil, fmt.Errorf("%s does not tell", m.OS)
		}
		return nil, errors.New("there is no cpufreq folder here; in a virtual machine the host decides")
	}
	var values []string
	for _, name := range names {
		value, err := m.Machine.Line(name)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

func governor(m *examination) result {
	names, err := m.everyCPU("scaling_governor")
	if err != nil {
		return unknown(err)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	level := OK
	if !slices.Equal(names, []string{"performance"}) {
		level = Warn
	}
	return found(level, "%s", strings.Join(names, ", "))
}

// cappedBelow: less than this share of what the processor can do is a cap worth a warning.
const cappedBelow = 0.9

func frequency(m *examination) result {
	most, err := m.greatest("cpuinfo_max_freq")
	if err != nil {
		return unknown(err)
	}
	limit, err := m.greatest("scaling_max_freq")
	if err != nil {
		return unknown(err)
	}
	now, err := m.greatest("scaling_cur_freq")
	if err != nil {
		return unknown(err)
	}
	level := OK
	if limit < cappedBelow*most {
		level = Warn
	}
	const gigahertz = 1e6 // the files count in kHz
	return found(level, "%.2f GHz now, at most %.2f GHz of %.2f; turbo %s", now/gigahertz, limit/gigahertz, most/gigahertz, m.turbo())
}

// greatest is the largest of a number that each processor has.
func (m *examination) greatest(file string) (float64, error) {
	values, err := m.everyCPU(file)
	if err != nil {
		return 0, err
	}
	greatest := int64(0)
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, machine.ErrFormat)
		}
		greatest = max(greatest, n)
	}
	if greatest == 0 {
		return 0, fmt.Errorf("%s: %w", file, machine.ErrFormat)
	}
	return float64(greatest), nil
}

func (m *examination) turbo() string {
	if n, err := m.Machine.Int(cpuFolder + "intel_pstate/no_turbo"); err == nil {
		return map[bool]string{true: "on", false: "off"}[n == 0]
	}
	if n, err := m.Machine.Int(cpuFolder + "cpufreq/boost"); err == nil {
		return map[bool]string{true: "on", false: "off"}[n == 1]
	}
	return "unknown"
}

// share is a part of all processors' time between the two readings, in percent.
func (m *examination) share(part func(machine.CPUTimes) time.Duration) (float64, error) {
	if err := firstOf(m.first.noCPU, m.last.noCPU); err != nil {
		return 0, err
	}
	all := m.last.cpu.All() - m.first.cpu.All()
	if all <= 0 {
		return 0, errors.New("/proc/stat did not move")
	}
	return 100 * float64(part(m.last.cpu)-part(m.first.cpu)) / float64(all), nil
}

// The limits, in percent, are chosen: a client must find a processor at once.
const (
	someLoad, muchLoad         = 25, 60
	somePressure, muchPressure = 10, 40
	someSteal, muchSteal       = 1, 5
)

func otherLoad(m *examination) result {
	busy, err := m.share(func(t machine.CPUTimes) time.Duration { return t.Work + t.Interrupts })
	if err != nil {
		return unknown(err)
	}
	level := atWorst(busy, someLoad, muchLoad)
	figure := fmt.Sprintf("%.0f %% of %d processors busy within a second", busy, m.CPUs)
	if average, err := m.Machine.LoadAverage(); err == nil {
		figure += fmt.Sprintf(", load average %.2f", average)
	}
	pressure, err := m.Machine.CPUPressure()
	if err != nil {
		return found(level, "%s; how long tasks waited for one is not told", figure)
	}
	if waited := atWorst(pressure, somePressure, muchPressure); level == OK || waited == Bad {
		level = waited
	}
	return found(level, "%s, tasks waited for one in %.0f %% of the last 10 s", figure, pressure)
}

func steal(m *examination) result {
	now, err := m.share(func(t machine.CPUTimes) time.Duration { return t.Steal })
	if err != nil {
		return unknown(err)
	}
	sinceBoot := 100 * float64(m.last.cpu.Steal) / float64(m.last.cpu.All())
	level := atWorst(now, someSteal, muchSteal)
	if level == OK && sinceBoot > someSteal {
		level = Note
	}
	return found(level, "%.1f %% within a second, %.1f %% since boot", now, sinceBoot)
}

func quota(m *examination) result {
	n, err := m.Machine.CPUQuota()
	if err != nil {
		return unknown(err)
	}
	if math.IsInf(n, 1) || n >= float64(m.CPUs) {
		return found(OK, "no quota below the %d processors", m.CPUs)
	}
	level := Note
	if n < 1 || float64(m.MaxProcs) > math.Max(math.Ceil(n), 2) { // Go itself takes two for a smaller quota
		level = Warn
	}
	return found(level, "%.2f of %d processors; Go uses %d", n, m.CPUs, m.MaxProcs)
}

func throttling(m *examination) result {
	if err := m.last.noThrottle; err != nil {
		return unknown(err)
	}
	t := m.last.throttle
	switch now := t.Throttled - m.first.throttle.Throttled; {
	case m.first.noThrottle == nil && now > 0:
		return found(Bad, "stopped %d times within a second", now)
	case t.Throttled > 0:
		return found(Warn, "stopped in %d of %d periods since the group was made, not within a second", t.Throttled, t.Periods)
	}
	return found(OK, "never stopped")
}
