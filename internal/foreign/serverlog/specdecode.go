// Package serverlog reads what a server says about itself in its log. It is a pure
// function of text: who has the log, and which part of it belongs to a
// measurement, is the caller's business.
package serverlog

import (
	"math"
	"strconv"
	"strings"
)

// SpecDecode is what vLLM's log says about speculative decoding. What it does not
// say is 0; the two ratios are then NaN.
type SpecDecode struct {
	Rate   float64 // accepted by drafted tokens, 0 to 1
	Length float64 // tokens per verification step, with the one that the target model adds

	Accepted, Drafted int64 // tokens

	// SinceStart: the counts are since the server's start, as in the lines of old
	// versions; else since the line before.
	SinceStart bool

	steps, emitted float64 // verification steps and tokens that they gave; 0: not known
}

// What the lines of all versions have in common.
const (
	oldWords = "Speculative metrics: " // until 0.8, engine V0
	newWords = "SpecDecoding metrics: "
)

// ParseSpecDecode reads one line of vLLM's log; ok is false where it is about
// something else. Three forms are known:
//
//	Speculative metrics: Draft acceptance rate: 0.797, System efficiency: 0.640, Number of speculative tokens: 5,
//	  Number of accepted tokens: 197711, Number of draft tokens: 248165, Number of emitted tokens: 190541.
//	SpecDecoding metrics: Draft acceptance rate: 80.8%, Accepted: 676 tokens, Drafted: 837 tokens
//	SpecDecoding metrics: Mean acceptance length: 3.42, Accepted throughput: …, Accepted: 676 tokens,
//	  Drafted: 837 tokens, Per-position acceptance rate: 0.921, 0.828, 0.674, Avg Draft acceptance rate: 80.8%
func ParseSpecDecode(line string) (s SpecDecode, ok bool) {
	if len(line) > maxLine {
		return SpecDecode{}, false
	}
	if _, words, found := strings.Cut(line, oldWords); found {
		return parseOld(words)
	}
	if _, words, found := strings.Cut(line, newWords); found {
		return parseNew(words)
	}
	return SpecDecode{}, false
}

// maxLine is longer than any line that is meant for people.
const maxLine = 4096

func parseNew(words string) (s SpecDecode, ok bool) {
	s = SpecDecode{Rate: math.NaN(), Length: math.NaN()}
	accepted, drafted := number(words, "Accepted: "), number(words, "Drafted: ")
	if !isCount(accepted) || !isCount(drafted) || accepted > drafted || drafted == 0 {
		return SpecDecode{}, false
	}
	s.Accepted, s.Drafted = int64(accepted), int64(drafted)
	s.Rate = accepted / drafted
	// A length of 1 says that nothing was accepted, and not in how many steps.
	if length := number(words, "Mean acceptance length: "); length >= 1 && length <= maxLength {
		s.Length = length
		if length > 1 && accepted > 0 {
			s.steps = accepted / (length - 1)
			s.emitted = accepted + s.steps
		}
	}
	return s, true
}

// parseOld reads the line of engine V0. Its accepted tokens are those that match
// the target's choice wherever they stand, also behind a rejected one that throws
// them away: so the length comes from the emitted ones.
func parseOld(words string) (s SpecDecode, ok bool) {
	s = SpecDecode{Rate: math.NaN(), Length: math.NaN(), SinceStart: true}
	accepted, drafted := number(words, "Number of accepted tokens: "), number(words, "Number of draft tokens: ")
	if !isCount(accepted) || !isCount(drafted) || accepted > drafted || drafted == 0 {
		return SpecDecode{}, false
	}
	s.Accepted, s.Drafted = int64(accepted), int64(drafted)
	s.Rate = accepted / drafted
	each, emitted := number(words, "Number of speculative tokens: "), number(words, "Number of emitted tokens: ")
	if isCount(each) && each >= 1 && each <= maxLength && isCount(emitted) && emitted <= drafted/each*(each+1) {
		s.steps, s.emitted = drafted/each, emitted
		s.Length = s.emitted / s.steps
	}
	return s, true
}

// maxLength bounds the tokens of one step: nobody drafts more.
const maxLength = 1000

func isCount(v float64) bool { return v >= 0 && v < 1<<53 && v == math.Trunc(v) }

// number is the figure that follows a name; NaN where there is none. The name must
// not be the end of another one ("Number of accepted tokens" and "accepted tokens").
func number(words, name string) float64 {
	from := 0
	for {
		i := strings.Index(words[from:], name)
		if i < 0 {
			return math.NaN()
		}
		i += from
		if i == 0 || strings.HasSuffix(words[:i], ", ") {
			return leadingNumber(words[i+len(name):])
		}
		from = i + len(name)
	}
}

func leadingNumber(s string) float64 {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s[:end], "."), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Between is what a server did in a piece of its log: the sum of lines that count
// from one to the next, or the difference of the last line that counts from the
// start to the last one of before. ok is false where the log says nothing.
func Between(before, during string) (s SpecDecode, ok bool) {
	last, had := lastSinceStart(before)
	for line := range strings.Lines(during) {
		d, found := ParseSpecDecode(line)
		switch {
		case !found:
		case d.SinceStart:
			s, ok = d, true
		case s.SinceStart: // two servers in one log: the one of the older kind had its say
		default:
			s, ok = s.plus(&d), true
		}
	}
	if s.SinceStart && had {
		s, ok = s.minus(&last)
	}
	return s, ok
}

func lastSinceStart(log string) (last SpecDecode, ok bool) {
	for line := range strings.Lines(log) {
		if d, found := ParseSpecDecode(line); found && d.SinceStart {
			last, ok = d, true
		}
	}
	return last, ok
}

func (s SpecDecode) plus(d *SpecDecode) SpecDecode {
	first := s.Drafted == 0
	sum := SpecDecode{Accepted: s.Accepted + d.Accepted, Drafted: s.Drafted + d.Drafted, SinceStart: d.SinceStart}
	if d.steps > 0 && (first || s.steps > 0) {
		sum.steps, sum.emitted = s.steps+d.steps, s.emitted+d.emitted
	}
	return sum.ratios()
}

// minus is the change since an earlier line; ok is false where nothing happened, or
// the server was started again.
func (s SpecDecode) minus(before *SpecDecode) (d SpecDecode, ok bool) {
	d = SpecDecode{Accepted: s.Accepted - before.Accepted, Drafted: s.Drafted - before.Drafted, SinceStart: true}
	if d.Drafted <= 0 || d.Accepted < 0 {
		return SpecDecode{}, false
	}
	if s.steps > before.steps && s.emitted >= before.emitted {
		d.steps, d.emitted = s.steps-before.steps, s.emitted-before.emitted
	}
	return d.ratios(), true
}

func (s SpecDecode) ratios() SpecDecode {
	s.Rate, s.Length = math.NaN(), math.NaN()
	if s.Drafted > 0 {
		s.Rate = float64(s.Accepted) / float64(s.Drafted)
	}
	if s.steps > 0 {
		s.Length = s.emitted / s.steps
	}
	return s
}
