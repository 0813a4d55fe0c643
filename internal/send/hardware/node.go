package hardware

import (
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var nodeExporter = kind{
	name: "node", url: true, doc: "Prometheus' node_exporter",
	open: func(w *world, url string) source { return &exporter{w.client, url, &nodePage{}} },
}

// nodePage reads processors (RAPL, clocks, sensors, throttling) and GPUs that have sensors.
type nodePage struct {
	throttles map[string]float64 // at the last reading, by device
}

// node collects what lines say of one device.
type node struct {
	device     journal.Device
	clocks     []float64
	throttles  float64
	throttling bool // it is told
}

func (p *nodePage) of(lines []line) []journal.Device {
	chips, packageOf := nodeChips(lines), nodePackages(lines)
	var order []string
	found := map[string]*node{}
	of := func(id string) *node {
		n := found[id]
		if n == nil {
			n = &node{device: journal.Device{ID: id}}
			found[id] = n
			order = append(order, id)
		}
		return n
	}
	for i := range lines {
		if l := &lines[i]; len(order) < maxDevices {
			intoPackage(l, packageOf, of)
			intoChip(l, chips, of)
		}
	}
	var out []journal.Device
	now := map[string]float64{}
	for _, id := range order {
		n := found[id]
		n.device.ClockMHz = first(n.device.ClockMHz, mean(n.clocks))
		if n.throttling {
			now[id] = n.throttles
			if before, known := p.throttles[id]; known && n.throttles > before {
				n.device.Throttle = []string{byThermal}
			}
		}
		out = append(out, n.device)
	}
	p.throttles = now
	return out
}

// nodePackages says of which package each processor is, where any line has both.
func nodePackages(lines []line) map[string]string {
	of := map[string]string{}
	for i := range lines {
		l := &lines[i]
		if cpu, number := l.Label("cpu"), l.Label("package"); cpu != "" && number != "" && strings.HasPrefix(l.Name, "node_cpu_") {
			of[cpu] = number
		}
	}
	return of
}

// intoPackage takes in what is told of processors. One of which the package is not told is of
// the first.
func intoPackage(l *line, packageOf map[string]string, of func(string) *node) {
	number := l.Label("package")
	if cpu := l.Label("cpu"); cpu != "" {
		if number = packageOf[cpu]; number == "" {
			number = "0"
		}
	}
	switch l.Name {
	case "node_rapl_package_joules_total":
		of(packageID(l.Label("index"))).device.EnergyJ = some(l.Value)
	case "node_rapl_dram_joules_total":
		of("dram-" + l.Label("index")).device.EnergyJ = some(l.Value)
	case "node_cpu_package_throttles_total", "node_cpu_core_throttles_total":
		n := of(packageID(number))
		n.throttles, n.throttling = n.throttles+l.Value, true
	case "node_cpu_scaling_frequency_hertz":
		n := of(packageID(number))
		n.clocks = append(n.clocks, l.Value*1e-6)
	case "node_cpu_scaling_frequency_max_hertz", "node_cpu_frequency_max_hertz":
		n := of(packageID(number))
		if mhz := l.Value * 1e-6; n.device.MaxClockMHz == nil || mhz > *n.device.MaxClockMHz {
			n.device.MaxClockMHz = some(mhz)
		}
	}
}

// nodeChips are the names of the drivers of sensors, by chip.
func nodeChips(lines []line) map[string]string {
	chips := map[string]string{}
	for i := range lines {
		if l := &lines[i]; l.Name == "node_hwmon_chip_names" {
			chips[l.Label("chip")] = l.Label("chip_name")
		}
	}
	return chips
}

// intoChip takes in the sensors of GPUs, and the temperature of processors.
func intoChip(l *line, chips map[string]string, of func(string) *node) {
	reading, ok := strings.CutPrefix(l.Name, "node_hwmon_")
	if !ok {
		return
	}
	chip := l.Label("chip")
	switch chips[chip] {
	case "coretemp", "k10temp", "zenpower":
		if reading == "temp_celsius" && l.Label("sensor") == "temp1" {
			number := "0"
			if _, after, ok := strings.Cut(chip, "coretemp_"); ok {
				number = after
			}
			of(packageID(number)).device.TemperatureC = some(l.Value)
		}
	case "amdgpu", "i915", "xe":
		intoGPU(&of(chip).device, reading, l)
	}
}

func intoGPU(d *journal.Device, reading string, l *line) {
	switch reading {
	case "power_average_watt", "power_watt", "power_input_watt":
		d.PowerW = some(l.Value)
	case "power_cap_watt":
		d.PowerLimitW = some(l.Value)
	case "energy_joule_total":
		d.EnergyJ = some(l.Value)
	case "freq_freq_mhz":
		switch l.Label("sensor") {
		case "sclk", "freq1":
			d.ClockMHz = some(l.Value)
		case "mclk", "freq2":
			d.MemoryClockMHz = some(l.Value)
		}
	case "temp_celsius": // edge, junction and memory: the hottest
		if d.TemperatureC == nil || l.Value > *d.TemperatureC {
			d.TemperatureC = some(l.Value)
		}
	}
}
