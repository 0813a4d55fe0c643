package otlp

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector keeps what it is sent. answer, if given, decides what it says to the n-th message.
type collector struct {
	*httptest.Server
	answer func(n int, path string, w http.ResponseWriter) (take bool)

	mu      sync.Mutex
	n       int
	spans   []*traces.Span
	metrics []*metrics.Metric
	header  http.Header
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.header = r.Header
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		http.Error(w, "no gzip", http.StatusBadRequest)
		return
	}
	body, _ := io.ReadAll(z)
	if c.answer != nil && !c.answer(c.n, r.URL.Path, w) {
		return
	}
	switch r.URL.Path {
	case pathTraces:
		var d traces.TracesData
		if proto.Unmarshal(body, &d) != nil {
			http.Error(w, "no traces", http.StatusBadRequest)
		}
		for _, rs := range d.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				c.spans = append(c.spans, ss.GetSpans()...)
			}
		}
	case pathMetrics:
		var d metrics.MetricsData
		if proto.Unmarshal(body, &d) != nil {
			http.Error(w, "no metrics", http.StatusBadRequest)
		}
		c.metrics = d.GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics()
	default:
		http.NotFound(w, r)
	}
}

func nothing(string) (string, bool) { return "", false }

func exporterOf(t *testing.T, endpoint string) *Exporter {
	t.Helper()
	cfg, err := NewConfig(endpoint, "1.0", nothing)
	if err != nil {
		t.Fatal(err)
	}
	e := New(cfg, nil)
	e.queue.limit, e.flush = 3000, time.Minute
	e.client.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return e
}

var trace = wire.RandomTrace()

func first() *journal.Run {
	return &journal.Run{StartUnixNs: 1e18, Trace: trace.String(), Options: journal.Options{
		SentModel: "m", Backend: "openai-chat", Endpoint: "/v1/chat/completions", BaseURL: "https://host",
	}}
}

func request(i int) *journal.Request {
	text := journal.EventChoices | journal.EventText
	q := &journal.Request{Index: i, Outcome: journal.Complete, Status: 200, Sent: int64(i), End: int64(i) + 1e9, UsagePrompt: 3, UsageOutput: 2, OutputTokens: 9, FinishReason: "stop", ServerID: "x"}
	q.Events = journal.Events{At: []int64{5e8, 1e8}, Kind: []journal.EventKind{text, text}}
	return q
}

func TestSpansAndMetricsArrive(t *testing.T) {
	c := newCollector(t)
	e := exporterOf(t, c.URL)
	if err := e.Try(context.Background()); err != nil {
		t.Fatal(err)
	}
	e.Started("results/r", first())
	e.See(&live.State{InFlight: 3})
	const n = 1200
	for i := range n {
		e.Ended(request(i))
	}
	failed := request(n)
	failed.Outcome, failed.Status, failed.Error = journal.HTTP5xx, 500, "boom"
	e.Ended(failed)
	warm := request(0)
	warm.Warmup = true
	e.Ended(warm)
	if r := e.Finish(context.Background()); r.Sent != n+2 || r.Dropped+r.Failed+r.Rejected != 0 || r.Why != "" || r.Metrics == 0 {
		t.Errorf("%+v", r)
	}
	byID := map[string]*traces.Span{}
	for _, s := range c.spans {
		byID[hex.EncodeToString(s.GetSpanId())] = s
	}
	if len(byID) != n+2 {
		t.Fatalf("%d spans", len(byID))
	}
	for i := range n + 1 {
		id := strings.Split(trace.Parent(i), "-")[2]
		s := byID[id]
		if s == nil || s.GetStartTimeUnixNano() != uint64(1e18+i) || s.GetEndTimeUnixNano()-s.GetStartTimeUnixNano() != 1e9 || s.GetName() != "chat m" {
			t.Fatalf("request %d: %v", i, s)
		}
		if wrong := s.GetStatus().GetCode() == traces.Status_STATUS_CODE_ERROR; wrong != (i == n) {
			t.Errorf("request %d: %v", i, s.GetStatus())
		}
	}
	checkMetrics(t, c.metrics, n)
}

func checkMetrics(t *testing.T, list []*metrics.Metric, n uint64) {
	t.Helper()
	counts := map[string]uint64{}
	for _, m := range list {
		for _, p := range m.GetHistogram().GetDataPoints() {
			name := m.GetName()
			for _, a := range p.GetAttributes() {
				if k := a.GetKey(); k == "error.type" || k == "gen_ai.token.type" {
					name += " " + a.GetValue().GetStringValue()
				}
			}
			counts[name] = p.GetCount()
			sum := uint64(0)
			for _, b := range p.GetBucketCounts() {
				sum += b
			}
			if sum != p.GetCount() || len(p.GetBucketCounts()) != len(p.GetExplicitBounds())+1 {
				t.Errorf("%s: %v", name, p)
			}
		}
	}
	for name, want := range map[string]uint64{
		"gen_ai.client.operation.duration": n, "gen_ai.client.operation.duration http_5xx": 1, "gen_ai.client.token.usage input": n, "gen_ai.client.token.usage output": n,
		"gen_ai.client.operation.time_to_first_chunk": n, "gen_ai.client.operation.time_per_output_chunk": n,
	} {
		if counts[name] != want {
			t.Errorf("%s: %d, want %d", name, counts[name], want)
		}
	}
}

// A collector that is not ready is asked again; one that refuses is not.
func TestRetries(t *testing.T) {
	for status, want := range map[int]Report{503: {Sent: 2}, 429: {Sent: 2}, 400: {Failed: 1, Sent: 1}, 404: {Failed: 1, Sent: 1}} {
		c := newCollector(t)
		c.answer = func(n int, path string, w http.ResponseWriter) bool {
			if path == pathTraces && n < 3 && (n == 1 || status != 400 && status != 404) {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(status)
				return false
			}
			return true
		}
		e := exporterOf(t, c.URL)
		e.Started("r", first())
		e.Ended(request(1))
		if got := e.Finish(context.Background()); got.Sent != want.Sent || got.Failed != want.Failed {
			t.Errorf("%d: %+v, want %+v", status, got, want)
		}
	}
}

func TestRejectedSpansAreCounted(t *testing.T) {
	c := newCollector(t)
	c.answer = func(_ int, _ string, w http.ResponseWriter) bool {
		var inner []byte
		inner = protowire.AppendTag(inner, 1, protowire.VarintType)
		inner = protowire.AppendVarint(inner, 1)
		inner = protowire.AppendTag(inner, 2, protowire.BytesType)
		inner = protowire.AppendString(inner, "too \x1b[31mlong")
		_, _ = w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner))
		return false
	}
	e := exporterOf(t, c.URL)
	e.Started("r", first())
	e.Ended(request(1))
	if r := e.Finish(context.Background()); r.Rejected != 2 || r.Sent != 0 || !strings.Contains(r.Why, "too long") {
		t.Errorf("%+v", r)
	}
}

// Nobody listens: what does not fit is dropped at once, and the end comes soon.
func TestDeadCollector(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	e := exporterOf(t, s.URL)
	e.Started("r", first())
	const n = 5000
	for i := range n { // none of them waits
		e.Ended(request(i))
	}
	r := e.Finish(context.Background())
	if r.Sent != 0 || r.Dropped+r.Failed != n+1 || r.Why == "" {
		t.Errorf("%+v", r)
	}
}

// One that takes connections and says nothing does not hold up the end for longer than the flush may last.
func TestSilentCollector(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	e := exporterOf(t, s.URL)
	e.Started("r", first())
	e.Ended(request(1))
	e.flush = 200 * time.Millisecond
	if r := e.Finish(context.Background()); r.Sent != 0 || r.Failed != 2 { // the server is silent for ever
		t.Errorf("%+v", r)
	}
}

func TestConfig(t *testing.T) {
	env := map[string]string{
		envEndpoint: "http://from-env:4318/base/", envHeaders: "api-key=s%20cret, x-a=1", envService: "mine", envResource: "team=a%2Cb,service.name=other",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	c, err := NewConfig(FromEnvironment, "1", lookup)
	if err != nil {
		t.Fatal(err)
	}
	if c.Endpoint != "http://from-env:4318/base" || c.header.Get("Api-Key") != "s cret" || c.header.Get("X-A") != "1" {
		t.Errorf("%q %v", c.Endpoint, c.header)
	}
	found := map[string]string{}
	for _, a := range c.resource {
		found[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if found["service.name"] != "mine" || found["team"] != "a,b" {
		t.Errorf("%v", found)
	}
	if c, err = NewConfig("http://user:pw@host:4318", "1", nothing); err != nil || strings.Contains(c.Endpoint, "pw") || c.header.Get("Authorization") == "" {
		t.Errorf("%v %v", c, err)
	}
	for _, bad := range []string{"", "host:4318", "grpc://host:4317", "http://", "http://h/?a=b", "env"} {
		if _, err := NewConfig(bad, "1", nothing); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for name, value := range map[string]string{envHeaders: "no pair", envResource: "=x"} {
		if _, err := NewConfig("http://h", "1", func(n string) (string, bool) { return value, n == name }); err == nil {
			t.Errorf("%s=%s is taken", name, value)
		}
	}
	if _, err := NewConfig("http://h", "1", func(n string) (string, bool) { return "a=s3cret%0d%0ax", n == envHeaders }); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a line break in a header: %v", err)
	}
}

func TestOperations(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": "chat", "/v1/completions": "text_completion", "/v1/embeddings": "embeddings", "/v1/messages": "chat", "/v1/responses": "chat",
		"/api/chat": "chat", "/api/generate": "text_completion", "/generate_stream": "text_completion", "/v1/audio/transcriptions": "transcriptions",
	} {
		if got := operation(&journal.Options{Endpoint: path}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func FuzzPartial(f *testing.F) {
	f.Add([]byte{0x0a, 2, 8, 5})
	f.Add([]byte{0x0a, 200, 8, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r := partial(b); r.count < 0 || len(r.words) > 4096 {
			t.Errorf("%+v", r)
		}
	})
}

// BenchmarkSpan is what a span costs beside the run, with its share of a message of 512.
func BenchmarkSpan(b *testing.B) {
	c := &Config{}
	r := newRun("r", first())
	list := make([]*traces.Span, batch)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		one := r.newCall(request(n))
		list[n%batch] = r.span(&one)
		if n%batch == batch-1 {
			if _, err := encode(c.tracesData(list)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
