// Package hangup says which requests of a run their client ends on purpose, and when: people close a tab, programs give up.
package hangup

import "time"

// Plan is a share of the requests and the moment at which each of them is ended.
type Plan struct {
	Seed  int64
	Share float64 // 0 to 1
	// After is so long after the request was written. Tokens is when so many have come; 0: they don't count. Of both the first counts.
	After  time.Duration
	Timed  bool // After counts
	Tokens int
}

// At is when a request is ended on purpose; both 0: it is not. It depends on the seed and on the request's place in the workload
// alone, so that each client of a fleet, and a second run, draws the same.
func (p *Plan) At(index int) (after time.Duration, tokens int) {
	if p == nil || !p.drawn(index) {
		return 0, 0
	}
	if p.Timed {
		after = max(p.After, 1)
	}
	return after, p.Tokens
}

// drawn says whether a request is one of the share.
func (p *Plan) drawn(index int) bool {
	const bits = 53 // of a float64
	return float64(mix(mix(uint64(p.Seed)+salt)^uint64(index))>>(64-bits))/(1<<bits) < p.Share
}

// salt keeps these draws apart from others of the same seed.
const salt = 0x68616e672075700a

// mix is a step of SplitMix64: each bit of the result depends on each of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
