package replica

import "github.com/inferometer/inferometer/internal/journal"

// Affinity is whether requests that belong together went to the same replica: the turns of a conversation, and prompts that
// begin with the same prefix of the workload. Only requests of which both replicas are known count.
type Affinity struct {
	Turns     int `json:"turns"`      // that follow another one of their conversation
	Kept      int `json:"kept"`       // of these: on the replica of the turn before
	KeptFirst int `json:"kept_first"` // on that of the conversation's first turn

	Prefixed  int `json:"prefixed"`         // prompts whose prefix others have too
	Elsewhere int `json:"prefix_elsewhere"` // of these: not on the replica that has most of the prefix's requests
	Prefixes  int `json:"prefixes"`
	Copies    int `json:"prefix_copies"` // replicas that saw a prefix, over all prefixes: as many caches hold it

	Dropped int `json:"not_followed,omitempty"` // requests beyond what is kept in memory

	// Chance is the share of turns that a router keeps on their replica without looking: the sum of the squares of the replicas' shares.
	Chance *float64 `json:"kept_by_chance"`
}

// Share is that of the turns that stayed on their replica; nil: there were none.
func (a *Affinity) Share() *float64 {
	if a == nil || a.Turns == 0 {
		return nil
	}
	return new(float64(a.Kept) / float64(a.Turns))
}

// FirstShare is that of the turns on the replica of the first one; nil: there were none.
func (a *Affinity) FirstShare() *float64 {
	if a == nil || a.Turns == 0 {
		return nil
	}
	return new(float64(a.KeptFirst) / float64(a.Turns))
}

// ElsewhereShare is that of the prompts that were not where most of their prefix are; nil: there were none.
func (a *Affinity) ElsewhereShare() *float64 {
	if a == nil || a.Prefixed == 0 {
		return nil
	}
	return new(float64(a.Elsewhere) / float64(a.Prefixed))
}

// Followed takes in requests in the order in which they ended: a turn ends before the next of its branch is sent.
type Followed struct {
	result Affinity
	turns  map[branch]int16 // where the last turn of each open branch went
	starts map[int]int16    // where each open conversation began
	seen   map[place]int32  // requests of a prefix on a replica
}

type branch struct{ conversation, number int }

type place struct {
	prefix  int32
	replica int16
}

// maxFollowed bounds the memory: some 20 MB. A journal may have more conversations open, or more prefixes.
const maxFollowed = 1 << 18

// NewFollowed begins.
func NewFollowed() *Followed {
	return &Followed{turns: map[branch]int16{}, starts: map[int]int16{}, seen: map[place]int32{}}
}

// Add takes in a request that went to a replica, by its number.
func (f *Followed) Add(r *journal.Request, replica int) {
	if r.Conversation > 0 {
		f.turn(r, replica)
	}
	if r.Prefix > 0 && replica >= 0 {
		at := place{int32(r.Prefix), int16(replica)}
		if f.seen[at] == 0 && len(f.seen) >= maxFollowed {
			f.result.Dropped++
			return
		}
		f.seen[at]++
	}
}

// turn: where nobody said who answered, neither this turn nor the next says anything of affinity.
func (f *Followed) turn(r *journal.Request, replica int) {
	at := branch{r.Conversation, r.Branch}
	before, follows := f.turns[at]
	first, begun := f.starts[r.Conversation]
	if replica < 0 {
		delete(f.turns, at)
		return
	}
	now := int16(replica)
	if follows {
		f.result.Turns++
		if before == now {
			f.result.Kept++
		}
		if begun && first == now {
			f.result.KeptFirst++
		}
	} else if len(f.turns) >= maxFollowed || len(f.starts) >= maxFollowed {
		f.result.Dropped++
		return
	}
	f.turns[at] = now
	if !begun && r.Turn <= 1 {
		f.starts[r.Conversation] = now
	}
}

// Ended forgets a conversation.
func (f *Followed) Ended(end *journal.Conversation) {
	delete(f.starts, end.Number)
	for i := range max(len(end.Branches), 1) {
		delete(f.turns, branch{end.Number, i})
	}
}

// Result is nil where no requests belong together. shares are those of the replicas.
func (f *Followed) Result(shares []float64) *Affinity {
	f.prefixes()
	a := f.result
	if a.Turns == 0 && a.Prefixed == 0 {
		return nil
	}
	if len(shares) > 0 {
		a.Chance = new(0.0)
		for _, s := range shares {
			*a.Chance += s * s
		}
	}
	return &a
}

// prefixes sums up over those that more than one request has.
func (f *Followed) prefixes() {
	type group struct{ all, most, copies int32 }
	groups := map[int32]*group{}
	for at, n := range f.seen {
		g := groups[at.prefix]
		if g == nil {
			g = &group{}
			groups[at.prefix] = g
		}
		g.all, g.most, g.copies = g.all+n, max(g.most, n), g.copies+1
	}
	a := &f.result
	a.Prefixed, a.Elsewhere, a.Prefixes, a.Copies = 0, 0, 0, 0
	for _, g := range groups {
		if g.all < 2 {
			continue
		}
		a.Prefixed, a.Elsewhere = a.Prefixed+int(g.all), a.Elsewhere+int(g.all-g.most)
		a.Prefixes, a.Copies = a.Prefixes+1, a.Copies+int(g.copies)
	}
}
