package hardware

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
)

// The bits of the reasons mean what the columns of the same real answers say.
func TestReasonsAgreeWithTheirBits(t *testing.T) {
	files, _ := filepath.Glob("testdata/nvidia-smi/nvidia-*.csv")
	active := 0
	for _, file := range files {
		text := string(read(t, strings.TrimPrefix(file, "testdata/")))
		byBits, err := parseNvidia(text)
		if err != nil {
			t.Fatal(err)
		}
		byColumns, err := parseNvidia(strings.Replace(text, "clocks_event_reasons.active", "clocks_event_reasons.hidden", 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range byBits {
			active += len(byBits[i].Throttle)
			if !slices.Equal(byBits[i].Throttle, byColumns[i].Throttle) {
				t.Errorf("%s: by bits %v, by columns %v", file, byBits[i].Throttle, byColumns[i].Throttle)
			}
		}
	}
	if active == 0 {
		t.Error("no answer has a reason")
	}
	for bits, want := range map[uint64]string{
		0: "[]", 1: "[]", 0x4: "[power]", 0x8: "[hardware]", 0x48: "[thermal]", 0x88: "[power_brake]", 0x60: "[thermal thermal]", 0x12: "[setting sync]",
	} {
		if got := fmt.Sprint(nvidiaReasons(bits)); got != want {
			t.Errorf("%#x: %s, want %s", bits, got, want)
		}
	}
}

// Boards of unified memory, drivers that say less, and a table that is none.
func TestNvidiaWhereLessIsTold(t *testing.T) {
	const header = "index, uuid, name, power.draw [W], enforced.power.limit [W], clocks.current.sm [MHz], clocks.max.sm [MHz], clocks.current.memory [MHz], temperature.gpu, utilization.gpu [%], memory.used [MiB], memory.total [MiB], clocks_throttle_reasons.active\n"
	list, err := parseNvidia(header +
		"0, GPU-a, NVIDIA GB10, 10.80, [N/A], 2405, 3003, [N/A], 52, 0, [N/A], [N/A], 0x0000000000000020\n" +
		"1, GPU-b, Old, [Not Supported], [Not Supported], [Unknown Error], [N/A], [N/A], 40, [Not Supported], 12, 34, [Not Supported]\n" +
		"2, a row that is cut\n")
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	a, b := list[0], list[1]
	if *a.PowerW != 10.8 || a.PowerLimitW != nil || a.MemoryUsed != nil || a.MemoryTotal != nil || *a.ClockMHz != 2405 || fmt.Sprint(a.Throttle) != "[thermal]" {
		t.Errorf("%+v", a)
	}
	if b.PowerW != nil || b.ClockMHz != nil || b.Busy != nil || *b.MemoryUsed != 12<<20 || b.Throttle != nil {
		t.Errorf("%+v", b)
	}
	for _, text := range []string{"", "No devices were found\n", "index, name\n", "\x1b[2J, \x00\n"} {
		if list, err := parseNvidia(text); err == nil {
			t.Errorf("%q: %v", text, list)
		}
	}
}

// The shapes that amd-smi's versions have, and an MI300X: eight dies, violations, energy.
func TestAMDShapes(t *testing.T) {
	for _, text := range []string{
		`[{"gpu": 3, "power": {"current_socket_power": 142}, "clock": {"gfx": {"cur_clk": 2100, "max_clk": 2500}, "mem": {"clk": "900 MHz"}}, "energy": {"total_energy_consumption": 12.5}, "mem_usage": {"used_vram": 1, "total_vram": 2}}]`,
		`{"gpu_data": [{"gpu": 3, "power": {"socket_power": {"value": 142, "unit": "W"}, "throttle_status": "N/A"},
		  "clock": {"gfx_0": {"clk": {"value": 2000, "unit": "MHz"}, "max_clk": {"value": 2500, "unit": "MHz"}}, "gfx_1": {"clk": {"value": 2200, "unit": "MHz"}}, "gfx_2": {"clk": "N/A"}, "mem_0": {"clk": {"value": 900, "unit": "MHz"}}},
		  "energy": {"total_energy_consumption": {"value": 12.5, "unit": "J"}}, "mem_usage": {"used_vram": {"value": 1, "unit": "MB"}, "total_vram": {"value": 2, "unit": "MB"}}}]}`,
	} {
		list, err := parseAMD([]byte(text))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		d := list[0]
		if d.ID != "3" || *d.PowerW != 142 || *d.ClockMHz != 2100 || *d.MaxClockMHz != 2500 || *d.MemoryClockMHz != 900 || *d.EnergyJ != 12.5 || *d.MemoryUsed != 1<<20 || d.Throttle != nil {
			t.Errorf("%+v", d)
		}
	}
	for text, want := range map[string]string{
		`{"throttle": {"ppt_violation_status": "ACTIVE", "hbm_thermal_violation_status": "NOT ACTIVE", "vr_thermal_violation_status": "ACTIVE", "low_utilization_violation_status": "ACTIVE"}}`: "[power thermal]",
		`{"power": {"throttle_status": "THROTTLED"}}`:                                     "[unspecified]",
		`{"power": {"throttle_status": "UNTHROTTLED", "socket_power": "7 W"}}`:            "[]",
		`{"throttle": "N/A", "power": {"socket_power": {"value": {"value": 3}}, "x": 1}}`: "",
	} {
		list, err := parseAMD([]byte("[" + text + "]"))
		got := ""
		if len(list) == 1 {
			got = fmt.Sprint(list[0].Throttle)
		}
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, list, err)
		}
	}
	if names := amdNames([]byte(`{"gpu_data": [{"gpu": 1, "asic": {"market_name": "AMD Radeon RX 7800 XT"}}, {"asic": {"market_name": "N/A"}}]}`)); names["1"] != "AMD Radeon RX 7800 XT" || len(names) != 1 {
		t.Error(names)
	}
}

// Lines with the names and labels that AMD documents: dies, partitions, units, violations.
func TestAMDExporter(t *testing.T) {
	text := `
amd_gpu_package_power{gpu_id="0",gpu_partition_id="0",card_series="Instinct MI300X"} 748
amd_gpu_package_power{gpu_id="0",gpu_partition_id="1"} 0
amd_gpu_energy_consumed{gpu_id="0",gpu_partition_id="0"} 1.4e14
amd_gpu_clock{gpu_id="0",clock_type="GPU_CLOCK_TYPE_SYSTEM",clock_index="0"} 1533
amd_gpu_clock{gpu_id="0",clock_type="GPU_CLOCK_TYPE_SYSTEM",clock_index="1"} 1535
amd_gpu_clock{gpu_id="0",clock_type="GPU_CLOCK_TYPE_MEMORY",clock_index="8"} 1292
amd_gpu_used_vram{gpu_id="0"} 183265
amd_gpu_total_vram{gpu_id="0"} 196592
amd_gpu_gfx_activity{gpu_id="0"} 97
amd_gpu_violation_ppt_residency_percentage{gpu_id="0"} 12
amd_gpu_violation_hbm_thermal_residency_percentage{gpu_id="0"} 0
gpu_package_power{gpu_id="1"} 0
gpu_average_package_power{gpu_id="1"} 31
gpu_used_vram{gpu_id="1"} 34342961152
gpu_total_vram{gpu_id="1"} 68702699520
`
	list := bounded(amdPage{}.of(exposition.Parse([]byte(text)).Samples))
	if len(list) != 2 {
		t.Fatal(list)
	}
	a, b := list[0], list[1]
	if *a.PowerW != 748 || *a.EnergyJ != 1.4e8 || *a.ClockMHz != 1534 || *a.MemoryClockMHz != 1292 || *a.MemoryUsed != 183265<<20 || *a.Busy != 0.97 || fmt.Sprint(a.Throttle) != "[power]" || a.Name != "Instinct MI300X" {
		t.Errorf("%+v", a)
	}
	if *b.PowerW != 31 || *b.MemoryUsed != 34342961152 || b.Throttle != nil {
		t.Errorf("%+v", b)
	}
}

// On Kubernetes the parts of a divided GPU have the only lines; a pod's labels repeat others.
func TestDCGMParts(t *testing.T) {
	text := `
DCGM_FI_DEV_POWER_USAGE{gpu="4",UUID="GPU-a",GPU_I_PROFILE="1g.5gb",GPU_I_ID="7",modelName="A100"} 250.5
DCGM_FI_DEV_POWER_USAGE{gpu="4",UUID="GPU-a",GPU_I_PROFILE="1g.5gb",GPU_I_ID="8",modelName="A100"} 250.5
DCGM_FI_DEV_FB_USED{gpu="4",GPU_I_ID="7"} 100
DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu="4",GPU_I_ID="7"} 72
DCGM_FI_DEV_GPU_UTIL{gpu="5",pod="a"} 55
DCGM_FI_DEV_GPU_UTIL{gpu="5",pod="b"} 55
DCGM_FI_DEV_POWER_USAGE{gpu="5"} NaN
DCGM_FI_DEV_GPU_TEMP{gpu="6"} 2147483632
`
	list := bounded(dcgmPage{}.of(exposition.Parse([]byte(text)).Samples))
	if len(list) != 2 || *list[0].PowerW != 250.5 || list[0].MemoryUsed != nil || fmt.Sprint(list[0].Throttle) != "[thermal]" || *list[1].Busy != 0.55 || list[1].PowerW != nil {
		t.Errorf("%+v", list)
	}
}

// Counters of throttling say something from the second reading on.
func TestNodeThrottles(t *testing.T) {
	p := &nodePage{}
	var got []string
	for _, n := range []int{5, 5, 6} {
		list := bounded(p.of(exposition.Parse(fmt.Appendf(nil, "node_cpu_package_throttles_total{package=\"0\"} %d\nnode_rapl_package_joules_total{index=\"0\"} 1\n", n)).Samples))
		got = append(got, fmt.Sprint(list[0].Throttle))
	}
	if fmt.Sprint(got) != "[[] [] [thermal]]" {
		t.Error(got)
	}
}

func FuzzParsers(f *testing.F) {
	for _, pattern := range []string{"nvidia-smi/*", "amd-smi/*", "rocm-smi/*", "exporters/*"} {
		files, _ := filepath.Glob(filepath.Join("testdata", pattern))
		for _, file := range files {
			f.Add(read(f, strings.TrimPrefix(file, "testdata/")))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		pages := exposition.Parse(b).Samples
		all := [][]journal.Device{bounded(dcgmPage{}.of(pages)), bounded(amdPage{}.of(pages)), bounded((&nodePage{}).of(pages))}
		for _, parse := range []func([]byte) ([]journal.Device, error){
			func(b []byte) ([]journal.Device, error) { return parseNvidia(string(b)) }, parseAMD, parseROCm,
		} {
			list, _ := parse(b)
			all = append(all, list)
		}
		if v := parseLevels(string(b)); v != nil && *v <= 0 {
			t.Error(*v)
		}
		for _, list := range all {
			if len(list) > maxDevices {
				t.Error(len(list))
			}
			for i := range list {
				for _, v := range []*float64{list[i].PowerW, list[i].ClockMHz, list[i].Busy, list[i].MemoryUsed, list[i].EnergyJ} {
					if v != nil && !(*v >= 0 && *v <= maxJoules) {
						t.Error(*v)
					}
				}
			}
		}
	})
}

// The kernel's files may hold anything, too.
func FuzzFiles(f *testing.F) {
	f.Add("43210000\n", "sclk\n", "0: 300Mhz \n1: 600Mhz *\n")
	f.Add("", "\x00", "-1")
	f.Fuzz(func(t *testing.T, number, label, levels string) {
		m := tree(t, "amd-one-sensor", "intel")
		for _, file := range []string{"gpu_busy_percent", "hwmon/hwmon4/power1_average", "hwmon/hwmon4/temp1_input"} {
			put(t, m.Path(""), "sys/class/drm/card0/device/"+file, number)
		}
		put(t, m.Path(""), "sys/class/drm/card0/device/hwmon/hwmon4/temp1_label", label)
		put(t, m.Path(""), "sys/class/drm/card0/device/pp_dpm_sclk", levels)
		put(t, m.Path(""), "sys/class/powercap/intel-rapl:0/energy_uj", number)
		put(t, m.Path(""), "sys/devices/system/cpu/cpu0/topology/physical_package_id", number)
		list, _ := newKernel(m).read(t.Context())
		for i := range list {
			if v := list[i].PowerW; v != nil && !(*v >= 0 && *v <= maxWatts) {
				t.Error(*v)
			}
		}
		_, _ = (&energy{machine: m}).read(t.Context())
	})
}
