package selftest

import (
	"math"
	"slices"
	"time"
)

// Load is one step of a ladder: requests arrive evenly, and each is a stream of Tokens
// tokens, one per ITL. Streams of them are open at once.
type Load struct {
	Streams int
	ITL     time.Duration
	Tokens  int
	Hold    time.Duration // how long all streams are open: between the ramp and the drain
	Rounds  int
}

// length is how long a stream lasts.
func (l Load) length() time.Duration { return time.Duration(l.Tokens) * l.ITL }

// TokensPerS is the token rate while all streams are open.
func (l Load) TokensPerS() float64 { return float64(l.Streams) / l.ITL.Seconds() }

// RequestsPerS is the rate that keeps Streams open.
func (l Load) RequestsPerS() float64 { return float64(l.Streams) / l.length().Seconds() }

// Requests of one round. Below three there is nothing to compare.
func (l Load) Requests() int {
	return max(int(math.Ceil(l.RequestsPerS()*(l.length()+l.Hold).Seconds())), 3)
}

// Takes is how long one round takes: ramp, hold, drain, and starting two processes.
func (l Load) Takes() time.Duration { return 2*l.length() + l.Hold + 200*time.Millisecond }

// Quick is the ladder that fits into 20 seconds.
func Quick(maxStreams int) [][]Load {
	return [][]Load{rise(Load{ITL: 10 * time.Millisecond, Tokens: 50, Hold: 500 * time.Millisecond, Rounds: 2}, maxStreams, 10, 50, 200, 500, 1000)}
}

// Full is three ladders, which take about two minutes: streams at a usual speed, whose
// highest proven step is the claim; few fast streams; many slow ones.
func Full(maxStreams int) [][]Load {
	usual := Load{ITL: 10 * time.Millisecond, Tokens: 50, Hold: time.Second, Rounds: 3}
	quick := Load{ITL: 2 * time.Millisecond, Tokens: 250, Hold: time.Second, Rounds: 3}
	slow := Load{ITL: 100 * time.Millisecond, Tokens: 20, Hold: time.Second, Rounds: 2}
	return [][]Load{
		rise(usual, maxStreams, 10, 50, 100, 200, 500, 1000, 2000, 5000, 10000),
		rise(quick, maxStreams, 10, 20, 50, 100, 200),
		rise(slow, maxStreams, 500, 1000, 2000, 5000, 10000),
	}
}

// rise makes a ladder of one load. The user's own bound is its highest step.
func rise(l Load, maxStreams int, streams ...int) (loads []Load) {
	if maxStreams > 0 {
		last := streams[len(streams)-1]
		streams = slices.DeleteFunc(streams, func(n int) bool { return n >= maxStreams })
		if maxStreams <= last || len(streams) == 0 {
			streams = append(streams, maxStreams)
		}
	}
	for _, l.Streams = range streams {
		loads = append(loads, l)
	}
	return loads
}
