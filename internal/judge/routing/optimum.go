package routing

import (
	"math"
	"slices"
)

// Optimum is what routers could have had the caches find of this workload, in the order in which it was sent, in prompt tokens.
// The caches begin empty.
type Optimum struct {
	Of int64 `json:"of"` // prompt tokens of the requests that Hits are of
	// Unlimited is what a cache without bounds has that all replicas share: each beginning is computed once.
	Unlimited int64 `json:"unlimited"`
	// Bound is what no router can pass: the one cache has the room of all replicas together, and knows what comes (Belady's rule, block
	// by block). Without known sizes it is Unlimited.
	Bound int64 `json:"bound"`
	// Reachable is what a router reaches here that knows all caches exactly and keeps each replica within 1.25 times the mean load, with
	// caches that drop what was not used for longest. Nil: it is not known who shares with whom, or how many replicas there are, or they are too many.
	Reachable *int64 `json:"reachable,omitempty"`

	WorkingSet int64 `json:"working_set,omitempty"` // tokens that prompts share, each once, and the longest prompt; 0: not known
	Smallest   int64 `json:"smallest,omitempty"`    // tokens that the smallest of the caches holds; 0: not known
	Together   int64 `json:"together,omitempty"`    // tokens that all caches hold; 0: not known
}

// maxTried bounds the time that Reachable takes, requests times replicas: half a minute.
const maxTried = 1 << 27

// optimum computes it; nil: what prompts share is not known.
func (c *Collector) optimum() *Optimum {
	f := &c.facts
	size := int64(max(f.BlockSize, 1))
	plays, known := c.plays(int32(size))
	if !known {
		return nil
	}
	o := &Optimum{}
	sizes := capacities(f.Replicas)
	for _, n := range sizes {
		o.Together += n * size
	}
	if len(sizes) > 0 {
		o.Smallest = slices.Min(sizes) * size
	}
	if plays.whose {
		o.WorkingSet = plays.workingSet()*size + int64(f.LongestPrompt)
	}
	unlimited := plays.best(math.MaxInt64)
	bound := unlimited
	if o.Together > 0 && plays.whose {
		bound = plays.best(o.Together / size)
	}
	var reached []int32
	if plays.whose && len(f.Replicas) > 0 && len(c.list)*len(f.Replicas) <= maxTried {
		reached, o.Reachable = plays.reach(len(f.Replicas), sizes), new(int64)
	}
	f.Warm = plays.warm(c.list, unlimited, size)
	first := slices.IndexFunc(c.list, func(n request) bool { return n.measured })
	for i := range c.list {
		n := &c.list[i]
		if !n.measured || n.failed || n.cached < 0 && f.Hits.By == ByAnswers {
			continue
		}
		o.Of += int64(n.prompt)
		o.Unlimited += int64(unlimited[i]) * size
		o.Bound += int64(bound[i]) * size
		if len(f.Course) > 0 {
			f.Course[f.slotOf(n.sent-c.list[first].sent)].Bound += int64(bound[i]) * size
		}
		if reached != nil {
			*o.Reachable += int64(reached[i]) * size
		}
	}
	return o
}

// No cache is larger than these, whatever it says.
const (
	maxBlock  = 1 << 16
	maxBlocks = 1 << 32
)

// blockSize is that of the replicas' caches; 0: not all say, or they differ.
func blockSize(list []Replica) (size int) {
	for i := range list {
		c := list[i].Cache
		if c == nil || c.BlockSize <= 0 || c.BlockSize > maxBlock || size != 0 && size != c.BlockSize {
			return 0
		}
		size = c.BlockSize
	}
	return size
}

// capacities are the blocks of each replica's cache; nil: not all are known.
func capacities(list []Replica) (sizes []int64) {
	for i := range list {
		if list[i].Cache == nil || list[i].Cache.Blocks <= 0 {
			return nil
		}
		sizes = append(sizes, int64(min(list[i].Cache.Blocks, maxBlocks)))
	}
	return sizes
}
