package report

import (
	"io"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// memory is a journal in memory.
type memory struct {
	run      *journal.Run
	requests []journal.Request
	end      *journal.End

	conversations []journal.Conversation
	see           func(*journal.Conversation)

	scrapes []journal.Scrape
}

func (m *memory) Scrapes() []journal.Scrape { return m.scrapes }

func (m *memory) OnConversation(see func(*journal.Conversation)) { m.see = see }

func (m *memory) Run() *journal.Run { return m.run }
func (m *memory) End() *journal.End { return m.end }
func (m *memory) Next() (*journal.Request, error) {
	if len(m.requests) == 0 {
		for i := range m.conversations {
			m.see(&m.conversations[i])
		}
		return nil, io.EOF
	}
	r := &m.requests[0]
	m.requests = m.requests[1:]
	return r, nil
}

const (
	ms   = int64(1e6)
	text = journal.EventChoices | journal.EventText
)

// stream is a complete request with n tokens, one each 10 ms, the first after 50 ms.
func stream(index int, sent int64, n int) journal.Request {
	words := "Grüße 👋"
	r := journal.Request{
		Index: index, ID: "bench-1", Due: sent - ms, Released: sent - ms, Sent: sent, Headers: sent + 40*ms,
		Outcome: journal.Complete, Status: 200, PromptTokens: 16, OutputTokens: n, UsagePrompt: 16, UsageOutput: n,
		FinishReason: "length", Text: &words,
	}
	at := int64(0)
	for i := range n {
		gap := 10 * ms
		if i == 0 {
			gap = 50*ms + int64(index)*ms/4
		}
		at += gap
		r.Events.At = append(r.Events.At, gap)
		r.Events.Lag = append(r.Events.Lag, 20_000+int64(i)*1000)
		r.Events.Kind = append(r.Events.Kind, text)
	}
	r.Events.At = append(r.Events.At, 100_000)
	r.Events.Lag = append(r.Events.Lag, 30_000)
	r.Events.Kind = append(r.Events.Kind, journal.EventUsage)
	r.End = sent + at + 200_000
	return r
}

func failed(r journal.Request, o journal.Outcome, message string) journal.Request {
	r.Outcome, r.Error = o, message
	return r
}

func run() *journal.Run {
	return &journal.Run{
		Schema: 1, Version: "0.1.0-test", StartUnixNs: 1794700000_000000000, Zone: "+02:00",
		Command: []string{"inferometer", "bench", "serve", "--model", "org/sim", "--header", "authorization=***"},
		Clock:   "kernel",
		Options: journal.Options{
			Backend: "vllm", BaseURL: "http://127.0.0.1:18000", Endpoint: "/v1/completions",
			ModelID: "org/sim", TokenizerID: "org/sim", TokenizerSource: "file", Dataset: "random",
			NumPrompts: 12, Burstiness: 1, MaxConcurrency: 4, Pace: "closed", IgnoreEOS: true,
			PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}, MetricPercentiles: []float64{99},
		},
		Environment: journal.Environment{OS: "linux", Arch: "amd64", Kernel: "6.1.0", CPU: "a CPU", CPUs: 2, GoMaxProcs: 2, Go: "go1.26", FDLimit: 1024},
	}
}

func end() *journal.End {
	return &journal.End{
		At: 700 * ms, Sent: 12, WorkloadSHA: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c", PeakInFlight: 4,
		Client: journal.Client{UserCPUNs: 40 * ms, SystemCPUNs: 20 * ms, MaxRSSBytes: 30 << 20, GCPauseNs: ms / 2, GCCount: 3},
	}
}

// closed is a closed loop with four slots in which some requests fail.
func closed() *memory {
	m := &memory{run: run(), end: end()}
	for i := range 12 {
		r := stream(i, int64(i/4)*210*ms+int64(i%4)*ms, 16)
		switch i {
		case 8:
			r = failed(stream(i, r.Sent, 7), journal.Truncated, "the stream ended without a finish reason")
		case 9:
			r = failed(stream(i, r.Sent, 3), journal.StreamError, "{\"error\": {\"message\": \"out of memory\"}}\n\x1b[31m")
		case 10:
			r = failed(stream(i, r.Sent, 0), journal.HTTP5xx, "503 Service Unavailable: overloaded")
		}
		m.requests = append(m.requests, r)
	}
	m.requests[0].SharedReads = 2
	return m
}

// ramp is an open loop with a ramp, speculative decoding, metadata and targets.
func ramp() *memory {
	m := &memory{run: run(), end: end()}
	o := &m.run.Options
	o.Pace, o.MaxConcurrency, o.Label, o.NumPrompts = "ramp", 2, "my-label", 6
	o.RampUp = &journal.RampUp{Strategy: "linear", StartRPS: 1, EndRPS: 3}
	o.Metadata = []journal.Pair{{"tp", "8"}, {"duration", "forever"}, {"inferometer", "no"}}
	o.Goodput = map[string]float64{"ttft": 51, "e2el": 500}
	o.MetricPercentiles = []float64{50, 99.9}
	o.PercentileMetrics = []string{"ttft", "client_queue_time", "e2el_including_client_queue"}
	for i := range 6 {
		r := stream(i, int64(i+1)*100*ms, 4)
		r.Events.Tokens, r.Events.TokensBy = []int{1, 3, 3, 1, 0}, "usage"
		r.UsageOutput = 8
		m.requests = append(m.requests, r)
	}
	m.end.RPSChanges = []journal.RPSChange{{RPS: 1, UnixNs: 1794700000_000000000}, {RPS: 2, UnixNs: 1794700000_250000999}}
	m.end.SpecDecode = &journal.SpecDecode{Drafts: 100, DraftTokens: 300, Accepted: 150, PerPosition: []int64{80, 50, 20}}
	return m
}

// thinking is a run of a reasoning model: some answers reason before they show a
// word, one never shows any, one stalls; and limits of many kinds are set.
func thinking() *memory {
	m := &memory{run: run(), end: end()}
	o := &m.run.Options
	o.Backend, o.NumPrompts = "openai-chat", 5
	o.Goodput = map[string]float64{"first_visible": 85, "itl_p99": 50, "inter_token_max": 20, "e2el_due": 5000}
	for i := range 5 {
		r := stream(i, int64(i)*100*ms, 8)
		for k := range min(2*i, 8) {
			r.Events.Kind[k] = journal.EventChoices | journal.EventReasoning
		}
		m.requests = append(m.requests, r)
	}
	stalled := &m.requests[1]
	stalled.Events.At[5] = 400 * ms
	stalled.End += 390 * ms
	m.requests[2].UsageOutput = 20 // so that nobody knows the tokens of its events
	return m
}

// killed is a run that a kill -9 ended, on a machine without kernel times, against
// a server without usage.
func killed() *memory {
	m := closed()
	m.run.Clock, m.end = "user", nil
	m.run.Options.TokenizerID, m.run.Options.TokenizerSource = "", "none"
	m.run.Options.MaxConcurrency = 0
	m.requests = m.requests[:5]
	for i := range m.requests {
		r := &m.requests[i]
		r.UsageOutput, r.UsagePrompt, r.Events.Lag = 0, 0, nil
	}
	return m
}

func measured(t *testing.T, m *memory, opt measure.Options) *measure.Result {
	t.Helper()
	r, err := measure.Measure(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// replicas is a run against three servers: the second is slow, and the third is down.
func replicas() *memory {
	m := closed()
	m.run.Options.Balance, m.run.Options.MaxConcurrency = "round-robin", 12
	for _, url := range []string{"http://127.0.0.1:18000", "http://127.0.0.1:18001", "http://127.0.0.1:18002"} {
		m.run.Targets = append(m.run.Targets, journal.Target{URL: url, Model: "org/sim"})
	}
	for i := range m.requests {
		r := &m.requests[i]
		r.Target = i % 3
		switch r.Target {
		case 1:
			for k := range r.Events.At {
				r.Events.At[k] *= 3
			}
			r.End = r.Sent + 3*(r.End-r.Sent)
		case 2:
			*r = failed(stream(i, r.Sent, 0), journal.Refused, "connection refused")
			r.Target = 2
		}
	}
	return m
}

// agents is a run of conversations over adapters: one of which a turn failed, one that
// the end of the run cut off. Of turn 3 the server does not say what it had cached.
func agents() *memory {
	m := &memory{run: run(), end: end()}
	m.run.Options.NumPrompts = 42
	for c := range 14 {
		for turn := range 3 {
			sent := int64(turn)*300*ms + int64(c%4)*ms + int64(c/4)*900*ms
			r := stream(3*c+turn, sent, 4+turn)
			r.Conversation, r.Turn, r.Model = c+1, turn+1, []string{"law", "med", "code"}[c%3]
			r.UsagePrompt, r.UsageCached, r.CachedKnown = 16+100*turn, 80*turn, turn < 2
			if turn == 2 {
				r.UsageCached = 0
			}
			if turn > 0 {
				r.After, r.Delay = []int{3*c + turn - 1}, 50*ms
			}
			over := journal.Conversation{Number: c + 1, Turns: 3, Sent: turn + 1, Skipped: 2 - turn, Complete: turn + 1, Begin: int64(c/4) * 900 * ms, End: r.End, Think: int64(turn) * 50 * ms}
			switch {
			case c == 5 && turn == 1:
				r = failed(r, journal.HTTP5xx, "503 Service Unavailable: overloaded")
				over.Outcome, over.Complete, over.Error = journal.ConversationFailed, 1, "turn 2: http_5xx"
			case c == 13 && turn == 0:
				over.Outcome, over.Error = journal.ConversationAbandoned, "signal"
			case turn == 2:
				over.Outcome = journal.ConversationComplete
			}
			m.requests = append(m.requests, r)
			if over.Outcome != "" {
				m.conversations = append(m.conversations, over)
				break
			}
		}
	}
	return m
}
