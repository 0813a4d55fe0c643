package scenario

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// servers is a target that is up: all its replicas.
type servers struct {
	key       string // Point.server
	urls      []string
	processes []*target.Process // none: it was up before
	folder    string
	keep      []string
	cwd       string
	startup   []StartupRecord
	version   string
	self      string // what it says of itself
}

// The defaults of readiness. The time is long: to load a large model takes minutes.
const (
	defaultReadyTimeout = 15 * time.Minute
	defaultHealthPath   = "/health"
)

// bringUp starts the point's target, all replicas side by side, and waits until
// each has answered.
func (r *Runner) bringUp(ctx context.Context, p *Point) (*servers, error) {
	t := p.target
	s := &servers{key: p.server, keep: p.scenario.Artifacts.Keep, cwd: string(t.Cwd)}
	if !t.started() {
		s.urls = t.urls()
		if _, known := r.versions[p.server]; !known {
			r.versions[p.server] = r.readVersion(ctx, t, s.urls[0])
		}
		s.version = r.versions[p.server]
		if _, asked := r.selves[p.server]; !asked {
			r.selves[p.server], _ = r.self(ctx, s.urls) // that it does not say is no reason to stop
		}
		s.self = r.selves[p.server]
		return s, nil
	}
	r.starts++
	s.folder = r.Folder.server(fmt.Sprintf("%s-%03d", p.Target(), r.starts))
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the server's folder: %w", err)
	}
	ports, err := choosePorts(t.Port, t.count())
	if err != nil {
		return nil, err
	}
	for i, port := range ports {
		if err := r.startReplica(s, p, i, port); err != nil {
			r.endServers(s)
			return nil, err
		}
	}
	if err := r.awaitAll(ctx, s, p); err != nil {
		r.endServers(s)
		return nil, err
	}
	s.version = r.readVersion(ctx, t, s.urls[0])
	s.self, _ = r.self(ctx, s.urls) // that it does not say is no reason to stop
	return s, nil
}

func (r *Runner) startReplica(s *servers, p *Point, i int, port string) error {
	t := p.target
	device := ""
	if i < len(t.Devices) {
		device = t.Devices[i]
	}
	fill := strings.NewReplacer("{port}", port, "{index}", strconv.Itoa(i), "{device}", device)
	c := target.Command{
		Dir: fill.Replace(string(t.Cwd)), Grace: t.Stop.Grace,
		Log:     filepath.Join(s.folder, fmt.Sprintf("server-%d.log", i)),
		PIDFile: filepath.Join(s.folder, fmt.Sprintf("%d-pid.json", i)),
	}
	for _, word := range t.Command.Args {
		c.Args = append(c.Args, fill.Replace(word))
	}
	for name, value := range t.Env {
		c.Env = append(c.Env, name+"="+fill.Replace(value))
	}
	slices.Sort(c.Env)
	process, err := target.Start(c)
	if err != nil {
		return err
	}
	s.processes = append(s.processes, process)
	s.urls = append(s.urls, "http://127.0.0.1:"+port)
	return nil
}

// choosePorts takes the file's port and those after it, or free ones. All are held
// until the last is found, or one could be found twice.
func choosePorts(wanted, n int) (ports []string, err error) {
	for i := range n {
		port := 0
		if wanted > 0 {
			port = wanted + i
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, fmt.Errorf("the port of the server is taken: %w; leave port out to get a free one", err)
		}
		defer l.Close()
		_, text, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, text)
	}
	return ports, nil
}

func (r *Runner) awaitAll(ctx context.Context, s *servers, p *Point) error {
	timeout := p.target.Ready.Timeout
	if timeout == 0 {
		timeout = defaultReadyTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not ready within %v", timeout))
	defer cancel()
	s.startup = make([]StartupRecord, len(s.processes))
	errs := make([]error, len(s.processes))
	var all sync.WaitGroup
	for i := range s.processes {
		all.Go(func() { s.startup[i], errs[i] = r.await(ctx, s, p, i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (r *Runner) await(ctx context.Context, s *servers, p *Point, i int) (StartupRecord, error) {
	t := r.target(s.urls[i])
	path, api := p.target.Ready.Path, p.api()
	if path == "" {
		path = defaultHealthPath
	}
	name := p.Target()
	if len(s.processes) > 1 {
		name += "-" + strconv.Itoa(i)
	}
	model := api.Served
	if model == "" {
		model = api.Model
	}
	first := func(ctx context.Context) error { return t.Ask(ctx, api.endpoint(), model) }
	if wanted := p.target.Ready.Request; wanted != nil && !*wanted {
		first = func(context.Context) error { return nil }
	}
	up, err := s.processes[i].Ready(ctx, func(ctx context.Context) error { return t.Healthy(ctx, path) }, first)
	if err != nil {
		return StartupRecord{}, fmt.Errorf("%s: %w", name, err)
	}
	return StartupRecord{Server: name, HealthyS: up.Healthy.Seconds(), FirstAnswerS: up.FirstAnswer.Seconds()}, nil
}

// target speaks to a server. A login in its address goes to the header, so that no
// error shows it.
func (r *Runner) target(address string) *target.Target {
	t := &target.Target{Base: address, Header: r.Header.Clone(), Client: r.Client}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		password, _ := u.User.Password()
		req := http.Request{Header: http.Header{}}
		req.SetBasicAuth(u.User.Username(), password)
		u.User = nil
		t.Base, t.Header = u.String(), req.Header
	}
	return t
}

// readVersion asks for the server's version as the file says. That it can't be read
// is no reason to stop: it is unknown then.
func (r *Runner) readVersion(ctx context.Context, t *Target, address string) string {
	if len(t.Version.Args) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if path, ok := t.Version.httpPath(); ok {
		text, err := r.target(address).Text(ctx, path)
		if err != nil {
			r.note("the version of the server is not known: %v", err)
		}
		return r.secrets().Word(text)
	}
	text, err := target.Version(ctx, target.Command{Args: t.Version.Args, Dir: string(t.Cwd), Env: envList(t.Env)})
	if err != nil {
		r.note("the version of the server is not known: %v", err)
	}
	return r.secrets().Word(text)
}

func envList(env map[string]string) (list []string) {
	for name, value := range env {
		if !strings.Contains(value, "{") { // a device or a port belongs to one replica
			list = append(list, name+"="+value)
		}
	}
	return list
}

// alive says whether all processes of the target still run.
func (s *servers) alive() bool {
	for _, p := range s.processes {
		select {
		case <-p.Exited():
			return false
		default:
		}
	}
	return true
}

// obituary says how the server that ended did so.
func (s *servers) obituary() error {
	for _, p := range s.processes {
		select {
		case <-p.Exited():
			return p.Ended()
		default:
		}
	}
	return nil
}

// down ends what was started, all replicas at once, and keeps the files asked for.
func (s *servers) down() {
	var all sync.WaitGroup
	for _, p := range s.processes {
		all.Go(p.Stop)
	}
	all.Wait()
	if len(s.processes) > 0 {
		s.keepFiles()
	}
}

// keepFiles copies what the file's artifacts name. What is not there is not kept.
func (s *servers) keepFiles() {
	for _, pattern := range s.keep {
		found, err := filepath.Glob(filepath.Join(s.cwd, pattern))
		if err != nil {
			continue // checked when the file was read
		}
		for _, name := range found {
			if b, err := os.ReadFile(name); err == nil {
				_ = os.WriteFile(filepath.Join(s.folder, filepath.Base(name)), b, 0o644)
			}
		}
	}
}
