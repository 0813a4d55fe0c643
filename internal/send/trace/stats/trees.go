package stats

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// Trees are the jobs of a trace. Those without times are in no number of times.
type Trees struct {
	Count    int     `json:"count"`
	Untimed  int     `json:"untimed"`        // trees of which nobody knows how long answers took
	Empty    int     `json:"empty"`          // trees without a request that can be sent, which are not in count
	Cut      int     `json:"cut"`            // turns with more block ids than blocks
	Turns    Lengths `json:"turns"`          // of a tree
	Branches []Kind  `json:"branches"`       // by kind, the most frequent first
	Depth    Lengths `json:"depth"`          // of a tree: 1 where the root spawns nobody
	Spawned  Lengths `json:"spawned"`        // branches that a turn spawns, of turns that spawn any
	Pauses   Lengths `json:"pause_ms"`       // before a turn, since the last end that it waited for
	Job      Lengths `json:"job_ms"`         // from a tree's first turn to its last end
	Model    float64 `json:"critical_model"` // share of that time in which the critical path waited for answers
	InFlight Lengths `json:"in_flight"`      // most requests of a tree at once
}

// Kind counts the branches of one kind.
type Kind struct {
	Kind     string `json:"kind"`
	Branches int    `json:"branches"`
	Turns    int    `json:"turns"`
}

// jobs collects what is said of trees.
type jobs struct {
	Trees
	turns, depth, spawned, pauses, job, inFlight lengths
	kinds                                        map[string]*Kind
	model, all                                   time.Duration // of critical paths
}

func newJobs() *jobs {
	return &jobs{turns: lengths{}, depth: lengths{}, spawned: lengths{}, pauses: lengths{}, job: lengths{}, inFlight: lengths{}, kinds: map[string]*Kind{}}
}

// maxKinds bounds what is kept of names from outside; others are counted as one.
const maxKinds = 1000

func (j *jobs) add(t *tree.Tree) {
	j.Count++
	j.turns.add(len(t.Turns))
	kinds := make([]*Kind, len(t.Branches))
	for i, b := range t.Branches {
		kinds[i] = j.kind(b.Kind)
		kinds[i].Branches++
	}
	j.depth.add(depth(t))
	spawned := map[int]int{} // by turn
	for i := range t.Turns {
		u := &t.Turns[i]
		kinds[u.Branch].Turns++
		if len(u.Parents) == 0 {
			continue
		}
		pause := u.Parents[0].Pause
		for _, p := range u.Parents {
			pause = min(pause, p.Pause)
			if p.Edge == tree.Spawn {
				spawned[p.Turn]++
			}
		}
		j.pauses.add(milliseconds(pause))
	}
	for _, n := range spawned {
		j.spawned.add(n)
	}
	j.Cut += t.Cut
	if t.Untimed || !slices.ContainsFunc(t.Turns, func(u tree.Turn) bool { return u.Took > 0 }) {
		j.Untimed++
		return
	}
	model, all := critical(t)
	j.model, j.all = j.model+model, j.all+all
	j.job.add(milliseconds(all))
	j.inFlight.add(peak(t))
}

func milliseconds(d time.Duration) int { return int(d.Round(time.Millisecond) / time.Millisecond) }

func (j *jobs) kind(name string) *Kind {
	k := j.kinds[name]
	if k == nil {
		if len(j.kinds) >= maxKinds {
			name = "others"
		}
		if k = j.kinds[name]; k == nil {
			k = &Kind{Kind: name}
			j.kinds[name] = k
		}
	}
	return k
}

func (j *jobs) summary() *Trees {
	t := &j.Trees
	t.Turns, t.Depth, t.Spawned, t.Pauses = j.turns.summary(), j.depth.summary(), j.spawned.summary(), j.pauses.summary()
	t.Job, t.InFlight = j.job.summary(), j.inFlight.summary()
	if j.all > 0 {
		t.Model = float64(j.model) / float64(j.all)
	}
	for _, k := range slices.SortedFunc(maps.Values(j.kinds), func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(b.Branches, a.Branches), cmp.Compare(a.Kind, b.Kind))
	}) {
		t.Branches = append(t.Branches, *k)
	}
	return t
}

// depth is how far the deepest branch is below the root.
func depth(t *tree.Tree) int {
	most := 1
	depths := make([]int, len(t.Branches))
	for i, b := range t.Branches {
		depths[i] = 1
		if b.Parent >= 0 && b.Parent < i { // who spawns stands before who is spawned
			depths[i] = depths[b.Parent] + 1
		}
		most = max(most, depths[i])
	}
	return most
}

// critical goes back from the last end along the turns that were waited for. All is the time of the whole job, and
// model what of it were answers; the rest are pauses and tools.
func critical(t *tree.Tree) (model, all time.Duration) {
	last := 0
	for i := range t.Turns {
		if end(&t.Turns[i]) >= end(&t.Turns[last]) {
			last = i
		}
	}
	u := &t.Turns[last]
	model, all = u.Took, end(u)
	for len(u.Parents) > 0 {
		by := u.Parents[0]
		for _, p := range u.Parents[1:] {
			if waited(t, p) > waited(t, by) {
				by = p
			}
		}
		p := &t.Turns[by.Turn]
		model += max(min(end(p), u.At)-p.At, 0)
		u = p
	}
	return model, all
}

func end(u *tree.Turn) time.Duration { return u.At + u.Took }

// waited is the moment that a parent let go.
func waited(t *tree.Tree, p tree.Parent) time.Duration {
	if u := &t.Turns[p.Turn]; !p.Sent {
		return end(u)
	}
	return t.Turns[p.Turn].At
}

// peak is the most requests at once.
func peak(t *tree.Tree) (most int) {
	starts, ends := make([]time.Duration, len(t.Turns)), make([]time.Duration, len(t.Turns))
	for i := range t.Turns {
		starts[i], ends[i] = t.Turns[i].At, end(&t.Turns[i])
	}
	slices.Sort(starts)
	slices.Sort(ends)
	done := 0
	for i, at := range starts {
		for done < len(ends) && ends[done] <= at && done < i {
			done++
		}
		most = max(most, i+1-done)
	}
	return most
}

// hits are the sums of [tree.Tree.Hits] over all trees.
type hits struct {
	history           bool // each prompt begins with the one before it on its branch, whatever its blocks are
	blocks, hit       int64
	block             int
	tokens, hitTokens int64
	grown             growth // of trees without blocks
}

func (h *hits) add(t *tree.Tree) {
	if t.Block == 0 || h.history {
		h.grow(t)
		return
	}
	h.block = max(h.block, t.Block)
	known, all := t.Hits()
	for i := range t.Turns {
		n, input := int(known[i]), t.Turns[i].Input
		h.blocks, h.hit = h.blocks+int64(all[i]), h.hit+int64(n)
		h.tokens, h.hitTokens = h.tokens+int64(input), h.hitTokens+int64(min(n*t.Block, input))
	}
}

// grow takes it from the history that a turn has that its prompt begins with the one before.
func (h *hits) grow(t *tree.Tree) {
	for i := range t.Turns {
		u := &t.Turns[i]
		h.grown.all += int64(u.Input)
		for _, p := range u.Parents {
			if p.History == tree.Full || h.history && p.Edge == tree.Next {
				h.grown.hit += int64(min(t.Turns[p.Turn].Input, u.Input))
				break
			}
		}
	}
}

// summary is nil where nothing is known.
func (h *hits) summary() *Cache {
	switch {
	case h.blocks > 0:
		c := &Cache{Block: h.block, Blocks: h.blocks, Sampled: 1, BlockShare: float64(h.hit) / float64(h.blocks), ByTree: true}
		if h.tokens > 0 {
			c.TokenShare = float64(h.hitTokens) / float64(h.tokens)
		}
		return c
	case h.grown.all > 0:
		return h.grown.summary()
	}
	return nil
}

// readTrees goes through the trees of a trace. Where these are all that there is, so are their turns.
func (s *Stats) readTrees(trees trace.Trees, f *trace.Format) error {
	j, h := newJobs(), &hits{history: f.History}
	input, output := lengths{}, lengths{}
	turns, noInput, noOutput := 0, 0, 0
	for i := range trees.Len() {
		t, err := trees.Tree(i)
		if errors.Is(err, trace.ErrNoRequest) {
			j.Empty++
			continue
		}
		if err != nil {
			return err
		}
		j.add(t)
		h.add(t)
		turns += len(t.Turns)
		for k := range t.Turns {
			addKnown(input, t.Turns[k].Input, &noInput)
			addKnown(output, t.Turns[k].Output, &noOutput)
		}
	}
	s.Trees = j.summary()
	if f.OfTrees() {
		s.Rows, s.NoInput, s.NoOutput = turns, noInput, noOutput
		s.Input, s.Output, s.Cache = input.known(), output.known(), h.summary()
	}
	return nil
}

// addKnown counts a length, of which 0 is unknown.
func addKnown(to lengths, n int, unknown *int) {
	if n == 0 {
		*unknown++
		return
	}
	to.add(n)
}
