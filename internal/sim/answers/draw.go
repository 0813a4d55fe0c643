package answers

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// Settings say how a server answers.
type Settings struct {
	Key      *Key
	Accuracy float64 // share of questions that are answered right, in expectation
	Seed     uint64  // of the luck; another server has another
	// Agreement is the share of questions whose luck is the same whatever the seed: they are
	// hard or easy for all servers. Accuracy stays as it is.
	Agreement float64
	NoAnswer  float64 // share of all questions that get a text without an answer; they are not right
	LoadFlips float64 // share of answers drawn anew where other requests are in flight
}

// Validate says which setting is wrong and how to mend it.
func (s *Settings) Validate() error {
	for _, one := range []struct {
		name  string
		value float64
	}{{"accuracy", s.Accuracy}, {"answer-agreement", s.Agreement}, {"answer-no-answer", s.NoAnswer}, {"answer-load-flips", s.LoadFlips}} {
		if !(one.value >= 0 && one.value <= 1) {
			return fmt.Errorf("%s is %v; give a number from 0 to 1", one.name, one.value)
		}
	}
	if s.Accuracy+s.NoAnswer > 1+1e-9 {
		return fmt.Errorf("accuracy %v and answer-no-answer %v are more than 1 together; what has no answer is not right", s.Accuracy, s.NoAnswer)
	}
	return nil
}

// Verdict is what an answer is.
type Verdict string

// The verdicts.
const (
	Right Verdict = "right"
	Wrong Verdict = "wrong"
	None  Verdict = "none" // it has no answer
)

// Draw is how a question is answered.
type Draw struct {
	Verdict Verdict
	Anew    bool   // because of the load
	pick    uint64 // which of the wrong ones
}

// Each purpose has a salt, as in package random.
const (
	saltWho uint64 = 0xa715_0001 + iota
	saltCommon
	saltOwn
	saltPick
	saltFlip
	saltAnew
)

// Question draws how a question is answered by a server that has nothing else to do.
func (s *Settings) Question(id string) Draw {
	h := random.HashString(id)
	from := random.Mix(s.Seed, saltOwn)
	if random.Unit(random.Mix(saltWho, h)) < s.Agreement {
		from = saltCommon
	}
	return s.draw(from, h)
}

// Loaded is Question while other requests are in flight. once is of this request alone.
func (s *Settings) Loaded(id string, once uint64) Draw {
	h := random.HashString(id)
	from := random.Mix(random.Mix(s.Seed, saltFlip), once)
	if random.Unit(random.Mix(from, h)) >= s.LoadFlips {
		return s.Question(id)
	}
	d := s.draw(random.Mix(from, saltAnew), h)
	d.Anew = true
	return d
}

// draw lays out right, wrong and none from 0 to 1.
func (s *Settings) draw(from, question uint64) Draw {
	d := Draw{Verdict: Wrong, pick: random.Mix(random.Mix(from, saltPick), question)}
	switch luck := random.Unit(random.Mix(from, question)); {
	case luck < s.Accuracy:
		d.Verdict = Right
	case luck >= 1-s.NoAnswer:
		d.Verdict = None
	}
	return d
}

// Text is what is said.
func (d Draw) Text(l *Line) string {
	switch {
	case d.Verdict == Right:
		return l.Right
	case d.Verdict == Wrong:
		return l.Wrong[d.pick%uint64(len(l.Wrong))]
	case l.None != "":
		return l.None
	}
	return NoAnswer
}

// Favoured is the choice that the server finds most likely, from 1; 0: the question has none.
func (s *Settings) Favoured(d Draw, l *Line) int {
	right := s.Key.correct[l.Question]
	if right == 0 || l.Choices < 2 || d.Verdict == Right {
		return right
	}
	other := 1 + int(d.pick%uint64(l.Choices-1))
	if other >= right {
		other++
	}
	return other
}
