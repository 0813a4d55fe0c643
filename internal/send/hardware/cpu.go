package hardware

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

// packages are the processors of a machine, one device for each that has its own chip.
type packages struct {
	machine *machine.Machine
	model   string
	cpus    map[string][]string // folders of processors, by package
	sensors map[string]string   // file of the temperature, by package
	counts  map[string]int64    // of throttling, at the last reading
}

// maxRead bounds how many processors of a package are read for a sample: each may have to be
// woken up for it. Their mean is what is kept, and these lie evenly among all.
const maxRead = 16

func newPackages(m *machine.Machine) *packages {
	p := &packages{machine: m, model: m.CPUModel(), cpus: map[string][]string{}, sensors: map[string]string{}, counts: map[string]int64{}}
	for _, file := range m.Glob(frequencies) {
		folder := path.Dir(path.Dir(file))
		id, err := m.Line(folder + "/topology/physical_package_id")
		if err != nil || id == "" || strings.HasPrefix(id, "-") {
			id = "0"
		}
		p.cpus[id] = append(p.cpus[id], folder)
	}
	for id, all := range p.cpus {
		p.cpus[id] = spread(all, maxRead)
	}
	p.findSensors()
	return p
}

// spread keeps so many of a list, evenly.
func spread(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	var out []string
	for i := range most {
		out = append(out, list[i*len(list)/most])
	}
	return out
}

// findSensors gives each package the sensor of its chip: those of one driver are in the order
// of the packages.
func (p *packages) findSensors() {
	ids := p.ids()
	n := 0
	for _, file := range p.machine.Glob("sys/class/hwmon/hwmon*/name") {
		driver, err := p.machine.Line(file)
		if err != nil || !slices.Contains([]string{"coretemp", "k10temp", "zenpower"}, driver) || n == len(ids) {
			continue
		}
		p.sensors[ids[n]] = path.Dir(file) + "/temp1_input"
		n++
	}
}

func (p *packages) ids() []string {
	return slices.SortedFunc(maps.Keys(p.cpus), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
}

func (p *packages) read() []journal.Device {
	var list []journal.Device
	for _, id := range p.ids() {
		list = append(list, p.one(id))
	}
	return list
}

func (p *packages) one(id string) journal.Device {
	const kilo, milli = 1e-3, 1e-3
	d := journal.Device{ID: packageID(id), Name: p.model}
	sum, n := 0.0, 0.0
	for _, folder := range p.cpus[id] {
		if v, err := p.machine.Int(folder + "/cpufreq/scaling_cur_freq"); err == nil {
			sum += float64(v) * kilo
			n++
		}
		for _, file := range []string{"cpuinfo_max_freq", "scaling_max_freq"} {
			if v, err := p.machine.Int(folder + "/cpufreq/" + file); err == nil {
				if mhz := float64(v) * kilo; d.MaxClockMHz == nil || mhz > *d.MaxClockMHz {
					d.MaxClockMHz = some(mhz)
				}
				break
			}
		}
	}
	if n > 0 {
		d.ClockMHz = some(sum / n)
	}
	if v, err := p.machine.Int(p.sensors[id]); err == nil && p.sensors[id] != "" {
		d.TemperatureC = some(float64(v) * milli)
	}
	if p.throttled(id) {
		d.Throttle = []string{byThermal}
	}
	return d
}

// packageID is the same for all sources that tell of processors.
func packageID(number string) string { return "package-" + number }

// throttled says whether the counters grew since the last reading. The first one has none before it.
func (p *packages) throttled(id string) bool {
	grown := false
	for i, folder := range p.cpus[id] {
		files := []string{"core_throttle_count"}
		if i == 0 {
			files = append(files, "package_throttle_count") // each processor shows the same
		}
		for _, file := range files {
			name := folder + "/thermal_throttle/" + file
			now, err := p.machine.Int(name)
			if err != nil {
				continue
			}
			before, known := p.counts[name]
			grown = grown || known && now > before
			p.counts[name] = now
		}
	}
	return grown
}
