package router

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/simtest"
)

// system is a router with simulators behind it, within a bubble.
type system struct {
	t       *testing.T
	network *memnet.Network
	client  *http.Client
	url     string
	sims    []*simtest.Server
	log     bytes.Buffer
	stop    func()
}

func start(t *testing.T, cfg Config, sims ...sim.Config) *system {
	t.Helper()
	s := &system{t: t, network: &memnet.Network{}}
	for _, c := range sims {
		one := simtest.Start(t, s.network, c)
		s.sims = append(s.sims, one)
		cfg.Replicas = append(cfg.Replicas, Replica{URL: one.URL})
	}
	s.serve(cfg)
	return s
}

func (s *system) serve(cfg Config) {
	s.t.Helper()
	cfg.Dial = s.network.DialContext
	rt, err := New(cfg, &s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := s.network.Listen("10.0.0.2:80")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rt.Serve(ctx, l) }()
	s.url, s.client = "http://10.0.0.2:80", s.network.Client()
	s.stop = sync.OnceFunc(func() {
		s.client.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("router: %v", err)
		}
	})
	s.t.Cleanup(s.stop)
}

// reply is what a client got.
type reply struct {
	status  int
	header  http.Header
	body    string
	err     error
	headers time.Duration // until the headers came
	took    time.Duration
}

func (s *system) post(id, body string, header ...string) reply {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/v1/completions", strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return reply{}
	}
	req.Header.Set("X-Request-Id", id)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	began := time.Now()
	resp, err := s.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	r := reply{status: resp.StatusCode, header: resp.Header, headers: time.Since(began)}
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	r.body, r.err, r.took = string(b), err, time.Since(began)
	return r
}

// truth ends the router and gives its records by id.
func (s *system) truth() map[string]Record {
	s.t.Helper()
	s.stop()
	out := map[string]Record{}
	for line := range bytes.Lines(s.log.Bytes()) {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
		out[r.ID] = r
	}
	return out
}

func (s *system) get(path string) string {
	s.t.Helper()
	resp, err := s.client.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}

const short = `{"prompt":"hello","max_tokens":3,"stream":true}`

// TestRoundRobin: each replica gets its turn; header, truth, workers and metrics say the same.
func TestRoundRobin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		s := start(t, cfg, sim.DefaultConfig(), sim.DefaultConfig(), sim.DefaultConfig())
		got := map[string]int{}
		for i := range 9 {
			r := s.post(fmt.Sprint(i), short)
			if r.status != 200 || !strings.HasSuffix(r.body, "data: [DONE]\n\n") || r.took != 70*time.Millisecond {
				t.Errorf("%+v", r)
			}
			got[r.header.Get(headerReplica)]++
		}
		metrics, workers, models := s.get("/metrics"), s.get("/workers"), s.get("/v1/models")
		if !strings.Contains(models, `"sim"`) || !strings.Contains(metrics, "sim_router_requests_total 9\n") || !strings.Contains(metrics, "sim_router_retries_total 0\n") {
			t.Errorf("%s\n%s", models, metrics)
		}
		truth := s.truth()
		for _, one := range s.sims {
			if got[one.URL] != 3 || !strings.Contains(metrics, fmt.Sprintf("sim_router_upstream_requests_total{worker=%q} 3\n", one.URL)) || !strings.Contains(workers, fmt.Sprintf(`"url":%q`, one.URL)) {
				t.Errorf("%s: %v\n%s\n%s", one.URL, got, metrics, workers)
			}
			for id := range one.Truth() {
				if r := truth[id]; r.Replica != one.URL || r.Outcome != Answered || len(r.Tries) != 1 || r.Tries[0].Status != 200 {
					t.Errorf("%s was served by %s: %+v", id, one.URL, r)
				}
			}
		}
	})
}

// TestSticky: a session stays where it is; when a replica goes, only its sessions move.
func TestSticky(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Policy, cfg.Retries = Sticky, 1
		s := start(t, cfg, sim.DefaultConfig(), sim.DefaultConfig(), sim.DefaultConfig())
		ask := func() map[string]string {
			where := map[string]string{}
			for i := range 30 {
				session := fmt.Sprint("s", i%10)
				r := s.post(fmt.Sprint(i), short, "X-Session-Id", session)
				if r.status != 200 {
					t.Fatalf("%+v", r)
				}
				url := r.header.Get(headerReplica)
				if before := where[session]; before != "" && before != url {
					t.Errorf("%s moved from %s to %s", session, before, url)
				}
				where[session] = url
			}
			return where
		}
		before := ask()
		dead := before["s0"]
		for _, one := range s.sims {
			if one.URL == dead {
				one.Truth() // ends it
			}
		}
		time.Sleep(2 * time.Second)
		for session, url := range ask() {
			if url == dead || before[session] != dead && before[session] != url {
				t.Errorf("%s was on %s and is on %s", session, before[session], url)
			}
		}
		if !strings.Contains(s.get("/workers"), `"is_healthy":false`) {
			t.Error("the dead one is still up")
		}
	})
}

// turn is a prompt of a conversation: the system's text, and what was said so far.
func turn(group, turns int, said string) string {
	b, _ := json.Marshal(map[string]any{"prompt": strings.Repeat(fmt.Sprintf(" the%d of", group), 40) + said + strings.Repeat(" and", turns), "max_tokens": 5 + turns, "stream": true})
	return string(b)
}

// TestOracle: what the oracle believes is what the replicas find, token for token, while their caches are too small for
// all; and it finds more than round robin does.
func TestOracle(t *testing.T) {
	hits := map[string]int{}
	for _, policy := range []string{RoundRobin, Prefix, Oracle} {
		synctest.Test(t, func(t *testing.T) {
			server := sim.DefaultConfig()
			server.CountPrefixes, server.Batch.BlockSize, server.Batch.NumBlocks = true, 4, 150
			cfg := DefaultConfig()
			cfg.Policy = policy
			s := start(t, cfg, server, server, server)
			said := map[int]string{}
			for i := range 90 {
				group := i * i % 7
				r := s.post(fmt.Sprint(i), turn(group, i%5, said[group]))
				if r.status != 200 {
					t.Fatalf("%+v", r)
				}
				said[group] += " then"
				if i%3 == 0 {
					said[group] = ""
				}
			}
			truth := s.truth()
			for _, one := range s.sims {
				for id, rec := range one.Truth() {
					if rec.Path != "/v1/completions" {
						continue
					}
					hits[policy] += rec.CachedTokens
					if policy == Oracle && truth[id].Believed != rec.CachedTokens {
						t.Errorf("request %s: believed %d, cached %d of %d", id, truth[id].Believed, rec.CachedTokens, rec.PromptTokens)
					}
				}
			}
		})
	}
	if hits[Oracle] <= hits[RoundRobin] || hits[Prefix] <= hits[RoundRobin] || hits[Oracle] < hits[Prefix] {
		t.Errorf("hits %v", hits)
	}
}

// TestStale: an index that lags believes what was true before.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sim.DefaultConfig()
		server.CountPrefixes = true
		cfg := DefaultConfig()
		cfg.Policy, cfg.Stale = Prefix, 10*time.Second
		s := start(t, cfg, server)
		for i := range 3 {
			if i == 2 {
				time.Sleep(20 * time.Second)
			}
			believed := s.post(fmt.Sprint(i), turn(0, 0, "")).header.Get(headerBelieved)
			if (believed == "0") != (i < 2) {
				t.Errorf("request %d: believed %s", i, believed)
			}
		}
		s.truth()
		if got := s.sims[0].Truth()["1"].CachedTokens; got == 0 {
			t.Error("nothing was cached")
		}
	})
}

// TestRetries: a replica that fails is tried once, then another; the client sees only success, the counters and the
// truth have the rest.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := sim.DefaultConfig()
		bad.Faults, _ = sim.ParseFaults("http-500=1")
		cfg := DefaultConfig()
		cfg.Retries = 2
		s := start(t, cfg, bad, sim.DefaultConfig())
		for i := range 10 {
			if r := s.post(fmt.Sprint(i), short); r.status != 200 || r.header.Get(headerReplica) != s.sims[1].URL {
				t.Errorf("%+v", r)
			}
		}
		metrics, truth := s.get("/metrics"), s.truth()
		failed := len(s.sims[0].Truth())
		if failed == 0 || !strings.Contains(metrics, fmt.Sprintf("sim_router_retries_total %d\n", failed)) {
			t.Errorf("%d failed\n%s", failed, metrics)
		}
		tries := 0
		for _, r := range truth {
			tries += len(r.Tries)
		}
		if tries != failed+10 {
			t.Errorf("%d tries, %d failed", tries, failed)
		}
	})
}

// TestGivesUp: without a further try the client gets what the replica said, and a status of the router's where there is
// no replica.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := sim.DefaultConfig()
		bad.Faults, _ = sim.ParseFaults("http-429=1")
		cfg := DefaultConfig()
		cfg.Retries = 1
		s := start(t, cfg, bad)
		if r := s.post("a", short); r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") != "1" {
			t.Errorf("%+v", r)
		}
		s.sims[0].Truth() // ends it
		if r := s.post("b", short); r.status != http.StatusServiceUnavailable && r.status != http.StatusBadGateway {
			t.Errorf("%+v", r)
		}
		if r := s.post("c", short); r.status != http.StatusServiceUnavailable {
			t.Errorf("%+v", r)
		}
		if truth := s.truth(); truth["a"].Outcome != Answered || len(truth["a"].Tries) != 2 || truth["c"].Outcome != Refused || len(truth["c"].Tries) != 0 {
			t.Errorf("%+v", truth)
		}
	})
}

// TestBreak: a replica that breaks off in the middle of a stream.
func TestBreak(t *testing.T) {
	for _, how := range []string{BreakCut, BreakSMG} {
		synctest.Test(t, func(t *testing.T) {
			bad := sim.DefaultConfig()
			bad.Faults, _ = sim.ParseFaults("reset=1")
			cfg := DefaultConfig()
			cfg.Break, cfg.Retries = how, 3
			s := start(t, cfg, bad)
			r := s.post("a", `{"prompt":"hello","max_tokens":30,"stream":true}`)
			told := strings.HasSuffix(r.body, "\"type\":\"stream_error\"}}\n\ndata: [DONE]\n\n")
			if r.status != 200 || (r.err != nil) != (how == BreakCut) || told != (how == BreakSMG) {
				t.Errorf("%s: %+v", how, r)
			}
			rec := s.truth()["a"]
			if rec.Outcome != Broken || len(rec.Tries) != 1 || rec.Tries[0].Error == "" {
				t.Errorf("%+v", rec)
			}
		})
	}
}

// TestPing: comments come while a replica hangs, and never within an event.
func TestPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := sim.DefaultConfig()
		hangs.Faults, _ = sim.ParseFaults("stall=1")
		hangs.Stall = 10 * time.Second
		cfg := DefaultConfig()
		cfg.Ping = time.Second
		s := start(t, cfg, hangs)
		r := s.post("a", `{"prompt":"hello","max_tokens":30,"stream":true}`)
		pings := 0
		for event := range strings.SplitSeq(strings.TrimSuffix(r.body, "\n\n"), "\n\n") {
			if event == ": ping" {
				pings++
			} else if !strings.HasPrefix(event, "data: ") {
				t.Errorf("event %q", event)
			}
		}
		if pings < 9 || pings > 11 {
			t.Errorf("%d pings in %v", pings, r.took)
		}
	})
}

// TestBuffer: nothing comes before the whole answer is there.
func TestBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Buffer = true
		s := start(t, cfg, sim.DefaultConfig())
		if r := s.post("a", short); r.status != 200 || r.headers != 70*time.Millisecond || r.took != r.headers {
			t.Errorf("%+v", r)
		}
	})
}

// TestQueue: a replica works on as many requests as it may, and the truth has how long the others waited.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Queue = 1
		s := start(t, cfg, sim.DefaultConfig())
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() { s.post(fmt.Sprint(i), short) })
		}
		all.Wait()
		waits := map[int64]bool{}
		for _, r := range s.truth() {
			waits[r.Tries[0].Queued/int64(time.Millisecond)] = true
		}
		if !waits[0] || !waits[70] || !waits[140] {
			t.Errorf("waited %v ms", waits)
		}
	})
}

// TestFlush: emptying through the router reaches every replica.
func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sim.DefaultConfig()
		server.CountPrefixes = true
		cfg := DefaultConfig()
		cfg.Policy = Oracle
		s := start(t, cfg, server, server)
		s.post("a", turn(0, 0, ""))
		resp, err := s.client.Post(s.url+"/flush_cache", "", nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		if got := s.post("b", turn(0, 0, "")).header.Get(headerBelieved); got != "0" {
			t.Errorf("believed %s", got)
		}
		s.stop()
		for _, one := range s.sims {
			flushed := false
			for _, rec := range one.Truth() {
				flushed = flushed || rec.Path == "/flush_cache"
				if rec.ID == "b" && rec.CachedTokens != 0 {
					t.Errorf("cached %d", rec.CachedTokens)
				}
			}
			if !flushed {
				t.Errorf("%s was not emptied", one.URL)
			}
		}
	})
}

// TestHangUp: when the client leaves, the replica is left too.
func TestHangUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, DefaultConfig(), sim.DefaultConfig())
		ctx, hangUp := context.WithTimeout(t.Context(), 255*time.Millisecond)
		defer hangUp()
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/completions", strings.NewReader(`{"prompt":"a","max_tokens":100,"stream":true}`))
		req.Header.Set("X-Request-Id", "a")
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		time.Sleep(time.Second)
		if r := s.truth()["a"]; r.Outcome != Left || r.Replica == "" {
			t.Errorf("%+v", r)
		}
		if r := s.sims[0].Truth()["a"]; r.Finish != "abort" || r.CompletionTokens != 21 {
			t.Errorf("%+v", r)
		}
	})
}

// TestReplicas: addresses that are taken, and those that are not.
func TestReplicas(t *testing.T) {
	for text, want := range map[string]Replica{
		"127.0.0.1:80":          {URL: "http://127.0.0.1:80"},
		"http://h:1/":           {URL: "http://h:1"},
		"http://h:1/v1":         {URL: "http://h:1"},
		"prefill=https://h/a=b": {URL: "https://h/a=b", Role: RolePrefill},
		"decode=h:1":            {URL: "http://h:1", Role: RoleDecode},
	} {
		if got, err := ParseReplica(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "both=h:1", "ftp://h", "http://u:p@h", "http://"} {
		if got, err := ParseReplica(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if size, blocks := cacheOf("# HELP\nvllm:cache_config_info{engine=\"0\",block_size=\"16\",num_gpu_blocks=\"99\"} 1.0\n"); size != 16 || blocks != 99 {
		t.Errorf("%d, %d", size, blocks)
	}
}
