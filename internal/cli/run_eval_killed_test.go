package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A scenario that is killed while it asks goes on: the speed that was measured stays, and no
// question is asked twice that has an answer. The same holds without a workload.
func TestRealRunKilledWhileAsking(t *testing.T) {
	t.Parallel()
	const prompts, questions, atOnce = 10, 60, 4
	for name, workload := range map[string]string{
		"after a speed run": fmt.Sprintf("workload: {tokenizer: none, input_len: 8, output_len: 4, num_prompts: %d}\n", prompts), "alone": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			truth, out := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "out")
			server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "40ms", "--itl", "5ms", "--truth", truth))
			if err != nil {
				t.Fatal(err)
			}
			defer server.stop()
			sumsTask(t, dir, questions)
			file := filepath.Join(dir, "s.yaml")
			writeFile(t, file, fmt.Sprintf("name: s\ntargets: {a: {base_url: %q}}\n%seval: {task: sums.yaml, concurrency: %d}\n", server.url, workload, atOnce))
			asked, before := filepath.Join(out, "points", "a_r1", "run"), 0.0
			if workload != "" {
				asked, before = filepath.Join(out, "points", "a_r1", "eval"), prompts
			}

			args := []string{"run", file, "--output", out}
			if _, said := killAfter(t, server, before+40, args); strings.Contains(said, "results: ") {
				t.Fatalf("it had ended before it was killed: %s", said)
			}
			speed, _ := os.ReadFile(filepath.Join(out, "points", "a_r1", "run", "result.json"))
			text, err := exec.Command(program(t), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			again, err := os.ReadFile(filepath.Join(out, "points", "a_r1", "run", "result.json"))
			if err != nil || workload != "" && !bytes.Equal(speed, again) {
				t.Errorf("the speed was measured again: %v", err)
			}
			checkAllAnswered(t, asked, questions)
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
			if n := len(readTruth(t, truth)); n > int(before)+questions+2*atOnce+4 { // with those that ask whether it is up
				t.Errorf("%d requests for %v prompts and %d questions", n, before, questions)
			}
			if !strings.Contains(string(text), "accuracy") {
				t.Errorf("no accuracy in %s", text)
			}
			text, err = exec.Command(program(t), args...).CombinedOutput()
			if err != nil || !strings.Contains(string(text), "has a result already") {
				t.Errorf("a third time: %v: %s", err, text)
			}
		})
	}
}
