package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/klauspost/compress/zstd"
)

// completions is a server that answers each request after a moment, and has metrics or not.
func completions(t *testing.T, metrics http.HandlerFunc, owner string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":%q}]}`, owner)
		case "/v1/completions":
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 3 {
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\"t%d\",\"finish_reason\":null}]}\n\n", i)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
			fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
		default:
			metrics(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// loadServer runs against a server until enough says so of what was said, and gives that and the scrapes.
func loadServer(t *testing.T, url string, change func(*spec.Spec), enough func(said string) bool) (said string, scrapes []journal.Scrape, folder string, err error) {
	t.Helper()
	s := spec.Default()
	folder = filepath.Join(t.TempDir(), "run")
	four := 4
	s.URLs, s.Duration, s.MaxConcurrency, s.Unbounded, s.SkipTokenizerInit, s.RunDir, s.ScrapeEvery = []string{url}, time.Hour, &four, true, true, folder, 100*time.Millisecond
	s.Label = "x"
	if change != nil {
		change(&s)
	}
	b := s.Encode()
	asked, err := spec.Decode(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var words strings.Builder
	var watched *observe.Run
	see := observe.During(func(r *observe.Run) func() { watched = r; return func() {} })
	h := &Host{Observers: []observe.Observer{see}, Host: prepare.Host{
		Environment: spec.Environment{Lookup: func(name string) (string, bool) {
			return map[string]string{"XDG_STATE_HOME": t.TempDir(), "OPENAI_API_KEY": "sk-very-secret"}[name], name != ""
		}},
		Say: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&words, format+"\n", args...)
		},
	}}
	drain, over := make(chan struct{}), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		defer close(drain)
		for tick := time.Tick(time.Millisecond); ; {
			mu.Lock()
			done := enough(words.String())
			mu.Unlock()
			if done {
				return
			}
			select {
			case <-over:
				return
			case <-tick:
			}
		}
	})
	run, err := Execute(context.Background(), drain, asked, h)
	close(over)
	watching.Wait()
	if err != nil {
		return words.String(), nil, folder, err
	}
	defer run.Close()
	if servers := watched.Servers(); len(servers) > 0 {
		b, _ := json.Marshal(servers)
		fmt.Fprintf(&words, "servers %s\n", b)
	}
	j, err := run.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for {
		if _, err := j.Next(); err != nil {
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return words.String(), j.Scrapes(), folder, nil
}

// llama.cpp that serves several models wants to know of which; the key goes to it, and not into the file.
func TestRealRouterAndKey(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := completions(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case r.Header.Get("Authorization") != "Bearer sk-very-secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Query().Get("model") != "m":
			w.WriteHeader(http.StatusBadRequest)
		default:
			fmt.Fprint(w, "llamacpp:requests_processing 3\n# sk-very-secret\nllamacpp:tokens_predicted_total 7\n")
		}
	}, "llamacpp")
	said, scrapes, folder, err := loadServer(t, srv.URL, nil, func(string) bool { return asked.Load() > 12 })
	if err != nil || strings.Contains(said, "no metrics") || len(scrapes) < 5 {
		t.Fatalf("%v; %d scrapes; said %q", err, len(scrapes), said)
	}
	if !strings.Contains(said, `servers [{"running":3,"tokens_per_s":0}]`) {
		t.Errorf("who watches is told %q", said)
	}
	if got := serving.Values(scrapes[1].Counters)[serving.Running]; !scrapes[1].During || got != 3 {
		t.Errorf("running %v in %+v", got, scrapes[1])
	}
	file, err := os.Open(filepath.Join(folder, journal.MetricsName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	var one journal.MetricsText
	if err := json.NewDecoder(lines).Decode(&one); err != nil || strings.Contains(one.Text, "very-secret") || !strings.Contains(one.Text, "llamacpp:tokens_predicted_total 7") {
		t.Errorf("%v: %+v", err, one)
	}
}

// TensorRT-LLM's /metrics is gone once it was read: it is never asked for.
func TestRealDrainedMetricsAreNotRead(t *testing.T) {
	t.Parallel()
	var drained sync.Map
	var asked atomic.Int64
	srv := completions(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			drained.Store("by", r.UserAgent())
		}
		if r.URL.Path == "/prometheus/metrics" {
			asked.Add(1)
			fmt.Fprint(w, "trtllm_num_requests_running 2\n")
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}, "tensorrt_llm")
	said, scrapes, _, err := loadServer(t, srv.URL, nil, func(string) bool { return asked.Load() > 8 })
	if _, yes := drained.Load("by"); err != nil || yes || len(scrapes) < 5 {
		t.Errorf("%v, drained %v, %d scrapes, said %q", err, yes, len(scrapes), said)
	}
}

// Metrics elsewhere get no key. What fails during the load is left out, and the load goes on.
func TestRealMetricsElsewhere(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked, keys := 0, 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if r.Header.Get("Authorization") != "" {
			keys++
		}
		if asked > 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, "vllm:num_requests_running 1\nvllm:generation_tokens_total 1\n")
	}))
	defer elsewhere.Close()
	srv := completions(t, http.NotFound, "gateway")
	said, scrapes, _, err := loadServer(t, srv.URL, func(s *spec.Spec) { s.MetricsURLs = []string{elsewhere.URL} },
		func(said string) bool { return strings.Contains(said, "from now on") })
	mu.Lock()
	defer mu.Unlock()
	if err != nil || keys != 0 || asked < 4 || len(scrapes) != 1 || !strings.Contains(said, "the metrics can't be read (") || !strings.Contains(said, "each 200ms from now on") {
		t.Errorf("%v: asked %d times, %d keys, %d scrapes, said %q", err, asked, keys, len(scrapes), said)
	}
}

// Without metrics it is said once, with what can be done.
func TestRealNoMetrics(t *testing.T) {
	t.Parallel()
	srv := completions(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) }, "llamacpp")
	said, scrapes, folder, err := loadServer(t, srv.URL, nil, func(said string) bool { return strings.Contains(said, "no metrics") })
	if err != nil || len(scrapes) != 0 || strings.Count(said, "no metrics") != 1 || !strings.Contains(said, "started with --metrics") {
		t.Errorf("%v: %d scrapes, said %q", err, len(scrapes), said)
	}
	if _, err := os.Stat(filepath.Join(folder, journal.MetricsName)); err == nil {
		t.Error("there is a file of metrics")
	}
}

// vLLM's log stands in for metrics.
func TestRealServerLog(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "server.log")
	const line = "(APIServer pid=1) INFO 05-12 08:01:39 [loggers.py:271] Engine 000: Avg prompt throughput: 6335.3 tokens/s, Avg generation throughput: 4.8 tokens/s, Running: %d reqs, Waiting: 2 reqs, GPU KV cache usage: 62.8%%, Prefix cache hit rate: 0.0%%\n"
	if err := os.WriteFile(log, fmt.Appendf(nil, line, 99), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	srv := completions(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "vllm")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/completions" { // the server writes its line while it is loaded
			mu.Lock()
			if n++; n == 3 || n == 12 {
				f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
				if err == nil {
					fmt.Fprintf(f, line, n)
					err = f.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}
			mu.Unlock()
		}
		srv.Config.Handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	said, scrapes, _, err := loadServer(t, server.URL, func(s *spec.Spec) { s.ServerLogs = []string{log} }, func(string) bool {
		mu.Lock()
		defer mu.Unlock()
		return n > 12 // it is read once more at the end
	})
	if err != nil || len(scrapes) == 0 || strings.Contains(said, "no metrics") {
		t.Fatalf("%v: %d scrapes, said %q", err, len(scrapes), said)
	}
	last := serving.Values(scrapes[len(scrapes)-1].Counters)
	if last[serving.Running] != 12 || last[serving.Waiting] != 2 || last[serving.CacheUse] != .628 {
		t.Errorf("%v", last)
	}
	for _, s := range scrapes {
		if !s.During || s.Counters["log:running"] == 99 {
			t.Errorf("%+v", s)
		}
	}
}

func TestMetricsMap(t *testing.T) {
	for text, want := range map[string]string{
		`{"running":"a"}`: `[{"name":"a","meaning":"running"}]`,
		`{"ttft":{"name":"b","scale":0.001},"waiting":["c",{"name":"d","labels":{"s":"q"}}]}`: `[{"name":"c","meaning":"waiting"},{"name":"d","label":"s","value":"q","meaning":"waiting"},{"name":"b","meaning":"ttft","scale":0.001}]`,
		`{"Runing":"a"}`:           "did you mean running?",
		`{"zzzzzzzz":"a"}`:         "there are running, waiting",
		`[]`:                       "must map meanings to names",
		`{}`:                       "maps nothing",
		`{"running":[]}`:           "maps nothing",
		`{"running":1}`:            "must have a name",
		`{"running":""}`:           "needs the name",
		`{"running":"a{b=\"c\"}"}`: "no name of a metric",
		`{"running":"\u001b[2J"}`:  "no name of a metric",
		`{"running":{"nam":"a"}}`:  "unknown field",
		`{"running":{"name":"a","labels":{"x":"1","y":"2"}}}`: "matches 2 labels",
		`{"e2e":"a_count"}`:                                             "without _count: a",
		`{"running":{"name":"a","scale":0}}`:                            "scale",
		`{"running":{"name":"a","scale":1e300}}`:                        "scale",
		`{"running":["` + strings.Repeat(`a","`, 1200) + `a"]}`:         "at most 1000",
		`{"running":"` + strings.Repeat("a", spec.MaxMetricsMap) + `"}`: "longer than",
	} {
		s := spec.Spec{Server: spec.Server{MetricsMap: []byte(text)}}
		list, err := s.MetricNames()
		got := ""
		if b, _ := json.Marshal(list); err == nil {
			got = string(b)
		} else {
			got = fmt.Sprintf("%+v", err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%.60s: %s", text, got)
		}
	}
}
