//go:build linux

package scenes

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

// stage is what one scene is played on: a folder of its own, so that no scene
// knows another one's prompts, and processes that end with it.
type stage struct {
	*testing.T
	state string // folder of the client's state
}

func newStage(t *testing.T) *stage { return &stage{t, t.TempDir()} }

// sim starts a simulator; within is a command to run it in, such as taskset.
func (s *stage) sim(within []string, flags ...string) *subprocess.Sim {
	s.Helper()
	args := append(append([]string{}, within...), program, "sim", "--until-eof", "--listen", "127.0.0.1:0")
	sim, err := subprocess.Run(exec.Command(args[0], append(args[1:], flags...)...))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(sim.Kill)
	return sim
}

// client is one run of bench serve.
type client struct {
	*stage
	cmd    *exec.Cmd
	folder string
	out    bytes.Buffer
}

// start begins a run of the random dataset. within is a command to run it in.
func (s *stage) start(within []string, url string, flags ...string) *client {
	s.Helper()
	c := &client{stage: s, folder: s.TempDir()}
	args := append(append([]string{}, within...), program, "bench", "serve", "--base-url", url, "--run-dir", c.folder, "--dataset-name", "random")
	c.cmd = exec.Command(args[0], append(args[1:], flags...)...)
	c.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+s.state, "GOMAXPROCS=")
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.out
	if err := c.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.cmd.Process.Kill() }) // gone already, unless the scene failed
	return c
}

// result is what a run has shown.
type result = realserver.Result

// patience bounds a run: so long only on a machine that has hung.
const patience = 15 * time.Minute

// wait waits for the run's end and reads its result.
func (c *client) wait() *result {
	c.Helper()
	hung := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer hung.Stop()
	if err := c.cmd.Wait(); err != nil {
		c.Fatalf("%v: %v\n%s", c.cmd.Args, err, c.out.String())
	}
	data, err := os.ReadFile(filepath.Join(c.folder, "result.json"))
	if err != nil {
		c.Fatal(err)
	}
	r := &result{}
	if err := json.Unmarshal(data, r); err != nil {
		c.Fatal(err)
	}
	r.Stdout = c.out.String()
	return r
}

// bench runs a client from its start to its end.
func (s *stage) bench(url string, flags ...string) *result {
	s.Helper()
	return s.start(nil, url, flags...).wait()
}

// The usual run: 120 requests of 50 ms and 31 times 5 ms, eight at a time: some three seconds.
var (
	usualSim = []string{"--ttft", "50ms", "--itl", "5ms"}
	usual    = []string{"--num-prompts", "120", "--max-concurrency", "8", "--random-input-len", "64", "--random-output-len", "32"}
	// usualOpen is an open loop of three seconds with about as much to do.
	usualOpen = []string{
		"--num-prompts", "120", "--request-rate", "40", "--burstiness", "inf", "--random-input-len", "64", "--random-output-len", "32",
	}
)

// with adds flags to others, which stay as they are.
func with(flags []string, more ...string) []string {
	return append(append([]string{}, flags...), more...)
}

// pinned is a command that keeps another one on one processor.
func (s *stage) pinned(cpu int) []string {
	s.Helper()
	path, err := exec.LookPath("taskset")
	if err != nil {
		s.Skip("there is no taskset here to give client and server processors of their own")
	}
	return []string{path, "-c", strconv.Itoa(cpu)}
}

// hogs burn a processor until the scene ends.
func (s *stage) hogs(cpu, n int) {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	for range n {
		args := append(s.pinned(cpu), self)
		hog := exec.Command(args[0], args[1:]...)
		hog.Env = append(os.Environ(), hogVar+"=1")
		if err := hog.Start(); err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() {
			_ = hog.Process.Kill()
			_ = hog.Wait()
		})
	}
}
