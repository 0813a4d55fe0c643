package verdict

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
)

// identical looks for the same text as an answer to different prompts.
type identical struct {
	texts         *seen // text: the prompt that it answered first
	answers, same int64
}

func (c *identical) add(v *view) {
	text := hashOf(v.TextHash)
	if v.Warmup || !v.complete || text == 0 || v.prompt == 0 || !v.long() {
		return
	}
	c.answers++
	if first, known := c.texts.add(text, v.prompt); known && first != v.prompt {
		c.same++
	}
}

func (c *identical) result(f *facts, l limits) Check {
	if f.run.Task != nil {
		return skip("many questions have the same right answer: answers are scored instead")
	}
	if c.answers < 2 {
		return skip("fewer than two answers of %d tokens or more have hashes", longEnough)
	}
	share := float64(c.same) / float64(c.answers)
	k := found(l, share, percent(share), "%d of %d answers are the same as an answer to another prompt%s", c.same, c.answers, onlyFirst(c.texts))
	if c.same < 2 { // two prompts may have the same answer
		k.Level = OK
	}
	return k.brief("%d of %d answers are the same as another prompt's", c.same, c.answers)
}

// onlyFirst says that a set was full.
func onlyFirst(s *seen) string {
	if !s.full {
		return ""
	}
	return fmt.Sprintf(" (only the first %d were remembered)", s.limit)
}

// promptTokens compares planned and counted. A template adds the same number to
// each prompt, which is in order; the rest of the difference is not.
type promptTokens struct {
	diff    evenSample
	planned float64
	turns   bool // of conversations, not all of them counted with the template
}

func (c *promptTokens) add(v *view) {
	if v.Warmup || v.PromptTokens == 0 || v.UsagePrompt == 0 || v.Media > 0 || v.SoundNs != 0 {
		return
	}
	if v.Conversation > 0 && v.SentOf == 0 { // SentOf is the count with the template
		c.turns = true
		if v.After != nil { // a history has a template's tokens at each message
			return
		}
	}
	c.diff.add(v.UsagePrompt - v.PromptTokens)
	c.planned += float64(v.PromptTokens)
}

func (c *promptTokens) result(f *facts, l limits) Check {
	switch {
	case f.run.Options.TokenizerSource == "none":
		return skip("without a tokenizer the plan is a guess")
	case c.turns && f.run.Options.Dataset != "multi-turn": // whose first turns have one message each
		return skip("a chat template adds to each message, and first turns differ in their number of messages")
	case c.diff.seen == 0:
		return skip("prompt tokens are not planned (those of images and sounds never are), or the server does not count them")
	}
	// More than this is no template of a short chat; less than none is a prompt that was cut.
	const mostAdded = 256
	added := min(max(c.diff.median(), 0), mostAdded)
	off := 0.0
	for _, d := range c.diff.values {
		off += float64(max(d-added, added-d))
	}
	off /= float64(len(c.diff.values))
	planned := c.planned / float64(c.diff.seen)
	share := off / planned
	k := found(l, share, percent(share), "prompts were planned with %.4g tokens (mean); the server counts %d more for each, and beyond that differs by %.3g", planned, added, off)
	k.Effect = effect(k, "TTFT is for prompts about %s longer or shorter than planned", percent(share))
	return k.brief("prompts are about %s longer or shorter than planned", upTo(share))
}

// bursts looks at gaps that are next to nothing beside their stream's mean gap. A
// server that decodes step by step has few; who gathers bytes on the way makes them.
type bursts struct{ gaps, short int64 }

const (
	burstLen  = 16 // streams of fewer chunks are left out: a role or finish chunk weighs too much there
	shortPart = 20
)

func (c *bursts) add(v *view) {
	if v.Warmup || !v.complete || len(v.Chunks) < burstLen || v.Row.Last <= v.Row.First {
		return
	}
	mean := max((v.Row.Last-v.Row.First)/int64(len(v.Chunks)-1), 1)
	holds := heldAt(&v.Events)
	// What comes at once after this machine was held up is no bunch of the server's, nor of a proxy's, if it is no more than
	// could have come meanwhile.
	excused := int64(0)
	for end, gap := range v.Gaps() {
		short := gap <= mean/shortPart
		if !short {
			excused = 0
		}
		for ; len(holds) > 0 && v.Sent+holds[0].at <= end; holds = holds[1:] {
			excused = max(excused, holds[0].ns/mean+1)
		}
		switch {
		case !short:
			c.gaps++
		case excused > 0:
			excused--
		default:
			c.gaps++
			c.short++
		}
	}
}

// hold is that this process was held up before an event: since Sent, and for how long.
type hold struct{ at, ns int64 }

func heldAt(ev *journal.Events) (out []hold) {
	at, next := int64(0), 0
	for i, gap := range ev.At {
		if at += gap; next < len(ev.Held) && ev.Held[next] == i {
			out, next = append(out, hold{at, ev.HeldNs[next]}), next+1
		}
	}
	return out
}

// moreThanAccepted is how far the share of short gaps may be above that of accepted drafts: the two
// are not counted over just the same requests.
const moreThanAccepted = 0.1

// accepted is the share of tokens that were drafts which the server accepted, and sends with the token before.
func (c *bursts) accepted(f *facts) float64 {
	if f.end == nil || f.end.SpecDecode == nil {
		return 0
	}
	return min(float64(f.end.SpecDecode.Accepted)/float64(c.gaps), 1)
}

func (c *bursts) result(f *facts, l limits) Check {
	const fewest = 100
	if c.gaps < fewest {
		return skip("too few gaps (%d) in streams of %d chunks or more", c.gaps, burstLen)
	}
	share := float64(c.short) / float64(c.gaps)
	k := found(l, share, percent(share), "%s of the gaps are tiny compared with their stream's mean gap", percent(share))
	if accepted := c.accepted(f); k.Level.Bad() && share <= accepted+moreThanAccepted {
		k.Level = Noted
		k.Sentence = fmt.Sprintf("%s of the gaps are tiny: the server decodes speculatively, and %s of its tokens came together with another one", percent(share), percent(accepted))
		k.Effect = "ITL's median and percentiles describe decoding steps, which give several tokens; TPOT is the time per token"
		return k
	}
	k.Effect = effect(k, "ITL's median and percentiles describe the bursts; TTFT may be late by up to one burst")
	return k.brief("tokens came in bursts (%s of the gaps), as from a proxy that buffers", upTo(share))
}

// integrity compares greedy texts under load with those of the same prompts by
// themselves. Samples come after all requests of the load in the journal.
type integrity struct {
	loaded            *seen // index, counted from 1: the text under load
	compared, changed int64
	failed, notUnder  int64 // samples without an answer, and without one under load
	sampleSize        int
}

func newIntegrity(f *facts) check {
	c := &integrity{sampleSize: f.run.Options.IntegritySample}
	limit := 0
	if c.sampleSize > 0 { // else nothing need be remembered
		limit = f.opt.HashLimit
	}
	c.loaded = newSeen(limit)
	return c
}

func (c *integrity) add(v *view) {
	if text := hashOf(v.TextHash); c.sampleSize > 0 && !v.Warmup && v.complete && text != 0 {
		c.loaded.add(uint64(v.Index)+1, text)
	}
}

// again takes a prompt that was sent a second time, without load.
func (c *integrity) again(r *journal.Request) {
	text := hashOf(r.TextHash)
	before, known := c.loaded.first[uint64(r.Index)+1]
	switch {
	case r.Outcome != journal.Complete || text == 0:
		c.failed++
	case !known:
		c.notUnder++
	default:
		c.compared++
		if text != before {
			c.changed++
		}
	}
}

func (c *integrity) result(_ *facts, l limits) Check {
	switch {
	case c.sampleSize == 0:
		return skip("no prompts were sent again without load (--integrity-sample)")
	case c.compared == 0:
		return skip("no prompt has an answer both under load and without (%d failed when sent again, %d under load)", c.failed, c.notUnder)
	}
	share := float64(c.changed) / float64(c.compared)
	k := found(l, share, fmt.Sprintf("%d of %d", c.changed, c.compared), "%d of %d prompts got a different answer under load than alone", c.changed, c.compared)
	if c.failed+c.notUnder > 0 {
		k.Sentence += fmt.Sprintf("; %d more could not be compared", c.failed+c.notUnder)
	}
	k.Effect = effect(k, "the speed may come at the cost of different answers: compare their quality too")
	return k.brief("%d of %d prompts got a different answer under load than alone", c.changed, c.compared)
}
