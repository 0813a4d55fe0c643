package pace

import (
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// Requests are drawn in pieces of at most so many. Each piece is walked once for its sum
// before it is given, and a long run must not wait for that.
const (
	largestPiece = 1 << 16
	endlessPiece = 100 // where nobody knows when the run ends: wherever it does, few are too many or too few
)

// counted lets requests come at random, and as many as were asked for: a piece in which x
// are expected holds x of them. A fraction is rounded up or down by chance, so that the mean
// is right.
//
// Within a piece they come as in the asked process once their number is known: gaps of the
// asked burstiness, scaled to fill the piece, lie on it as on a ring that begins anywhere.
// With exponential gaps that is a Poisson process of which the number is known: each request
// is anywhere, whatever the others do. A gap holds the beginning the more likely the longer
// it is, and a gamma gap that is so chosen has a shape of one more.
//
// Its times are those of a process of rate one.
type counted struct {
	random     *numpy.RandomState
	burstiness float64
	piece      func() (expected float64, ok bool)
	rest       float64 // of a request that pieces have left over; at first what rounds the whole by chance

	from, to  float64 // of the present piece
	left      int     // requests of it that are to come
	at, scale float64
}

// newCounted draws piece by piece until there is none. whole is what is expected of all of
// them; where that is less than one request, one comes: a run without any tells nothing.
func newCounted(r *numpy.RandomState, burstiness, whole float64, piece func() (float64, bool)) *counted {
	c := &counted{random: r, burstiness: burstiness, piece: piece, rest: r.Float64()}
	if whole+c.rest < 1 {
		c.rest = 1
	}
	return c
}

func (c *counted) next() (float64, bool) {
	if c.left > 0 {
		c.at += c.random.StandardGamma(c.burstiness)
	}
	for c.left == 0 {
		if !c.begin() {
			return 0, false
		}
	}
	c.left--
	return min(c.from+c.at*c.scale, c.to), true
}

// begin goes to the first request of the next piece.
func (c *counted) begin() bool {
	expected, ok := c.piece()
	if !ok {
		return false
	}
	c.from, c.to = c.to, c.to+expected
	whole, rest := math.Modf(expected + c.rest)
	if expected <= 0 || whole == 0 {
		c.rest += expected
		return true
	}
	c.left, c.rest = int(whole), rest
	gap := c.random.StandardGamma(c.burstiness + 1)
	c.at = gap * c.random.Float64()
	// The same gaps are drawn twice, for their sum and then to be given, so nothing holds them all.
	total, again := gap, c.random.Clone()
	for range c.left - 1 {
		total += again.StandardGamma(c.burstiness)
	}
	c.scale = expected / total
	return true
}
