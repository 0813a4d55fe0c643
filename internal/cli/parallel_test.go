package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRealParallelRunsKeepEachOther: ten runs at once, each of which prunes at its end. Those
// that began first are the oldest and still at work: none may be lost to another.
func TestRealParallelRunsKeepEachOther(t *testing.T) {
	t.Parallel()
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "1ms", "--itl", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	const runs, keep = 10, 3
	state := t.TempDir()
	var said [runs]bytes.Buffer
	var commands [runs]*exec.Cmd
	for i := range runs {
		// The later one has begun, the fewer requests it sends: the newest end first.
		c := exec.Command(program(t), "bench", "serve", "--base-url", server.url, "--num-prompts", []string{"60", "5"}[i/5], "--request-rate", "20",
			"--skip-tokenizer-init", "--random-input-len", "8", "--random-output-len", "2", "--keep-runs", "3", "--progress", "none")
		c.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		c.Stdout, c.Stderr = &said[i], &said[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands[i] = c
	}
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			t.Errorf("run %d: %v\n%s", i, err, said[i].Bytes())
		}
	}
	left, err := filepath.Glob(filepath.Join(state, "inferometer", "runs", "*", "result.json"))
	if err != nil || len(left) < keep {
		t.Errorf("%d runs are left, %v", len(left), err)
	}
}
