package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A machine that saves power, one with two memories, and GPUs that somebody limited.
func TestPower(t *testing.T) {
	smi := func(text string, err error) func(*patient) {
		return func(p *patient) { p.NvidiaSMI = func(context.Context) (string, error) { return text, err } }
	}
	nodes := func(setting string) func(*patient) {
		return func(p *patient) {
			p.tree["sys/devices/system/node/node1/cpulist"] = "4-7\n"
			if setting != "" {
				p.tree["proc/sys/kernel/numa_balancing"] = setting
			}
		}
	}
	for _, tt := range []struct {
		finding string
		change  func(*patient)
		level   Level
		words   string
	}{
		{"power_profile", func(p *patient) { p.tree["sys/firmware/acpi/platform_profile"] = "quiet\n" }, Warn, "platform profile quiet"},
		{"power_profile", func(p *patient) { p.tree[cpu0+"energy_performance_preference"] = "balance_power\n" }, Warn, "energy preference balance_power"},
		{"power_profile", func(p *patient) { p.tree[cpu0+"energy_performance_preference"] = "balance_performance\n" }, OK, "balance_performance"},
		{"power_profile", func(p *patient) { delete(p.tree, "sys/firmware/acpi/platform_profile") }, Unknown, "no platform profile"},
		{"numa_balancing", nodes("1\n"), Note, "on, with 2 NUMA nodes"},
		{"numa_balancing", nodes("0\n"), OK, "off, with 2"},
		{"numa_balancing", nodes(""), Unknown, "numa_balancing"},
		{"numa_balancing", func(p *patient) { delete(p.tree, "sys/devices/system/node/node0/cpulist") }, Unknown, "no NUMA node"},
		{"gpu_power", smi("0, Enabled, 700.00, 700.00\n1, Enabled, 400.00, 700.00\n", nil), Warn, "GPU 1 is limited to 400 W of its 700 W"},
		{"gpu_power", smi("0, Disabled, 350.00, 350.00\n", nil), Note, "GPU 0 has no persistence mode"},
		{"gpu_power", smi("0, [N/A], [N/A], [N/A]\n", nil), OK, "1 with"},
		{"gpu_power", smi(strings.Repeat("0, Disabled, 1, 2\n", 9), nil), Warn, "and 14 more"},
		{"gpu_power", smi("\x1b[31mnonsense", nil), Unknown, "no GPU"},
		{"gpu_power", smi("", errors.New("there is no nvidia-smi in PATH")), Unknown, "no nvidia-smi"},
	} {
		p := newPatient(t)
		tt.change(p)
		f := p.examine(t)[tt.finding]
		if f.Level != tt.level || !strings.Contains(f.Figure, tt.words) {
			t.Errorf("%s: %s, %q; want %s, %q", tt.finding, f.Level, f.Figure, tt.level, tt.words)
		}
	}
}
