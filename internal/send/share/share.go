// Package share divides one run among several clients. Each makes the same list of
// requests and sends those that are its own: the union is the list of a single run, with
// the same times, each request once. Nothing but the share itself decides which those are,
// so that clients need not talk to each other while they send.
package share

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Most is how many clients one run may have.
const Most = 10_000

// mostWeight bounds the weight of one client. The weights of all are a table's length.
const mostWeight = 1000

// Share is the part of a run that one client sends. The zero value is the whole run.
type Share struct {
	Index   int   // from 0
	Weights []int // of all clients in their order; what one of weight 2 sends is twice that of one of weight 1
}

// Equal is the share of one of several that are alike.
func Equal(index, of int) Share {
	return Share{Index: index, Weights: slices.Repeat([]int{1}, of)}
}

// Whole says that all is sent by one client.
func (s Share) Whole() bool { return len(s.Weights) == 0 }

// Of is the number of clients.
func (s Share) Of() int { return max(len(s.Weights), 1) }

// String is the form of the flag: 2/8 for the second of eight, 2/3:1,1,4 with weights.
func (s Share) String() string {
	if s.Whole() {
		return ""
	}
	text := fmt.Sprintf("%d/%d", s.Index+1, len(s.Weights))
	if slices.ContainsFunc(s.Weights, func(w int) bool { return w != 1 }) {
		words := make([]string, len(s.Weights))
		for i, w := range s.Weights {
			words[i] = strconv.Itoa(w)
		}
		text += ":" + strings.Join(words, ",")
	}
	return text
}

// Parse reads the form of String.
func Parse(text string) (Share, error) {
	if text == "" {
		return Share{}, nil
	}
	numbers, weights, weighted := strings.Cut(text, ":")
	which, of, ok := strings.Cut(numbers, "/")
	i, err1 := strconv.Atoi(which)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || len(text) > 64<<10 {
		return Share{}, fmt.Errorf("needs a share such as 2/8, or 2/3:1,1,4 with weights")
	}
	if n < 1 || n > Most || i < 1 || i > n {
		return Share{}, fmt.Errorf("needs a share from 1/N to N/N, and at most %d clients", Most)
	}
	s := Equal(i-1, n)
	if !weighted {
		return s, nil
	}
	words := strings.Split(weights, ",")
	if len(words) != n {
		return Share{}, fmt.Errorf("has %d weights for %d clients", len(words), n)
	}
	sum := 0
	for k, word := range words {
		w, err := strconv.Atoi(word)
		if err != nil || w < 0 || w > mostWeight {
			return Share{}, fmt.Errorf("needs weights from 0 to %d", mostWeight)
		}
		s.Weights[k] = w
		sum += w
	}
	if sum == 0 {
		return Share{}, fmt.Errorf("needs a weight above 0")
	}
	return s, nil
}

// MarshalText implements encoding.TextMarshaler.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Share) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// Divide splits a number by weights: as exactly as whole numbers can, the first ones
// getting what is left over. The parts add up to total.
func Divide(total int, weights []int) []int {
	parts := make([]int, len(weights))
	sum := 0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return parts
	}
	type rest struct{ index, remainder int }
	var rests []rest
	left := total
	for i, w := range weights {
		parts[i] = total * w / sum // no overflow: numbers of requests and weights are small
		left -= parts[i]
		if w > 0 {
			rests = append(rests, rest{i, total * w % sum})
		}
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return b.remainder - a.remainder })
	for i := 0; left > 0; i, left = i+1, left-1 {
		parts[rests[i%len(rests)].index]++
	}
	return parts
}

// Part is this client's part of a number, such as slots.
func (s Share) Part(total int) int {
	if s.Whole() {
		return total
	}
	return Divide(total, s.Weights)[s.Index]
}

// Slots is the share of a run in which so many requests may be in flight: weighed by the
// slots that each client gets, so that one without a slot gets no request.
func (s Share) Slots(total int) Share {
	if s.Whole() || total >= mostWeight*len(s.Weights) {
		return s
	}
	return Share{s.Index, Divide(total, s.Weights)}
}

// An Owner says who sends what.
type Owner struct {
	table []int32 // of one cycle; nil: all alike
	of    int
}

// Owner makes the table.
func (s Share) Owner() *Owner { return NewOwner(s.Weights) }

// NewOwner spreads turns by weights, those of each client as evenly as can be.
func NewOwner(weights []int) *Owner {
	o := &Owner{of: len(weights)}
	alike := !slices.ContainsFunc(weights, func(w int) bool { return w != 1 })
	if alike {
		return o
	}
	sum, divisor := 0, 0
	for _, w := range weights {
		sum, divisor = sum+w, gcd(divisor, w)
	}
	o.table = make([]int32, 0, sum/divisor)
	// A client of weight w has its turns at the middles of w equal parts of the cycle.
	type turn struct {
		at    float64
		index int
	}
	var turns []turn
	for i, w := range weights {
		for k := range w / divisor {
			turns = append(turns, turn{(float64(k) + 0.5) / float64(w/divisor), i})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return a.index - b.index
	})
	for _, t := range turns {
		o.table = append(o.table, int32(t.index))
	}
	return o
}

// Of is the client, by its index, that sends the unit of a number: a request by its
// index, or a conversation by its number, so that its turns stay together.
func (o *Owner) Of(unit int) int {
	switch {
	case o.of == 0:
		return 0
	case o.table == nil:
		return unit % o.of
	}
	return int(o.table[unit%len(o.table)])
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
