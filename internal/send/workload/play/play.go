package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// Player makes plays of recordings.
type Player struct {
	Options    *Options
	Seed       uint64
	Speed      float64
	OutputLen  *int // in place of the recorded lengths; nil: those
	Vocabulary *Vocabulary

	once sync.Once
	sent *sent // of all plays that may share a prefix with others
}

// shared is what was sent of all such plays.
func (p *Player) shared() *sent {
	p.once.Do(func() { p.sent = newSent() })
	return p.sent
}

// Place is which play of a run it is.
type Place struct {
	Number int // of the conversation, from 1
	First  int // the index of its first turn
	Pass   int // plays of this trace before it
	Lane   int
	Inside bool // it is one of the first, which may begin inside their traces
}

// Play is one playing of a recording.
type Play struct {
	player *Player
	r      *Recording
	at     Place
	start  start
	index  []int32 // of each turn of the tree in the conversation; -1: it is none of it
	turns  []int32 // and back
	warmed []int   // turns that are sent before the start, with one token
	primed []int
	state  *state // nil: the recording has texts
}

// New begins a play.
func (p *Player) New(r *Recording, at Place) (*Play, error) {
	own := &Play{player: p, r: r, at: at}
	if at.Inside && p.Options.inside() {
		own.start = r.start(p.Seed, at.Lane, p.Options)
	}
	if own.start.done != nil && p.Options.Primers != None {
		own.primed = own.start.primers(r)
		own.warmed = own.start.warm(r, p.Options.WarmTurns)
	}
	own.index = make([]int32, len(r.Turns))
	for i := range r.Turns {
		own.index[i] = -1
		if own.start.done == nil || !own.start.done[i] {
			own.index[i] = int32(len(own.turns))
			own.turns = append(own.turns, int32(i))
		}
	}
	if r.texts {
		return own, nil
	}
	var err error
	own.state, err = p.newState(r, at)
	return own, err
}

// Conversation is what is measured of the play.
func (p *Play) Conversation() (*talk.Conversation, error) {
	c := p.conversation(p.turns)
	for k, i := range p.turns {
		t := &c.Turns[k]
		t.Waits = p.waits(int(i))
		var err error
		if t.OutputTokens, err = p.output(int(i)); err != nil {
			return nil, err
		}
	}
	c.Before = p.start.before()
	if p.state != nil {
		c.Maker = &maker{p.state, p.turns}
		return c, nil
	}
	return c, p.addTexts(c, p.turns, p.index)
}

// conversation has turns without what they wait for.
func (p *Play) conversation(turns []int32) *talk.Conversation {
	c := &talk.Conversation{
		Number: p.at.Number, First: p.at.First, ID: p.r.ID, Trace: p.r.ID, Play: p.at.Pass + 1,
		Turns: make([]talk.Turn, len(turns)), Branches: make([]talk.Branch, len(p.r.Branches)),
	}
	for i, b := range p.r.Branches {
		c.Branches[i] = talk.Branch{Name: b.Name, Kind: b.Kind}
	}
	for k, i := range turns {
		from := &p.r.Turns[i]
		t := &c.Turns[k]
		*t = talk.Turn{Name: from.Name, Branch: from.Branch, Continues: -1, Fields: fieldsOf(from.Fields)}
		if models := p.player.Options.Models; len(models) > 0 {
			t.Model = models[max(slices.Index(p.r.models, from.Model), 0)%len(models)]
		}
	}
	return c
}

// limits are fields that say how long an answer may be: that is asked for by its own setting.
var limits = []string{"max_tokens", "max_completion_tokens"}

// sampling are parameters that settings of the run have too.
var sampling = []string{"temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty", "repetition_penalty"}

func fieldsOf(fields map[string]json.RawMessage) (list []talk.Field) {
	for name, value := range fields {
		if !slices.Contains(limits, name) {
			list = append(list, talk.Field{Name: name, Value: value, Sampling: slices.Contains(sampling, name)})
		}
	}
	slices.SortFunc(list, func(a, b talk.Field) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// output is how many tokens a turn asks for.
func (p *Play) output(turn int) (int, error) {
	t := &p.r.Turns[turn]
	switch {
	case p.player.OutputLen != nil:
		return *p.player.OutputLen, nil
	case t.Output > 0:
		return t.Output, nil
	case !p.r.texts: // the recording has a length, and it is 0
		return 1, nil
	}
	for _, name := range limits {
		if n, err := strconv.Atoi(string(t.Fields[name])); err == nil && n > 0 && n <= tree.MaxTokens {
			return n, nil
		}
	}
	if n := p.player.answerTokens(t.Answer); n > 0 {
		return n, nil
	}
	return 0, fmt.Errorf("trace %.80q, turn %d: how many tokens to ask for is not known: give --output-len", p.r.ID, turn+1)
}

// Lead is how long before the start the first of its primers was sent in the recording.
func (p *Play) Lead() (lead time.Duration) {
	for _, i := range p.primed {
		lead = max(lead, p.lead(i))
	}
	return lead
}

func (p *Play) lead(turn int) time.Duration {
	if p.r.Untimed {
		return 0
	}
	lead := p.pause(p.started() - p.r.Turns[turn].At)
	if c := p.player.Options.TreeIdleCap; c > 0 {
		lead = min(lead, c)
	}
	return lead
}

// started is when the play began in the recording, before turns were warmed.
func (p *Play) started() time.Duration {
	at := p.start.at
	if len(p.warmed) > 0 {
		at = p.r.Turns[p.warmed[0]].At
	}
	return at
}

// Primer is a conversation of requests of one token, which fill the cache before the start: the last turn before it on each
// branch, so long after the begin that the starts of all plays coincide, and then those that are warmed. Nil: there are none.
func (p *Play) Primer(lead time.Duration) (*talk.Conversation, error) {
	if len(p.primed)+len(p.warmed) == 0 {
		return nil, nil
	}
	turns := make([]int32, 0, len(p.primed)+len(p.warmed))
	index := make([]int32, len(p.r.Turns))
	for i := range index {
		index[i] = -1
	}
	for _, i := range slices.Concat(p.primed, p.warmed) {
		index[i] = int32(len(turns))
		turns = append(turns, int32(i))
	}
	c := p.conversation(turns)
	for k, i := range turns {
		t := &c.Turns[k]
		t.OutputTokens = 1
		if k < len(p.primed) {
			if wait := lead - p.lead(int(i)); wait > 0 && p.player.Options.Primers == Spread {
				t.Waits = []talk.Wait{{Turn: talk.FromBegin, Delay: wait}}
			}
			continue
		}
		for before := range len(p.primed) { // they are sent when all primers have ended
			t.Waits = append(t.Waits, talk.Wait{Turn: before})
		}
		for _, parent := range p.r.Turns[i].Parents {
			if before := index[parent.Turn]; int(before) >= len(p.primed) {
				t.Waits = append(t.Waits, talk.Wait{Turn: int(before)})
			}
		}
	}
	if p.state != nil {
		c.Maker = &maker{p.state, turns}
		return c, nil
	}
	for i := range index {
		index[i] = -1 // each has its whole history as it was recorded
	}
	return c, p.addTexts(c, turns, index)
}
