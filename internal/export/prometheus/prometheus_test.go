package prometheus

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// example is an exporter that knows one of everything.
func example() *Exporter {
	e := New("1.2.3")
	e.Started("results/night", &journal.Run{Options: journal.Options{SentModel: "m\"odel\\", Backend: "vllm"}})
	ms := int64(time.Millisecond)
	text := journal.EventChoices | journal.EventText
	for i := range 10 {
		q := &journal.Request{Index: i, Outcome: journal.Complete, Sent: 0, End: 70 * ms, PromptTokens: 5, UsagePrompt: 7, UsageOutput: 3}
		q.Events = journal.Events{At: []int64{30 * ms, 20 * ms, 20 * ms}, Kind: []journal.EventKind{text, text, text}}
		e.Ended(q)
	}
	e.Ended(&journal.Request{Index: 10, Outcome: journal.Timeout, End: ms})
	e.Ended(&journal.Request{Index: 11, Outcome: journal.Complete, Warmup: true})
	yes, half := true, .5
	e.See(&live.State{
		Phase: live.Running, At: 3, Total: 20, InFlight: 4, TokensPerS: 100, RequestsPerS: 5,
		TTFT: live.Window{Count: 1, P50: 30, P99: 31}, ITL: live.Window{Count: 2, P50: 20, P99: 20}, Lag: live.Window{Count: 2, P50: .1, P99: .2},
		SLO: []live.Clause{{Text: "p99_ttft<1s", Holds: &yes}, {Text: "unknown"}}, Servers: []live.Server{{Running: &half, Waiting: &half, CacheUse: &half}, {}},
		Agents: []live.Agent{{Name: "a"}, {Name: "b", Silent: true}},
	})
	return e
}

func parsed(t *testing.T, e *Exporter) map[string]*dto.MetricFamily {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(&b)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func TestFamiliesAreThoseOfTheTable(t *testing.T) {
	got := parsed(t, example())
	for _, f := range Families() {
		m := got[f.Name]
		if m == nil || strings.ToLower(m.GetType().String()) != f.Type || m.GetHelp() != f.Help {
			t.Errorf("%s: %v", f.Name, m)
			continue
		}
		delete(got, f.Name)
		names := map[string]bool{}
		for _, l := range m.GetMetric()[0].GetLabel() {
			names[l.GetName()] = true
		}
		for _, l := range f.Labels {
			if !names[l] {
				t.Errorf("%s has no label %s", f.Name, l)
			}
		}
	}
	for name := range got {
		t.Errorf("%s is in no table", name)
	}
}

func TestValues(t *testing.T) {
	got := parsed(t, example())
	outcomes := map[string]float64{}
	for _, m := range got[nRequests].GetMetric() {
		for _, l := range m.GetLabel() {
			switch l.GetName() {
			case "outcome":
				outcomes[l.GetValue()] = m.GetCounter().GetValue()
			case "model":
				if l.GetValue() != `m"odel\` {
					t.Errorf("the model is %q", l.GetValue())
				}
			}
		}
	}
	if outcomes["complete"] != 10 || outcomes["timeout"] != 1 || len(outcomes) != len(journal.Outcomes) {
		t.Errorf("outcomes %v", outcomes)
	}
	if p, o := got[nPrompt].GetMetric()[0].GetCounter().GetValue(), got[nOutput].GetMetric()[0].GetCounter().GetValue(); p != 70 || o != 30 {
		t.Errorf("%g prompt tokens and %g of output", p, o)
	}
	for name, want := range map[string]struct {
		count uint64
		sum   float64
	}{nTTFT: {10, .3}, nGap: {20, .4}, nDuration: {10, .7}} {
		h := got[name].GetMetric()[0].GetHistogram()
		if h.GetSampleCount() != want.count || h.GetSampleSum() < want.sum-1e-9 || h.GetSampleSum() > want.sum+1e-9 {
			t.Errorf("%s: %v", name, h)
		}
		for _, b := range h.GetBucket() { // a value on a bound is up to it
			if name == nGap && b.GetUpperBound() == .02 && b.GetCumulativeCount() != 20 || name == nTTFT && b.GetUpperBound() == .025 && b.GetCumulativeCount() != 0 {
				t.Errorf("%s: %v", name, b)
			}
		}
	}
}

func TestFleetsAreToldOfByStates(t *testing.T) {
	e := New("1")
	e.Elsewhere()
	e.Started("f", &journal.Run{})
	e.See(&live.State{Completed: 5, Outcomes: map[string]int64{"complete": 5, "timeout": 2}})
	got := parsed(t, e)
	if n := len(got[nRequests].GetMetric()); n != 2 || got[nTTFT] != nil {
		t.Errorf("%d outcomes, %v", n, got[nTTFT])
	}
	e.Started("f", &journal.Run{})
	e.Ended(&journal.Request{Outcome: journal.Lost})
	e.Complete()
	if got = parsed(t, e); got[nTTFT] == nil {
		t.Error("no histogram when all is known")
	}
}

var update = flag.Bool("update", false, "write docs/reference/prometheus.md")

// TestDocumented: docs/reference/prometheus.md has every metric of the endpoint.
func TestDocumented(t *testing.T) {
	testfiles.Written(t, *update, "docs/reference/prometheus.md", "# Metrics of `--prometheus`\n\nHow a run is watched with them: [live](../live.md#prometheus-and-grafana). "+
		"Written by `go test ./internal/export/prometheus -run TestDocumented -update`.\n\n"+Table())
}

func FuzzLabels(f *testing.F) {
	f.Add("a\"b", "\\", "c\nd")
	f.Add("\x00\xff", strings.Repeat("ü", 500), "}{=\",")
	f.Fuzz(func(t *testing.T, run, name, backend string) {
		e := New(run)
		e.Started(run, &journal.Run{Options: journal.Options{SentModel: name, Backend: backend}})
		yes := true
		e.See(&live.State{SLO: []live.Clause{{Text: name, Holds: &yes}, {Text: run, Holds: &yes}}})
		parsed(t, e)
	})
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]bool{":0": true, "127.0.0.1:9464": true, "[::1]:9464": true, "9464": false, "": false, "localhost": false, ":http": false, ":65536": false, ":-1": false} {
		if err := CheckAddress(address); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestServer(t *testing.T) {
	s, err := Listen("127.0.0.1:0", example())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(s.listener.Addr().String(), example()); err == nil || !strings.Contains(err.Error(), "which another program does") {
		t.Errorf("a port that is taken: %v", err)
	}
	get := func() string {
		answer, err := http.Get(s.URL())
		if err != nil {
			t.Error(err)
			return ""
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		return string(b)
	}
	if text := get(); !strings.Contains(text, nRequests) {
		t.Errorf("%q", text)
	}
	seen := make(chan bool)
	go func() { seen <- s.Finish(context.Background(), time.Minute) }()
	for {
		s.mu.Lock()
		over := s.over
		s.mu.Unlock()
		if over {
			break
		}
	}
	get()
	if !<-seen {
		t.Error("the scrape after the end does not count")
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestNobodyComes(t *testing.T) {
	s, err := Listen("127.0.0.1:0", example())
	if err != nil {
		t.Fatal(err)
	}
	if s.Finish(context.Background(), time.Millisecond) {
		t.Error("somebody came")
	}
}

// Table is what the documentation says of all metrics.
func Table() string {
	var b strings.Builder
	b.WriteString("| metric | type | labels | what it is |\n|---|---|---|---|\n")
	for _, f := range Families() {
		labels := slices.Concat(runLabels, f.Labels)
		if f.Name == nBuild {
			labels = f.Labels
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, "`"+strings.Join(labels, "`, `")+"`", f.Help)
	}
	return b.String()
}
