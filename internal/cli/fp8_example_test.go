package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The example on FP8 runs as it is: one table with the speed and the accuracy of both
// targets, where they were set to be, and no claim that one of them is better.
func TestRealExampleOfSpeedAndAccuracy(t *testing.T) {
	out := t.TempDir()
	cmd := exec.Command(program(t), "run", "../../examples/fp8-accuracy.yaml", "--output", out)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	b, err := os.ReadFile(filepath.Join(out, "table.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := string(b)
	for target, truth := range map[string]float64{"fp16": 0.8466, "fp8": 0.848} {
		m := regexp.MustCompile(`(?m)^\| ` + target + ` +\|.* (0\.\d{4}) ± (0\.\d{4}) `).FindStringSubmatch(table)
		if m == nil {
			t.Fatalf("no accuracy of %s in\n%s", target, table)
		}
		got, _ := strconv.ParseFloat(m[1], 64)
		err, _ := strconv.ParseFloat(m[2], 64)
		if d := got - truth; d > 4*err || -d > 4*err {
			t.Errorf("%s: %v ± %v, and the truth is %v", target, got, err, truth)
		}
	}
	for _, want := range []string{"out tok/s", "## Accuracy against output throughput", "McNemar's exact test on 120 questions", "fp8 can't be told from fp16"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(table, "INVALID because of ") { // the throughput of a run that this machine spoiled is on no front
		if strings.Contains(table, "on the front") {
			t.Errorf("a run that is INVALID is on the front:\n%s", table)
		}
		return
	}
	if !strings.Contains(table, "on the front") {
		t.Errorf("no front in\n%s", table)
	}
	if !strings.Contains(string(page), "accuracy, with its 95 % interval") {
		t.Errorf("no picture of accuracy against throughput: %v", err)
	}
}
