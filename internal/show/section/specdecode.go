package section

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// Speculative says whether the server of any run told of speculative decoding.
func Speculative(runs []Run) bool {
	return slices.ContainsFunc(runs, func(r Run) bool { return r.Result.SpecDecode != nil })
}

// Acceptance is a run's acceptance rate in percent and its accepted length; NaN: not known.
func Acceptance(r *measure.Result) (rate, length float64) {
	rate, length = math.NaN(), math.NaN()
	if s := r.SpecDecode; s != nil {
		rate = s.AcceptanceRate
		if s.AcceptanceLength != nil {
			length = *s.AcceptanceLength
		}
	}
	return rate, length
}
