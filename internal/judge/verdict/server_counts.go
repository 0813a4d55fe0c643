package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// ours is what the server should have counted: at least low, at most high. The two
// differ by requests that did not come to their end, of which nobody knows how far
// the server got.
type ours struct{ low, high float64 }

func (o *ours) add(v *view, low, high int) {
	switch {
	case v.reached():
		o.low += float64(low)
		o.high += float64(high)
	case v.mayHaveReached():
		o.high += float64(high)
	}
}

// against holds the server's number against ours.
func (o *ours) against(l limits, theirs float64, noun string) Check {
	figure := fmt.Sprintf("%.0f by the server, %s by us", theirs, o)
	switch of := max(o.high, 1); {
	case theirs > o.high:
		k := found(l, (theirs-o.high)/of, figure, "the server counted %.0f %s more than we sent or got: something else used it during the run", theirs-o.high, noun)
		k.Effect = effect(k, "latencies and throughput are for a server with %s more to do", percent((theirs-o.high)/of))
		return k.brief("the server counted %s more than we did, somebody else used it", counted(int(theirs-o.high), strings.TrimSuffix(noun, "s")))
	case theirs < o.low:
		return found(l, (o.low-theirs)/of, figure, "the server counted %.0f %s fewer than we did: another server answered some of them, or this one does not count all", o.low-theirs, noun).
			brief("the server counted %s fewer than we did", counted(int(o.low-theirs), strings.TrimSuffix(noun, "s")))
	}
	return found(l, 0, figure, "the server's count of %s equals ours", noun)
}

func (o *ours) String() string {
	if o.low == o.high {
		return fmt.Sprintf("%.0f", o.low)
	}
	return fmt.Sprintf("%.0f to %.0f", o.low, o.high)
}

// serverRequests finds foreign traffic. Warm-ups lie between the two scrapes and count.
type serverRequests struct{ ours }

func (c *serverRequests) add(v *view) { c.ours.add(v, 1, 1) }

func (c *serverRequests) result(f *facts, l limits) Check {
	if k := f.unusable(); k != nil {
		return *k
	}
	if f.run.Options.Pooling {
		return skip("a server may count each text of a request separately")
	}
	theirs, name := f.server.first("vllm:request_success_total")
	if name == "" {
		return skip("the server does not count requests")
	}
	if again := f.retries(); theirs > c.high && theirs-c.high <= again {
		return skip("the server counted %.0f requests more than we sent, and the router sent %.0f again: see repeated_work", theirs-c.high, again)
	}
	return c.against(l, theirs, "requests")
}

// retries are requests that a router sent again, by its own count or by what its answers say.
func (f *facts) retries() float64 {
	sum := float64(f.retried)
	told := slices.Concat(f.server.routers, f.server.each) // Dynamo's are its own, where nobody behind it can be asked
	for i := range told {
		if r := &told[i]; r.whole() {
			for _, name := range retryCounters {
				sum = max(sum, r.after[name]-r.before[name])
			}
		}
	}
	return sum
}

// retryCounters are what routers call requests that they sent again.
var retryCounters = []string{"sim_router_retries_total", "vllm_router_retries_total", "smg_worker_retries_total", "dynamo_frontend_model_migration_total"}

// repeatedWork looks for requests that servers got more than once: a router that sends again hides a failure, and has its
// servers work twice.
type repeatedWork struct{ ours }

func (c *repeatedWork) add(v *view) {
	// Whatever its end, one that went out is at most one at the servers. A router may have refused it.
	if v.reached() {
		c.low++
	}
	if v.Outcome != journal.Refused {
		c.high++
	}
}

func (c *repeatedWork) result(f *facts, l limits) Check {
	again := f.retries()
	if !f.routed() && again == 0 {
		return skip("no router is known at the address")
	}
	if c.high == 0 {
		return skip("nothing was sent")
	}
	theirs, prefilled, known := f.received()
	switch {
	case !known.counted && again > 0:
		k := found(l, again/c.high, fmt.Sprintf("%.0f sent again", again), "the router sent %.0f of %.0f requests again; what its servers got is not known", again, c.high)
		return c.words(k, again)
	case !known.counted:
		why := "the servers do not count the requests that they get"
		if !f.server.asked() {
			why = cmp.Or(f.server.missing, noCounters)
		}
		return skip("%s", why)
	case f.judge("restart").Level.Bad():
		return skip("a server restarted, and its counters were reset")
	}
	if !known.refused && again > 0 { // what a server refused is not in its count
		theirs = max(theirs, c.high+again)
	}
	got := max(theirs, prefilled)
	more, figure := max(got-c.high, 0), fmt.Sprintf("%.3g ×", got/c.high)
	if more == 0 {
		k := found(l, 0, figure, "the servers got %.0f requests for the %s that we sent: none twice", got, &c.ours)
		if again > 0 { // a try that never got to a server
			k.Sentence += fmt.Sprintf(", though the router sent %.0f again", again)
		}
		return k
	}
	k := found(l, more/c.high, figure, "the servers got %.0f requests for the %.0f that we sent", got, c.high)
	if again > 0 {
		k.Sentence += fmt.Sprintf("; by its own count the router sent %.0f again", again)
	} else {
		k.Sentence += ": a router sent some again, or somebody else used them"
	}
	return c.words(k, more)
}

func (c *repeatedWork) words(k Check, more float64) Check {
	k.Effect = effect(k, "failures of servers show as latency and not as errors, and they did the work of %s requests more", percent(more/c.high))
	return k.brief("servers got %s more than were sent: a router hides failures", counted(int(more), "request"))
}

// counting is what the servers count of requests that they got.
type counting struct{ counted, refused bool }

// received is how many requests the servers got, those for prefill by themselves. What a server refused is only in its
// counter of HTTP.
func (f *facts) received() (answered, prefilled float64, known counting) {
	http := `http_requests_total{handler="` + f.run.Options.Endpoint + `"}`
	names := []string{http, "vllm:request_success_total", "sglang:num_requests_total"}
	answered, name := f.server.first(names...)
	known = counting{name != "", name == http}
	if known.counted && f.server.prefill != nil {
		prefilled, name = f.server.prefill.first(names...)
		known = counting{name != "", known.refused && name == http}
	}
	return answered, prefilled, known
}

// side is one of the two kinds of tokens that a server counts.
type side struct {
	noun       string
	vllm, lcpp string
	tokens     func(v *view) (low, high int, known bool)
}

// promptSide: llama.cpp counts tokens that it worked on, so those from its cache are
// in usage and may not be in its counter.
func promptSide() side {
	return side{
		"prompt tokens", "vllm:prompt_tokens_total", "llamacpp:prompt_tokens_total",
		func(v *view) (int, int, bool) {
			if v.reached() {
				return v.UsagePrompt, v.UsagePrompt, v.UsagePrompt > 0
			}
			const template = 256
			return 0, max(v.UsagePrompt, v.PromptTokens+template), v.UsagePrompt+v.PromptTokens > 0 || !v.mayHaveReached()
		},
	}
}

func outputSide() side {
	return side{
		"generated tokens", "vllm:generation_tokens_total", "llamacpp:tokens_predicted_total",
		func(v *view) (int, int, bool) {
			if v.reached() {
				return v.UsageOutput, v.UsageOutput, v.UsageOutput > 0 || v.Texts == 0
			}
			return 0, max(v.UsageOutput, v.OutputTokens, len(v.Chunks)), true
		},
	}
}

// serverTokens compares tokens.
type serverTokens struct {
	of side
	ours
	cached  float64
	unknown int64 // answers without usage, and requests without an end whose prompts were not counted
}

func (c *serverTokens) add(v *view) {
	low, high, known := c.of.tokens(v)
	if !known {
		c.unknown++
		return
	}
	c.ours.add(v, low, high)
	if v.reached() {
		c.cached += float64(v.UsageCached)
	}
}

func (c *serverTokens) result(f *facts, l limits) Check {
	if f.run.Options.Pooling {
		return skip("not every server counts the texts of requests for vectors and scores")
	}
	if k := f.unusable(); k != nil {
		return *k
	}
	theirs, name := f.server.first(c.of.vllm, c.of.lcpp)
	switch {
	case name == "":
		return skip("the server does not count %s", c.of.noun)
	case c.unknown > 0:
		return skip("the tokens of %d requests are not known: their answers have no usage, or were cut off", c.unknown)
	case f.judge("foreign_requests").Level.Bad():
		return skip("the requests differ already, see foreign_requests")
	}
	if name == promptSide().lcpp {
		hits, _ := f.server.grown("llamacpp:prompt_tokens_cached_total")
		c.low -= max(c.cached, hits)
	}
	return c.against(l, theirs, c.of.noun)
}
