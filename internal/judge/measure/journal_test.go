package measure

import (
	"io"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// memory is a journal in memory. Like the reader of files it hands out one
// Request again and again, so that a measurement that keeps it is found out.
type memory struct {
	run      journal.Run
	requests []journal.Request
	end      *journal.End
	at       int
	buf      journal.Request
}

// The reader of journal files is what Measure is given.
var _ Journal = (*journal.Reader)(nil)

func (m *memory) Run() *journal.Run { return &m.run }
func (m *memory) End() *journal.End { return m.end }
func (m *memory) Next() (*journal.Request, error) {
	if m.at == len(m.requests) {
		m.buf = journal.Request{}
		return nil, io.EOF
	}
	m.buf = m.requests[m.at]
	m.at++
	return &m.buf, nil
}

func measured(t *testing.T, m *memory, opt Options, also ...row.Collector) *Result {
	t.Helper()
	m.at = 0
	r, err := Measure(m, opt, also...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	ms   = int64(1e6)
	text = journal.EventChoices | journal.EventText
)

// stream is a complete request: sent at a time, with token chunks at the given
// times after that, and usage alone at the end. All in milliseconds.
func stream(index int, sent int64, chunks ...int64) journal.Request {
	r := journal.Request{
		Index: index, Due: sent * ms, Released: sent * ms, Sent: sent * ms,
		Outcome: journal.Complete, Status: 200,
		PromptTokens: 10, OutputTokens: len(chunks), UsagePrompt: 11, UsageOutput: len(chunks),
	}
	at := int64(0)
	for _, c := range chunks {
		r.Events.At = append(r.Events.At, (c-at)*ms)
		r.Events.Kind = append(r.Events.Kind, text)
		at = c
	}
	r.Events.At = append(r.Events.At, 0)
	r.Events.Kind = append(r.Events.Kind, journal.EventUsage)
	r.End = r.Sent + at*ms
	return r
}

// failed turns a request into one with this outcome.
func failed(r journal.Request, o journal.Outcome, message string) journal.Request {
	r.Outcome, r.Error = o, message
	return r
}

func closedRun(limit int) journal.Run {
	return journal.Run{
		Schema: 1, Version: "test", Clock: "user",
		Options: journal.Options{
			Backend: "vllm", ModelID: "m", TokenizerID: "tok", TokenizerSource: "file", Pace: "closed",
			NumPrompts: 4, MaxConcurrency: limit, Burstiness: 1,
			PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}, MetricPercentiles: []float64{50, 99},
		},
	}
}
