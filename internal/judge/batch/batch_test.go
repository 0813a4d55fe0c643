package batch

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

const milli = 1_000_000

// answer is a request that was sent at a time and whose tokens came at others, all in milliseconds.
func answer(index int, sent int64, prompt, cached int, at ...int64) *journal.Request {
	r := &journal.Request{
		Index: index, Sent: sent * milli, Outcome: journal.Complete,
		PromptTokens: prompt, UsagePrompt: prompt, UsageCached: cached, OutputTokens: len(at), UsageOutput: len(at),
	}
	last := sent
	for _, t := range at {
		r.Events.At = append(r.Events.At, (t-last)*milli)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
		last = t
	}
	return r
}

func broke(r *journal.Request, o journal.Outcome, why string) *journal.Request {
	r.Outcome, r.Error = o, why
	return r
}

// memory is a journal that was never a file.
type memory struct{ requests []journal.Request }

func (*memory) Run() *journal.Run { return &journal.Run{} }

func (m *memory) Next() (*journal.Request, error) {
	if len(m.requests) == 0 {
		return nil, io.EOF
	}
	r := &m.requests[0]
	m.requests = m.requests[1:]
	return r, nil
}

func memoryOf(requests ...*journal.Request) *memory {
	m := &memory{}
	for _, r := range requests {
		m.requests = append(m.requests, *r)
	}
	return m
}

// batchOf puts requests into the one batch that they are.
func batchOf(t *testing.T, requests ...*journal.Request) *Batch {
	t.Helper()
	batches, err := Read(memoryOf(requests...), len(requests))
	if err != nil || len(batches) != 1 {
		t.Fatalf("%d batches, %v", len(batches), err)
	}
	return &batches[0]
}

func TestShapeSample(t *testing.T) {
	for _, c := range []struct {
		name     string
		shape    Shape
		requests []*journal.Request
		rate     float64 // tokens a second
		err      string
	}{
		{
			"pp: prompt over time to the first token",
			Shape{Prompt: 100, Batch: 1},
			[]*journal.Request{answer(0, 10, 100, 0, 60)},
			100 / 0.050, "",
		},
		{
			"pp of two: from the first sent to the slowest's first token",
			Shape{Prompt: 100, Batch: 2},
			[]*journal.Request{answer(0, 0, 100, 0, 40), answer(1, 1, 100, 0, 100)},
			200 / 0.100, "",
		},
		{
			"pp counts what the server computed",
			Shape{Prompt: 100, Batch: 1},
			[]*journal.Request{answer(0, 0, 101, 0, 101)},
			101 / 0.101, "",
		},
		{
			"pp from the cache is none",
			Shape{Prompt: 100, Batch: 1},
			[]*journal.Request{answer(0, 0, 100, 96, 5)},
			0, "computed only 4 of 100 prompt tokens",
		},
		{
			"pp at a depth that the cache holds",
			Shape{Prompt: 100, Depth: 64, Batch: 1},
			[]*journal.Request{answer(0, 0, 164, 64, 50)},
			100 / 0.050, "",
		},
		{
			"pp at a depth that it does not hold",
			Shape{Prompt: 100, Depth: 64, Batch: 1},
			[]*journal.Request{answer(0, 0, 164, 0, 50)},
			0, "the depth was not in its cache",
		},
		{
			"tg: tokens after the first over their time",
			Shape{Gen: 5, Batch: 1},
			[]*journal.Request{answer(0, 0, 1, 0, 100, 110, 120, 130, 140)},
			4 / 0.040, "",
		},
		{
			"tg of two counts while both generate",
			Shape{Gen: 5, Batch: 2},
			[]*journal.Request{answer(0, 0, 1, 0, 100, 110, 120, 130, 140), answer(1, 0, 1, 0, 105, 115, 125, 135, 145)},
			2 * 3.5 / 0.035, "",
		},
		{
			"tg of two, one after the other",
			Shape{Gen: 2, Batch: 2},
			[]*journal.Request{answer(0, 0, 1, 0, 100, 110), answer(1, 0, 1, 0, 200, 210)},
			0, "never generated for all 2 requests at once",
		},
		{
			"tg in one read",
			Shape{Gen: 2, Batch: 1},
			[]*journal.Request{answer(0, 0, 1, 0, 100, 100)},
			0, "all tokens came at one moment",
		},
		{
			"pp+tg: all tokens from sent to the last",
			Shape{Prompt: 100, Gen: 4, Batch: 1},
			[]*journal.Request{answer(0, 0, 100, 0, 70, 80, 90, 100)},
			104 / 0.100, "",
		},
		{
			"one of two failed",
			Shape{Prompt: 100, Batch: 2},
			[]*journal.Request{answer(0, 0, 100, 0, 50), broke(answer(1, 0, 100, 0), journal.HTTP5xx, "HTTP 503")},
			0, "http_5xx: HTTP 503",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.shape.Measure(batchOf(t, c.requests...))
			switch {
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("error %v, want %q", err, c.err)
			case c.err == "" && (err != nil || math.Abs(got.Rate()-c.rate) > 1e-6*c.rate):
				t.Errorf("%.3f tokens a second (%v), want %.3f", got.Rate(), err, c.rate)
			}
		})
	}
}

// The server's own times are shown for one sequence; those of several overlap.
func TestShapeServerRate(t *testing.T) {
	one := answer(0, 0, 100, 0, 60, 70, 80)
	one.ServerPromptNs, one.ServerOutputNs = 50*milli, 20*milli
	b := batchOf(t, one)
	for _, c := range []struct {
		shape Shape
		want  float64
	}{
		{Shape{Prompt: 100, Batch: 1}, 100 / 0.050},
		{Shape{Gen: 3, Batch: 1}, 2 / 0.020},
		{Shape{Prompt: 100, Gen: 3, Batch: 1}, 103 / 0.070},
	} {
		got, err := c.shape.Measure(b)
		if err != nil || math.Abs(got.ServerRate()-c.want) > 1e-6*c.want {
			t.Errorf("%s: %.3f by the server (%v), want %.3f", c.shape.Test(), got.ServerRate(), err, c.want)
		}
	}
	two := answer(1, 0, 100, 0, 60, 70, 80)
	two.ServerPromptNs = 50 * milli
	got, err := Shape{Prompt: 100, Batch: 2}.Measure(batchOf(t, one, two))
	if err != nil || got.ServerRate() != 0 {
		t.Errorf("two sequences have the server's rate %.3f (%v)", got.ServerRate(), err)
	}
}

func TestShapeNames(t *testing.T) {
	for want, s := range map[string]Shape{
		"pp512": {Prompt: 512}, "tg128": {Gen: 128}, "pp512+tg128": {Prompt: 512, Gen: 128},
		"pp512 @ d4096": {Prompt: 512, Depth: 4096}, "pp512+tg128 @ d64": {Prompt: 512, Gen: 128, Depth: 64},
	} {
		if got := s.Test(); got != want {
			t.Errorf("%+v is called %q, want %q", s, got, want)
		}
	}
}

// Requests are written as they end; a batch is found by the index all the same.
// Warm-ups and what prepares a depth are in no batch, and a batch cut off is none.
func TestBatches(t *testing.T) {
	prepared := answer(2, 20, 64, 0, 30)
	prepared.Warmup = true
	batches, err := Read(memoryOf(
		answer(1, 0, 8, 0, 9), answer(0, 0, 8, 0, 10), prepared, answer(5, 40, 8, 0, 52), answer(4, 40, 8, 0, 50), answer(6, 60, 8, 0, 70),
	), 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(batches) != 3 {
		t.Fatalf("%d batches, want 3", len(batches))
	}
	l := LatenciesOf(batches, 1)
	if len(l.Seconds) != 2 || l.Seconds[0] != 0.010 || l.Seconds[1] != 0.012 {
		t.Errorf("latencies %v, want 10 and 12 ms", l.Seconds)
	}
	if len(l.Failures) != 1 || l.Failures[0] != "1 of its 2 requests were sent" {
		t.Errorf("failures %q", l.Failures)
	}
	if l := LatenciesOf(batches, 2); len(l.Seconds) != 0 || l.Failures[0] != "1 of 2 tokens" {
		t.Errorf("with 2 tokens asked for: %v, %q", l.Seconds, l.Failures)
	}
	if _, err := Read(memoryOf(), 0); err == nil {
		t.Error("a journal without batches gives some")
	}
}
