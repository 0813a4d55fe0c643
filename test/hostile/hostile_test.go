// Package hostile runs the built program against a server that breaks every rule it
// can: some 140 ways to answer badly, each with both engines, under a memory limit.
// Whatever a server does, the program stays alive, takes a bounded amount of memory,
// names what went wrong, and goes on with the other requests; and both engines say
// the same of the same bytes.
package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

const (
	requests = 3       // of which the server answers one well
	most     = 512     // MB of memory
	address  = 4 << 20 // KB of address space, as `ulimit -v` takes it: a leak ends there
	patience = 10 * time.Minute
	together = 12 // processes at a time; most of them wait
	secret   = "SECRETKEY-abcdef0123456789"
)

// program is one run of ours.
type program struct {
	name, engine string
	args         []string
	timeout      time.Duration

	code     int // -1: it had to be killed, or a signal ended it
	rss      int // MB
	out      []byte
	outcomes map[journal.Outcome]int
	errors   []string
}

func TestHostileServer(t *testing.T) {
	if testing.Short() {
		t.Skip("some two minutes")
	}
	if runtime.GOOS != "linux" {
		t.Skip("it needs ulimit -v, /proc and the event loop")
	}
	binary := os.Getenv("INFEROMETER_BINARY") // for a look at another version
	if binary == "" {
		binary = realserver.Build(t)
	}
	s := startServer(t)
	var all []*program
	for _, engine := range []string{"loop", "nethttp"} {
		for _, name := range modeNames() {
			all = append(all, &program{name: name, engine: engine, args: named, timeout: modes[name].timeout})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(questions)) {
		all = append(all, &program{name: name, engine: "auto", args: questions[name].args})
	}
	only := regexp.MustCompile(os.Getenv("INFEROMETER_HOSTILE")) // some modes by name; empty: all
	all = slices.DeleteFunc(all, func(p *program) bool { return !only.MatchString(p.name) })
	runAll(t, binary, s, all)
	for _, p := range all {
		t.Run(p.name+"/"+p.engine, func(t *testing.T) {
			p.checkAlive(t)
			if m, ok := modes[p.name]; ok {
				p.checkOutcomes(t, m)
			} else {
				p.checkQuestion(t, questions[p.name])
			}
		})
	}
	for _, path := range []string{"/leak/v1/models", "/leak/v1/chat/completions"} {
		if n := s.asked(path); n > 0 {
			t.Errorf("a redirect to %s was followed %d times", path, n)
		}
	}
}

// runAll runs the programs, some at a time. Those that wait for their timeout go first, and the others beside them.
func runAll(t *testing.T, binary string, s *server, all []*program) {
	t.Helper()
	home := t.TempDir()
	var workers sync.WaitGroup
	queue := make(chan *program, len(all))
	run := func(p *program) {
		if err := p.run(binary, home, s.base); err != nil {
			t.Errorf("%s, %s: %v", p.name, p.engine, err)
		}
	}
	for _, p := range all {
		if p.timeout > 0 {
			workers.Go(func() { run(p) })
		} else {
			queue <- p
		}
	}
	close(queue)
	for range together {
		workers.Go(func() {
			for p := range queue {
				run(p)
			}
		})
	}
	workers.Wait()
}

func (p *program) run(binary, home, base string) error {
	timeout := p.timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	folder := filepath.Join(home, p.name+"-"+p.engine)
	args := append([]string{
		"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, address), binary, "bench", "serve",
		"--base-url", base + "/" + p.name, "--backend", "openai-chat", "--engine", p.engine,
		"--dataset-name", "random", "--random-input-len", "8", "--random-output-len", "2", "--num-prompts", strconv.Itoa(requests), "--max-concurrency", "2",
		"--request-timeout", timeout.String(), "--run-dir", folder, "--progress", "none",
	}, p.args...)
	if underTLS() {
		args = append(args, "--insecure")
	}
	cmd := exec.Command("sh", args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "NO_PROXY=*", "OPENAI_API_KEY="+secret)
	cmd.Dir = home
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		p.watch(cmd.Process, ended)
	}()
	_ = cmd.Wait() // how it ended is in its state
	close(ended)
	<-watched
	p.code, p.out = cmd.ProcessState.ExitCode(), out.Bytes()
	return p.read(filepath.Join(folder, journal.ResultName))
}

// watch keeps the most memory that the process ever had, and ends it when it hangs.
// (The kernel's own maximum would do, but it counts what the parent had too.)
func (p *program) watch(process *os.Process, ended <-chan struct{}) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	path := fmt.Sprintf("/proc/%d/status", process.Pid)
	for {
		if b, err := os.ReadFile(path); err == nil {
			if _, after, ok := strings.Cut(string(b), "VmHWM:"); ok {
				if kb, err := strconv.Atoi(strings.Fields(after)[0]); err == nil {
					p.rss = max(p.rss, kb>>10)
				}
			}
		}
		select {
		case <-tick.C:
		case <-late.C:
			_ = process.Kill() // its end shows it
		case <-ended:
			return
		}
	}
}

// read takes the outcomes from the result, if there is one.
func (p *program) read(path string) error {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	var result struct {
		Inferometer struct {
			Outcomes map[journal.Outcome]int
			Errors   []struct{ Message string }
		}
	}
	if err == nil {
		err = json.Unmarshal(b, &result)
	}
	p.outcomes = result.Inferometer.Outcomes
	for _, e := range result.Inferometer.Errors {
		p.errors = append(p.errors, e.Message)
	}
	return err
}

func (p *program) checkAlive(t *testing.T) {
	t.Helper()
	if p.code < 0 {
		t.Errorf("a signal ended it, or it took longer than %v\n%s", patience, p.out)
	}
	for _, word := range []string{"panic:", "fatal error:", "goroutine 1 ["} {
		if bytes.Contains(p.out, []byte(word)) {
			t.Errorf("it says %q\n%.4000s", word, p.out)
		}
	}
	if bytes.ContainsAny(p.out, "\x1b\a\x00") || bytes.Contains(p.out, []byte(secret)) {
		t.Errorf("a control character of the server's, or the key, reaches the terminal: %q", p.out)
	}
	if p.rss > most {
		t.Errorf("it took %d MB of memory, more than %d", p.rss, most)
	}
}

// unasked are modes whose answer is followed by bytes that nobody asked for. A request
// that takes the connection before net/http has seen them fails, and is told why; the
// event loop looks first.
var unasked = map[string]bool{"trailing-garbage": true, "extra-response": true, "extra-response-later": true}

// allSay: something failed, and all that did for this reason.
func (p *program) allSay(words string) bool {
	return len(p.errors) > 0 && !slices.ContainsFunc(p.errors, func(e string) bool { return !strings.Contains(e, words) })
}

func (p *program) checkOutcomes(t *testing.T, m mode) {
	t.Helper()
	want := map[journal.Outcome]int{journal.Complete: 1}
	want[m.want] += requests - 1
	if n := p.outcomes[journal.Protocol]; p.engine == "nethttp" && unasked[p.name] && p.allSay("nobody had asked for") {
		want[journal.Complete] -= n
		want[journal.Protocol] += n
	}
	if diff := cmp.Diff(want, p.outcomes); diff != "" || p.code != 0 {
		t.Errorf("exit code %d, outcomes (-want +got):\n%s\n%q", p.code, diff, p.errors)
	}
	if !slices.ContainsFunc(p.errors, func(e string) bool { return strings.Contains(e, m.words) }) && m.want != journal.Complete {
		t.Errorf("the errors %q don't say %q", p.errors, m.words)
	}
}

func (p *program) checkQuestion(t *testing.T, q question) {
	t.Helper()
	if p.code != q.code || !bytes.Contains(p.out, []byte(q.words)) {
		t.Errorf("exit code %d, want %d; it says, without %q:\n%.2000s", p.code, q.code, q.words, p.out)
	}
	if got := p.outcomes[journal.Complete]; q.code == 0 && got != requests {
		t.Errorf("%d requests completed, want %d: %v", got, requests, p.outcomes)
	}
}
