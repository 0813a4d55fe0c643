package record

import (
	"hash/maphash"
	"strings"
	"time"
)

// maxEarlier bounds the requests that a later one may be found to continue.
const maxEarlier = 1 << 16

// stride is how many bytes of a prompt lie between two places at which it is compared with others.
const stride = 64

// lineage finds the request that another one continues: that whose whole prompt it begins with. Agents send all that
// was said before with each turn, so that this tells their turns apart where no header does. Of prompts only hashes are
// kept, and they are not written down.
type lineage struct {
	seed maphash.Seed
	ends map[uint64][]*earlier // by the last place of their prompts; the oldest first
	all  []*earlier            // the oldest first
}

// earlier is a request that has been answered.
type earlier struct {
	id      uint64
	session string // its name
	ended   time.Time
	place   uint64 // the last of its prompt
	rest    int    // bytes behind it
	sum     uint64 // of these
	answer  int    // bytes of the answer's text
	said    uint64 // hash of it
}

func newLineage() *lineage {
	return &lineage{seed: maphash.MakeSeed(), ends: map[uint64][]*earlier{}}
}

// places are hashes of a prompt's beginnings: of none of it, of a stride, of two, and so on. Another model's are others.
func (l *lineage) places(model, prompt string) []uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	_, _ = h.WriteString(model)
	_ = h.WriteByte(0)
	out := append(make([]uint64, 0, len(prompt)/stride+1), h.Sum64())
	for ; len(prompt) >= stride; prompt = prompt[stride:] {
		_, _ = h.WriteString(prompt[:stride])
		out = append(out, h.Sum64())
	}
	return out
}

// find gives the request that a prompt continues; nil: none. It must have been answered when the prompt came, and be of the
// same session, where that has a name. The longest counts; of equal ones that whose answer follows in the prompt, and then
// the last.
func (l *lineage) find(places []uint64, prompt, session string, at time.Time) *earlier {
	for i := len(places) - 1; i >= 0; i-- {
		rest := prompt[i*stride:]
		var sums [stride]uint64 // of the beginnings of rest, as far as they are needed
		var best *earlier
		fits := false
		for _, e := range l.ends[places[i]] {
			if e.rest >= len(rest) || e.ended.After(at) || session != "" && e.session != session {
				continue
			}
			if sums[e.rest] == 0 {
				sums[e.rest] = maphash.String(l.seed, rest[:e.rest])
			}
			if sums[e.rest] != e.sum || best != nil && e.rest < best.rest {
				continue
			}
			answered := l.answers(e, rest[e.rest:])
			if best == nil || e.rest > best.rest || answered || !fits {
				best, fits = e, answered
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// answers says whether what follows in a prompt is what the request was answered.
func (l *lineage) answers(e *earlier, follows string) bool {
	follows = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(follows), "assistant"))
	return e.answer > 0 && e.answer <= len(follows) && maphash.String(l.seed, follows[:e.answer]) == e.said
}

// add makes a request known that has been answered.
func (l *lineage) add(e *earlier, places []uint64, prompt, answer string) {
	last := len(places) - 1
	rest := prompt[last*stride:]
	answer = strings.TrimSpace(answer)
	e.place, e.rest, e.sum = places[last], len(rest), maphash.String(l.seed, rest)
	e.answer, e.said = len(answer), maphash.String(l.seed, answer)
	l.ends[e.place] = append(l.ends[e.place], e)
	if l.all = append(l.all, e); len(l.all) > maxEarlier {
		l.forget()
	}
}

// forget lets go of the oldest.
func (l *lineage) forget() {
	oldest := l.all[0]
	l.all[0] = nil
	l.all = l.all[1:]
	if list := l.ends[oldest.place]; len(list) > 1 {
		l.ends[oldest.place] = list[1:]
	} else {
		delete(l.ends, oldest.place)
	}
}
