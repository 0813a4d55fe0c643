package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/spec"
)

// selftestCommand is a self-test with folders of its own.
func selftestCommand(t *testing.T, args ...string) (cmd *exec.Cmd, state, temp string) {
	t.Helper()
	state, temp = t.TempDir(), t.TempDir()
	cmd = exec.Command(program(t), append([]string{"selftest"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "TMPDIR="+temp)
	return cmd, state, temp
}

// A self-test by real processes. On a machine that others load it may prove nothing, which is said and not kept;
// what is claimed of which errors is in the tests of internal/check/selftest, in virtual time.
func TestRealSelftest(t *testing.T) {
	t.Parallel()
	cmd, state, temp := selftestCommand(t, "--quick", "--max-streams", "2", "--rounds", "1", "--json")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	printed, decodeErr := selftest.Decode(out.Bytes())
	if decodeErr != nil {
		t.Fatalf("%v, %v: %s%s", err, decodeErr, out.Bytes(), said.Bytes())
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%v is left in the folder for temporary files", left)
	}
	if len(printed.Steps) != 1 || printed.Steps[0].Streams != 2 || len(printed.Steps[0].Rounds) < 1 {
		t.Fatalf("the steps are %+v", printed.Steps)
	}
	for _, r := range printed.Steps[0].Rounds { // each measured something, or says why not
		if r.Requests < 3 && r.Fails == "" {
			t.Errorf("a round of %d requests does not fail: %+v", r.Requests, r)
		}
	}
	left, _ := os.ReadDir(filepath.Join(state, "inferometer"))
	if printed.Claim == nil {
		t.Logf("nothing could be proven: %s", printed.Steps[0].Fails)
		exit := new(exec.ExitError)
		if !errors.As(err, &exit) || exit.ExitCode() != command.ExitNothing || printed.Steps[0].Fails == "" || len(left) > 0 || !strings.Contains(said.String(), "not even the lowest load") {
			t.Errorf("%v, and %v are kept: %s", err, left, said.Bytes())
		}
		return
	}
	kept, readErr := os.ReadFile(filepath.Join(state, "inferometer", "selftest.json"))
	if err := errors.Join(err, readErr); err != nil || !bytes.Equal(kept, out.Bytes()) || len(left) != 1 { // runs of its client are no runs of the user's
		t.Errorf("%v are kept, %s (%v); printed was %s", left, kept, err, out.Bytes())
	}
	if c := printed.Claim; c.Streams != 2 || c.TTFTMS <= 0 || c.ITLMS <= 0 {
		t.Errorf("the claim is %+v", c)
	}
	machine := serve.ThisMachine()
	machine.GoMaxProcs = processors
	if printed.Proven(command.Version(), serve.ResolvedEngine("auto"), machine) == nil {
		t.Errorf("nothing is proven for a run here: %+v", printed)
	}
}

// A self-test that is stopped or killed leaves no process behind.
func TestRealSelftestEndsItsProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "kill": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, state, temp := selftestCommand(t, "--max-streams", "1")
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the simulator and the client", func() bool { return processesWith(temp) == 2 })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			waitFor(t, "the end of all", func() bool { return processesWith(temp) == 0 })
			if _, err := os.Stat(filepath.Join(state, "inferometer", "selftest.json")); err == nil {
				t.Error("a result was written")
			}
			if signal == os.Interrupt && (cmd.ProcessState.ExitCode() != command.ExitNothing || !strings.Contains(said.String(), "stopped: nothing is written")) {
				t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), said.Bytes())
			}
		})
	}
}

// processesWith counts the processes whose command line names a folder.
func processesWith(folder string) (n int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(folder)) {
			n++
		}
	}
	return n
}

func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in %v", what, patience)
		}
	}
}

// What a self-test has proven gets into the journal of a later run, and into its verdict.
func TestRealProvenRangeOfARun(t *testing.T) {
	t.Parallel()
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "1ms", "--itl", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	result := selftest.Result{Schema: selftest.Schema, Version: command.Version(), Engine: serve.ResolvedEngine(spec.EngineAuto), Machine: serve.ThisMachine()}
	result.Machine.GoMaxProcs = processors
	result.Points = []journal.ProvenPoint{{Streams: 20, TokensPerS: 1e9, TTFTMS: 1, ITLMS: 0.5}}
	whole, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kept  string
		flags []string
		want  verdict.Level
		says  string
	}{
		"inside":         {string(whole), []string{"--max-concurrency", "4"}, verdict.OK, "TTFT is accurate to ±1 ms"},
		"outside":        {string(whole), []string{"--max-concurrency", "60"}, verdict.Noted, "beyond what the self-test proved"},
		"another engine": {string(whole), []string{"--engine", otherEngine()}, verdict.NotChecked, "run inferometer selftest once"},
		"none":           {"", nil, verdict.NotChecked, "run inferometer selftest once"},
		"a broken one":   {"{", nil, verdict.NotChecked, "run inferometer selftest once"},
	} {
		t.Run(name, func(t *testing.T) {
			state, run := t.TempDir(), filepath.Join(t.TempDir(), "run")
			if c.kept != "" {
				path := filepath.Join(state, "inferometer", "selftest.json")
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(c.kept), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			bench := exec.Command(program(t), append([]string{
				"bench", "serve", "--base-url", server.url, "--num-prompts", "120", "--random-input-len", "8",
				"--random-output-len", "40", "--run-dir", run,
			}, c.flags...)...)
			bench.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
			if said, err := bench.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			j, err := journal.Open(filepath.Join(run, journal.FileName))
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			v, err := verdict.Judge(j, verdict.Options{})
			if err != nil {
				t.Fatal(err)
			}
			k := v.Check("proven_range")
			if k.Level != c.want || !strings.Contains(k.Sentence, c.says) {
				t.Errorf("%s: %s; want %s: %s", k.Level, k.Sentence, c.want, c.says)
			}
		})
	}
}

// processors are what a program started by a test has: runs inside the test's own
// process give its scheduler more for a while.
var processors = runtime.GOMAXPROCS(0)

// otherEngine is one that the self-test did not use.
func otherEngine() string {
	if serve.ResolvedEngine(spec.EngineAuto) == spec.EngineLoop {
		return spec.EngineNetHTTP
	}
	return spec.EngineLoop
}
