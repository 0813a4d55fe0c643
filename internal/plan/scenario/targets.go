package scenario

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
)

// The defaults of readiness. The time is long: to load a large model takes minutes.
const (
	defaultReadyTimeout = 15 * time.Minute
	defaultHealthPath   = "/health"
)

// target is the servers of a point, as they are run.
func (r *Runner) target(p *Point) *run.Target {
	t := p.target
	out := &run.Target{Name: p.Target(), Key: p.server, WhenUp: func(ctx context.Context, up *run.Servers) { r.askServers(ctx, p, up) }}
	if !t.started() {
		out.URLs = t.urls()
		return out
	}
	out.Ready = p.readiness()
	folder := ""
	out.Servers = func(context.Context) ([]run.Server, error) {
		r.starts++
		folder = r.Folder.server(fmt.Sprintf("%s-%03d", p.Target(), r.starts))
		return p.replicas(folder)
	}
	out.WhenDown = func() { keepFiles(string(t.Cwd), p.scenario.Artifacts.Keep, folder) }
	return out
}

// readiness is how to see that the point's servers have come up.
func (p *Point) readiness() run.Readiness {
	ready, api := p.target.Ready, p.api()
	out := run.Readiness{Path: ready.Path, Timeout: ready.Timeout}
	if out.Path == "" {
		out.Path = defaultHealthPath
	}
	if out.Timeout == 0 {
		out.Timeout = defaultReadyTimeout
	}
	out.Late = fmt.Errorf("not ready within %v", out.Timeout)
	if ready.Request == nil || *ready.Request {
		model := api.Served
		if model == "" {
			model = api.Model
		}
		out.First = func(ctx context.Context, t *target.Target) error {
			return t.Ask(ctx, protocol.FillPath(api.endpoint(), model), model)
		}
	}
	return out
}

// replicas are the processes of a target that is started, with their files in a folder.
func (p *Point) replicas(folder string) (list []run.Server, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the server's folder: %w", err)
	}
	t := p.target
	ports, err := choosePorts(t.Port, t.count())
	if err != nil {
		return nil, err
	}
	for i, port := range ports {
		one := run.Server{Name: p.Target(), URL: "http://127.0.0.1:" + port}
		if len(ports) > 1 {
			one.Name += "-" + strconv.Itoa(i)
		}
		device := ""
		if i < len(t.Devices) {
			device = t.Devices[i]
		}
		fill := strings.NewReplacer("{port}", port, "{index}", strconv.Itoa(i), "{device}", device)
		one.Command = target.Command{
			Dir: fill.Replace(string(t.Cwd)), Grace: t.Stop.Grace,
			Log:     filepath.Join(folder, fmt.Sprintf("server-%d.log", i)),
			PIDFile: filepath.Join(folder, fmt.Sprintf("%d-pid.json", i)),
		}
		for _, word := range t.Command.Args {
			one.Command.Args = append(one.Command.Args, fill.Replace(word))
		}
		for name, value := range t.Env {
			one.Command.Env = append(one.Command.Env, name+"="+fill.Replace(value))
		}
		slices.Sort(one.Command.Env)
		list = append(list, one)
	}
	return list, nil
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

// keepFiles copies what the file's artifacts name. What is not there is not kept.
func keepFiles(from string, patterns []string, to string) {
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			continue // checked when the file was read
		}
		for _, name := range found {
			if b, err := os.ReadFile(name); err == nil {
				_ = os.WriteFile(filepath.Join(to, filepath.Base(name)), b, 0o644)
			}
		}
	}
}

// askServers asks servers for their version and for what they are. Those that we did
// not start are asked once.
func (r *Runner) askServers(ctx context.Context, p *Point, up *run.Servers) {
	if _, known := r.versions[p.server]; !known || up.Fresh {
		r.versions[p.server] = r.readVersion(ctx, p.target, up.URLs[0])
	}
	if _, known := r.selves[p.server]; !known || up.Fresh {
		r.selves[p.server], _ = r.self(ctx, up.URLs) // that it does not say is no reason to stop
	}
}

// readVersion asks for the server's version as the file says. That it can't be read
// is no reason to stop: it is unknown then.
func (r *Runner) readVersion(ctx context.Context, t *Target, address string) string {
	if len(t.Version.Args) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var text string
	var err error
	if path, ok := t.Version.httpPath(); ok {
		text, err = r.run.At(address).Text(ctx, path)
	} else {
		text, err = target.Version(ctx, target.Command{Args: t.Version.Args, Dir: string(t.Cwd), Env: envList(t.Env)})
	}
	if err != nil {
		r.run.Note("the version of the server is not known: %v", err)
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
