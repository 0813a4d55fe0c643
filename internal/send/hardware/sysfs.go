package hardware

import (
	"context"
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

var sysfs = kind{
	name: "sysfs", doc: "Linux's files of AMD's and Intel's GPUs, and of processors",
	open: func(w *world, _ string) source { return newKernel(w.machine) },
	here: func(w *world) bool {
		return len(w.machine.Glob(cards)) > 0 && w.hasGPU() || len(w.machine.Glob(frequencies)) > 0
	},
}

const (
	cards       = "sys/class/drm/card[0-9]*/device/vendor"
	frequencies = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
	vendorAMD   = "0x1002"
	vendorIntel = "0x8086"
)

// kernel reads the files that the drivers amdgpu, i915 and xe have, and those of processors.
type kernel struct {
	machine  *machine.Machine
	packages *packages
}

func newKernel(m *machine.Machine) *kernel {
	return &kernel{machine: m, packages: newPackages(m)}
}

func (k *kernel) read(context.Context) ([]journal.Device, error) {
	list := append(gpus(k.machine), k.packages.read()...)
	if len(list) == 0 {
		return nil, errors.New("the kernel's files tell of no GPU and of no processor's clock here")
	}
	return bounded(list), nil
}

// hasGPU says that there is one whose driver tells more than that it exists.
func (w *world) hasGPU() bool { return len(gpus(w.machine)) > 0 }

func (w *world) hasAMD() bool {
	for _, name := range w.machine.Glob(cards) {
		if vendor, err := w.machine.Line(name); err == nil && vendor == vendorAMD {
			return true
		}
	}
	// A container may have AMD's compute driver without the files of its graphics.
	return len(w.machine.Glob("sys/class/kfd/kfd/topology/nodes/*")) > 1
}

func gpus(m *machine.Machine) []journal.Device {
	var list []journal.Device
	for _, name := range m.Glob(cards) {
		vendor, err := m.Line(name)
		if err != nil || vendor != vendorAMD && vendor != vendorIntel {
			continue
		}
		d := card{m, path.Dir(name)}.device()
		if d.PowerW != nil || d.EnergyJ != nil || d.Busy != nil || d.ClockMHz != nil {
			list = append(list, d)
		}
	}
	return list
}

// card is the folder of one GPU.
type card struct {
	machine *machine.Machine
	folder  string
}

func (c card) number(file string, per float64) *float64 {
	if file == "" {
		return nil
	}
	line, err := c.machine.Line(c.folder + "/" + file)
	if err != nil {
		return nil
	}
	v, err := strconv.ParseFloat(strings.Trim(line, "\x00 "), 64)
	if err != nil {
		return nil
	}
	return some(v / per)
}

func (c card) device() journal.Device {
	name := path.Base(path.Dir(c.folder)) // card0
	d := journal.Device{
		ID: name, Busy: c.number("gpu_busy_percent", 100),
		MemoryUsed: c.number("mem_info_vram_used", 1), MemoryTotal: c.number("mem_info_vram_total", 1),
	}
	d.Name, _ = c.machine.Line(c.folder + "/product_name")
	if d.Name == "" {
		d.Name = c.pciID()
	}
	if monitors := c.machine.Glob(c.folder + "/hwmon/hwmon*"); len(monitors) > 0 {
		c.sensors(&d, "hwmon/"+path.Base(monitors[0])+"/")
	}
	d.MaxClockMHz = c.levels("pp_dpm_sclk")
	c.intelClock(&d)
	return d
}

// pciID is the board's number, as lspci shows it, where it has no name.
func (c card) pciID() string {
	vendor, _ := c.machine.Line(c.folder + "/vendor")
	device, _ := c.machine.Line(c.folder + "/device")
	vendor, device = strings.TrimPrefix(vendor, "0x"), strings.TrimPrefix(device, "0x")
	if vendor == "" || device == "" {
		return ""
	}
	return vendor + ":" + device
}

// sensors reads the folder of hwmon: power in µW, energy in µJ, clocks in Hz, temperatures in m°C.
func (c card) sensors(d *journal.Device, folder string) {
	const micro, milli = 1e6, 1e3
	d.PowerW = first(c.number(folder+"power1_average", micro), c.number(folder+"power1_input", micro))
	d.PowerLimitW = first(c.number(folder+"power1_cap", micro), c.number(folder+"power1_max", micro))
	d.EnergyJ = c.number(folder+"energy1_input", micro)
	d.ClockMHz, d.MemoryClockMHz = c.number(folder+"freq1_input", micro), c.number(folder+"freq2_input", micro)
	labels := map[string]string{}
	for _, file := range []string{"temp1", "temp2", "temp3"} {
		if label, err := c.machine.Line(c.folder + "/" + folder + file + "_label"); err == nil {
			labels[label] = folder + file + "_input"
		}
	}
	d.TemperatureC = first(c.number(labels["junction"], milli), c.number(labels["edge"], milli), c.number(folder+"temp1_input", milli))
}

// levels is the fastest of the driver's levels: lines such as "7: 1366Mhz *".
func (c card) levels(file string) *float64 {
	b, err := c.machine.Read(c.folder + "/" + file)
	if err != nil {
		return nil
	}
	return parseLevels(string(b))
}

func parseLevels(text string) *float64 {
	var most *float64
	for line := range strings.Lines(text) {
		_, level, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if v := rocmNumber(level); v != nil && (most == nil || *v > *most) {
			most = v
		}
	}
	return positive(most)
}

// intelClock reads i915's files, which are beside the device's folder, or xe's, which are in it.
func (c card) intelClock(d *journal.Device) {
	if d.ClockMHz != nil {
		return
	}
	d.ClockMHz = first(c.number("../gt_act_freq_mhz", 1), c.number("tile0/gt0/freq0/act_freq", 1))
	d.MaxClockMHz = first(d.MaxClockMHz, c.number("../gt_RP0_freq_mhz", 1), c.number("tile0/gt0/freq0/rp0_freq", 1))
}
