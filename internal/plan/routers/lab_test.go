package routers_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/router"
	"github.com/inferometer/inferometer/internal/spec"
)

// lab is replicas with bounded caches and routers before them, in virtual time.
type lab struct {
	*testing.T
	network  memnet.Network
	state    string
	replicas []string
	servers  int

	blocks, prefixes, prompts int
	rate                      float64
	settings                  routers.Settings
	change                    func(*router.Config)
}

// inLab does something in virtual time.
func inLab(t *testing.T, do func(l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		do(&lab{T: t, state: t.TempDir(), blocks: 1500, prefixes: 60, prompts: 600, rate: 60})
	})
}

func (l *lab) listen(serve func(ctx context.Context, address string) error) (address string, stop func()) {
	l.servers++
	address = fmt.Sprintf("10.0.0.%d:80", l.servers)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, address) }()
	synctest.Wait()
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			l.Error(err)
		}
	}
	l.Cleanup(stop)
	return "http://" + address, stop
}

// start starts the replicas.
func (l *lab) start(n int) {
	for range n {
		cfg := sim.DefaultConfig()
		cfg.GoTimers, cfg.Engine, cfg.MaxModelLen = true, sim.EngineBatch, 4096
		cfg.Batch.NumBlocks, cfg.Batch.PerPrefillToken = l.blocks, 20*time.Microsecond
		srv, err := sim.New(cfg, nil)
		if err != nil {
			l.Fatal(err)
		}
		l.Cleanup(func() { srv.Close() })
		url, _ := l.listen(func(ctx context.Context, address string) error {
			listener, err := l.network.Listen(address)
			if err != nil {
				return err
			}
			return srv.Serve(ctx, listener)
		})
		l.replicas = append(l.replicas, url)
	}
}

// run is one run through a router that is started for it.
func (l *lab) run(policy string, seed, repeat int, control bool) routing.Entry {
	l.Helper()
	cfg := router.DefaultConfig()
	cfg.Policy, cfg.Dial = policy, l.network.DialContext
	for _, url := range l.replicas {
		cfg.Replicas = append(cfg.Replicas, router.Replica{URL: url})
	}
	if l.change != nil {
		l.change(&cfg)
	}
	rt, err := router.New(cfg, nil)
	if err != nil {
		l.Fatal(err)
	}
	at, stop := l.listen(func(ctx context.Context, address string) error {
		listener, err := l.network.Listen(address)
		if err != nil {
			return err
		}
		return rt.Serve(ctx, listener)
	})
	defer rt.Close()
	defer stop()
	client := l.network.Client()
	defer client.CloseIdleConnections()
	caches := &routers.Caches{
		At: func(address string) *target.Target { return target.At(address, nil, client) }, URLs: l.replicas, Settings: &l.settings,
	}
	list, err := caches.Empty(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	prefixes := l.prefixes
	if control {
		set, err := routers.Unshare("prefix_repetition", func(string) (int, bool) { return l.prompts, true })
		if err != nil {
			l.Fatal(err)
		}
		prefixes = set["num_prefixes"]
	}
	pace := fmt.Sprintf(`"pace":{"name":"poisson","rate":%g},"load":{`, l.rate)
	if l.rate == 0 {
		pace = `"load":{"max_concurrency":8,`
	}
	folder := filepath.Join(l.state, fmt.Sprintf("%s-%d-%d-%v", policy, seed, repeat, control))
	of := l.bench(at, folder, fmt.Sprintf(
		`"dataset":{"name":"prefix_repetition","prefix_len":512,"suffix_len":32,"num_prefixes":%d,"output_len":16},"request":{"ignore_eos":true},`+
			`%s"num_prompts":%d,"seed":%d}`, prefixes, pace, l.prompts, seed*1000+repeat))
	caches.Grown(l.Context(), list)
	facts, err := routers.Read(folder, list)
	if err != nil {
		l.Fatal(err)
	}
	return routing.Entry{Router: policy, Control: control, Repeat: repeat, Facts: facts, Result: of}
}

func (l *lab) bench(address, folder, rest string) result.Result {
	l.Helper()
	asked, err := spec.Decode(strings.NewReader(fmt.Sprintf(`{"version":1,"server":{"urls":[%q]},%s}`, address, rest)))
	if err != nil {
		l.Fatal(err)
	}
	asked.RunDir = folder
	host := &bench.Host{Version: "1", Host: prepare.Host{
		Environment: spec.Environment{
			Release: "1", Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
			Lookup: func(name string) (string, bool) { return l.state, name == "XDG_STATE_HOME" },
		},
		Dial: l.network.DialContext,
	}}
	run, err := bench.Execute(l.Context(), nil, asked, host)
	if err != nil {
		l.Fatal(err)
	}
	defer run.Close()
	j, err := run.Reopen()
	if err != nil {
		l.Fatal(err)
	}
	defer j.Close()
	of, err := judged.Journal(j, measure.Options{})
	if err != nil {
		l.Fatal(err)
	}
	return result.Of(folder, of.Result, of.Verdict)
}

// compare runs policies against each other, rotated, with the control or without it.
func (l *lab) compare(seed, repeats int, control bool, policies ...string) *routing.Case {
	l.Helper()
	var list []routing.Entry
	for repeat := 1; repeat <= repeats; repeat++ {
		for i := range policies {
			policy := policies[(i+repeat-1)%len(policies)]
			list = append(list, l.run(policy, seed, repeat, false))
			if control {
				list = append(list, l.run(policy, seed, repeat, true))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b routing.Entry) int {
		return slices.Index(policies, a.Router) - slices.Index(policies, b.Router)
	})
	return routing.Judge(list).Cases[0]
}

// text is what a user would read.
func text(c *routing.Case) string {
	var b strings.Builder
	routers.Write(&b, &routing.Answer{Cases: []*routing.Case{c}}, 0)
	return b.String()
}

func check(t *testing.T, c *routing.Case, name string) routing.Check {
	t.Helper()
	i := slices.IndexFunc(c.Checks, func(k routing.Check) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("there is no check %q", name)
	}
	return c.Checks[i]
}

var seeds = flag.Int("seeds", 0, "workloads that routers are ranked on; 0: a short one without a control")

// TestRank: round robin, sticky and an oracle come out in the right order, and the control says none. With -seeds 10 and -v it is
// make bench-routers.
func TestRank(t *testing.T) {
	for seed := 1; seed <= max(*seeds, 1); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.blocks, l.prompts = 850, 480
				control := *seeds > 0
				if !control {
					l.prompts = 180
				}
				l.start(3)
				c := l.compare(seed, 3, control, router.RoundRobin, router.Sticky, router.Oracle)
				l.Logf("seed %d\n%s", seed, text(c))
				for _, r := range c.Ranks {
					switch {
					case r.Metric != routing.HitShare && r.Metric != routing.TTFT50:
					case !control && r.Order[2] == router.RoundRobin && r.Apart[1] && !r.Apart[0]: // so few prompts don't tell the others apart
					case !slices.Equal(r.Order, []string{router.Oracle, router.Sticky, router.RoundRobin}) || !r.Apart[1]:
						l.Errorf("seed %d: by %s the order is %v, apart %v", seed, r.Metric, r.Order, r.Apart)
					}
				}
				for _, r := range c.Routers {
					if *r.Hits > *r.Bound || *r.Reachable > *r.Bound {
						l.Errorf("seed %d: %s found %.4f, reachable is %.4f and the bound %.4f", seed, r.Name, *r.Hits, *r.Reachable, *r.Bound)
					}
				}
				if k := check(l.T, c, "no gain without sharing, no gain by failures"); control && k.State != routing.Passed {
					l.Errorf("seed %d: the control is %s: %s", seed, k.State, k.Figure)
				}
				for _, k := range c.Checks { // short runs fill their caches, and sticky fills them unevenly: those two may be true here
					if k.State == routing.Found && k.Name != "the hit rate has settled" && k.Name != "Σ hits ÷ Σ queries, no mean of rates" {
						l.Errorf("seed %d: %s was found: %s", seed, k.Name, k.Figure)
					}
				}
			})
		})
	}
}

// TestCaught: each way to spoil a comparison is found by its check, and by no other one.
func TestCaught(t *testing.T) {
	for _, tt := range []struct {
		name, check, figure string
		policy              string
		spoil               func(l *lab)
		first               bool // another run comes before it
	}{
		{name: "nothing", policy: router.Oracle},
		{name: "a shrunk cache", check: "natural caches", figure: "holds 4800 tokens", spoil: func(l *lab) { l.blocks = 300 }},
		{name: "a hot prefix", check: "no hot prefix", figure: "2 prefixes for 3 replicas", spoil: func(l *lab) { l.prefixes = 2 }},
		{name: "a warm start", check: "caches begin empty", figure: "prompt tokens", spoil: func(l *lab) { l.settings.Empty = routers.Leave }, first: true},
		{name: "a proxy that buffers", check: "streams arrive as they are made", figure: "180 of 180 answers", spoil: func(l *lab) {
			l.change = func(c *router.Config) { c.Buffer = true }
		}},
		{name: "a stale index", check: "the router's belief is true", policy: router.Oracle, figure: "oracle believes", spoil: func(l *lab) {
			l.change = func(c *router.Config) { c.Stale = 2 * time.Second }
		}},
		{name: "a closed loop", check: "open loop, same prompts", figure: "1 of 1 runs", spoil: func(l *lab) { l.rate = 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.prompts, l.prefixes = 180, 15
				if tt.spoil != nil {
					tt.spoil(l)
				}
				l.start(3)
				policy := cmp.Or(tt.policy, router.Sticky)
				if tt.first {
					l.run(policy, 1, 1, false)
					l.state = t.TempDir()
				}
				c := routing.Judge([]routing.Entry{l.run(policy, 1, 1, false)}).Cases[0]
				for _, k := range c.Checks {
					switch {
					case k.Name == "the hit rate has settled":
					case k.Name == tt.check && (k.State != routing.Found || !strings.Contains(k.Figure, tt.figure)):
						t.Errorf("%s is %s: %s", k.Name, k.State, k.Figure)
					case k.Name != tt.check && k.State == routing.Found:
						t.Errorf("%s was found: %s", k.Name, k.Figure)
					}
				}
			})
		})
	}
}
