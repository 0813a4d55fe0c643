package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
)

// spoiled is a run in which one thing went wrong. requests changes what was sent
// and came back, lines what the journal holds besides; both may be nil.
type spoiled struct {
	check    string
	level    Level
	from     func() *world
	requests func(w *world)
	lines    func(w *world)
}

// every changes one request in n.
func every(n int, change func(r *journal.Request)) func(w *world) {
	return func(w *world) { w.each(n, change) }
}

func fail(o journal.Outcome, words string) func(r *journal.Request) {
	return func(r *journal.Request) {
		r.Outcome, r.Error, r.Status, r.FinishReason = o, words, 0, ""
		r.UsagePrompt, r.UsageOutput, r.TextHash = 0, 0, ""
		r.Events = journal.Events{}
	}
}

// sampled replaces the value of each sample.
func sampled(change func(s *journal.Sample)) func(w *world) {
	return func(w *world) {
		for i := range w.samples {
			change(&w.samples[i])
		}
	}
}

// after adds to a counter of the server at the end.
func after(name string, by float64) func(w *world) {
	return func(w *world) { w.scrapes[1].Counters[name] += by }
}

func without(name string) func(w *world) {
	return func(w *world) {
		delete(w.scrapes[0].Counters, name)
		delete(w.scrapes[1].Counters, name)
	}
}

// drafting is a server that decodes speculatively: that share of all tokens were drafts that it accepted.
func drafting(share float64) func(w *world) {
	return func(w *world) {
		w.end.SpecDecode = &journal.SpecDecode{DraftTokens: int64(len(w.requests) * tokens), Accepted: int64(share * float64(len(w.requests)*tokens))}
	}
}

// hot is a GPU that was throttled for that share of the time.
func hot(reason string, share float64, worked bool) func(w *world) {
	return func(w *world) {
		w.hardware = &hardware.Summary{Devices: []hardware.Device{{
			Source: "nvidia-smi", ID: "0", Kind: hardware.GPU, Samples: 60, Worked: &worked, Throttled: []hardware.Share{{Reason: reason, Share: share}},
		}}}
	}
}

func noScrapes(w *world) { w.scrapes = nil }
func noSamples(w *world) { w.samples = nil }

// later moves a request to a later sending, its due time stays.
func later(r *journal.Request, by int64) { r.Sent += by; r.End += by }

// stretched sends with a limit of slots that holds requests back more and more.
func stretched(by int64) func(w *world) {
	return func(w *world) {
		w.run.Options.MaxConcurrency = 1000
		w.each(1, func(r *journal.Request) { later(r, int64(r.Index)*by) })
	}
}

// slower makes each request's decoding longer by so much for each one before it.
func slower(by int64) func(w *world) {
	return func(w *world) {
		w.each(1, func(r *journal.Request) {
			more := int64(r.Index) * by
			r.Events.At[0] += more
			r.End += more
		})
	}
}

// slowerFrom makes the decoding of requests from one on so many times slower.
func slowerFrom(index int, times int64) func(w *world) {
	return func(w *world) {
		w.each(1, func(r *journal.Request) {
			if r.Index < index {
				return
			}
			for i := range r.Events.At[1:] {
				r.End += r.Events.At[i+1] * (times - 1)
				r.Events.At[i+1] *= times
			}
		})
	}
}

// again sends the first so many prompts a second time; some get another text.
func again(n, changed int) func(w *world) {
	return func(w *world) {
		w.run.Options.IntegritySample = n
		for i := range n {
			r := stream(i, 13e9+int64(i)*1e9)
			r.Warmup, r.Sample = true, true
			if i < changed {
				r.TextHash = "abc"
			}
			w.requests = append(w.requests, r)
		}
	}
}

func first(n int) func(w *world) {
	return func(w *world) { w.requests = w.requests[:n+2] } // and the warm-ups
}

// proven is a self-test's claims: streams and chunks a second of each.
func proven(numbers ...int) func(w *world) {
	return func(w *world) {
		w.run.Proven = &journal.Proven{}
		for i := 0; i < len(numbers); i += 2 {
			w.run.Proven.Points = append(w.run.Proven.Points, journal.ProvenPoint{
				Streams: numbers[i], TokensPerS: float64(numbers[i+1]), TTFTMS: 1, ITLMS: 0.5,
			})
		}
	}
}

func shorten(r *journal.Request) {
	r.Outcome, r.UsageOutput, r.Events.Tokens[0] = journal.Short, tokens-1, 0
}

func bunch(of int) func(r *journal.Request) {
	return func(r *journal.Request) {
		held := int64(0)
		for i := 1; i < tokens; i++ {
			held += r.Events.At[i]
			r.Events.At[i] = 0
			if i%of == 0 || i == tokens-1 {
				r.Events.At[i], held = held, 0
			}
		}
	}
}

// share puts chunks into one read with the one before; their time is not lost.
func share(n int) func(r *journal.Request) {
	return func(r *journal.Request) {
		for i := range n {
			r.Events.At[n+1] += r.Events.At[i+1]
			r.Events.At[i+1] = 0
		}
	}
}

// userTimes is a client that is so late for its own timers, and knows no better.
func userTimes(late int64) func(*world) {
	sample := sampled(func(s *journal.Sample) { s.WakeNs = late })
	return func(w *world) {
		w.run.Clock = "user"
		sample(w)
	}
}

func spoiledRuns() []spoiled {
	return append(spoiledFleets(), []spoiled{
		{"lag", Noted, closedLoop, every(1, func(r *journal.Request) { r.Events.Lag[tokens] = 10 * msNs }), nil},
		{"bounds", Noted, closedLoop, every(1, func(r *journal.Request) { r.Events.Lag[tokens] = 40 * msNs }), nil},
		{"bounds", Suspect, closedLoop, every(1, func(r *journal.Request) { r.Events.Lag[tokens] = 80 * msNs }), nil},
		{"bounds", Invalid, closedLoop, every(1, func(r *journal.Request) { r.Events.Lag[tokens] = 140 * msNs }), nil},
		{"bounds", Invalid, openLoop, every(1, share(3)), nil},
		{"bounds", NotChecked, openLoop, nil, func(w *world) { w.run.ReadEnds = false }},
		{"lag", Invalid, openLoop, func(w *world) {
			w.run.Clock = "user"
			w.each(10, func(r *journal.Request) { r.Events.Lag[3] = 40 * msNs })
			w.each(10, func(r *journal.Request) { r.Events.Lag[4] = 40 * msNs })
			w.each(10, func(r *journal.Request) { r.Events.Lag[5] = 40 * msNs })
		}, nil},
		{"lag", OK, openLoop, every(1, func(r *journal.Request) { r.Events.Lag[tokens] = 40 * msNs }), nil},
		{"lag", Suspect, openLoop, every(1, func(r *journal.Request) { r.Events.Lag = nil }), func(w *world) { w.run.Clock = "user" }},
		{"lag", OK, openLoop, every(1, func(r *journal.Request) { r.Events.Lag = nil }), userTimes(msNs / 10)},
		{"lag", NotChecked, openLoop, first(0), nil},
		{"lag", Invalid, openLoop, every(1, func(r *journal.Request) { r.Events.Lag = nil }), userTimes(40 * msNs)},

		{"lateness", Noted, openLoop, every(20, func(r *journal.Request) { later(r, 8*msNs) }), nil},
		{"lateness", Suspect, openLoop, every(1, func(r *journal.Request) { later(r, 18*msNs) }), nil},
		{"lateness", Invalid, openLoop, every(4, func(r *journal.Request) { later(r, 180*msNs) }), nil},
		{"lateness", OK, openLoop, func(w *world) { // a short wait for a slot
			w.run.Options.MaxConcurrency = 30
			w.each(20, func(r *journal.Request) { later(r, 80*msNs) })
		}, nil},
		{"lateness", NotChecked, closedLoop, nil, nil},

		{"cpu", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.CPUNs = s.At * 35 / 10 })},
		{"cpu", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.CPUNs = s.At * 39 / 10 })},
		{"cpu_wait", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.WaitNs = s.At })},
		{"cpu_wait", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.WaitNs = s.At * 3 })},
		{"cpu_wait", NotChecked, openLoop, nil, sampled(func(s *journal.Sample) { s.WaitNs = -1 })},
		{"steal", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.StealNs = s.At / 5 })},
		{"steal", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.StealNs = s.At / 2 })},
		{"gc", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.GCPauseNs = s.At / 50 })},
		{"gc", Noted, openLoop, nil, sampled(func(s *journal.Sample) { s.GCPauseNs = s.At / 10 })},
		{"cpu", NotChecked, openLoop, nil, noSamples},
		{"steal", NotChecked, openLoop, nil, noSamples},
		{"gc", NotChecked, openLoop, nil, noSamples},

		{"files", Suspect, openLoop, nil, sampled(func(s *journal.Sample) { s.Files = 950 })},
		{"files", Invalid, openLoop, nil, sampled(func(s *journal.Sample) { s.Files = 1000 })},
		{"files", NotChecked, openLoop, nil, func(w *world) { w.run.Environment.FDLimit = 0 }},
		{"ports", Suspect, burst(25_000), nil, nil},
		{"ports", Invalid, burst(29_000), nil, nil},
		{"ports", NotChecked, openLoop, first(0), nil},

		{"retransmits", Noted, openLoop, every(250, func(r *journal.Request) { r.Retransmits = 1 }), nil},
		{"retransmits", OK, openLoop, every(601, func(r *journal.Request) { r.Retransmits = 1 }), nil}, // too few to tell
		{"retransmits", Noted, openLoop, every(20, func(r *journal.Request) { r.Retransmits = 2 }), nil},
		{"retransmits", NotChecked, openLoop, every(1, func(r *journal.Request) { r.Retransmits = -1 }), nil},

		{"connections", Suspect, openLoop, every(4, func(r *journal.Request) {
			if !r.NewConn && r.Index > 0 {
				r.NewConn = true
				r.Events.At[0] += 15 * msNs
				r.Events.At[1] -= 9 * msNs
				r.Events.At[2] -= 6 * msNs
			}
		}), nil},
		{"connections", Suspect, openLoop, every(1, func(r *journal.Request) { r.NewConn = true }), nil},
		{"connections", OK, openLoop, every(4, func(r *journal.Request) { r.NewConn = true }), nil}, // at no cost
		{"connections", OK, openLoop, every(1, func(r *journal.Request) { r.NewConn, r.RTT = true, msNs/20 }), nil},
		{"connections", Suspect, openLoop, every(1, func(r *journal.Request) { r.NewConn, r.RTT = true, 5*msNs }), nil},
		{"connections", NotChecked, openLoop, first(0), nil},
		// A server that keeps no connection, and so few requests that nothing can be compared.
		{"connections", OK, oneByOne(8), every(1, func(r *journal.Request) { r.NewConn, r.RTT = true, 13_000 }), nil},
		{"connections", Suspect, oneByOne(8), every(1, func(r *journal.Request) { r.NewConn, r.RTT = true, 5*msNs }), nil},
		{"connections", NotChecked, oneByOne(8), every(1, func(r *journal.Request) { r.NewConn = true }), nil},
		{"shared_reads", OK, oneByOne(1), every(1, func(r *journal.Request) { r.Events.At[3], r.Events.At[4] = 20*msNs, 0 }), nil}, // one of 19
		{"unstamped", OK, oneByOne(1), every(1, func(r *journal.Request) { r.UnstampedRead = 1 }), nil},
		{"steal", OK, oneByOne(2), nil, sampled(func(s *journal.Sample) { s.StealNs = min(s.At, 20*msNs) })}, // two ticks

		{"shared_reads", Noted, openLoop, every(1, func(r *journal.Request) { // in the middle of a stream, where only single gaps suffer
			r.Events.At[5], r.Events.At[6], r.Events.At[11], r.Events.At[12] = 20*msNs, 0, 20*msNs, 0
		}), nil},
		{"shared_reads", OK, openLoop, every(1, func(r *journal.Request) { // a role and a finish reason with a token
			r.Events.Kind[0] = journal.EventChoices
			r.Events.Kind[tokens-1] = journal.EventChoices | journal.EventFinish
			r.Events.At[1], r.Events.At[2] = 0, 20*msNs
			r.Events.At[tokens-1], r.Events.At[tokens] = 0, r.Events.At[tokens-1]+r.Events.At[tokens]
			r.Events.Tokens[0], r.Events.Tokens[1], r.Events.Tokens[2] = 0, 2, 2
			r.Events.Tokens[tokens-1] = 0
		}), nil},
		{"shared_reads", NotChecked, openLoop, first(0), nil},
		{"shared_reads", NotChecked, openLoop, every(1, bunch(2)), drafting(0.5)}, // a step gives two tokens in one read
		{"bounds", OK, openLoop, every(1, bunch(2)), drafting(0.5)},
		{"unstamped", Noted, openLoop, every(2, func(r *journal.Request) { r.UnstampedRead = 1 }), nil},
		{"unstamped", Noted, openLoop, every(1, func(r *journal.Request) { r.UnstampedRead = 6 }), nil},
		{"unstamped", NotChecked, openLoop, nil, func(w *world) { w.run.Clock = "user" }},

		{"proven_range", OK, openLoop, proven(25, 2200), nil},
		{"proven_range", Noted, openLoop, proven(10, 2200), nil}, // 24 streams
		{"proven_range", Noted, openLoop, proven(25, 1000), nil}, // 2000 chunks a second
		{"proven_range", OK, openLoop, proven(10, 2200, 100, 9000), nil},
		{"proven_range", Noted, openLoop, proven(10, 9000, 100, 1000), nil}, // neither covers both
		{"proven_range", OK, closedLoop, proven(10, 1000), nil},
		{"proven_range", NotChecked, openLoop, nil, nil},
		{"proven_range", NotChecked, openLoop, func(w *world) { proven(10, 1000)(w); first(0)(w) }, nil},

		{"rate", Suspect, openLoop, stretched(msNs / 2), nil},
		{"rate", Invalid, openLoop, stretched(5 * msNs), nil},
		{"rate", Invalid, openLoop, func(w *world) { // by the client's fault: lateness gives way
			w.each(1, func(r *journal.Request) {
				later(r, int64(r.Index)*5*msNs)
				r.Released = r.Sent
			})
		}, nil},
		{"rate", NotChecked, closedLoop, nil, nil},

		{"little", Suspect, closedLoop, nil, sampled(func(s *journal.Sample) { s.InFlight += 2 })},
		{"little", Invalid, closedLoop, nil, sampled(func(s *journal.Sample) { s.InFlight += 5 })},
		{"little", OK, closedLoop, nil, sampled(func(s *journal.Sample) { s.InFlight++ })},
		{"little", NotChecked, closedLoop, nil, noSamples},

		{"lines", Suspect, openLoop, nil, func(w *world) { w.end.Sent++ }},
		{"lines", Invalid, openLoop, nil, func(w *world) { w.end.Sent += 100 }},

		{"drained", Suspect, openLoop, every(400, fail(journal.Cancelled, "cancelled by us")), nil},
		{"drained", OK, openLoop, nil, func(w *world) { w.end.Interrupted = "signal" }}, // all that was sent came to its end
		{"drained", Suspect, openLoop, every(400, fail(journal.Cancelled, "cancelled by us")), func(w *world) { w.end.Interrupted = "signal" }},
		{"drained", Suspect, openLoop, nil, func(w *world) { w.end = nil }},
		{"drained", Invalid, openLoop, every(50, fail(journal.Cancelled, "cancelled by us")), nil},
		{"drained", Invalid, openLoop, nil, func(w *world) { w.end, w.samples[len(w.samples)-1].InFlight = nil, 24 }},
		{"drained", Suspect, openLoop, every(50, fail(journal.Cancelled, "cancelled by us ("+journal.Grace+")")), nil}, // the run ended as planned
		{"drained", Invalid, openLoop, every(50, fail(journal.Cancelled, "cancelled by us ("+journal.Grace+")")), func(w *world) { w.end.Interrupted = "signal" }},
		{"drained", NotChecked, openLoop, first(0), nil},

		{"paused", Suspect, openLoop, nil, func(w *world) { w.end.Pauses = []journal.Pause{{From: 1e9, To: 2e9}, {From: 3e9, To: 3.5e9}} }},
		{"paused", NotChecked, openLoop, nil, func(w *world) { w.end = nil }},

		{"ramp_drain", Suspect, closedLoop, every(500, func(r *journal.Request) { r.End += 18e9 }), nil},
		{"ramp_drain", Suspect, closedLoop, every(500, func(r *journal.Request) { r.Events.At[2] += 100 * msNs; r.End += 18e9 }), nil},
		{"ramp_drain", Invalid, closedLoop, nil, func(w *world) { w.run.Options.MaxConcurrency = 20 }},
		{"ramp_drain", Suspect, oneByOne(1), nil, func(w *world) { w.run.Options.MaxConcurrency = 4 }},
		{"ramp_drain", NotChecked, openLoop, nil, nil},

		{"growing", Suspect, openLoop, slower(msNs), nil},
		{"growing", Invalid, openLoop, slower(4 * msNs), nil},
		{"growing", NotChecked, openLoop, nil, func(w *world) { w.run.Options.Pace = "stages" }},
		{"growing", NotChecked, closedLoop, nil, nil},

		{"drift", Suspect, closedLoop, slower(msNs * 3 / 100), nil},
		{"drift", Invalid, closedLoop, slower(4 * msNs), nil},
		{"drift", Invalid, closedLoop, slowerFrom(250, 3), nil},
		{"drift", Invalid, openLoop, slowerFrom(350, 3), nil},
		{"drift", NotChecked, burst(60), nil, nil},
		{"drift", NotChecked, openLoop, first(20), nil},

		{"outcomes", Suspect, openLoop, every(400, fail(journal.HTTP5xx, "HTTP 500")), nil},
		{"outcomes", Invalid, openLoop, every(20, fail(journal.Reset, "connection reset")), nil},
		{"outcomes", Invalid, openLoop, every(1, fail(journal.Refused, "connection refused")), nil},
		{"outcomes", NotChecked, openLoop, first(0), nil},

		{"output_tokens", Suspect, openLoop, every(400, shorten), nil},
		{"output_tokens", Invalid, openLoop, every(20, shorten), nil},
		{"output_tokens", NotChecked, openLoop, nil, func(w *world) { w.run.Options.IgnoreEOS = false }},

		{"usage", Suspect, openLoop, every(2, func(r *journal.Request) { r.Events.Tokens[3] += 2 }), nil},
		{"usage", Invalid, openLoop, every(1, func(r *journal.Request) { r.Events.Tokens[3] += 9 }), nil},
		{"usage", OK, openLoop, every(1, func(r *journal.Request) { r.Events.Tokens[3]-- }), nil}, // the end of text is invisible
		{"usage", NotChecked, openLoop, every(1, func(r *journal.Request) { r.UsageOutput = 0 }), nil},

		{"finish_reasons", Suspect, openLoop, every(400, func(r *journal.Request) { r.FinishReason = "abort" }), nil},
		{"finish_reasons", Invalid, openLoop, every(20, func(r *journal.Request) { r.FinishReason = "content_filter" }), nil},
		{"finish_reasons", NotChecked, openLoop, every(1, func(r *journal.Request) { r.FinishReason = "" }), nil},

		{"empty", Suspect, openLoop, every(400, func(r *journal.Request) { fail(journal.Empty, "")(r); r.UsagePrompt = prompt + 1 }), nil},
		{"empty", Invalid, openLoop, every(20, func(r *journal.Request) {
			r.TextHash = ""
			for i := range r.Events.Kind {
				r.Events.Kind[i] &^= journal.EventText
			}
		}), nil},
		{"empty", NotChecked, openLoop, first(0), nil},

		{"identical", Suspect, openLoop, every(10, func(r *journal.Request) { r.TextHash = "abc" }), nil},
		{"identical", Invalid, openLoop, every(1, func(r *journal.Request) { r.TextHash = "abc" }), nil},
		{"identical", OK, oneByOne(2), every(1, func(r *journal.Request) { r.TextHash = "abc" }), nil}, // two prompts may have one answer
		{"identical", NotChecked, openLoop, every(1, func(r *journal.Request) { r.TextHash = "" }), nil},
		{"identical", NotChecked, openLoop, every(1, func(r *journal.Request) { r.TextHash = "abc" }), func(w *world) { w.run.Task = &journal.Task{Kind: journal.TaskGenerate} }},

		{"integrity", Suspect, openLoop, again(60, 3), nil},
		{"integrity", Invalid, openLoop, again(60, 30), nil},
		{"integrity", OK, openLoop, again(60, 0), nil},
		{"integrity", NotChecked, openLoop, nil, nil},

		{"prompt_tokens", Suspect, openLoop, every(2, func(r *journal.Request) { r.UsagePrompt += 12 }), nil},
		{"prompt_tokens", Invalid, openLoop, every(1, func(r *journal.Request) { r.UsagePrompt /= 2 }), nil},
		{"prompt_tokens", OK, openLoop, every(1, func(r *journal.Request) { r.UsagePrompt += 30 }), nil}, // a template
		{"prompt_tokens", NotChecked, openLoop, nil, func(w *world) { w.run.Options.TokenizerSource = "none" }},
		{"prompt_tokens", NotChecked, openLoop, every(1, func(r *journal.Request) { r.Conversation, r.UsagePrompt = 1, r.UsagePrompt/2 }), nil},
		{"prompt_tokens", Invalid, openLoop, every(1, func(r *journal.Request) { // counted with the template, in all turns
			r.Conversation, r.SentOf, r.UsagePrompt = 1, r.PromptTokens, r.UsagePrompt/2
		}), nil},

		{"bursts", Suspect, openLoop, every(1, bunch(2)), nil},
		{"bursts", Invalid, openLoop, every(1, bunch(tokens)), nil},
		{"bursts", NotChecked, openLoop, first(0), nil},
		{"bursts", Noted, openLoop, every(1, bunch(2)), drafting(0.5)},   // a step gives two tokens
		{"bursts", Suspect, openLoop, every(1, bunch(2)), drafting(0.1)}, // more bunches than accepted drafts

		{"repeated_prompts", Suspect, openLoop, every(40, func(r *journal.Request) { r.PromptHash = "abc" }), without("vllm:prefix_cache_hits_total")},
		{"repeated_prompts", Invalid, openLoop, every(4, func(r *journal.Request) { r.PromptHash = "abc" }), without("vllm:prefix_cache_hits_total")},
		{"repeated_prompts", OK, openLoop, every(4, func(r *journal.Request) { r.PromptHash = "abc" }), nil}, // the cache is off
		{"repeated_prompts", NotChecked, openLoop, func(w *world) {
			for i := range w.requests {
				w.requests[i].PromptHash = ""
			}
		}, nil},

		{"seen_prompts", Suspect, openLoop, nil, func(w *world) { w.end.SeenPrompts = 50; noScrapes(w) }},
		{"seen_prompts", Invalid, openLoop, nil, func(w *world) { w.end.SeenPrompts = 500; after("vllm:prefix_cache_hits_total", 48)(w) }},
		// Without /metrics nobody knows whether it was restarted since.
		{"seen_prompts", Suspect, openLoop, nil, func(w *world) { w.end.SeenPrompts = 1200; noScrapes(w) }},
		{"seen_prompts", OK, openLoop, every(1, func(r *journal.Request) { r.CachedKnown = true }), func(w *world) { w.end.SeenPrompts = 1200; noScrapes(w) }},
		{"seen_prompts", Suspect, openLoop, every(2, func(r *journal.Request) { r.CachedKnown = true }), func(w *world) { w.end.SeenPrompts = 1200; noScrapes(w) }},
		{"repeated_prompts", OK, openLoop, every(1, func(r *journal.Request) { r.CachedKnown, r.PromptHash = true, "1" }), noScrapes},
		{"seen_prompts", OK, openLoop, nil, func(w *world) { w.end.SeenPrompts = 500 }}, // the cache is off
		{"seen_prompts", Suspect, openLoop, nil, func(w *world) {
			w.end.SeenPrompts, w.run.Task = 500, &journal.Task{Kind: journal.TaskGenerate}
			after("vllm:prefix_cache_hits_total", 48)(w)
		}},
		{"seen_prompts", NotChecked, openLoop, nil, func(w *world) { w.end.SeenPrompts = -1 }},

		{"cached_tokens", Suspect, openLoop, every(20, func(r *journal.Request) { r.UsageCached = 96 }), nil},
		{"cached_tokens", Suspect, openLoop, nil, after("vllm:prefix_cache_hits_total", 6000)},
		{"cached_tokens", Invalid, openLoop, every(2, func(r *journal.Request) { r.UsageCached = 96 }), nil},
		{"cached_tokens", OK, openLoop, every(2, func(r *journal.Request) { r.UsageCached = 48 }), func(w *world) {
			w.run.Command = append(w.run.Command, "--random-prefix-len", "50")
		}},
		{"cached_tokens", NotChecked, openLoop, nil, func(w *world) { w.run.Options.Dataset = "sharegpt" }},
		{"cached_tokens", NotChecked, openLoop, nil, noScrapes},

		{"model", Suspect, openLoop, nil, func(w *world) {
			w.run.Options.SentModel, w.run.Serves = "gpt-4o", []journal.Served{{ID: "Qwen/Qwen3-8B", OwnedBy: "sglang"}}
		}},
		{"model", NotChecked, openLoop, nil, func(w *world) { w.run.Serves = nil }},

		{"restart", Invalid, openLoop, nil, after("process_start_time_seconds", 12)},
		{"restart", Invalid, openLoop, nil, after("vllm:prompt_tokens_total", -120_000-1402-1)},
		{"restart", NotChecked, openLoop, nil, noScrapes},

		{"foreign_requests", Suspect, openLoop, nil, after("vllm:request_success_total", 1)},
		{"foreign_requests", Suspect, openLoop, nil, after("vllm:request_success_total", -1)},
		{"foreign_requests", Invalid, openLoop, nil, func(w *world) {
			after("vllm:request_success_total", 100)(w)
			after("vllm:generation_tokens_total", 5000)(w)
			after("vllm:prompt_tokens_total", 5000)(w)
		}},
		{"foreign_requests", NotChecked, openLoop, nil, without("vllm:request_success_total")},
		{"repeated_work", NotChecked, openLoop, nil, nil},
		{"repeated_work", OK, replicas(2), nil, behindRouter},
		{"repeated_work", Suspect, replicas(2), nil, gotMore(1)},
		{"repeated_work", Invalid, replicas(2), nil, gotMore(400)},
		{"repeated_work", NotChecked, replicas(2), nil, func(w *world) { // one was ended, and did not come back
			behindRouter(w)
			w.scrapes = w.scrapes[:3]
		}},
		{"repeated_work", Suspect, replicas(2), nil, func(w *world) { // the router counts, and servers only what they finished
			behindRouter(w)
			for i := range w.scrapes {
				delete(w.scrapes[i].Counters, httpRequests)
			}
			w.run.Routers[0] = journal.Router{Kind: "smg", Metrics: journal.OwnMetrics}
			w.scrapes = append(w.scrapes,
				journal.Scrape{At: -3e9, Counters: map[string]float64{"smg_worker_retries_total": 4}},
				journal.Scrape{At: 13e9, After: true, Counters: map[string]float64{"smg_worker_retries_total": 7}})
		}},
		{"repeated_work", Suspect, openLoop, every(100, func(r *journal.Request) { r.Retries = 1 }), noScrapes}, // as LiteLLM's answers say
		{"foreign_requests", OK, replicas(2), nil, behindRouter},
		{"foreign_requests", OK, replicas(2), nil, apart},
		{"cached_tokens", OK, replicas(2), nil, apart},
		{"cached_tokens", Noted, replicas(2), every(1, func(r *journal.Request) { r.UsageCached = prompt }), apart}, // what was transferred
		{"cached_tokens", Invalid, replicas(2), nil, func(w *world) {
			apart(w)
			w.scrapes[1].Counters["vllm:prefix_cache_hits_total"] += 1200 * prompt / 2
		}},
		{"cached_tokens", Suspect, openLoop, every(1200, func(r *journal.Request) { r.UsageCached = prompt + 2 }), nil},
		{"foreign_requests", Suspect, replicas(2), nil, func(w *world) {
			behindRouter(w)
			w.scrapes[3].Counters["vllm:request_success_total"]++
			w.scrapes[2].Counters[httpRequests], w.scrapes[3].Counters[httpRequests] = 0, 0
		}},
		{"foreign_requests", NotChecked, openLoop, nil, func(w *world) { // the counters of whichever worker answered
			w.run.Routers = []journal.Router{{Kind: "vllm-router", Metrics: journal.WorkerMetrics}}
			w.scrapes = nil
		}},
		{"restart", Invalid, replicas(2), nil, func(w *world) {
			behindRouter(w)
			w.scrapes[3].Counters["process_start_time_seconds"] += 60
		}},
		{"server_ttft", Noted, openLoop, nil, func(w *world) {
			slowerServer(-10)(w)
			w.run.Routers = []journal.Router{{Kind: "smg", Metrics: journal.NoMetrics}}
		}},
		{"server_ttft", NotChecked, replicas(2), nil, apart},
		{"server_prompt_tokens", Suspect, openLoop, nil, after("vllm:prompt_tokens_total", 1)},
		{"server_prompt_tokens", Invalid, openLoop, nil, after("vllm:prompt_tokens_total", 10_000)},
		{"server_prompt_tokens", NotChecked, openLoop, nil, noScrapes},
		{"server_output_tokens", Suspect, openLoop, nil, after("vllm:generation_tokens_total", -1)},
		{"server_output_tokens", Invalid, openLoop, nil, after("vllm:generation_tokens_total", 5000)},
		{"server_output_tokens", NotChecked, openLoop, nil, noScrapes},
		{"preemptions", Suspect, openLoop, nil, after("vllm:num_preemptions_total", 1)},
		{"preemptions", NotChecked, openLoop, nil, without("vllm:num_preemptions_total")},

		{"server_ttft", Suspect, openLoop, nil, slowerServer(-10)},
		{"server_ttft", Suspect, openLoop, nil, slowerServer(+10)},
		{"server_ttft", NotChecked, openLoop, nil, without("vllm:time_to_first_token_seconds_sum")},
		{"server_ttft", Invalid, openLoop, every(1, func(r *journal.Request) { r.Events.At[0] += 60 * msNs; r.End += 60 * msNs }), slowerServer(-60)},
		{"server_e2el", Suspect, openLoop, nil, after("vllm:e2e_request_latency_seconds_sum", -1202*0.050)},
		{"server_e2el", Invalid, openLoop, nil, after("vllm:e2e_request_latency_seconds_sum", -1202*0.150)},
		{"server_e2el", NotChecked, openLoop, nil, without("vllm:e2e_request_latency_seconds_sum")},

		{"slow_replica", Suspect, replicas(3), slowTarget(2, 3), nil},
		{"slow_replica", Suspect, replicas(2), slowTarget(0, 1.5), nil},
		{"slow_replica", Suspect, replicas(3), slowDecoding(1, 1.4), nil},
		{"slow_replica", OK, replicas(3), slowTarget(2, 1.2), nil},
		{"slow_replica", OK, replicas(3), noisyTarget(2), nil},
		{"slow_replica", NotChecked, openLoop, nil, nil},
		{"throttled", Suspect, openLoop, nil, hot("thermal", 0.11, true)},
		{"throttled", Suspect, openLoop, nil, hot("power_brake", 0.5, true)},
		{"throttled", OK, openLoop, nil, hot("thermal", 0.09, true)},
		{"throttled", OK, openLoop, nil, hot("power", 1, true)},
		{"throttled", NotChecked, openLoop, nil, hot("thermal", 1, false)},
		{"throttled", NotChecked, openLoop, nil, nil},
		{"slow_replica", NotChecked, replicas(2), onlyTo(0), nil},
		{"repeated_prompts", OK, replicas(2), every(1, func(r *journal.Request) { // once to each server
			r.PromptHash = fmt.Sprintf("%016x", 9000+r.Index/2)
		}), func(w *world) { // and no counter says that the cache was cold
			for i := range w.scrapes {
				delete(w.scrapes[i].Counters, "vllm:prefix_cache_hits_total")
			}
		}},
		{"restart", Invalid, replicas(3), nil, func(w *world) { w.scrapes[5].Counters["process_start_time_seconds"] += 60 }},
		{"restart", NotChecked, replicas(3), nil, func(w *world) { w.scrapes = w.scrapes[:5] }},
		{"foreign_requests", Suspect, replicas(3), nil, func(w *world) { w.scrapes[3].Counters["vllm:request_success_total"] += 2 }},
		{"foreign_requests", NotChecked, replicas(2), nil, func(w *world) { w.scrapes[3].Counters = map[string]float64{"llamacpp:prompt_tokens_total": 7} }},

		{"samples", OK, openLoop, first(36), nil}, // its p99 is left out, the rest stands
		{"samples", OK, openLoop, nil, func(w *world) { w.run.Options.MetricPercentiles = []float64{99.99} }},
		{"samples", Invalid, openLoop, first(0), nil},
		{"samples", NotChecked, openLoop, every(1, fail(journal.Refused, "connection refused")), nil},
		{"lines", NotChecked, openLoop, nil, func(w *world) { w.end = nil }},
	}...)
}

const httpRequests = `http_requests_total{handler="/v1/completions"}`

// behindRouter puts the servers of a run behind one router, each of which counts what it got.
func behindRouter(w *world) {
	w.run.Routers = []journal.Router{{Kind: "vllm-router", Metrics: journal.WorkerMetrics}}
	for i := range w.run.Targets {
		u := w.run.Targets[i].URL
		w.run.Replicas = append(w.run.Replicas, journal.Replica{Name: u, URL: u, Found: "/workers"})
	}
	w.run.Targets = nil
	for i := range w.requests {
		w.requests[i].Target = 0
	}
	for i := range w.scrapes {
		s := &w.scrapes[i]
		s.Replica, s.Target = s.Target+1, 0
		s.Counters[httpRequests] = s.Counters["vllm:request_success_total"]
	}
}

// gotMore lets the last of them get more requests than were sent, which it refused.
func gotMore(n float64) func(w *world) {
	return func(w *world) {
		behindRouter(w)
		w.scrapes[len(w.scrapes)-1].Counters[httpRequests] += n
	}
}

// apart makes one server for prefill, which gets each prompt once for a token, and one for decode, which counts all that was
// transferred as cached.
func apart(w *world) {
	behindRouter(w)
	w.run.Replicas[0].Role, w.run.Replicas[1].Role = journal.Prefill, journal.Decode
	of := func(name string) float64 { return w.scrapes[1].Counters[name] + w.scrapes[3].Counters[name] - 1000 }
	prompts, all := of("vllm:prompt_tokens_total"), map[string]float64{}
	for name := range w.scrapes[3].Counters {
		all[name] = of(name)
	}
	all["process_start_time_seconds"] = 1.7e9
	p := w.scrapes[1].Counters
	p["vllm:request_success_total"], p[httpRequests] = all["vllm:request_success_total"], all[httpRequests]
	p["vllm:prompt_tokens_total"], p["vllm:generation_tokens_total"] = prompts, all["vllm:request_success_total"]
	p["vllm:prefix_cache_hits_total"] = w.scrapes[0].Counters["vllm:prefix_cache_hits_total"]
	w.scrapes[3].Counters = all
	all["vllm:prefix_cache_hits_total"] = prompts
}

// slowerServer moves the server's own TTFT and end by so many milliseconds.
func slowerServer(by float64) func(w *world) {
	return func(w *world) {
		n := w.scrapes[1].Counters["vllm:time_to_first_token_seconds_count"] - w.scrapes[0].Counters["vllm:time_to_first_token_seconds_count"]
		after("vllm:time_to_first_token_seconds_sum", n*by/1000)(w)
		after("vllm:e2e_request_latency_seconds_sum", n*by/1000)(w)
	}
}

func (s *spoiled) world() *world {
	w := s.from()
	if s.requests != nil {
		s.requests(w)
	}
	w.derive()
	if s.lines != nil {
		s.lines(w)
	}
	return w
}

// besides is the check that is rightly bad where another can't be made: a run
// without any request, without a success, or without an end.
func (s *spoiled) besides(w *world) string {
	switch {
	case s.level != NotChecked:
		return ""
	case w.end == nil:
		return "drained"
	case len(w.requests) == 2:
		return "samples"
	case w.requests[5].Outcome == journal.Refused:
		return "outcomes"
	}
	return ""
}

// Each spoiled run gives its own reason at its own level, and no other.
func TestEachSpoiledRunHasItsOwnReason(t *testing.T) {
	for _, s := range spoiledRuns() {
		t.Run(s.check+" "+string(s.level), func(t *testing.T) {
			w := s.world()
			v := w.judge(t, Options{})
			k := v.Check(s.check)
			t.Logf("%s: %s | %s | %s | %s", k.Level, k.Figure, k.Threshold, k.Sentence, k.Effect)
			if k.Level != s.level {
				t.Errorf("%s is %s, want %s: %s", s.check, k.Level, s.level, k.Sentence)
			}
			for _, name := range bad(v) {
				first, _, _ := strings.Cut(name, " ")
				if (!s.level.Bad() || first != s.check) && first != s.besides(w) {
					t.Errorf("also bad: %s", name)
				}
			}
			if s.level.Bad() && (k.Hint == "" || !slices.Equal(v.Reasons, []string{s.check})) {
				t.Errorf("reasons %v, hint %q", v.Reasons, k.Hint)
			}
			line := v.Line()
			t.Log(line)
			if s.level.Bad() && (k.Brief == "" || line != string(v.Level)+": "+k.Brief) {
				t.Errorf("the line %q does not say what is wrong: %q", line, k.Brief)
			}
			if n := utf8.RuneCountInString(line); n > 90 {
				t.Errorf("%d columns: %s", n, line)
			}
		})
	}
}

// Each check is shown at each level that it can have.
func TestEveryLevelOfEveryCheckIsShown(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range spoiledRuns() {
		shown[s.check+" "+string(s.level)] = true
	}
	for _, e := range table() {
		if e.group == jobsGroup || e.group == faultsGroup { // TestJobChecks and TestFaults show them
			continue
		}
		for _, level := range []Level{Suspect, Invalid, NotChecked} { // the clean run shows ok
			possible := level != Invalid || e.limits.invalid != never
			if level.Bad() && e.limits.invalid == causeOnly {
				level, possible = Noted, true
			}
			if level == Suspect && (e.name == "restart" || e.name == "samples") {
				possible = false
			}
			if name := e.name + " " + string(level); possible && !shown[name] {
				t.Errorf("no run shows %s", name)
			}
		}
	}
}
