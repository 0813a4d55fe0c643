//go:build linux

package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// patience bounds what takes no time on a machine that has not hung.
const patience = 60 * time.Second

// NATS is the real nats-server. It can be killed and started again with the same data.
type NATS struct {
	*Process
	Store   string            // its folder
	Files   map[string]string // by role: what --nats and --fleet are given
	stage   *Stage
	where   *Host
	address string
	monitor string
	dir     string // that it runs in
	args    []string
}

// StartNATS runs one: on the loopback as it comes; in a namespace as `fleet init` says, with
// TLS and a user for each role.
func (s *Stage) StartNATS(where *Host) (*NATS, error) {
	n, err := s.PrepareNATS(where)
	if err != nil {
		return nil, err
	}
	return n, n.Restart()
}

// PrepareNATS does all but start it.
func (s *Stage) PrepareNATS(where *Host) (*NATS, error) {
	n := &NATS{Store: filepath.Join(s.Dir, "nats"), dir: s.Dir, stage: s, where: where}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	watch, err := FreePort()
	if err != nil {
		return nil, err
	}
	n.address, n.monitor = net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), "http://127.0.0.1:"+strconv.Itoa(watch)
	if where == nil {
		url := "nats://" + n.address
		n.Files = map[string]string{"leader": url, "agent": url, "viewer": url}
		n.args = []string{s.NATS, "-a", "127.0.0.1", "-p", strconv.Itoa(port), "-m", strconv.Itoa(watch), "-js", "-sd", n.Store}
	} else if err := n.secure(port); err != nil {
		return nil, err
	}
	return n, nil
}

// secure makes the configuration as a user does.
func (n *NATS) secure(port int) error {
	dir := filepath.Join(n.stage.Dir, "fleet")
	n.address = net.JoinHostPort(n.where.NATS, strconv.Itoa(port))
	out, err := exec.Command(n.stage.Program, "fleet", "init", "-o", dir, "--host", n.where.NATS, "--port", strconv.Itoa(port)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("fleet init: %w\n%s", err, out)
	}
	n.Files = map[string]string{}
	for _, role := range []string{"leader", "agent", "viewer"} {
		n.Files[role] = filepath.Join(dir, role+".json")
	}
	n.Store, n.dir = filepath.Join(dir, "store"), dir
	n.args = []string{n.stage.NATS, "-c", "nats.conf"}
	return nil
}

// Restart starts it, or starts it again.
func (n *NATS) Restart() error {
	p, err := n.stage.startIn(n.dir, "nats", n.where, n.args...)
	if err != nil {
		return err
	}
	n.Process = p
	return p.Await("Server is ready", patience)
}

// Counters are what the server itself counts since its start.
type Counters struct {
	In, Out, InBytes, OutBytes int64
	Memory                     int64
	Stored                     int64 // bytes of JetStream's files
}

// Count asks its monitoring port; only on the loopback.
func (n *NATS) Count() (c Counters, err error) {
	var varz struct {
		In       int64 `json:"in_msgs"`
		Out      int64 `json:"out_msgs"`
		InBytes  int64 `json:"in_bytes"`
		OutBytes int64 `json:"out_bytes"`
		Memory   int64 `json:"mem"`
	}
	var jsz struct {
		Storage int64 `json:"storage"`
	}
	if err := fetch(n.monitor+"/varz", &varz); err != nil {
		return c, err
	}
	if err := fetch(n.monitor+"/jsz", &jsz); err != nil {
		return c, err
	}
	return Counters{varz.In, varz.Out, varz.InBytes, varz.OutBytes, varz.Memory, jsz.Storage}, nil
}

func fetch(url string, into any) error {
	r, err := http.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// Sim is a simulator with its truth.
type Sim struct {
	*subprocess.Sim
	Truth string // the path of its log
}

// StartSim runs one at an address with a free port. A namespace's is its own; else the loopback's.
func (s *Stage) StartSim(name string, where *Host, address string, flags ...string) (*Sim, error) {
	return s.StartSimAt(name, where, address+":0", flags...)
}

// StartSimAt runs one at an address and port: in place of one that was stopped.
func (s *Stage) StartSimAt(name string, where *Host, address string, flags ...string) (*Sim, error) {
	truth := filepath.Join(s.Dir, name+".truth.jsonl")
	args := append(s.within(where), s.Program, "sim", "--until-eof", "--listen", address, "--truth", truth)
	sim, err := subprocess.Run(exec.Command(args[0], append(args[1:], flags...)...))
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, sim.Kill)
	return &Sim{sim, truth}, nil
}

// StartAgent runs one agent.
func (s *Stage) StartAgent(name string, where *Host, nats *NATS, flags ...string) (*Process, error) {
	args := []string{s.Program, "agent", "--nats", nats.Files["agent"], "--name", name}
	return s.Start(name, where, append(args, flags...)...)
}

// StartAgents runs several on the loopback, or each in a host of its own.
func (s *Stage) StartAgents(n int, hosts []*Host, nats *NATS, flags ...string) ([]*Process, error) {
	var all []*Process
	for i := range n {
		var where *Host
		if hosts != nil {
			where = hosts[i]
		}
		p, err := s.StartAgent(fmt.Sprintf("agent%d", i+1), where, nats, flags...)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Bench runs `bench serve` into the folder of that name; with nats it leads a fleet.
func (s *Stage) Bench(name string, where *Host, nats *NATS, flags ...string) (*Process, error) {
	args := []string{s.Program, "bench", "serve", "--run-dir", s.Run(name), "--progress", "none"}
	if nats != nil {
		args = append(args, "--fleet", nats.Files["leader"])
	}
	return s.Start(name, where, append(args, flags...)...)
}

// Attach runs `fleet attach` for a run that was left.
func (s *Stage) Attach(name string, where *Host, nats *NATS, run string) (*Process, error) {
	return s.Start(name, where, s.Program, "fleet", "attach", run, "--fleet", nats.Files["leader"], "--progress", "none")
}

// Configure changes what the server's configuration says; it is read at the next Restart.
func (n *NATS) Configure(old, now string) error {
	path := filepath.Join(n.dir, "nats.conf")
	b, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(b), old) {
		err = fmt.Errorf("the configuration of nats-server says nothing of %q", old)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(b), old, now)), 0o600)
}

// Empty removes all that the server has stored, while it is not running.
func (n *NATS) Empty() error {
	entries, err := os.ReadDir(n.Store)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(n.Store, e.Name())))
	}
	return err
}

// Run is the folder of a run.
func (s *Stage) Run(name string) string { return filepath.Join(s.Dir, "runs", name) }

// Dump shows the ends of all logs, for a test that failed.
func (s *Stage) Dump() string {
	logs, _ := filepath.Glob(filepath.Join(s.Dir, "*.log"))
	text := ""
	for _, path := range logs {
		b, _ := os.ReadFile(path)
		if filepath.Base(path) == "nats.log" {
			b = []byte(strings.Join(slices.DeleteFunc(strings.SplitAfter(string(b), "\n"), func(line string) bool { return strings.Contains(line, "[INF]") }), ""))
		}
		text += fmt.Sprintf("== %s\n%s\n", filepath.Base(path), b[max(0, len(b)-2000):])
	}
	return text
}
