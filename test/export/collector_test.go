package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

// value is one of OTLP's in JSON.
type value struct {
	StringValue *string
	IntValue    *string
	BoolValue   *bool
	DoubleValue *float64
	ArrayValue  *struct{ Values []value }
}

func (v *value) text() string {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.IntValue != nil:
		return *v.IntValue
	case v.BoolValue != nil:
		return fmt.Sprint(*v.BoolValue)
	case v.DoubleValue != nil:
		return strconv.FormatFloat(*v.DoubleValue, 'g', -1, 64)
	case v.ArrayValue != nil:
		var parts []string
		for _, one := range v.ArrayValue.Values {
			parts = append(parts, one.text())
		}
		return strings.Join(parts, ",")
	}
	return ""
}

type pairs []struct {
	Key   string
	Value value
}

func (p pairs) all() map[string]string {
	found := map[string]string{}
	for _, one := range p {
		found[one.Key] = one.Value.text()
	}
	return found
}

type span struct {
	TraceID           string `json:"traceId"`
	SpanID            string `json:"spanId"`
	ParentSpanID      string `json:"parentSpanId"`
	Name              string
	Kind              int
	StartTimeUnixNano string
	EndTimeUnixNano   string
	Attributes        pairs
	Events            []struct{ Name, TimeUnixNano string }
	Status            struct {
		Code    int
		Message string
	}
}

type point struct {
	Attributes pairs
	Count      string
	Sum        float64
}

// message is one line of the collector's file.
type message struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes pairs }
		ScopeSpans []struct{ Spans []span }
	}
	ResourceMetrics []struct {
		ScopeMetrics []struct {
			Metrics []struct {
				Name      string
				Histogram struct{ DataPoints []point }
			}
		}
	}
}

// startCollector runs a real one that writes what it gets into a file.
func startCollector(t *testing.T, program string) (address, file string) {
	t.Helper()
	address = "127.0.0.1:" + realserver.FreePort(t)
	file = filepath.Join(t.TempDir(), "otlp.jsonl")
	config := write(t, "otelcol.yaml", fmt.Sprintf(`receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {file: {path: %q, flush_interval: 100ms}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [file]}, metrics: {receivers: [otlp], exporters: [file]}}
`, address, file))
	cmd := exec.Command(program, "--config", config)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	fleettest.Listening(t, address)
	return address, file
}

// collected reads the file when there are so many spans in it, and the metrics count as many requests.
func collected(t *testing.T, file string, n int) (spans map[string]*span, counts map[string]string, resource map[string]string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		spans, counts = map[string]*span{}, map[string]string{}
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) != nil {
				continue // it is being written
			}
			resource = m.take(spans, counts, resource)
		}
		if len(spans) >= n && ended(counts) >= n-1 {
			return spans, counts, resource
		}
	}
	t.Fatalf("the collector has %d spans, want %d, and metrics of %d requests", len(spans), n, ended(counts))
	return nil, nil, nil
}

// ended is how many requests the metrics know of.
func ended(counts map[string]string) (sum int) {
	for name, count := range counts {
		if strings.HasPrefix(name, "gen_ai.client.operation.duration") {
			n, _ := strconv.Atoi(count)
			sum += n
		}
	}
	return sum
}

func (m *message) take(spans map[string]*span, counts, resource map[string]string) map[string]string {
	for _, r := range m.ResourceSpans {
		resource = r.Resource.Attributes.all()
		for _, s := range r.ScopeSpans {
			for i := range s.Spans {
				spans[s.Spans[i].SpanID] = &s.Spans[i]
			}
		}
	}
	for _, r := range m.ResourceMetrics {
		for _, s := range r.ScopeMetrics {
			for _, metric := range s.Metrics {
				for _, p := range metric.Histogram.DataPoints {
					a := p.Attributes.all()
					counts[metric.Name+a["error.type"]+a["gen_ai.token.type"]] = p.Count // later lines are later sums
				}
			}
		}
	}
	return resource
}

// parents is a proxy that notes the header traceparent by x-request-id.
type parents struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]string
}

func newParents(t *testing.T, to string) *parents {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	p := &parents{seen: map[string]string{}}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }, ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
		panic(http.ErrAbortHandler) // as the server did
	}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("X-Request-Id"); id != "" {
			p.mu.Lock()
			p.seen[id] = r.Header.Get("Traceparent")
			p.mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func TestRealCollectorHasEverySpan(t *testing.T) {
	collector := realserver.Lines(t, "INFEROMETER_OTELCOL", 1, how)[0]
	program := realserver.Build(t)
	url := simulated(t, program)
	for _, engine := range []string{"loop", "nethttp"} {
		t.Run(engine, func(t *testing.T) {
			address, file := startCollector(t, collector)
			server := newParents(t, url)
			b := realserver.StartBench(t, []string{"OTEL_RESOURCE_ATTRIBUTES=team=kernel,deployment.environment.name=test", "OTEL_SERVICE_NAME=night"}, program,
				flags(server.URL, "--backend", "openai-chat", "--otlp", "http://"+address, "--engine", engine)...)
			result := b.Wait(t, 0, patience)
			if want := fmt.Sprintf("otlp: %d spans sent", requests+1); !strings.Contains(result.Stderr, want) {
				t.Errorf("%q is not in what it said:\n%s", want, result.Stderr)
			}
			run := readRun(t, b)
			spans, counts, resource := collected(t, file, requests+1)
			if resource["service.name"] != "night" || resource["team"] != "kernel" {
				t.Errorf("resource %v", resource)
			}
			checkSpans(t, run, spans, server)
			checkCounts(t, run, counts, result)
		})
	}
}

// checkSpans holds each span against its line of the journal.
func checkSpans(t *testing.T, run *ran, spans map[string]*span, server *parents) {
	t.Helper()
	if len(run.requests) != requests || len(spans) != requests+1 {
		t.Errorf("%d requests and %d spans", len(run.requests), len(spans))
	}
	roots := 0
	for _, s := range spans {
		if s.TraceID != run.run.Trace {
			t.Errorf("a span of the trace %s, not %s", s.TraceID, run.run.Trace)
		}
		if s.ParentSpanID == "" {
			roots++
		}
	}
	if roots != 1 {
		t.Errorf("%d spans have no parent", roots)
	}
	failed := 0
	for i := range run.requests {
		q := &run.requests[i]
		header := server.seen[q.ID]
		parts := strings.Split(header, "-")
		if len(parts) != 4 || parts[1] != run.run.Trace {
			t.Fatalf("%s: the server saw traceparent %q", q.ID, header)
		}
		s := spans[parts[2]]
		if s == nil {
			t.Fatalf("%s: the server saw %s, and there is no such span", q.ID, header)
		}
		from, _ := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
		to, _ := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
		if from != run.run.StartUnixNs+q.Sent || to-from != q.End-q.Sent {
			t.Errorf("%s: from %d for %d ns, by the journal from %d for %d", q.ID, from, to-from, run.run.StartUnixNs+q.Sent, q.End-q.Sent)
		}
		if spans[s.ParentSpanID] == nil || s.Kind != 3 || s.Name != "chat sim" {
			t.Errorf("%s: %+v", q.ID, s)
		}
		a := s.Attributes.all()
		for key, want := range map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "sim", "gen_ai.request.max_tokens": strconv.Itoa(q.OutputTokens), "gen_ai.response.id": q.ServerID,
			"gen_ai.response.finish_reasons": q.FinishReason, "server.address": "127.0.0.1", "inferometer.outcome": string(q.Outcome), "inferometer.request.index": strconv.Itoa(q.Index),
		} {
			if a[key] != want {
				t.Errorf("%s: %s is %q, want %q", q.ID, key, a[key], want)
			}
		}
		if q.Outcome == journal.Complete {
			if a["gen_ai.usage.output_tokens"] != strconv.Itoa(q.UsageOutput) || a["gen_ai.usage.input_tokens"] != strconv.Itoa(q.UsagePrompt) || s.Status.Code != 0 || a["error.type"] != "" || len(s.Events) != 1 {
				t.Errorf("%s: %v %+v", q.ID, a, s)
			}
			continue
		}
		if failed++; s.Status.Code != 2 || a["error.type"] != string(q.Outcome) || s.Status.Message != q.Error {
			t.Errorf("%s ended as %s: %+v", q.ID, q.Outcome, s)
		}
	}
	if failed == 0 {
		t.Error("no request failed")
	}
	for id, header := range server.seen {
		if strings.Contains(id, "warmup") && header != "" {
			t.Errorf("a warm-up has a traceparent: %s", header)
		}
	}
}

func checkCounts(t *testing.T, run *ran, counts map[string]string, result *realserver.Result) {
	t.Helper()
	want := map[string]int{
		"gen_ai.client.operation.time_to_first_chunk": result.Completed, "gen_ai.client.operation.time_per_output_chunk": run.gaps,
		"gen_ai.client.token.usageinput": result.Completed, "gen_ai.client.token.usageoutput": result.Completed, "gen_ai.client.operation.duration": result.Completed,
	}
	for outcome, n := range result.Inferometer.Outcomes {
		if outcome != string(journal.Complete) && n > 0 {
			want["gen_ai.client.operation.duration"+outcome] = n
		}
	}
	for name, n := range want {
		if counts[name] != strconv.Itoa(n) {
			t.Errorf("%s: the collector has %s, the result %d", name, counts[name], n)
		}
	}
}
