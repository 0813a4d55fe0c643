package realserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Build builds the program as a user would and gives its path.
func Build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "inferometer")
	out, err := exec.Command("go", "build", "-o", path, modulePath).CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// Bench is a running `bench serve`, ours or another's.
type Bench struct {
	Dir string // its working folder, where the result lies

	cmd      *exec.Cmd
	out, err bytes.Buffer
	ended    chan error
}

// resultFile is the name of the result in the working folder.
const resultFile = "result.json"

// StartBench starts `command bench serve` with the arguments and a saved, detailed result.
func StartBench(t testing.TB, env []string, command string, args ...string) *Bench {
	t.Helper()
	return start(t, env, command, append([]string{"bench", "serve"}, args...)...)
}

// StartAddress starts the command with an address alone, and the same result.
func StartAddress(t testing.TB, command, address string) *Bench {
	t.Helper()
	return start(t, nil, command, address)
}

func start(t testing.TB, env []string, command string, args ...string) *Bench {
	t.Helper()
	b := &Bench{Dir: t.TempDir(), ended: make(chan error, 1)}
	args = append(args, "--save-result", "--save-detailed", "--result-filename", resultFile)
	b.cmd = exec.Command(command, args...)
	b.cmd.Dir = b.Dir
	b.cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+b.Dir), env...)
	b.cmd.Stdout, b.cmd.Stderr = &b.out, &b.err
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C for the test is not one for it
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { b.ended <- b.cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL) // gone already, unless the test gave up
	})
	return b
}

// Interrupt is one Ctrl-C.
func (b *Bench) Interrupt(t testing.TB) {
	t.Helper()
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

// Wait waits for the end, which must have the exit code, and reads the result.
func (b *Bench) Wait(t testing.TB, code int, patience time.Duration) *Result {
	t.Helper()
	var err error
	select {
	case err = <-b.ended:
	case <-time.After(patience):
		t.Fatalf("bench serve did not end within %v", patience)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := b.cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit code %d, want %d\n%s\n%s", got, code, b.out.String(), b.err.String())
	}
	data, err := os.ReadFile(filepath.Join(b.Dir, resultFile))
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Stdout: b.out.String(), Stderr: b.err.String()}
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	r.Keys, r.Fields = Object(t, data)
	return r
}

// Result is what the tests look at in a result.
type Result struct {
	Stdout, Stderr string                     `json:"-"`
	Keys           []string                   `json:"-"` // in the file's order
	Fields         map[string]json.RawMessage `json:"-"`

	Completed         int      `json:"completed"`
	Failed            int      `json:"failed"`
	TotalInputTokens  int      `json:"total_input_tokens"`
	TotalOutputTokens int      `json:"total_output_tokens"`
	RequestThroughput float64  `json:"request_throughput"`
	MeanTTFTms        float64  `json:"mean_ttft_ms"`
	MeanTPOTms        float64  `json:"mean_tpot_ms"`
	InputLens         []int    `json:"input_lens"`
	OutputLens        []int    `json:"output_lens"`
	Errors            []string `json:"errors"`

	Inferometer struct {
		Partial     bool           `json:"partial"`
		Interrupted *string        `json:"interrupted"`
		Outcomes    map[string]int `json:"outcomes"`
		Tokens      struct {
			PromptPlanned int `json:"prompt_planned"`
			PromptCounted int `json:"prompt_counted"`
			PromptCached  int `json:"prompt_cached"`
		} `json:"tokens"`
		Workload struct {
			Planned         int    `json:"requests_planned"`
			Sent            int    `json:"requests_sent"`
			TokenizerSource string `json:"tokenizer_source"`
		} `json:"workload"`
		Errors []struct {
			Outcome, Message string
			Count            int
		} `json:"errors"`
		Verdict verdict.Verdict     `json:"verdict"`
		Latency map[string]struct { // by sent and due
			E2EL struct {
				MeanMs float64 `json:"mean_ms"`
			} `json:"e2el"`
		} `json:"latency"`
	} `json:"inferometer"`
}

// OutcomeTotal is how many requests have an outcome.
func (r *Result) OutcomeTotal() (n int) {
	for _, count := range r.Inferometer.Outcomes {
		n += count
	}
	return n
}

// Object reads a JSON object with its keys in order, which encoding/json forgets.
func Object(t testing.TB, object []byte) (keys []string, fields map[string]json.RawMessage) {
	t.Helper()
	fields = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		name, ok := key.(string)
		if !ok {
			t.Fatalf("the key %v is no string", key)
		}
		keys, fields[name] = append(keys, name), value
	}
	return keys, fields
}

// Lines reads n lines from an environment variable, in which a script of ours has
// said where things are; without it the test is skipped.
func Lines(t testing.TB, variable string, n int, how string) []string {
	t.Helper()
	text := strings.TrimSpace(os.Getenv(variable))
	if text == "" {
		t.Skipf("%s is not set: this test needs more than Go; `%s` gets it and runs the test", variable, how)
	}
	lines := strings.Split(text, "\n")
	if len(lines) != n {
		t.Fatalf("%s holds %d lines, want %d", variable, len(lines), n)
	}
	return lines
}

// Requests is how many requests a test against a real server sends: all of them, or
// fewer where INFEROMETER_REAL_QUICK is set, because CI's time counts.
func Requests(all, quick int) int {
	if os.Getenv("INFEROMETER_REAL_QUICK") != "" {
		return quick
	}
	return all
}
