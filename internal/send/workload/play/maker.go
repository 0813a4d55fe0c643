package play

import (
	"encoding/binary"
	"encoding/json"
	"sync"

	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// state is what a play with blocks keeps: no texts but live answers.
type state struct {
	player *Player
	r      *Recording
	pass   int
	words  uint64 // its words are drawn by
	mark   mark
	sent   *sent

	mu      sync.Mutex
	ready   map[int32]prompt // made, and not sent yet
	answers map[int]string   // the server's, by turn of the tree
}

// mark is what tells a play from others: texts around the first message of a role, in JSON, and their tokens.
type mark struct {
	role                   role
	before, after          string
	tokens, tokensOfBehind []int32
}

// prompt is what a turn sends, for the count of what was sent before.
type prompt struct {
	pieces []piece
	tokens int
}

func (p *Player) newState(r *Recording, at Place) (*state, error) {
	s := &state{player: p, r: r, pass: at.Pass, ready: map[int32]prompt{}, words: key(p.Seed, r.scope)}
	alone := !r.Shared // its prompts are like those of no other play
	switch o := p.Options; o.CacheBust {
	case Words:
		s.words = key(s.words, uint64(at.Pass))
	case Marker:
		alone = true
		s.mark = mark{role: user, before: p.marker(r, at)}
	case Salt:
		if r.Branches[0].System == 0 {
			return nil, errNoSystem(r.ID)
		}
		s.mark.role = system
		s.mark.before, s.mark.after = salts(at.Pass+1, r.ID)
	default:
		alone = false
	}
	if v := p.Vocabulary; v.chat != nil && s.mark.before != "" {
		var err error
		if s.mark.tokens, err = markTokens(v, s.mark.before); err != nil {
			return nil, err
		}
		if s.mark.tokensOfBehind, err = v.count(s.mark.after); err != nil {
			return nil, err
		}
	}
	s.mark.before, s.mark.after = quoted(s.mark.before), quoted(s.mark.after)
	if s.sent = p.shared(); alone {
		s.sent = newSent()
	}
	if p.Options.History == Live {
		s.answers = map[int]string{}
	}
	return s, nil
}

// maker makes the turns of one conversation of a play.
type maker struct {
	*state
	turns []int32
}

// Make implements [talk.Maker].
func (m *maker) Make(turn int) (*talk.Made, error) {
	i := int(m.turns[turn])
	w := m.write(i)
	made := &talk.Made{Messages: w.out, Planned: int(m.r.hits[i]) * m.r.Block, PlannedOf: int(m.r.blocks[i]) * m.r.Block}
	if w.known {
		made.Tokens = w.tokens
		m.mu.Lock()
		m.ready[m.turns[turn]] = prompt{w.pieces, w.tokens}
		m.mu.Unlock()
	}
	return made, nil
}

// Sent implements [talk.Maker].
func (m *maker) Sent(turn int) (before, of int) {
	m.mu.Lock()
	p, made := m.ready[m.turns[turn]]
	delete(m.ready, m.turns[turn])
	m.mu.Unlock()
	if !made {
		return 0, 0
	}
	shared, known := m.sent.add(p.pieces)
	if !known {
		return 0, 0
	}
	// A server computes the last token of a prompt at least.
	block := m.player.Options.Block
	return min(shared, p.tokens-1) / block * block, p.tokens
}

// Answered implements [talk.Maker].
func (m *maker) Answered(turn int, a *talk.Answer) {
	if m.answers == nil || a == nil {
		return
	}
	m.mu.Lock()
	m.answers[int(m.turns[turn])] = a.Text
	m.mu.Unlock()
}

// AppendPlan implements [talk.Maker].
func (m *maker) AppendPlan(dst []byte) []byte {
	dst = append(binary.LittleEndian.AppendUint64(dst, m.words), m.state.mark.before...)
	sum := uint64(0)
	for _, i := range m.turns {
		t := &m.r.Turns[i]
		sum = key(sum, uint64(t.Kept), uint64(t.Input))
		for _, id := range t.IDs {
			sum = mix(sum ^ id)
		}
	}
	return binary.LittleEndian.AppendUint64(dst, sum)
}

// writer writes the messages of a prompt.
type writer struct {
	*state
	ids    []uint64
	out    json.RawMessage
	tokens int
	known  bool // how many tokens there are, and which
	pieces []piece
}

// write makes the messages of a turn of the tree.
func (s *state) write(turn int) *writer {
	segments := s.merge(s.r.segments(turn))
	c := s.player.Vocabulary.chat
	w := &writer{state: s, ids: s.r.ids(turn), known: c != nil && c.ends[segments[len(segments)-1].role]}
	const perToken, perMessage = 8, 64
	w.out = make(json.RawMessage, 0, s.r.Turns[turn].Input*perToken+len(segments)*perMessage)
	w.out = append(w.out, '[')
	if w.known {
		w.gap(c.first[segments[0].role])
	}
	marked := s.mark.before == ""
	for i := range segments {
		if i > 0 {
			w.out = append(w.out, ", "...)
		}
		own := mark{}
		if !marked && segments[i].role == s.mark.role {
			own, marked = s.mark, true
		}
		w.message(segments, i, &own)
	}
	w.out = append(w.out, ']')
	return w
}

// merge makes one message of two neighbours that the chat template does not take.
func (s *state) merge(list []segment) []segment {
	c := s.player.Vocabulary.chat
	if c == nil {
		return list
	}
	kept := list[:1]
	for _, next := range list[1:] {
		last := &kept[len(kept)-1]
		if !c.refused[last.role][next.role] {
			kept = append(kept, next)
			continue
		}
		next.from, next.blocks, next.whole = last.from, last.blocks+next.blocks, false
		*last = next
	}
	return kept
}

// message writes one: as many tokens as its blocks have, less those that stand around it.
func (w *writer) message(list []segment, i int, own *mark) {
	s := &list[i]
	w.out = append(append(append(w.out, `{"role": "`...), roleNames[s.role]...), `", "content": "`...)
	if text, live := w.live(s); live {
		w.out = append(w.out[:len(w.out)-len(`{"role": "assistant", "content": "`)], talk.Text(roleNames[s.role], text)...)
		w.known = false
		return
	}
	size := s.blocks*w.r.Block + s.tail
	var after []int32
	if c := w.player.Vocabulary.chat; c != nil {
		if after = c.last[s.role]; i < len(list)-1 {
			after = c.between[s.role][list[i+1].role]
		}
		if w.player.Options.Counts != Messages {
			size -= len(after) + len(own.tokens) + len(own.tokensOfBehind)
			if i == 0 {
				size -= len(c.first[s.role])
			}
		}
	}
	w.out = append(w.out, own.before...)
	w.gap(own.tokens)
	w.content(s, max(size, 1))
	w.out = append(append(w.out, own.after...), `"}`...)
	w.gap(own.tokensOfBehind)
	w.gap(after)
}

// live is the server's answer that stands for a recorded one.
func (w *writer) live(s *segment) (text string, live bool) {
	if w.answers == nil || s.role != assistant || !s.whole {
		return "", false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	text, live = w.answers[s.turn]
	return text, live
}

// gap counts tokens that are known by their ids.
func (w *writer) gap(ids []int32) {
	if !w.known {
		return
	}
	w.tokens += len(ids)
	for _, id := range ids {
		w.pieces = append(w.pieces, newPiece(key(tokenKeys, uint64(id)), 1))
	}
}

// What keys are of that are no block's.
const (
	tokenKeys = 1
	tailKeys  = 2
	headKeys  = 3
)

// content writes the first n tokens of a message.
func (w *writer) content(s *segment, n int) {
	head := true
	for k := s.from; k < s.from+s.blocks && n > 0; k++ {
		part := min(n, w.r.Block)
		w.part(key(w.words, w.ids[k]), 0, part, head)
		n -= part
		head = false
	}
	if n == 0 {
		return
	}
	if last := s.from + s.blocks; s.tail > 0 && s.tail < w.r.Block && last < len(w.ids) { // a block that is not full
		w.part(key(w.words, w.ids[last]), 0, n, head)
		return
	}
	own := key(w.words, tailKeys, uint64(s.turn))
	for from := 0; from < n; from += maxBlock {
		w.part(own, from, min(n, from+maxBlock), head)
		head = false
	}
}

// part writes tokens of a block, or of what is like one.
func (w *writer) part(block uint64, from, to int, head bool) {
	w.out = w.player.Vocabulary.write(w.out, block, from, to, head)
	if !w.known {
		return
	}
	w.tokens += to - from
	name := key(block, uint64(from))
	if head {
		name = key(name, headKeys)
	}
	w.pieces = append(w.pieces, newPiece(name, to-from))
}
