package windows

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(builtIn)
	os.Exit(code)
}

// The simulator's times, in milliseconds.
const ttft, itl = 50.0, 10.0

// result is what these tests read of a result.
type result struct {
	Completed  int
	MedianTTFT float64 `json:"median_ttft_ms"`
	MedianITL  float64 `json:"median_itl_ms"`

	Inferometer struct {
		Client      struct{ Stamps string }
		Environment struct{ OS string }
	}
}

func readResult(t *testing.T, path string) (r result) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func startSim(t *testing.T, program string) *subprocess.Sim {
	t.Helper()
	sim, err := subprocess.Start(program, "--ttft", fmt.Sprint(ttft, "ms"), "--itl", fmt.Sprint(itl, "ms"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	return sim
}

// TestRealNumbers: the same load measured under Wine and by this system's own program, against one simulator.
func TestRealNumbers(t *testing.T) {
	w, own := start(t), realserver.Build(t)
	sim := startSim(t, own)
	load := []string{"bench", "serve", "--base-url", sim.URL, "--num-prompts", "40", "--max-concurrency", "4", "--random-input-len", "16", "--random-output-len", "32", "--save-result", "--result-filename"}
	w.types(0, []string{"Successful requests:                     40"}, append(load, "wine.json")...)
	cmd := exec.Command(own, append(load, "own.json")...)
	cmd.Dir, cmd.Env = w.folder, append(os.Environ(), "XDG_STATE_HOME="+w.folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wine, here := readResult(t, filepath.Join(w.folder, "wine.json")), readResult(t, filepath.Join(w.folder, "own.json"))
	t.Logf("median TTFT minus true: Wine %+.2f ms, this system %+.2f ms", wine.MedianTTFT-ttft, here.MedianTTFT-ttft)
	t.Logf("median ITL minus true: Wine %+.2f ms, this system %+.2f ms", wine.MedianITL-itl, here.MedianITL-itl)
	if wine.Completed != 40 || math.Abs(wine.MedianITL-itl) > 2 || wine.MedianTTFT < ttft || wine.MedianTTFT > ttft+30 {
		t.Errorf("%+v", wine)
	}
	if said := wine.Inferometer; said.Client.Stamps != "user" || said.Environment.OS != "windows" {
		t.Errorf("the result does not say whose times these are: %+v", said)
	}
}

// TestRealCommands: a simulator of Windows, and what a user does with one run.
func TestRealCommands(t *testing.T) {
	w := start(t)
	w.types(0, []string{"windows/amd64"}, "version")
	w.types(0, []string{"the kernel gives no receive times", "windows does not tell"}, "doctor")

	cmd := exec.Command("wine", w.program, "sim", "--listen", "127.0.0.1:0", "--until-eof", "--ttft", "20ms", "--itl", "2ms")
	cmd.Dir, cmd.Env = w.folder, w.env
	sim, err := subprocess.Run(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	w.types(0, []string{"Successful requests:                     10"}, "bench", "serve", "--base-url", sim.URL, "--num-prompts", "10", "--random-input-len", "16", "--random-output-len", "8", "--run-dir", "first")
	w.types(0, nil, "report", "first", "-o", "page.html")
	if page, err := os.ReadFile(filepath.Join(w.folder, "page.html")); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("no page: %v", err)
	}
	w.types(0, []string{"requests/s"}, "compare", "first", "first")
	w.types(0, nil, sim.URL, "--num-prompts", "10")
	const question = `{"task_id": "HumanEval/0", "prompt": "def f(x):\n", "canonical_solution": "    return x\n", "test": "def check(f):\n    assert f(1) == 1\n", "entry_point": "f"}`
	if err := os.WriteFile(filepath.Join(w.folder, "questions.jsonl"), []byte(question+"\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.types(2, []string{"there is no sandbox for programs here"}, "eval", "--base-url", sim.URL, "--task", "humaneval", "--dataset-path", "questions.jsonl", "--allow-code")
}

// TestRealRun: a scenario, in a file with Windows's ends of lines, starts its servers by a line for the shell and by a
// list, and nothing of them is left.
func TestRealRun(t *testing.T) {
	w := start(t)
	program := windowsPath(w.program)
	text := strings.ReplaceAll(fmt.Sprintf(`name: both
targets:
  text:
    command: %[1]s sim --listen 127.0.0.1:{port} --ttft 20ms --itl 2ms && rem "a quote"
  list:
    command: ['%[1]s', sim, --listen, '127.0.0.1:{port}', --ttft, 40ms, --itl, 2ms]
workload: {dataset: random, input_len: 16, output_len: 8, num_prompts: 10}
pace: {concurrency: 2}
`, program), "\n", "\r\n")
	if err := os.WriteFile(filepath.Join(w.folder, "both.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	w.types(0, []string{"[2/2]", "10/10"}, "run", "both.yaml")
	for _, target := range []string{"text", "list"} {
		r := readResult(t, filepath.Join(w.folder, "results", "both", "points", target+"_r1", "run", "result.json"))
		if r.Completed != 10 {
			t.Errorf("%s: %+v", target, r)
		}
	}
	if left, _ := exec.Command("pgrep", "-f", filepath.Base(filepath.Dir(w.program))+".* sim ").Output(); len(left) > 0 {
		t.Errorf("servers are left: %s", left)
	}
}

// TestRealFind: a search takes two probes at most here.
func TestRealFind(t *testing.T) {
	w := start(t)
	sim := startSim(t, realserver.Build(t))
	said, code := w.run(w.program, "find", "--base-url", sim.URL, "--slo", "failed<1%", "--vary", "concurrency", "--from", "1", "--to", "2", "--probe", "2s", "--confirm", "3s", "--max-time", "15s", "--any-verdict", "--random-input-len", "16", "--random-output-len", "8")
	if code != 0 && code != 1 || !strings.Contains(said, "| concurrency ") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// TestRealCtrlC: at a console the first Ctrl-C ends the load, and what was measured is a result.
func TestRealCtrlC(t *testing.T) {
	w := start(t)
	sim := startSim(t, realserver.Build(t))
	cmd := exec.Command("wine", w.program, "bench", "serve", "--base-url", sim.URL, "--num-prompts", "500", "--max-concurrency", "2", "--random-input-len", "16", "--random-output-len", "8", "--save-result", "--result-filename", "partial.json")
	cmd.Dir, cmd.Env = w.folder, append(w.env, "TERM=xterm")
	console, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	defer func() { _ = cmd.Process.Kill() }() // gone already, unless the test gave up
	ended := make(chan string, 1)
	running := make(chan struct{})
	go func() {
		var said strings.Builder
		buffer := make([]byte, 4096)
		for seen := false; ; {
			n, err := console.Read(buffer)
			said.Write(buffer[:n])
			if !seen && strings.Contains(said.String(), " in flight") {
				seen = true
				close(running)
			}
			if err != nil {
				ended <- said.String()
				return
			}
		}
	}()
	select {
	case <-running:
	case <-time.After(patience):
		t.Fatal("no progress was shown")
	}
	if _, err := io.WriteString(console, "\x03"); err != nil {
		t.Fatal(err)
	}
	select {
	case said := <-ended:
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(said, "stopping: no more requests are sent") {
			t.Errorf("exit code %d\n%s", code, said)
		}
	case <-time.After(patience):
		t.Fatal("Ctrl-C did not end it")
	}
	if r := readResult(t, filepath.Join(w.folder, "partial.json")); r.Completed == 0 || r.Completed == 500 {
		t.Errorf("%+v", r)
	}
}

// TestRealUnits: the clock has small steps there too, and errors are known by their names.
func TestRealUnits(t *testing.T) {
	w := start(t)
	for _, name := range []string{"clock", "errno"} {
		program := filepath.Join(w.folder, name+".test.exe")
		if err := build(program, "test", "-c", "./internal/"+name); err != nil {
			t.Fatal(err)
		}
		if said, code := w.run(program, "-test.v"); code != 0 || !strings.Contains(said, "--- PASS: Test") {
			t.Errorf("%s: exit code %d\n%s", name, code, said)
		}
	}
}
