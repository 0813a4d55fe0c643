package verdict

import (
	"fmt"
	"strings"
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
	return c.against(l, theirs, "requests")
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
			return 0, max(v.UsagePrompt, v.PromptTokens+template), true
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
	unknown int64 // requests without usage
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
		return skip("%d answers came without usage", c.unknown)
	case f.judge("foreign_requests").Level.Bad():
		return skip("the requests differ already, see foreign_requests")
	}
	if name == promptSide().lcpp {
		hits, _ := f.server.grown("llamacpp:prompt_tokens_cached_total")
		c.low -= max(c.cached, hits)
	}
	return c.against(l, theirs, c.of.noun)
}
