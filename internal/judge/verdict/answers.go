package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// outcomes counts failures. Three outcomes have a check of their own.
type outcomes struct {
	by    map[journal.Outcome]int64
	words map[journal.Outcome]string // of the first of each
}

func (c *outcomes) add(v *view) {
	switch v.Outcome {
	case journal.Complete, journal.Short, journal.Empty, journal.Cancelled, journal.HungUp:
		return
	}
	if v.Warmup {
		return
	}
	if c.by == nil {
		c.by, c.words = map[journal.Outcome]int64{}, map[journal.Outcome]string{}
	}
	if c.by[v.Outcome]++; c.by[v.Outcome] == 1 {
		c.words[v.Outcome] = v.Error
	}
}

func (c *outcomes) result(f *facts, l limits) Check {
	if f.measured == 0 {
		return skip("no request was sent")
	}
	failed, words, most := int64(0), []string{}, journal.Outcomes[0]
	lost := f.lostBy() // which is what was measured, and no doubt about it
	for _, o := range journal.Outcomes {
		if n := c.by[o] - int64(lost[o]); n > 0 {
			failed += n
			words = append(words, fmt.Sprintf("%d %s", n, o))
			if n > c.by[most] {
				most = o
			}
		}
	}
	share := float64(failed) / float64(f.measured)
	switch {
	case failed == 0 && len(lost) > 0:
		return found(l, 0, percent(0), "no request failed but those that faults on purpose made fail")
	case failed == 0:
		return found(l, 0, percent(0), "no request failed")
	}
	k := found(l, share, percent(share), "%d of %d requests failed (%s)", failed, f.measured, strings.Join(words, ", "))
	if first := c.words[most]; first != "" {
		k.Sentence += fmt.Sprintf("; the first %s: %.160s", most, first)
	}
	k.Effect = survivors(f, failed)
	return k.brief("%d of %s failed", failed, counted(int(f.measured), "request"))
}

// outputTokens compares lengths where the server was told not to stop by itself.
type outputTokens struct {
	answers, wrong int64
	asked, got     int64
}

func (c *outputTokens) add(v *view) {
	if v.Warmup || v.OutputTokens == 0 || (!v.complete && v.Outcome != journal.Short) {
		return
	}
	got, known := v.got()
	if !known && v.Outcome != journal.Short {
		return
	}
	c.answers++
	if got != v.OutputTokens || v.Outcome == journal.Short {
		c.wrong++
	}
	if known {
		c.asked += int64(v.OutputTokens)
		c.got += int64(got)
	}
}

func (c *outputTokens) result(f *facts, l limits) Check {
	switch {
	case !f.run.Options.IgnoreEOS:
		return skip("without --ignore-eos a model may stop at any length")
	case c.answers == 0:
		return skip("no answer has a token count")
	}
	share := float64(c.wrong) / float64(c.answers)
	k := found(l, share, percent(share), "%d of %d answers did not have the number of tokens asked for", c.wrong, c.answers)
	if c.asked > 0 {
		k.Effect = effect(k, "%d output tokens came and %d were asked for (%s); if fewer came, the server had less work than planned",
			c.got, c.asked, percent(float64(c.got)/float64(c.asked)))
	}
	return k.brief("%d of %d answers are not as long as asked for", c.wrong, c.answers)
}

// usage compares the server's count with what its events show. One token a request
// may be invisible: the one that ends the text.
type usage struct{ counted, off int64 }

func (c *usage) add(v *view) {
	if v.Warmup || !v.complete || v.UsageOutput == 0 {
		return
	}
	off := 0
	switch {
	case v.said >= 0:
		off = max(v.said-v.UsageOutput, v.UsageOutput-v.said)
	case v.Texts > v.UsageOutput: // each event with text has a token at least
		off = v.Texts - v.UsageOutput
	}
	c.counted += int64(v.UsageOutput)
	c.off += int64(max(off-1, 0))
}

func (c *usage) result(_ *facts, l limits) Check {
	if c.counted == 0 {
		return skip("the server reports no usage")
	}
	share := float64(c.off) / float64(c.counted)
	k := found(l, share, percent(share), "the server counted %d output tokens; its events differ from that by %d", c.counted, c.off)
	k.Effect = effect(k, "tokens per second and TPOT may be off by %s", percent(share))
	return k.brief("tokens per second may be off by %s, the server's counts disagree", upTo(share))
}

// finishReasons looks for answers that ended by something other than themselves.
type finishReasons struct{ known, odd map[string]int64 }

func (c *finishReasons) add(v *view) {
	if v.Warmup || !v.complete {
		return
	}
	if c.known == nil {
		c.known, c.odd = map[string]int64{}, map[string]int64{}
	}
	into := c.known
	switch v.FinishReason {
	case "stop", "length", "tool_calls", "function_call", "eos_token", "stop_sequence", "end_turn", "max_tokens", "tool_use":
	case "":
		into = c.known // [DONE] alone is an end too
	default:
		into = c.odd
	}
	if len(into) < 100 || into[v.FinishReason] > 0 { // a server may send anything
		into[v.FinishReason]++
	}
}

func (c *finishReasons) result(f *facts, l limits) Check {
	n, words := int64(0), []string{}
	for reason, k := range c.odd {
		n += k
		words = append(words, fmt.Sprintf("%d %.40s", k, reason))
	}
	slices.Sort(words)
	switch {
	case f.complete == 0:
		return skip("no request completed")
	case c.known[""] == f.complete:
		return skip("the server gives no finish reason")
	case n == 0:
		return found(l, 0, percent(0), "all answers ended by themselves or at the length asked for")
	}
	share := float64(n) / float64(f.complete)
	return found(l, share, percent(share), "%d of %d complete answers ended for another reason: %.200s", n, f.complete, strings.Join(words, ", ")).
		brief("%d of %d answers ended for an unusual reason", n, f.complete)
}

// longEnough is from how many tokens on an answer should have text, and text of its own.
const longEnough = 8

func (v *view) long() bool {
	n, known := v.got()
	if !known {
		n = max(v.TextTokens, v.Texts)
	}
	return n >= longEnough
}

// empty looks for answers in which nothing can be read.
type empty struct{ answers, none int64 }

func (c *empty) add(v *view) {
	switch {
	case v.Warmup:
	case v.Outcome == journal.Empty:
		c.answers++
		c.none++
	case v.complete && v.long():
		c.answers++
		if v.Texts == 0 {
			c.none++
		}
	}
}

func (c *empty) result(_ *facts, l limits) Check {
	if c.answers == 0 {
		return skip("no answer has %d tokens or more", longEnough)
	}
	share := float64(c.none) / float64(c.answers)
	return found(l, share, percent(share), "%d of %d answers had no text", c.none, c.answers).
		brief("%d of %d answers have no text", c.none, c.answers)
}
