package serving

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// Summary is what the servers say of the run: all together, and each where there are
// several. What a server does not tell is absent. Behind a router the servers are its replicas.
type Summary struct {
	Server
	Each    []Server `json:"each,omitempty"`
	Roles   []Server `json:"roles,omitempty"`   // where prefill and decode are apart: those of each role together
	Routers []Server `json:"routers,omitempty"` // what routers say of themselves, where their servers tell too
	Notes   []string `json:"notes,omitempty"`   // what a reader must know, in sentences
}

// Server is one server, or all together: requests and totals are then sums, shares means.
type Server struct {
	Target    int          `json:"target"`
	Replica   int          `json:"replica,omitempty"` // from 1: a server behind the target; 0: the target itself, or several
	Role      journal.Role `json:"role,omitempty"`
	Kind      string       `json:"kind,omitempty"` // whose names its metrics have
	Scrapes   int          `json:"scrapes"`
	Restarted string       `json:"restarted,omitempty"` // what shows that it began anew: totals are then at least what is said
	Cut       bool         `json:"cut,omitempty"`       // it was not read after the load, as one that died: likewise

	Running  *Level `json:"running,omitempty"`
	Waiting  *Level `json:"waiting,omitempty"`
	Swapped  *Level `json:"swapped,omitempty"`
	InFlight *Level `json:"in_flight,omitempty"`
	CacheUse *Level `json:"cache_use,omitempty"` // 0 to 1

	PrefixHitRate *float64 `json:"prefix_hit_rate,omitempty"` // over the run, 0 to 1
	Preemptions   *float64 `json:"preemptions,omitempty"`
	Aborted       *float64 `json:"aborted,omitempty"`
	Failed        *float64 `json:"failed,omitempty"`
	StepTokens    *float64 `json:"tokens_per_step,omitempty"` // mean over the steps of the batch
	Steps         *float64 `json:"steps,omitempty"`

	Requests        *Counted `json:"requests,omitempty"` // that ended
	PromptTokens    *Counted `json:"prompt_tokens,omitempty"`
	ComputedTokens  *float64 `json:"computed_prompt_tokens,omitempty"` // without those from the cache
	GeneratedTokens *Counted `json:"generated_tokens,omitempty"`

	TTFT      *Times `json:"ttft,omitempty"`
	ITL       *Times `json:"itl,omitempty"`
	E2E       *Times `json:"e2e,omitempty"`
	Queue     *Times `json:"queue,omitempty"`
	Prefill   *Times `json:"prefill,omitempty"`
	Decode    *Times `json:"decode,omitempty"`
	Inference *Times `json:"inference,omitempty"`

	Transfer *Times `json:"transfer,omitempty"` // of the cache from prefill to decode

	QueuedInRouter *Level   `json:"queued_in_router,omitempty"`
	AwaitTransfer  *Level   `json:"await_transfer,omitempty"`
	Received       *float64 `json:"received,omitempty"` // requests that came in, however they were answered
	Retries        *float64 `json:"retries,omitempty"`
	Migrations     *float64 `json:"migrations,omitempty"`
	TransferFailed *float64 `json:"transfers_failed,omitempty"`
	TransferBytes  *float64 `json:"transfer_bytes,omitempty"`
	LocalHits      *float64 `json:"local_hits,omitempty"`  // prompt tokens from its own cache
	Transferred    *float64 `json:"transferred,omitempty"` // prompt tokens whose cache came from another server

	// Seconds of all requests together, where a server has no histogram.
	QueueSeconds   *float64 `json:"queue_seconds,omitempty"`
	PrefillSeconds *float64 `json:"prefill_seconds,omitempty"`
	DecodeSeconds  *float64 `json:"decode_seconds,omitempty"`

	SpecDecode *SpecDecode `json:"spec_decode,omitempty"`
}

// Counted is a total as the server counts it, and as we do.
type Counted struct {
	Server     float64  `json:"server"`
	PerSecond  *float64 `json:"per_second,omitempty"` // while the load was on
	Ours       *float64 `json:"ours,omitempty"`       // at least; nil: not known
	OursMost   *float64 `json:"ours_most,omitempty"`  // with requests that did not come to their end
	Difference *float64 `json:"difference,omitempty"` // what the server has more (or, below 0, less) than any of these; nil: not known
}

// Empty says that nothing is known.
func (s *Server) Empty() bool {
	bare := *s
	bare.Target, bare.Replica, bare.Role, bare.Kind, bare.Scrapes, bare.Restarted, bare.Cut = 0, 0, "", "", 0, "", false
	return bare == Server{}
}

// Run is what the summary needs to know of a run beside the scrapes.
type Run struct {
	Targets  int
	Replicas []journal.Replica   // the servers behind them, as far as they are known
	Drafts   *journal.SpecDecode // as the run's end has it; nil: the server has none, or the run was killed
	Mapping  []journal.MetricName
	Sent     []Sent // to each target
	Warm     []Sent // of these, what is not measured: warm-ups
	Unknown  bool   // what we sent is not known, or can't be compared

	Duration float64 // of the load, in seconds; 0: not known
}

// warm is by how much warm-ups made a total of a server grow, if that is known: which replica got which is not.
func (r *Run) warm(of *Course, m Meaning) (float64, bool) {
	if of.Replica > 0 {
		return 0, !slices.ContainsFunc(r.Warm, func(w Sent) bool { return w.Requests.High > 0 })
	}
	if of.Target >= len(r.Warm) {
		return 0, true
	}
	switch w := &r.Warm[of.Target]; m {
	case Finished:
		return w.Requests.Low, true
	case PromptTokens:
		return w.Prompt.Low, w.NoPrompt == 0
	default:
		return w.Output.Low, w.NoOutput == 0
	}
}

// replicasOf are the servers behind a target that are to be asked; none where nobody could be. Those that the user names
// are behind each.
func (r *Run) replicasOf(target int) (list []journal.Replica) {
	asked := false
	for _, one := range r.Replicas {
		if one.Target == target || one.Found == journal.GivenReplica {
			list, asked = append(list, one), asked || one.URL != ""
		}
	}
	if !asked {
		return nil
	}
	return list
}

// servers is how many servers do the work: replicas, and targets without any.
func (r *Run) servers() (n int) {
	for target := range r.Targets {
		if len(r.replicasOf(target)) == 0 {
			n++
		}
	}
	if n < r.Targets {
		n += len(r.Replicas)
	}
	return n
}

// Summarize is what the scrapes say; nil: nothing.
func Summarize(run *Run, scrapes []journal.Scrape) *Summary {
	var spans, routers []*span
	for _, own := range byServer(scrapes) {
		one := newSpan(own, run.Mapping)
		if c := &one.course; c.Replica > 0 && c.Replica <= len(run.Replicas) {
			one.role = run.Replicas[c.Replica-1].Role
		} else if len(run.replicasOf(c.Target)) > 0 {
			routers = append(routers, one)
			continue
		}
		spans = append(spans, one)
	}
	s := &Summary{}
	for _, one := range spans {
		s.Each = append(s.Each, one.summary(run))
	}
	for _, one := range routers {
		if r := one.summary(run); !r.Empty() {
			s.Routers = append(s.Routers, r)
		}
	}
	if !slices.ContainsFunc(s.Each, func(e Server) bool { return !e.Empty() }) && len(s.Routers) == 0 {
		return nil
	}
	switch {
	case len(s.Each) == 0:
	case len(spans) == 1 && run.servers() <= 1 && spans[0].course.Replica == 0:
		s.Server, s.Each = s.Each[0], nil
	default:
		s.together(run, spans)
	}
	if d := specOfRun(run.Drafts); d != nil { // the same numbers as vLLM's keys
		s.SpecDecode = d
	}
	s.notes(run, spans)
	return s
}

func (s *span) summary(run *Run) Server {
	out := Server{Target: s.course.Target, Replica: s.course.Replica, Role: s.role, Kind: s.kind(), Scrapes: len(s.all), Restarted: s.restarted, Cut: s.after == nil}
	for _, l := range out.levels() {
		*l.to = s.level(l.of)
	}
	out.CacheUse = s.level(CacheUse)
	for _, t := range out.totals() {
		*t.to = s.total(t.of)
	}
	out.StepTokens = ratio(s.total(IterationTokens), out.Steps)
	out.PrefixHitRate = ratio(s.total(PrefixHits), s.total(PrefixQueries))
	var sent *Sent
	if !run.Unknown && s.whole() && s.course.Replica == 0 && s.course.Target < len(run.Sent) && len(run.replicasOf(s.course.Target)) == 0 {
		sent = &run.Sent[s.course.Target]
	}
	for _, c := range out.counts(sent) {
		if v, ok := s.grown(c.of); ok {
			*c.to = counted(v, s.perSecond(c.of, run), c.ours)
		}
	}
	for _, h := range out.histograms() {
		*h.to, _ = s.times(h.of)
	}
	out.SpecDecode = s.spec()
	return out
}

// The parts of a server that are alike, each with what it is made of.
type (
	levelPart struct {
		of Meaning
		to **Level
	}
	totalPart struct {
		of Meaning
		to **float64
	}
	countPart struct {
		of   Meaning
		to   **Counted
		ours *Range // nil: not known
	}
	timesPart struct {
		of Meaning
		to **Times
	}
)

func (s *Server) levels() []levelPart {
	return []levelPart{
		{Running, &s.Running},
		{Waiting, &s.Waiting},
		{Swapped, &s.Swapped},
		{InFlight, &s.InFlight},
		{QueuedInRouter, &s.QueuedInRouter},
		{AwaitTransfer, &s.AwaitTransfer},
	}
}

func (s *Server) totals() []totalPart {
	return []totalPart{
		{Received, &s.Received},
		{Retries, &s.Retries},
		{Migrations, &s.Migrations},
		{TransferFailed, &s.TransferFailed},
		{TransferBytes, &s.TransferBytes},
		{LocalHits, &s.LocalHits},
		{Transferred, &s.Transferred},
		{Preemptions, &s.Preemptions},
		{Aborted, &s.Aborted},
		{Failed, &s.Failed},
		{Iterations, &s.Steps},
		{ComputedTokens, &s.ComputedTokens},
		{QueueSeconds, &s.QueueSeconds},
		{PrefillSeconds, &s.PrefillSeconds},
		{DecodeSeconds, &s.DecodeSeconds},
	}
}

func (s *Server) counts(sent *Sent) []countPart {
	var requests, prompt, output *Range
	if sent != nil {
		requests = &sent.Requests
		if sent.NoPrompt == 0 {
			prompt = &sent.Prompt
		}
		if sent.NoOutput == 0 {
			output = &sent.Output
		}
	}
	return []countPart{{Finished, &s.Requests, requests}, {PromptTokens, &s.PromptTokens, prompt}, {GeneratedTokens, &s.GeneratedTokens, output}}
}

func (s *Server) histograms() []timesPart {
	return []timesPart{
		{TTFT, &s.TTFT}, {ITL, &s.ITL}, {E2E, &s.E2E}, {Queue, &s.Queue}, {Prefill, &s.Prefill}, {Decode, &s.Decode}, {Inference, &s.Inference}, {Transfer, &s.Transfer},
	}
}

// counted holds the server's number against ours.
func counted(server float64, perSecond *float64, ours *Range) *Counted {
	c := &Counted{Server: server, PerSecond: perSecond}
	if ours == nil {
		return c
	}
	low, most, difference := ours.Low, ours.High, 0.0
	switch {
	case server > most:
		difference = server - most
	case server < low:
		difference = server - low
	}
	c.Ours, c.Difference = &low, &difference
	if most != low {
		c.OursMost = &most
	}
	return c
}

// ratio is nil where a part is not known, or there is nothing to divide by.
func ratio(part, whole *float64) *float64 {
	if part == nil || whole == nil || *whole <= 0 || *part < 0 {
		return nil
	}
	return finite(*part / *whole)
}
