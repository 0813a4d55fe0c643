package row

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// eachArrival spreads the tokens of a request over its events and calls f for each
// that gets some, with its time since the send. They always add up to the total,
//
//	n(j) = round(total · W(j)/W) − round(total · W(j−1)/W),   W(j) = w(1) + … + w(j)
//
// with the best weights w that there are: the tokens of each event where they are
// known, else the length of its text, else one for each event with text.
func (r *Request) eachArrival(f func(at int64, n int)) {
	ev, total := &r.Events, int(r.Row.Got)
	weight, all := r.arrivalWeights(), 0.0
	for i := range ev.At {
		all += weight(i)
	}
	if all <= 0 { // tokens without text, such as special ones
		weight = func(i int) float64 { return float64(ev.Kind[i] & journal.EventChoices) }
		for i := range ev.At {
			all += weight(i)
		}
	}
	if total <= 0 || all <= 0 {
		return
	}
	at, sum, before := int64(0), 0.0, 0
	for i, d := range ev.At {
		at += d
		sum += weight(i)
		if n := int(math.Round(float64(total) * (sum / all))); n > before {
			f(at, n-before)
			before = n
		}
	}
}

// arrivalWeights say how much of a request each of its events carries.
func (r *Request) arrivalWeights() func(i int) float64 {
	ev := &r.Events
	if r.TokensBy != TokensUnknown {
		return func(i int) float64 { return float64(tokensAt(ev, i, r.tokens, r.mask)) }
	}
	if ev.Size == nil {
		return func(i int) float64 { return float64(tokensAt(ev, i, nil, CarriesText)) }
	}
	return func(i int) float64 {
		if ev.Kind[i]&journal.EventChoices == 0 {
			return 0
		}
		return max(float64(ev.Size[i]), 0)
	}
}
