package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a simulator in this process with its truth.
type server struct {
	url    string
	noLoop bool   // measure it by net/http
	stop   func() // waits until the truth is whole
	mu     sync.Mutex
	log    bytes.Buffer

	conversations []journal.Conversation // of the journal that was read
}

func (s *server) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(b)
}

func startSim(t *testing.T, change func(*sim.Config)) *server {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL = random.Constant(2*time.Millisecond), random.Constant(time.Millisecond)
	cfg.TruthText = true
	change(&cfg)
	s := &server{}
	srv, err := sim.New(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	serve := srv.Serve
	if cfg.TLS {
		s.url, serve = "https://"+l.Addr().String(), srv.ServeTLS
	}
	go func() { done <- serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("sim: %v", err)
		}
		srv.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// truth reads the simulator's log, by request id.
func (s *server) truth(t *testing.T) map[string]sim.Record {
	t.Helper()
	s.stop()
	records := map[string]sim.Record{}
	for line := range bytes.Lines(s.log.Bytes()) {
		var r sim.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		records[r.ID] = r
	}
	return records
}

// prompts is a workload of n different prompts.
type prompts struct{ n, next, tokens int }

func (p *prompts) Next() (*workload.Request, error) {
	if p.next == p.n {
		return nil, io.EOF
	}
	p.next++
	return p.request(p.next - 1), nil
}

func (p *prompts) request(i int) *workload.Request {
	return &workload.Request{Index: i, Prompt: fmt.Sprintf("tell me about the number %d", i), OutputTokens: p.tokens}
}

// unstreamed behind a backend's name asks for answers in one piece.
const unstreamed = ", unstreamed"

// setup returns a config against the server, and a function that reads the journal.
func setup(t *testing.T, s *server, backend string, spec pace.Spec, source workload.Source) (Config, func() ([]journal.Request, *journal.Run)) {
	t.Helper()
	backend, whole := strings.CutSuffix(backend, unstreamed)
	proto, err := protocol.FindBackend(backend)
	if err == nil && whole {
		proto, err = proto.Unstreamed()
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := pace.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), journal.FileName)
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	clock := wire.NewClock()
	tr := transport(t, clock, s)
	t.Cleanup(tr.Close)
	cfg := Config{
		Clock: clock, Source: source, Pace: p, Concurrency: 64,
		Transport: tr, Protocol: proto, Call: protocol.Call{Model: "sim", IgnoreEOS: !proto.Lacks.IgnoreEOS, NoStream: whole},
		URL: s.url + protocol.FillPath(proto.Path(), "sim"), IDPrefix: "t-", Journal: w, KeepTexts: true,
	}
	cfg.Started = func() error { return w.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: clock.Zero().UnixNano()}) }
	return cfg, func() (records []journal.Request, run *journal.Run) {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.OnConversation(func(c *journal.Conversation) { s.conversations = append(s.conversations, *c) })
		for {
			q, err := r.Next()
			if errors.Is(err, io.EOF) {
				return records, r.Run()
			}
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, clone(q))
		}
	}
}

// transport is the event loop where it can be, as in bench serve.
func transport(t *testing.T, clock *wire.Clock, s *server) wire.Transport {
	t.Helper()
	if runtime.GOOS != "linux" || strings.HasPrefix(s.url, "https") || s.noLoop {
		return wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: 1000, Insecure: true, KernelStamps: true})
	}
	tr, err := wire.NewLoop(wire.LoopConfig{Clock: clock, Connections: 1000, KernelStamps: true, Loops: 2})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func closed() pace.Spec { return pace.Spec{Name: pace.Closed} }

// outcomeOf is what each fault must be to us.
var outcomeOf = map[string]journal.Outcome{
	"": journal.Complete, sim.FaultTruncate: journal.Truncated, sim.FaultErrorEvent: journal.StreamError,
	sim.FaultHTTP500: journal.HTTP5xx, sim.FaultHTTP429: journal.HTTP4xx, sim.FaultReset: journal.Reset,
	sim.FaultStall: journal.Timeout, sim.FaultShort: journal.Short, sim.FaultEmpty: journal.Empty,
	sim.FaultSlowHeaders: journal.Complete,
}

// Every request's outcome is the truth's, fault by fault, over 2,000 requests.
func TestOutcomesAreTheTruths(t *testing.T) {
	for _, tt := range []struct {
		backend string
		noLoop  bool
	}{{"vllm", false}, {"openai-chat", true}} {
		t.Run(tt.backend, func(t *testing.T) { outcomesAreTheTruths(t, tt.backend, tt.noLoop, 2000, nil) })
	}
}

// outcomesAreTheTruths sends n requests to a simulator with all faults. except says where
// a protocol can't tell a fault from another outcome.
func outcomesAreTheTruths(t *testing.T, backend string, noLoop bool, n int, except map[string]journal.Outcome) {
	s := startSim(t, func(c *sim.Config) {
		c.Faults = sim.Faults{
			sim.FaultTruncate: 0.05, sim.FaultErrorEvent: 0.05, sim.FaultHTTP500: 0.02, sim.FaultHTTP429: 0.02, sim.FaultReset: 0.02,
			sim.FaultStall: 0.01, sim.FaultShort: 0.05, sim.FaultEmpty: 0.01, sim.FaultSlowHeaders: 0.01,
		}
		c.Stall, c.SlowHeaders = time.Hour, 50*time.Millisecond
	})
	s.noLoop = noLoop
	cfg, read := setup(t, s, backend, closed(), &prompts{n: n, tokens: 8})
	cfg.Timeout = 8 * time.Second // what a busy machine takes for an answer of milliseconds, and more
	res, err := Run(context.Background(), nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if res.Sent != n || res.Interrupted != "" || res.PeakInFlight > cfg.Concurrency {
		t.Errorf("result = %+v", res)
	}
	records, _ := read()
	truth := s.truth(t)
	if len(records) != n || len(truth) != n {
		t.Fatalf("%d lines in the journal, %d in the truth, want %d", len(records), len(truth), n)
	}
	faults := map[string]int{}
	for i := range records {
		q := &records[i]
		known := truth[q.ID]
		faults[known.Fault]++
		want := outcomeOf[known.Fault]
		if other, ok := except[known.Fault]; ok {
			want = other
		}
		if !strings.Contains(string(want), string(q.Outcome)) {
			t.Errorf("%s had the fault %q: outcome %s (%s), want %s", q.ID, known.Fault, q.Outcome, q.Error, want)
		}
		if (q.Outcome == journal.Complete) != (q.Error == "") {
			t.Errorf("%s: %s with error %q", q.ID, q.Outcome, q.Error)
		}
	}
	for fault := range outcomeOf {
		if fault == sim.FaultErrorEvent && cfg.Call.NoStream {
			continue // there is no event for it to stand in
		}
		if faults[fault] == 0 && except[fault] != never {
			t.Errorf("the fault %q never came up: the test shows nothing of it", fault)
		}
	}
}

// never is the outcome of a fault that can't be: no stream has no events.
const never journal.Outcome = "never"

// Whatever the framing, we see the events, tokens and texts that were sent.
func TestFramingsAreTheTruths(t *testing.T) {
	styles := []string{"", "split,crlf,pings,event-lines,nospace", "merge,usage-last", "split,reasoning,tools"}
	styles = append(styles, sim.FramingNames()...)
	for _, backend := range []string{"vllm", "openai-chat"} {
		framingsAreTheTruths(t, backend, styles)
	}
}

// framingsAreTheTruths sends some requests to a simulator of each style.
func framingsAreTheTruths(t *testing.T, backend string, styles []string) {
	for i, style := range styles {
		t.Run(backend+" "+style, func(t *testing.T) {
			const n = 12
			s := startSim(t, func(c *sim.Config) {
				framing, err := sim.ParseFraming(style)
				if err != nil {
					t.Fatal(err)
				}
				c.Framing, c.TokensPerChunk = framing, 2
			})
			s.noLoop = (i+len(backend))%2 == 0 // both transports see half of them
			cfg, read := setup(t, s, backend, closed(), &prompts{n: n, tokens: 33})
			if _, err := Run(context.Background(), nil, cfg); err != nil {
				t.Fatal(err)
			}
			records, run := read()
			truth := s.truth(t)
			if len(records) != n {
				t.Fatalf("%d records", len(records))
			}
			for i := range records {
				compareWithTruth(t, &records[i], truth[records[i].ID], run, strings.Contains(style, "no-usage") || cfg.Protocol.Lacks.Usage, strings.Contains(style, "crlf"))
			}
		})
	}
}

func compareWithTruth(t *testing.T, q *journal.Request, known sim.Record, run *journal.Run, noUsage, crlf bool) {
	t.Helper()
	if q.Outcome != journal.Complete {
		t.Errorf("%s: %s %s", q.ID, q.Outcome, q.Error)
	}
	sum := sha256.Sum256([]byte(*q.Text))
	if hex.EncodeToString(sum[:]) != known.TextSHA256 {
		t.Errorf("%s: text %q, the server sent %q", q.ID, *q.Text, known.Text)
	}
	if q.FinishReason != known.Finish {
		t.Errorf("%s: finish reason %q, want %q", q.ID, q.FinishReason, known.Finish)
	}
	if !noUsage && (q.UsageOutput != known.CompletionTokens || q.UsagePrompt != known.PromptTokens) {
		t.Errorf("%s: usage %d and %d, want %d and %d", q.ID, q.UsagePrompt, q.UsageOutput, known.PromptTokens, known.CompletionTokens)
	}
	var kinds []string
	for _, k := range q.Events.Kind {
		kinds = append(kinds, kindName(k))
	}
	if diff := cmp.Diff(known.Kinds, kinds); diff != "" {
		t.Errorf("%s: events (-sent +seen):\n%s", q.ID, diff)
		return
	}
	at := run.StartUnixNs + q.Sent
	for i, gap := range q.Events.At {
		at += gap
		// By the standard a \r ends a line, so an event may be whole before its last \n is sent.
		earliest := time.Duration(0)
		if crlf {
			earliest = -time.Second
		}
		if late := time.Duration(at - known.Events[i]); late < earliest || late > 5*time.Second {
			t.Errorf("%s: event %d arrived %v after it was sent", q.ID, i, late)
		}
	}
}

// kindName is our kind in the simulator's words.
func kindName(k journal.EventKind) string {
	switch {
	case k&journal.EventText != 0:
		return sim.KindToken
	case k&journal.EventReasoning != 0:
		return sim.KindReasoning
	case k&journal.EventTool != 0:
		return sim.KindTool
	case k&journal.EventFinish != 0:
		return sim.KindFinish
	case k&journal.EventChoices != 0:
		return sim.KindRole
	case k&journal.EventUsage != 0:
		return sim.KindUsage
	}
	return sim.KindFrame
}

func TestTLSAndContinuousUsage(t *testing.T) {
	s := startSim(t, func(c *sim.Config) { c.TLS, c.TokensPerChunk = true, 3 })
	cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 4, tokens: 7})
	cfg.Call.Extra = []protocol.Field{{Name: "stream_options", Value: json.RawMessage(`{"include_usage":true,"continuous_usage_stats":true}`)}}
	if _, err := Run(context.Background(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	truth := s.truth(t)
	for i := range records {
		q := &records[i]
		if q.Outcome != journal.Complete || q.Events.TokensBy != "usage" {
			t.Fatalf("%s %s, tokens by %q", q.Outcome, q.Error, q.Events.TokensBy)
		}
		if got := q.Events.Tokens[:3]; !slices.Equal(got, []int{3, 3, 1}) {
			t.Errorf("tokens %v, the truth has %v", q.Events.Tokens, truth[q.ID].Tokens)
		}
		if cfg.Transport.Stamps() == "kernel" && (q.UnstampedRead != 0 || len(q.Events.Lag) != len(q.Events.At)) {
			t.Errorf("%d reads without the kernel's time, %d lags", q.UnstampedRead, len(q.Events.Lag))
		}
	}
}

func TestWarmupsComeBeforeTimeZero(t *testing.T) {
	s := startSim(t, func(*sim.Config) {})
	p := &prompts{n: 3, tokens: 2}
	cfg, read := setup(t, s, "vllm", closed(), p)
	cfg.Warmups, cfg.Progress = []*workload.Request{p.request(100), p.request(101)}, &Progress{}
	if _, err := Run(context.Background(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	if s := cfg.Progress.Snapshot(); s.Tokens != 6 || s.Finished != 6 {
		t.Errorf("three requests of two tokens each are %d tokens, %d of those that ended", s.Tokens, s.Finished)
	}
	records, _ := read()
	warm := 0
	for _, q := range records {
		if q.Warmup {
			warm++
		}
		if q.Warmup != (q.End <= 0) || q.Warmup != (q.Sent < 0) {
			t.Errorf("warm-up %v, but sent at %d and ended at %d", q.Warmup, q.Sent, q.End)
		}
	}
	if warm != 2 || len(records) != 5 {
		t.Errorf("%d warm-ups of %d records", warm, len(records))
	}
}

// Drain: nothing new is sent, what is in flight comes to its end.
func TestDrainGivesAResult(t *testing.T) {
	s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(300 * time.Millisecond) })
	cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 1000, tokens: 2})
	cfg.Concurrency, cfg.Progress = 4, &Progress{}
	drain := make(chan struct{})
	go func() {
		for cfg.Progress.Snapshot().InFlight < 4 {
			time.Sleep(time.Millisecond)
		}
		close(drain)
	}()
	res, err := Run(context.Background(), drain, cfg)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	if res.Interrupted != "signal" || res.Sent != len(records) || len(records) >= 1000 {
		t.Errorf("result %+v, %d records", res, len(records))
	}
	for _, q := range records {
		if q.Outcome != journal.Complete {
			t.Errorf("%s: %s", q.Outcome, q.Error)
		}
	}
}

// A second stop, and the deadline, cancel what is in flight: those requests are shown as cancelled.
func TestStopsCancel(t *testing.T) {
	for _, by := range []string{"signal", "deadline"} {
		t.Run(by, func(t *testing.T) {
			s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(time.Hour) })
			cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 100, tokens: 2})
			cfg.Concurrency, cfg.Progress = 4, &Progress{}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if by == "deadline" {
				cfg.Deadline = 50 * time.Millisecond
			} else {
				go func() {
					for cfg.Progress.Snapshot().InFlight < 4 {
						time.Sleep(time.Millisecond)
					}
					cancel()
				}()
			}
			res, err := Run(ctx, nil, cfg)
			if err != nil {
				t.Fatal(err)
			}
			records, _ := read()
			if res.Interrupted != by || len(records) != res.Sent || len(records) == 0 {
				t.Errorf("result %+v, %d records", res, len(records))
			}
			for _, q := range records {
				if q.Outcome != journal.Cancelled {
					t.Errorf("%s: %s", q.Outcome, q.Error)
				}
			}
		})
	}
}

func TestOpenLoopKeepsItsDueTimes(t *testing.T) {
	s := startSim(t, func(*sim.Config) {})
	cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Poisson, Own: &pace.RateOptions{Rate: 200}, N: 50, Seed: 3}, &prompts{n: 50, tokens: 2})
	cfg.Concurrency = 0
	if _, err := Run(context.Background(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	want, err := pace.New(pace.Spec{Name: pace.Poisson, Own: &pace.RateOptions{Rate: 200}, N: 50, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	slices.SortFunc(records, func(a, b journal.Request) int { return a.Index - b.Index })
	for i, q := range records {
		due, _ := want.Next()
		if q.Due != int64(due) || q.Sent < q.Due || q.Released < q.Due || q.Index != i {
			t.Errorf("request %d: due %d (want %d), released %d, sent %d", q.Index, q.Due, due, q.Released, q.Sent)
		}
	}
	if len(records) != 50 {
		t.Errorf("%d records", len(records))
	}
}

// Who waits for a slot was let go when it was due: what it waits for is not our lateness.
func TestAWaitForASlotIsNotLateness(t *testing.T) {
	s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(40 * time.Millisecond) })
	cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 100}, N: 10}, &prompts{n: 10, tokens: 1})
	cfg.Concurrency = 1
	if _, err := Run(context.Background(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	late, waited := int64(0), int64(0)
	for _, q := range records {
		if q.Released < q.Due || q.Sent < q.Released {
			t.Errorf("request %d: due %d, released %d, sent %d", q.Index, q.Due, q.Released, q.Sent)
		}
		late, waited = late+q.Released-q.Due, waited+q.Sent-q.Released
	}
	// Each waits some 30 ms longer than the one before: 1.35 s in all.
	if waited < int64(time.Second) || late > waited/2 {
		t.Errorf("late by %v, waited %v for a slot", time.Duration(late), time.Duration(waited))
	}
}

func TestClosedLoopEndsAfterItsDuration(t *testing.T) {
	s := startSim(t, func(*sim.Config) {})
	cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Closed, Duration: 300 * time.Millisecond}, &prompts{n: 1 << 30, tokens: 2})
	cfg.Concurrency = 2
	res, err := Run(context.Background(), nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	if res.Interrupted != "" || len(records) < 2 {
		t.Errorf("result %+v, %d records", res, len(records))
	}
	for _, q := range records {
		if q.Sent > int64(400*time.Millisecond) || q.Outcome != journal.Complete {
			t.Errorf("sent at %v: %s", time.Duration(q.Sent), q.Outcome)
		}
	}
}

// Two runs with the same hash sent the same bytes at the same times.
func TestWorkloadHash(t *testing.T) {
	s := startSim(t, func(*sim.Config) {})
	hash := func(n, tokens int, spec pace.Spec) string {
		cfg, read := setup(t, s, "vllm", spec, &prompts{n: n, tokens: tokens})
		res, err := Run(context.Background(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		read()
		return res.WorkloadSHA
	}
	base := hash(5, 2, closed())
	if again := hash(5, 2, closed()); again != base {
		t.Error("the same workload has another hash")
	}
	for name, other := range map[string]string{
		"more requests": hash(6, 2, closed()), "other bodies": hash(5, 3, closed()),
		"other due times": hash(5, 2, pace.Spec{Name: pace.Poisson, Own: &pace.RateOptions{Rate: 500}, N: 5}),
	} {
		if other == base {
			t.Errorf("%s: the same hash", name)
		}
	}
}

func TestASourceThatFailsEndsTheRun(t *testing.T) {
	s := startSim(t, func(*sim.Config) {})
	broken := errors.New("the file is broken")
	cfg, read := setup(t, s, "vllm", closed(), failing{broken})
	if _, err := Run(context.Background(), nil, cfg); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
	read()
}

type failing struct{ err error }

func (f failing) Next() (*workload.Request, error) { return nil, f.err }
