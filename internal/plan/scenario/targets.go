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
	if len(t.Backends) > 0 {
		out.Behind = r.behind(p)
	}
	if !t.started() {
		for _, url := range t.urls() {
			out.Up = append(out.Up, run.Server{URL: url})
		}
		return out
	}
	if p.scenario.Routers.Restarts() || p.scenario.Routers != nil && out.Behind != nil {
		out.Key += " " + p.ID // what a router knows of caches that were emptied is gone with it
	}
	if p.scenario.Routers.Restarts() && out.Behind != nil {
		out.Behind.Key += " " + p.ID
	}
	folder := ""
	out.Servers = func(_ context.Context, behind *run.Servers) (list []run.Server, err error) {
		if folder, err = r.serverFolder(p.Target()); err != nil {
			return nil, err
		}
		spares, faults := t.ownSpares(p.scenario.Faults), p.scenario.Faults
		ports, err := choosePorts([]portRange{{t.Port, t.count() + spares}})
		if err != nil {
			return nil, err
		}
		list = t.servers(t.ownKind(), t.count(), ports[0], folder, backendWords(behind))
		for i := range list {
			one := &list[i]
			one.Ready, one.Name, one.Spare, one.Relayed = readiness(t.Ready, p.api()), p.Target(), i >= t.count(), faults.relayed(one.Part)
			if t.count() > 1 {
				one.Name += "-" + strconv.Itoa(i)
			}
		}
		return list, nil
	}
	out.WhenDown = func() { keepFiles(string(t.Cwd), p.scenario.Artifacts.Keep, folder) }
	return out
}

// serverFolder makes the folder of a start of servers.
func (r *Runner) serverFolder(name string) (string, error) {
	r.starts++
	folder := r.Folder.server(fmt.Sprintf("%s-%03d", name, r.starts))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make the server's folder: %w", err)
	}
	return folder, nil
}

// readiness is how to see that servers have come up.
func readiness(ready Ready, api API) run.Readiness {
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

// servers are the processes of what is started at these ports, count of them at first, with their files in a folder. words are what else is
// put into the command.
func (s *Start) servers(kind string, count int, ports []string, folder string, words fillWords) (list []run.Server) {
	for i, port := range ports {
		one := run.Server{Part: partName(kind, i, count), URL: "http://127.0.0.1:" + port}
		device := ""
		if i < len(s.Devices) {
			device = s.Devices[i]
		}
		fill := strings.NewReplacer("{port}", port, "{index}", strconv.Itoa(i), "{device}", device, "{name}", one.Part)
		one.Command = target.Command{
			Dir: fill.Replace(string(s.Cwd)), Grace: s.Stop.Grace,
			Log:     filepath.Join(folder, one.Part+".log"),
			PIDFile: filepath.Join(folder, one.Part+"-pid.json"),
		}
		for _, word := range s.Command.Args {
			one.Command.Args = append(one.Command.Args, words.put(fill.Replace(word))...)
		}
		for name, value := range s.Env {
			one.Command.Env = append(one.Command.Env, name+"="+words.within(fill.Replace(value)))
		}
		slices.Sort(one.Command.Env)
		list = append(list, one)
	}
	return list
}

// portRange is how many ports are wanted, and from which on; 0: free ones.
type portRange struct{ from, n int }

// choosePorts takes the file's ports and those after them, or free ones. All are held
// until the last is found, or one could be found twice.
func choosePorts(wanted []portRange) (ports [][]string, err error) {
	for _, want := range wanted {
		var some []string
		for i := range want.n {
			port := 0
			if want.from > 0 {
				port = want.from + i
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
			some = append(some, text)
		}
		ports = append(ports, some)
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
	all := up.URLs
	if up.Behind != nil {
		all = slices.Concat(all, up.Behind.URLs)
	}
	if _, known := r.versions[p.server]; !known || up.Fresh {
		r.versions[p.server] = r.readVersion(ctx, &p.target.Start, up.URLs[0])
		if behind := r.backendVersions(ctx, p.target, up.Behind); behind != "" {
			r.versions[p.server] = strings.TrimPrefix(r.versions[p.server]+"; "+behind, "; ")
		}
	}
	if _, known := r.selves[p.server]; !known || up.Fresh {
		r.selves[p.server], _ = r.self(ctx, all) // that it does not say is no reason to stop
	}
}

// readVersion asks for the server's version as the file says. That it can't be read
// is no reason to stop: it is unknown then.
func (r *Runner) readVersion(ctx context.Context, t *Start, address string) string {
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
