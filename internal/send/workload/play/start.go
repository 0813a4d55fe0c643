package play

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// start is where a play begins: which turns are over by then, and when it is in the recording.
type start struct {
	done []bool // nil: none is
	at   time.Duration
}

// generator draws where a trace begins on a lane, as AIPerf draws it.
func generator(seed uint64, trace string, lane int) *numpy.Generator {
	sum := sha256.Sum256([]byte(strconv.FormatUint(seed, 10) + ":" + trace + ":" + strconv.Itoa(lane)))
	return numpy.NewGenerator(binary.BigEndian.Uint64(sum[:8]))
}

// star is a point between two shares of a trace's recorded time, in milliseconds.
func (r *Recording) star(seed uint64, lane int, low, high float64) float64 {
	last := time.Duration(0)
	for i := range r.Turns {
		last = max(last, r.Turns[i].At)
	}
	length := float64(last) / 1e6
	if low, high = low*length, high*length; high <= low {
		return low
	}
	return low + (high-low)*generator(seed, r.ID, lane).Random()
}

// start draws where a play begins.
func (r *Recording) start(seed uint64, lane int, o *Options) start {
	if r.Untimed {
		return r.startAtTurn(seed, lane, o)
	}
	star := r.star(seed, lane, o.StartMin, o.StartMax)
	s := start{done: make([]bool, len(r.Turns)), at: time.Duration(star * 1e6)}
	for i := range r.Turns {
		s.done[i] = float64(r.Turns[i].At)/1e6 < star
	}
	return s
}

// startAtTurn draws a turn of the root where there are no times: it and all that stand before it are over.
func (r *Recording) startAtTurn(seed uint64, lane int, o *Options) start {
	root := r.turns[0]
	if len(root) < 2 {
		return start{}
	}
	last := len(root) - 2
	low, high := min(int(o.StartMin*float64(len(root))), last), min(int(o.StartMax*float64(len(root))), last)
	turn := low
	if high > low {
		turn += int(generator(seed, r.ID, lane).Integers(0, int64(high-low+1)))
	}
	s := start{done: make([]bool, len(r.Turns))}
	for i := range int(root[turn]) + 1 {
		s.done[i] = true
	}
	return s
}

// before counts the turns that are over.
func (s *start) before() (n int) {
	for _, done := range s.done {
		if done {
			n++
		}
	}
	return n
}

// warm moves the start on by some turns, in recorded order, and says which they are.
func (s *start) warm(r *Recording, turns int) (list []int) {
	for i := 0; i < len(r.Turns) && len(list) < turns; i++ {
		if !s.done[i] {
			list = append(list, i)
		}
	}
	if len(list) == len(r.Turns)-s.before() && len(list) > 0 {
		list = list[:len(list)-1] // something is left to be measured
	}
	for _, i := range list {
		s.done[i] = true
	}
	if len(list) == 0 || r.Untimed {
		return list
	}
	s.at = time.Duration(1<<63 - 1)
	for i := range r.Turns {
		if !s.done[i] {
			s.at = min(s.at, r.Turns[i].At)
		}
	}
	return list
}

// primers are the last turns before the start on each branch that goes on after it.
func (s *start) primers(r *Recording) (list []int) {
	for _, branch := range r.turns {
		last, next := -1, false
		for _, i := range branch {
			if s.done[i] {
				last = int(i)
			} else {
				next = true
			}
		}
		if last >= 0 && next {
			list = append(list, last)
		}
	}
	return list
}
