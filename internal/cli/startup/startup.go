// Package startup is the command bench startup: how long a server takes to be of use.
package startup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/startup"
)

// options is what the flags say. Those that vllm bench startup has too mean the same.
type options struct {
	Command string        `json:"command" flag:"command" common:"true" metavar:"COMMAND" help:"The command that starts the server, with {port} where its port goes. No shell reads it."`
	Port    int           `json:"port" flag:"port" default:"0" min:"0" max:"65535" shown:"a free one" help:"The server's port, for a command without {port}."`
	Cold    int           `json:"cold" flag:"num-iters-cold" common:"true" default:"3" min:"0" help:"Cold starts: caches in empty folders, and --cold-files read from the disk."`
	Warmups int           `json:"warmups" flag:"num-iters-warmup" default:"1" min:"0" help:"Starts between them that are not counted."`
	Warm    int           `json:"warm" flag:"num-iters-warm" common:"true" default:"3" min:"0" help:"Warm starts: with all that the starts before them have left in caches."`
	Folders []string      `json:"cold_variables" flag:"cold-variables" default:"VLLM_CACHE_ROOT,TORCHINDUCTOR_CACHE_DIR,TRITON_CACHE_DIR" metavar:"NAME,NAME,…" help:"Variables that name a new empty folder at each cold start; warm starts share one of their own."`
	Files   []string      `json:"cold_files" flag:"cold-files" metavar:"PATH,PATH,…" help:"Files or folders, such as the model's weights, that are taken out of the kernel's page cache before each cold start. Linux only."`
	Ready   string        `json:"ready" flag:"ready-path" default:"/health" metavar:"PATH" help:"The path that answers 200 when the server is ready."`
	Limit   time.Duration `json:"limit" flag:"startup-timeout" default:"30m" above:"0" help:"Give up on a start after this long."`
	Grace   time.Duration `json:"grace" flag:"stop-grace" default:"10s" above:"0" help:"How long a server may take to end before it is killed."`
	Tokens  int           `json:"tokens" flag:"output-len" default:"32" min:"2" help:"Tokens of each answer by which the speed is measured."`
	Sleep   int           `json:"sleep" flag:"sleep-level" default:"0" min:"0" max:"2" shown:"not measured" help:"Also put the server to sleep at this level and wake it, as often as there are warm starts: vLLM with --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1."`
	Adapter string        `json:"adapter" flag:"adapter" metavar:"NAME=PATH" help:"Also load this LoRA adapter, ask it, and unload it, as often as there are warm starts: vLLM with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1, or SGLang."`
	Model   string        `json:"model" flag:"model" metavar:"NAME" shown:"the first that the server lists" help:"The model to ask."`
	Backend string        `json:"backend" flag:"backend" default:"auto" metavar:"NAME" help:"The protocol, as in bench serve; auto asks the server what it is."`
	JSON    string        `json:"output_json" flag:"output-json" common:"true" metavar:"FILE" help:"Write all starts as JSON."`
	Folder  string        `json:"run_dir" flag:"run-dir" metavar:"DIR" shown:"a new one in the user's state folder" help:"Folder for the servers' logs and the result."`
}

func flags() (*argv.Set, *options) {
	set := argv.New("inferometer bench startup",
		"Start a server again and again and measure how it becomes useful: process, port, ready, model listed, first token, steady speed. "+
			"The phases follow each other and add up to the whole time.")
	set.Example("Three cold and three warm starts of llama-server, the weights read from the disk in the cold ones",
		"inferometer bench startup --command 'llama-server -m model.gguf --port {port}' --cold-files model.gguf")
	set.Example("vLLM: compilation is read from its log, and waking up is measured too",
		"inferometer bench startup --command 'vllm serve MODEL --port {port} --enable-sleep-mode' --sleep-level 1 --output-json startup.json")
	o := &options{}
	set.Options(o, argv.CommonGroup("Start"))
	set.Config()
	serve.RefuseEngineFlags(set)
	return set, o
}

func (o *options) validate() (words []string, err error) {
	if err := argv.CheckOptions(o); err != nil {
		return nil, err
	}
	if o.Command == "" {
		model := o.Model
		if model == "" {
			model = "MODEL"
		}
		return nil, argv.Errorf("command", "is needed: the server is started as a process, as in --command 'vllm serve %s --port {port}'", model)
	}
	words, err = shlex.Split(o.Command)
	if err != nil || len(words) == 0 {
		return nil, argv.Errorf("command", "can't be read as words of a shell: %v", err)
	}
	if o.Port == 0 && !strings.Contains(o.Command, "{port}") {
		return nil, argv.Errorf("command", "has no {port}: put it where the server's port goes, or give --port")
	}
	if o.Cold+o.Warm == 0 {
		return nil, argv.Errorf("num-iters-cold", "and --num-iters-warm are both 0: there is nothing to measure")
	}
	if name, path, ok := strings.Cut(o.Adapter, "="); o.Adapter != "" && (!ok || name == "" || path == "") {
		return nil, argv.Errorf("adapter", "must be NAME=PATH, not %q", o.Adapter)
	}
	if (o.Sleep > 0 || o.Adapter != "") && o.Warm == 0 {
		return nil, argv.Errorf("num-iters-warm", "is 0: a server that is asleep or loads an adapter is one of those")
	}
	for _, name := range o.Folders {
		if name == "" || strings.ContainsAny(name, "= \x00") {
			return nil, argv.Errorf("cold-variables", "has %q, which can't name a variable", name)
		}
	}
	for _, path := range o.Files {
		if _, err := os.Stat(path); err != nil {
			return nil, argv.Errorf("cold-files", "%v", err)
		}
	}
	return words, nil
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set, o := flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	words, err := o.validate()
	if err != nil {
		return err
	}
	_, full := serve.Flags()
	host := full.RunHost(s)
	folder, err := bench.NewFolder(o.Folder, &host.Host)
	if err != nil {
		return err
	}
	defer journal.InProgress(folder)()
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	r := &runner{options: o, streams: s, folder: folder, line: command.NewLine(s.Err), drain: drain}
	r.config = startup.Config{
		Args: words, Log: filepath.Join(folder, "server.log"), Port: o.Port, Ready: o.Ready, Limit: o.Limit, Grace: o.Grace,
		Client: &http.Client{}, Ask: r.ask,
	}
	err = r.all(ctx)
	r.line.Clear()
	err = errors.Join(err, r.write(append([]string{"inferometer", "bench", "startup"}, set.Redacted(args)...)))
	fmt.Fprintf(s.Err, "run: %s\n", folder)
	switch {
	case err == nil:
		return nil
	case len(r.cold)+len(r.warm) == 0:
		return command.Exit(command.ExitNothing, err)
	}
	return command.Exit(command.ExitPartial, err)
}

// runner makes the starts.
type runner struct {
	*options
	streams command.Streams
	folder  string
	line    *command.Line
	drain   <-chan struct{}
	config  startup.Config

	asked        string // the model or adapter that is asked in place of the first
	cold, warm   []start
	woken, loads []startup.Again
}

// start is one with what its log says.
type start struct {
	*startup.Start
	steps []serverlog.Step
}

// all makes them in vLLM's order: cold ones, those that don't count, warm ones.
func (r *runner) all(ctx context.Context) error {
	caches := filepath.Join(r.folder, "caches")
	defer os.RemoveAll(caches)
	for i := range r.Cold {
		if err := r.evict(); err != nil {
			return err
		}
		one, err := r.one(ctx, fmt.Sprintf("cold start %d of %d", i+1, r.Cold), filepath.Join(caches, "cold-"+strconv.Itoa(i)), false)
		if err != nil {
			return err
		}
		r.cold = append(r.cold, one)
	}
	for i := range r.Warmups {
		if r.Warm == 0 {
			break
		}
		if _, err := r.one(ctx, fmt.Sprintf("start %d of %d that fills caches", i+1, r.Warmups), filepath.Join(caches, "warm"), false); err != nil {
			return err
		}
	}
	for i := range r.Warm {
		one, err := r.one(ctx, fmt.Sprintf("warm start %d of %d", i+1, r.Warm), filepath.Join(caches, "warm"), i == r.Warm-1)
		if one.Start != nil && one.Reached > 0 {
			r.warm = append(r.warm, one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errStopped: the user wants no more.
var errStopped = errors.New("stopped by the user: the result is partial")

// one starts the server, measures, and stops it again; last does what is measured of a server that is up.
func (r *runner) one(ctx context.Context, what, caches string, last bool) (start, error) {
	select {
	case <-r.drain:
		return start{}, errStopped
	default:
	}
	r.line.Set("%s", what)
	var env []string
	for _, name := range r.Folders {
		folder := filepath.Join(caches, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return start{}, err
		}
		env = append(env, name+"="+folder)
	}
	from := fileSize(r.config.Log)
	s, up, err := startup.Measure(ctx, &r.config, env)
	if err != nil {
		return start{}, fmt.Errorf("%s: %w", what, err)
	}
	defer up.Process.Stop()
	one := start{s, serverlog.Startup(readFrom(r.config.Log, from))}
	r.line.Print("%s: %.2f s to its first token, %.2f s to its steady speed", what, mark(s, startup.First), mark(s, startup.Steady))
	if last {
		return one, r.again(ctx, up)
	}
	return one, nil
}

// mark is the end of a phase in seconds.
func mark(s *startup.Start, phase string) float64 {
	i := slices.Index(startup.Phases(), phase)
	return s.Marks[min(i, s.Reached-1)].Seconds()
}

func (r *runner) again(ctx context.Context, up *startup.Server) error {
	for i := range r.Warm {
		if r.Sleep > 0 {
			r.line.Set("wake-up %d of %d", i+1, r.Warm)
			a, err := startup.Wake(ctx, &r.config, up, r.Sleep)
			if err != nil {
				return fmt.Errorf("--sleep-level: %w", err)
			}
			r.woken = append(r.woken, *a)
		}
		if name, path, ok := strings.Cut(r.Adapter, "="); ok {
			r.line.Set("adapter %d of %d", i+1, r.Warm)
			r.asked = name
			a, err := startup.Load(ctx, &r.config, up, name, path)
			r.asked = ""
			if err != nil {
				return fmt.Errorf("--adapter: %w", err)
			}
			r.loads = append(r.loads, *a)
		}
	}
	return nil
}

func (r *runner) evict() error {
	for _, path := range r.Files {
		if _, err := machine.Evict(path); err != nil {
			return fmt.Errorf("--cold-files: %w", err)
		}
	}
	return nil
}

// ask sends small requests one after the other.
func (r *runner) ask(ctx context.Context, url string, see func(startup.Answer) bool) error {
	var to option.Settings
	to.Add("base-url", url)
	to.Add("backend", r.Backend)
	to.Text("model", r.Model)
	if r.asked != "" {
		to.Add("served-model-name", r.asked)
	}
	p, err := serve.NewProber(ctx, r.streams, to, serve.Small{Input: 32, Output: r.Tokens, Count: 16, Seed: int(time.Now().UnixMilli() % 1_000_000_000)})
	if err != nil {
		return err
	}
	defer p.Close()
	for i := range p.Len() {
		got, err := p.Send(ctx, i)
		if err != nil {
			return err
		}
		if !see(startup.Answer{Sent: got.Sent, First: got.First, Whole: got.Whole, Tokens: got.Output}) {
			break
		}
	}
	return nil
}
