package scrape

import "time"

// Patience decides how often a server is asked. One that takes long to answer, has much to say
// or fails, is asked half as often after some times in a row, down to once a minute: what it does
// for us it does not do for the load, and nor do we.
type Patience struct {
	every time.Duration
	slow  int // in a row
}

const (
	mostSlow = 3
	mostLate = time.Minute
	mostRate = 512 << 10 // bytes per second; vLLM has a tenth of that
)

// NewPatience asks so often while all is well.
func NewPatience(every time.Duration) *Patience { return &Patience{every: every} }

// Every is how often to ask now.
func (p *Patience) Every() time.Duration { return p.every }

// After is told how long an answer took, how long it was, and whether there was one. It says
// whether the server is asked less often from now on.
func (p *Patience) After(took time.Duration, bytes int, failed bool) (less bool) {
	if !failed && took < p.tolerable() && float64(bytes) <= mostRate*p.every.Seconds() {
		p.slow = 0
		return false
	}
	if p.slow++; p.slow < mostSlow || p.every >= mostLate {
		return false
	}
	p.slow = 0
	p.every = min(2*p.every, mostLate)
	return true
}

// tolerable is a quarter of the time between two questions.
func (p *Patience) tolerable() time.Duration { return p.every / 4 }
