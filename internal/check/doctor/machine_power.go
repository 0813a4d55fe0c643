package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// powerProfile looks at what the firmware and the processors were told to save.
func powerProfile(m *examination) result {
	var words []string
	level := OK
	if profile, err := m.Machine.Line("sys/firmware/acpi/platform_profile"); err == nil && profile != "" {
		words = append(words, "platform profile "+profile)
		if slices.Contains([]string{"low-power", "quiet", "cool"}, profile) {
			level = Warn
		}
	}
	if saving, err := m.everyCPU("energy_performance_preference"); err == nil {
		slices.Sort(saving)
		saving = slices.Compact(saving)
		words = append(words, "energy preference "+strings.Join(saving, ", "))
		if slices.ContainsFunc(saving, func(s string) bool { return strings.HasSuffix(s, "power") }) {
			level = Warn
		}
	}
	switch {
	case len(words) > 0:
	case m.OS != "linux":
		return unknown(fmt.Errorf("%s does not tell", m.OS))
	default:
		return unknown(fmt.Errorf("no platform profile and no energy preference here; in a virtual machine the host decides"))
	}
	return found(level, "%s", strings.Join(words, "; "))
}

// numaBalancing moves pages between memories of processors, which stops their programs for a moment.
func numaBalancing(m *examination) result {
	if m.OS != "linux" {
		return unknown(fmt.Errorf("%s does not tell", m.OS))
	}
	nodes := len(m.Machine.Glob("sys/devices/system/node/node[0-9]*"))
	if nodes == 0 {
		return unknown(fmt.Errorf("the kernel reports no NUMA node"))
	}
	if nodes == 1 {
		return found(OK, "one NUMA node")
	}
	on, err := m.Machine.Sysctl("kernel.numa_balancing")
	if err != nil {
		return unknown(err)
	}
	if on == 0 {
		return found(OK, "off, with %d NUMA nodes", nodes)
	}
	return found(Note, "on, with %d NUMA nodes", nodes)
}

// gpuPower asks nvidia-smi, if this machine has it, for what was set once and is forgotten.
func gpuPower(m *examination) result {
	if m.NvidiaSMI == nil {
		return unknown(fmt.Errorf("nvidia-smi is not asked"))
	}
	text, err := m.NvidiaSMI(m.ctx)
	if err != nil {
		return unknown(err)
	}
	return readGPUPower(text)
}

// readGPUPower reads lines of index, persistence mode, power limit and default limit.
func readGPUPower(text string) result {
	var wrong []string
	level, gpus := OK, 0
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), ", ")
		if len(cells) != 4 {
			continue
		}
		gpus++
		limit, err := strconv.ParseFloat(cells[2], 64)
		usual, errUsual := strconv.ParseFloat(cells[3], 64)
		if err == nil && errUsual == nil && limit < 0.99*usual {
			level = Warn
			wrong = append(wrong, fmt.Sprintf("GPU %s is limited to %.0f W of its %.0f W", shortWord(cells[0]), limit, usual))
		}
		if cells[1] == "Disabled" {
			if level == OK {
				level = Note
			}
			wrong = append(wrong, fmt.Sprintf("GPU %s has no persistence mode", shortWord(cells[0])))
		}
	}
	const few = 4
	switch {
	case gpus == 0:
		return unknown(fmt.Errorf("nvidia-smi shows no GPU"))
	case len(wrong) > few:
		wrong = append(wrong[:few], fmt.Sprintf("and %d more", len(wrong)-few))
	case len(wrong) == 0:
		return found(OK, "%d with their usual power limit", gpus)
	}
	return found(level, "%s", strings.Join(wrong, "; "))
}

func shortWord(s string) string { return s[:min(len(s), 4)] }

// askNvidiaSMI is for this machine; an error where it has none.
func askNvidiaSMI(ctx context.Context) (string, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return "", fmt.Errorf("there is no nvidia-smi in PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--query-gpu=index,persistence_mode,power.limit,power.default_limit", "--format=csv,noheader,nounits")
	cmd.WaitDelay = 200 * time.Millisecond
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("nvidia-smi can't be asked: %w", err)
	}
	return string(out[:min(len(out), 1<<16)]), nil
}
