// Package plantest plays the runs of a plan by a formula: a Spec becomes the journal and
// the result that bench serve would leave, within milliseconds and the same each time.
// Commands and searches that choose the next run from the last one are tested with it.
package plantest

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/spec"
)

// Server is a made-up server. It answers the first that came first.
type Server struct {
	Slots  int           // requests that it answers at a time; 0: any number
	TTFT   time.Duration // from the moment that a request has a slot
	ITL    time.Duration
	Tokens int     // of an answer; 0: 4
	Spread float64 // by how large a share the times of a request vary at most, either way, by its seed
	Noise  uint64  // two servers with the same one vary alike
	Model  string

	// Fails says of a request, by its number from 0, that it is answered by an error; nil: none is.
	Fails func(i int) bool
	// Ends is called before a run is played: an error is the run's; nil: nothing is.
	Ends func(asked *spec.Spec) error

	Played []*spec.Spec // all that it was sent
}

// Run plays the Spec of a child: see bench.Child.Instead.
func (s *Server) Run(_ context.Context, _ <-chan struct{}, c *bench.Child) (*bench.Outcome, error) {
	s.Played = append(s.Played, c.Spec)
	if s.Ends != nil {
		if err := s.Ends(c.Spec); err != nil {
			return nil, err
		}
	}
	folder, err := filepath.Abs(c.Spec.RunDir)
	if err != nil {
		return nil, err
	}
	p := &play{Server: s, spec: c.Spec, random: rand.New(rand.NewPCG(uint64(c.Spec.Seed), s.Noise))}
	p.run()
	if err := errors.Join(journal.MakeFolder(folder), p.write(folder)); err != nil {
		return nil, err
	}
	o := &bench.Outcome{Folder: folder, Log: c.Log, Result: filepath.Join(folder, journal.ResultName)}
	if p.complete == 0 {
		o.Code = bench.ExitNothing
		o.Said = fmt.Sprintf("no request completed: %d of %d %s: %s", len(p.requests), len(p.requests), journal.HTTP5xx, refusal)
	}
	return o, nil
}

const refusal = "HTTP 500: it is meant to fail"

// play is one run.
type play struct {
	*Server
	spec     *spec.Spec
	random   *rand.Rand
	requests []journal.Request
	complete int
	stopped  string
}

// times is a heap of moments.
type times []int64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(int64)) }
func (t *times) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// run sends what the Spec asks for: a request each time that a client is free, or at the times of a rate.
func (p *play) run() {
	options := p.options()
	var watch *slo.GiveUp
	if p.spec.GiveUp != "" {
		if objective, err := spec.ParseSLO(p.spec.GiveUp); err == nil {
			watch = slo.NewGiveUp(&options, objective, p.spec.Duration)
		}
	}
	var free, clients times // slots of the server, and of the client
	for range max(p.Slots, 0) {
		heap.Push(&free, int64(0))
	}
	for range options.MaxConcurrency {
		heap.Push(&clients, int64(0))
	}
	due := int64(0)
	for i := 0; p.stopped == ""; i++ {
		at := due
		if len(clients) > 0 {
			at = max(at, heap.Pop(&clients).(int64))
		}
		if p.spec.Duration > 0 && at >= int64(p.spec.Duration) || p.spec.Duration == 0 && i >= p.spec.NumPrompts {
			break
		}
		start := at
		if p.Slots > 0 {
			start = max(at, heap.Pop(&free).(int64))
		}
		r := p.request(i, at, start)
		if p.Slots > 0 {
			heap.Push(&free, r.End)
		}
		if options.MaxConcurrency > 0 {
			heap.Push(&clients, r.End)
		}
		if options.RequestRate > 0 {
			due += int64(p.random.ExpFloat64() / options.RequestRate * 1e9)
		}
		p.requests = append(p.requests, r)
		if watch != nil && watch.Ended(&r) {
			p.stopped = watch.Judge()
		}
	}
	slices.SortStableFunc(p.requests, func(a, b journal.Request) int { return cmp.Compare(a.End, b.End) })
}

// request is one that was sent at a time and answered from another one on.
func (p *play) request(i int, sent, start int64) journal.Request {
	varied := 1 + p.Spread*(2*p.random.Float64()-1)
	tokens := cmp.Or(p.Tokens, 4)
	r := journal.Request{
		Index: i, Due: sent, Released: sent, Sent: sent, Status: 200, Outcome: journal.Complete, FinishReason: "length",
		PromptTokens: 8, OutputTokens: tokens, UsagePrompt: 8, UsageOutput: tokens,
		PromptHash: fmt.Sprintf("%016x", p.random.Uint64()), TextHash: fmt.Sprintf("%016x", p.random.Uint64()),
		Events: journal.Events{TokensBy: "token_ids"},
	}
	first := start - sent + int64(float64(p.TTFT)*varied)
	if p.Fails != nil && p.Fails(i) {
		r.Outcome, r.Status, r.Error, r.FinishReason, r.UsagePrompt, r.UsageOutput = journal.HTTP5xx, 500, refusal, "", 0, 0
		r.End = sent + first
		return r
	}
	p.complete++
	at := sent
	for n := range tokens {
		gap, kind := int64(float64(p.ITL)*varied), journal.EventChoices|journal.EventText
		if n == 0 {
			gap = first
		}
		if n == tokens-1 {
			kind |= journal.EventFinish
		}
		at += gap
		e := &r.Events
		e.At, e.Lag, e.Kind, e.Tokens = append(e.At, gap), append(e.Lag, 0), append(e.Kind, kind), append(e.Tokens, 1)
	}
	r.End = at
	return r
}

func (p *play) options() journal.Options {
	s := p.spec
	o := journal.Options{
		Backend: s.Backend, BaseURL: s.URLs[0], Endpoint: "/v1/completions", Label: s.Label, ModelID: p.model(), SentModel: p.model(), TokenizerSource: "none",
		Dataset: s.DatasetName, NumPrompts: s.NumPrompts, Seed: int64(s.Seed), Burstiness: 1, Pace: "burst",
		PercentileMetrics: s.PercentileMetrics, MetricPercentiles: s.MetricPercentiles, Goodput: s.Goodput, IgnoreEOS: true,
	}
	if rate := s.Rate(); !math.IsInf(rate, 0) {
		o.Pace, o.RequestRate = "poisson", rate
	}
	if s.MaxConcurrency != nil {
		o.MaxConcurrency = *s.MaxConcurrency
		if o.RequestRate == 0 {
			o.Pace = "closed"
		}
	}
	return o
}

func (p *play) model() string { return cmp.Or(p.Model, "played") }

// write leaves the journal of a client and a machine with nothing else to do, and the result.
func (p *play) write(folder string) error {
	w, err := journal.Create(filepath.Join(folder, journal.FileName))
	if err != nil {
		return err
	}
	err = w.Run(&journal.Run{
		Schema: journal.Schema, Version: "played", StartUnixNs: 1_800_000_000_000_000_000, Zone: "+00:00", Command: []string{"inferometer", "bench", "serve"},
		Options: p.options(), Clock: "kernel", ReadEnds: true, Holds: true,
		Environment: journal.Environment{OS: "linux", CPUs: 4, GoMaxProcs: 4, FDLimit: 1000},
	})
	var lines []byte
	last := int64(0)
	for i := range p.requests {
		lines = journal.AppendRequest(lines, &p.requests[i])
		last = max(last, p.requests[i].End)
	}
	w.Append(lines)
	for _, at := range []int64{0, last / 2, last} {
		err = errors.Join(err, w.Sample(&journal.Sample{At: at, CPUNs: at / 10, BusyNs: at / 10, Files: 40}))
	}
	err = errors.Join(err, w.End(&journal.End{At: last, Sent: len(p.requests), Stopped: p.stopped, WorkloadSHA: fmt.Sprintf("%064x", p.spec.Seed), Recipe: journal.WorkloadRecipe}), w.Close())
	if err != nil {
		return err
	}
	r, err := judged.Read(folder, measure.Options{})
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, journal.ResultName), func(out io.Writer) error {
		return report.JSON(out, r.Result, report.Options{RunDir: folder, Verdict: r.Verdict, Explain: r.Explain})
	})
}
