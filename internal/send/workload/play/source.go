package play

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// Source gives the plays of a trace's trees as conversations: in their order, and from the first one again where more are
// asked for. Of each tree only its number of turns is kept; the recording itself is held by the plays that are on their way.
type Source struct {
	how    How
	trees  trace.Trees
	kept   []keptTree
	long   int // trees that are too long
	failed int // sessions of which all requests failed
	cut    int // turns with too many ids
	player Player
	total  int // plays
	lanes  int // of which the first plays may begin inside

	ahead  *prompts.Ahead[*played]
	plan   int       // the next play to be made
	first  int       // the index of the next turn
	begun  []*played // the first plays, of which there are primers
	before int       // turns of theirs that are not sent

	mu   sync.Mutex
	held map[int]weak.Pointer[Recording] // by tree
}

// How is what the run says of the plays.
type How struct {
	*Options
	Seed      uint64
	Speed     float64
	OutputLen *int // in place of the recorded lengths; nil: those
	Plays     int  // 0: Passes of all trees
	Passes    int
	Endless   bool // the run ends by time
	SelfTimed bool // trees begin at their own times, and not when a lane is free
	Lanes     int  // 0: no limit
	Tokenizer prompts.Tokenizer
	Ordinary  func(prompts.Vocabulary) []int32 // the ids of ordinary tokens
}

type keptTree struct {
	tree  int
	turns int
	at    time.Duration // by the trace's clock
}

// played is a play on its way.
type played struct {
	n    int // plays before it
	play *Play
	talk *talk.Conversation
	err  error
}

// Open looks at all trees, which it closes with the Source.
func Open(trees trace.Trees, how How) (*Source, error) {
	d := &Source{how: how, trees: trees, held: map[int]weak.Pointer[Recording]{}}
	d.player.Options, d.player.Seed, d.player.Speed, d.player.OutputLen = how.Options, how.Seed, how.Speed, how.OutputLen
	if err := d.open(); err != nil {
		_ = d.Close() // it was only read
		return nil, err
	}
	return d, nil
}

func (d *Source) open() (err error) {
	if d.player.Vocabulary, err = NewVocabulary(d.how.Tokenizer, d.how.Ordinary); err != nil {
		return err
	}
	if err := d.look(); err != nil {
		return err
	}
	d.total = len(d.kept) * d.how.Passes
	switch {
	case d.how.Endless && !d.how.SelfTimed: // with times of its own a trace has an end
		d.total = maxPlays
	case d.how.Plays > 0 && !d.how.Endless:
		d.total = d.how.Plays
	}
	if d.lanes = d.how.Lanes; d.lanes == 0 {
		d.lanes = len(d.kept)
	}
	d.ahead = prompts.NewAhead(prompts.AheadTokens, d.next, d.run)
	if !d.how.inside() {
		return nil
	}
	// All first plays are made now: their primers have to be known.
	for range min(d.lanes, d.total) {
		p, _ := d.ahead.Next()
		if p.err != nil {
			return p.err
		}
		d.begun = append(d.begun, p)
		d.before += p.talk.Before
	}
	return nil
}

// maxPlays bounds a run that ends by time.
const maxPlays = 1 << 20

// look reads all trees once, so that one which can't be played is told before anything is sent.
func (d *Source) look() error {
	type seen struct {
		tree, cut int
		rec       *Recording
		err       error
	}
	next := 0
	ahead := prompts.NewAhead(prompts.AheadTokens, func() (*seen, bool) {
		next++
		return &seen{tree: next - 1}, next <= d.trees.Len()
	}, func(s *seen) {
		if s.rec, s.err = d.read(s.tree); s.err == nil {
			s.cut = s.rec.Cut
		}
	})
	defer ahead.Stop()
	for {
		s, ok := ahead.Next()
		if !ok || d.how.Trees > 0 && len(d.kept) == d.how.Trees {
			break
		}
		if errors.Is(s.err, trace.ErrNoRequest) {
			d.failed++
			continue
		}
		if s.err != nil {
			return fmt.Errorf("trace %d: %w", s.tree+1, s.err)
		}
		if d.how.MaxContext > 0 && s.rec.Longest() > d.how.MaxContext {
			d.long++
			continue
		}
		d.cut += s.cut
		d.kept = append(d.kept, keptTree{s.tree, len(s.rec.Turns), s.rec.At})
	}
	if len(d.kept) == 0 {
		if d.long == 0 {
			return trace.ErrNoRequest
		}
		return fmt.Errorf("no trace is left: %d have a prompt and answer above --trace-max-context %d, and %d no request that can be sent", d.long, d.how.MaxContext, d.failed)
	}
	if d.how.SelfTimed {
		slices.SortStableFunc(d.kept, func(a, b keptTree) int { return int(min(max(a.at-b.at, -1), 1)) })
	}
	return nil
}

// read gives a recording: that of a play which is on its way, if there is one.
func (d *Source) read(tree int) (*Recording, error) {
	d.mu.Lock()
	held := d.held[tree].Value()
	d.mu.Unlock()
	if held != nil {
		return held, nil
	}
	t, err := d.trees.Tree(tree)
	if err != nil {
		return nil, err
	}
	if d.how.Spawns == AtOnce {
		t = t.Spawned()
	}
	r, err := New(t)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.held[tree] = weak.Make(r)
	d.mu.Unlock()
	return r, nil
}

// next plans a play, in order.
func (d *Source) next() (*played, bool) {
	if d.plan == d.total {
		return nil, false
	}
	d.plan++
	return &played{n: d.plan - 1}, true
}

// run makes a play.
func (d *Source) run(p *played) {
	r, err := d.read(d.kept[p.n%len(d.kept)].tree)
	if err == nil {
		at := Place{Number: p.n + 1, Pass: p.n / len(d.kept), Lane: p.n % d.lanes, Inside: p.n < d.lanes}
		p.play, err = d.player.New(r, at)
	}
	if err == nil {
		p.talk, err = p.play.Conversation()
	}
	p.err = err
}

// Primers are conversations of one-token requests that fill the server's cache before the start.
func (d *Source) Primers() (list []*talk.Conversation, err error) {
	lead := time.Duration(0)
	for _, p := range d.begun {
		lead = max(lead, p.play.Lead())
	}
	first := 0
	for _, p := range d.begun {
		c, err := p.play.Primer(lead)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		c.First = first
		first += len(c.Turns)
		list = append(list, c)
	}
	return list, nil
}

// Next gives a conversation, and when it begins by the trace's own clock; io.EOF after the last.
func (d *Source) Next() (c *talk.Conversation, due time.Duration, err error) {
	var p *played
	if len(d.begun) > 0 {
		p, d.begun = d.begun[0], d.begun[1:]
	} else {
		var ok bool
		if p, ok = d.ahead.Next(); !ok {
			return nil, 0, io.EOF
		}
	}
	if p.err != nil {
		return nil, 0, p.err
	}
	p.talk.First = d.first
	d.first += len(p.talk.Turns)
	return p.talk, d.due(p.n), nil
}

// due is when a play begins by the trace's own clock.
func (d *Source) due(n int) time.Duration {
	begin, end := d.kept[0].at, d.kept[len(d.kept)-1].at
	length := end - begin
	length += length / time.Duration(max(len(d.kept)-1, 1))
	at := d.kept[n%len(d.kept)].at - begin + time.Duration(n/len(d.kept))*length
	return time.Duration(float64(at) / d.how.Speed)
}

// Start makes the first plays now.
func (d *Source) Start() { d.ahead.Start() }

// Len is how many turns there are.
func (d *Source) Len() (turns int) {
	all := 0
	for _, k := range d.kept {
		all += k.turns
	}
	turns = d.total / len(d.kept) * all
	for _, k := range d.kept[:d.total%len(d.kept)] {
		turns += k.turns
	}
	return turns - d.before
}

// Plays is how many there are.
func (d *Source) Plays() int { return d.total }

// Traces is how many recordings are played.
func (d *Source) Traces() int { return len(d.kept) }

// Close lets go of the trees.
func (d *Source) Close() error {
	if d.ahead != nil {
		d.ahead.Stop()
	}
	return d.trees.Close()
}

// Notes says what the replay leaves out or changes.
func (d *Source) Notes() (notes []string) {
	if d.long > 0 {
		notes = append(notes, fmt.Sprintf("%d traces with a prompt and answer above --trace-max-context %d tokens are not played", d.long, d.how.MaxContext))
	}
	if d.failed > 0 {
		notes = append(notes, fmt.Sprintf("%d sessions of the trace have no request that can be sent, and are not played", d.failed))
	}
	if d.cut > 0 {
		notes = append(notes, fmt.Sprintf("%d turns of the trace have more block ids than their prompts have blocks: what is too much is left out", d.cut))
	}
	if !d.player.Vocabulary.Exact() {
		notes = append(notes, "without a tokenizer.json that has a chat template the prompts are words, and about as long as the trace says; what they share is as it says")
	}
	if d.how.CacheBust == None && d.total > len(d.kept) {
		notes = append(notes, "with --trace-cache-bust none a trace that is played again finds its own prompts in the server's cache")
	}
	if keys := d.how.Deviations(); d.how.Preset != Faithful && len(keys) > 0 {
		notes = append(notes, fmt.Sprintf("other than in the preset %s: %s", d.how.Preset, strings.Join(keys, ", ")))
	}
	return notes
}

// Warmup is a play that Next never gives.
func (d *Source) Warmup(i int) (*talk.Conversation, error) {
	r, err := d.read(d.kept[i%len(d.kept)].tree)
	if err != nil {
		return nil, err
	}
	p, err := d.player.New(r, Place{Number: i + 1, Pass: -1 - i/len(d.kept), Lane: i})
	if err != nil {
		return nil, err
	}
	return p.Conversation()
}
