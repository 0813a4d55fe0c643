package bench_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/router"
)

// scene is one way to spoil a measurement, and what the verdict must say of it.
type scene struct {
	name   string
	play   func(s *stage) *played
	reason string        // the only one; empty: none
	level  verdict.Level // of that reason
	// explained are checks that are bad too, and must say that it is because of the reason.
	explained []string
	words     string // in the reason's sentence
}

// The usual run: 120 requests of 50 ms and 31 times 5 ms, eight at a time: some three seconds.
const (
	dataset = `"dataset":{"name":"random","input_len":64,"output_len":32}`
	usual   = dataset + `,"load":{"num_prompts":120,"max_concurrency":8}`
	open    = dataset + `,"pace":{"name":"constant","rate":40},"load":{"num_prompts":120}` // with about as much to do
)

// scenes are those that need no machine: what the kernel and other processes do to a measurement is in test/scenes.
func scenes() []scene {
	return []scene{
		{name: "nothing is spoiled, closed loop", play: alone(nil, usual)},
		{name: "nothing is spoiled, open loop", play: alone(nil, open)},
		{name: "a proxy buffers", play: buffered, reason: "bursts", level: verdict.Invalid, explained: []string{"server_ttft"}},
		{name: "the server restarts", play: restarted, reason: "restart", level: verdict.Invalid, explained: []string{"outcomes"}},
		{name: "somebody else uses the server", play: crowded, reason: "foreign_requests", level: verdict.Invalid},
		{name: "the cache is warm", play: warm, reason: "seen_prompts", level: verdict.Invalid, explained: []string{"cached_tokens"}},
		{name: "streams are cut off", play: alone(faulty("truncate=0.1"), usual), reason: "outcomes", level: verdict.Invalid, words: "truncated"},
		{
			name: "answers change under load", reason: "integrity", level: verdict.Invalid, words: "of 10 prompts",
			play: alone(faulty("flip=0.9"), usual+`,"request":{"temperature":0},"judge":{"integrity_sample":10}`),
		},
		{
			name: "the context is too small", reason: "outcomes", level: verdict.Invalid, words: "http_4xx",
			play: alone(func(c *sim.Config) { c.MaxModelLen = 100 }, strings.Replace(usual, `"output_len":32`, `"output_len":32,"range_ratio":0.5`, 1)),
		},
		{
			name: "an open loop beyond capacity", reason: "growing", level: verdict.Invalid,
			play: alone(func(c *sim.Config) {
				c.Engine, c.Batch.MaxNumSeqs, c.Batch.Base = sim.EngineBatch, 3, 5*time.Millisecond
			}, open),
		},
		{
			name: "an open loop held back by its limit", reason: "rate", level: verdict.Invalid, words: "the limit of 6 in flight",
			play: alone(nil, strings.Replace(open, `"num_prompts":120`, `"num_prompts":120,"max_concurrency":6`, 1)),
		},
		{
			name: "a closed loop too short for its concurrency", reason: "ramp_drain", level: verdict.Suspect,
			play: alone(func(c *sim.Config) { c.ITL, _ = random.ParseDist("uniform:2ms-40ms") }, strings.Replace(usual, `"max_concurrency":8`, `"max_concurrency":45`, 1)),
		},
		{ // its p99 is left out, and the rest stands
			name: "too few requests for a p99", play: alone(nil, dataset+`,"load":{"num_prompts":36,"max_concurrency":2}`),
		},
		{name: "a router and two servers behind it", play: routed("")},
		{name: "a router that sends failures again", play: routed("http-500=0.2"), reason: "repeated_work", level: verdict.Suspect, words: "by its own count the router sent"},
		{name: "one replica is slow", play: slowReplica, reason: "slow_replica", level: verdict.Suspect},
	}
}

// onMachine are checks of the real machine, whose processors and garbage have nothing to do with virtual seconds, and what
// rests on them; and no kernel says when bytes of this network came, so that the lag is not known.
var onMachine = []string{"steal", "cpu_wait", "cpu", "gc", "bounds", "lag"}

// Each way to spoil a measurement is named, and no other one.
func TestScenes(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			play(t, func(s *stage) { sc.judge(t, sc.play(s).verdict) })
		})
	}
}

func (sc *scene) judge(t *testing.T, v *verdict.Verdict) {
	t.Helper()
	for i := range v.Checks {
		if k := &v.Checks[i]; k.Level.Bad() || k.Name == sc.reason {
			t.Logf("%-10s %-16s %s: %s (because: %q)", k.Level, k.Name, k.Figure, k.Sentence, k.Because)
		}
	}
	var want []string
	if sc.reason != "" {
		want = []string{sc.reason}
	}
	reasons := slices.DeleteFunc(slices.Clone(v.Reasons), func(name string) bool { return slices.Contains(onMachine, name) })
	if !slices.Equal(reasons, want) {
		t.Errorf("the reasons are %v, want %v", v.Reasons, want)
	}
	if k := v.Check(sc.reason); sc.reason != "" && (k == nil || k.Level != sc.level || !strings.Contains(k.Sentence, sc.words)) {
		t.Errorf("%s is %+v, want %s with %q", sc.reason, k, sc.level, sc.words)
	}
	for _, name := range sc.explained {
		if k := v.Check(name); k == nil || !k.Level.Bad() || k.Because != sc.reason {
			t.Errorf("%s is %+v, want it bad because of %s", name, k, sc.reason)
		}
	}
	trust := map[verdict.Level]verdict.Trust{verdict.Invalid: verdict.TrustInvalid, verdict.Suspect: verdict.TrustSuspect}
	if want, ok := trust[sc.level]; ok && v.Level != want {
		t.Errorf("the verdict is %s for %v, want %s", v.Level, v.Reasons, want)
	}
}

// alone is a run against one server.
func alone(change func(*sim.Config), rest string) func(*stage) *played {
	return func(s *stage) *played {
		at, _ := s.sim(change)
		return s.bench(at, rest)
	}
}

// routed is a run through a router to two servers, the second of which has faults.
func routed(faults string) func(*stage) *played {
	return func(s *stage) *played {
		cfg := router.DefaultConfig()
		cfg.Retries, cfg.Dial = 3, s.network.DialContext
		for _, change := range []func(*sim.Config){nil, faulty(faults)} {
			at, _ := s.sim(change)
			cfg.Replicas = append(cfg.Replicas, router.Replica{URL: at})
		}
		r, err := router.New(cfg, nil)
		if err != nil {
			s.Fatal(err)
		}
		l, err := s.network.Listen("10.0.1.1:80")
		if err != nil {
			s.Fatal(err)
		}
		srv := &http.Server{Handler: r}
		go func() { _ = srv.Serve(l) }()
		s.Cleanup(func() {
			_ = srv.Close()
			r.Close()
		})
		return s.bench("http://10.0.1.1:80", usual)
	}
}

func faulty(faults string) func(*sim.Config) {
	return func(c *sim.Config) { c.Faults, _ = sim.ParseFaults(faults) }
}

// buffered: a proxy on the way hands on what it has five times a second, as one does that was not told of streams.
func buffered(s *stage) *played {
	to, _ := s.sim(nil)
	target, err := url.Parse(to)
	if err != nil {
		s.Fatal(err)
	}
	client := s.network.Client()
	plain := httputil.NewSingleHostReverseProxy(target)
	plain.Transport = client.Transport
	proxy := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/completions") {
			plain.ServeHTTP(w, r)
			return
		}
		resp, err := client.Post(to+r.URL.Path, r.Header.Get("Content-Type"), r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		gather(w, resp.Body, 200*time.Millisecond)
	})}
	l, err := s.network.Listen("10.0.1.1:80")
	if err != nil {
		s.Fatal(err)
	}
	go func() { _ = proxy.Serve(l) }()
	s.Cleanup(func() {
		_ = proxy.Close()
		client.CloseIdleConnections()
	})
	return s.bench("http://10.0.1.1:80", `"dataset":{"name":"random","input_len":64,"output_len":64},"load":{"num_prompts":120,"max_concurrency":16}`)
}

// gather copies a stream in bunches.
func gather(w http.ResponseWriter, from io.Reader, every time.Duration) {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if n > 0 {
				chunks <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var held []byte
	for {
		select {
		case b, ok := <-chunks:
			if !ok {
				_, _ = w.Write(held) // a client that has gone has its own words for it
				return
			}
			held = append(held, b...)
		case <-tick.C:
			_, _ = w.Write(held)
			_ = http.NewResponseController(w).Flush()
			held = held[:0]
		}
	}
}

// restarted: the server dies in the middle, and another one comes up at its address.
func restarted(s *stage) *played {
	at, stop := s.sim(nil)
	s.beside(func(quit <-chan struct{}) {
		select {
		case <-quit:
			return
		case <-time.After(1500 * time.Millisecond):
		}
		stop()
		s.simAt(strings.TrimPrefix(at, "http://"), nil)
	})
	return s.bench(at, open)
}

// beside does something while the scene is played, and waits for its end.
func (s *stage) beside(do func(quit <-chan struct{})) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		do(quit)
	}()
	s.Cleanup(func() {
		close(quit)
		<-done
	})
}

// crowded: a second client sends to the same server. It is under way before ours
// begins and has not ended when ours does.
func crowded(s *stage) *played {
	at, _ := s.sim(nil)
	client := s.network.Client()
	s.Cleanup(client.CloseIdleConnections)
	s.beside(func(quit <-chan struct{}) {
		for n := 0; ; n++ {
			resp, err := client.Post(at+"/v1/completions", "application/json", strings.NewReader(fmt.Sprintf(`{"model":"sim","prompt":"another's %d","max_tokens":32}`, n)))
			if err != nil {
				s.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			select {
			case <-quit:
				return
			default:
			}
		}
	})
	time.Sleep(time.Second)
	return s.bench(at, usual)
}

// warm: the same prompts again, to a server that still has them in its cache.
func warm(s *stage) *played {
	at, _ := s.sim(func(c *sim.Config) { c.Engine = sim.EngineBatch })
	if v := s.bench(at, usual).verdict; slices.Contains(v.Reasons, "seen_prompts") || slices.Contains(v.Reasons, "cached_tokens") {
		s.Errorf("the first run has no earlier one before it, but its reasons are %v", v.Reasons)
	}
	return s.bench(at, usual)
}

// slowReplica: of two servers that share the load one takes four times as long.
func slowReplica(s *stage) *played {
	quick, _ := s.sim(nil)
	slow, _ := s.sim(func(c *sim.Config) {
		c.TTFT, c.ITL = random.Constant(200*time.Millisecond), random.Constant(20*time.Millisecond)
	})
	return s.bench(quick+","+slow, usual)
}
