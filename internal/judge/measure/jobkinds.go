package measure

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// JobKind are the turns of agents of one kind.
type JobKind struct {
	Kind             string
	Branches         int // agents
	Turns, Completed int
	TTFT, TPOT, E2EL GroupLatency
	Output           int64   // tokens
	Cached           Cached  // of their prompts
	OnPath           float64 // share of the time of all jobs that lay with its turns, 0 to 1: their pauses, and the server's time for them
	Lateness         *sample.Spread
}

// kindSums is what is kept of the turns of one kind of agent.
type kindSums struct {
	branches, turns, completed int
	ttft, tpot, e2el, late     *sample.Sample
	output                     int64
	cached                     Cached
	onPath                     int64
}

// byKind adds the turns of a job to those of their kinds.
func (t *jobs) byKind(c *journal.Conversation, one *openJob, path []job.Step) {
	of := func(branch int) *kindSums {
		kind := "root"
		if branch < len(c.Branches) && c.Branches[branch].Kind != "" {
			kind = c.Branches[branch].Kind
		} else if branch > 0 {
			kind = "subagent"
		}
		return t.kind(kind)
	}
	seen := map[int]bool{}
	for i := range one.turns {
		turn := &one.turns[i]
		k := of(turn.Branch)
		if !seen[turn.Branch] {
			seen[turn.Branch] = true
			k.branches++
		}
		k.add(turn, t.lateness(turn.Due, turn.Released, turn.Sent))
	}
	for i := range path {
		of(path[i].Turn.Branch).onPath += path[i].Time()
	}
}

// otherKinds are all beyond the bound.
const otherKinds = "others"

func (t *jobs) kind(name string) *kindSums {
	k := t.kinds[name]
	if k == nil && len(t.kinds) >= maxKinds {
		name = otherKinds
		k = t.kinds[name]
	}
	if k == nil {
		sample := func() *sample.Sample { return &sample.Sample{Limit: groupExact, Bits: groupBits} }
		k = &kindSums{ttft: sample(), tpot: sample(), e2el: sample(), late: sample()}
		t.kinds[name] = k
	}
	return k
}

func (k *kindSums) add(t *job.Turn, late int64) {
	k.turns++
	k.late.Add(seconds(late))
	if !t.OK {
		return
	}
	k.completed++
	k.output += int64(t.Output)
	k.e2el.Add(seconds(t.End - t.Sent))
	if t.First >= 0 {
		k.ttft.Add(seconds(t.First - t.Sent))
		if t.Output > 1 {
			k.tpot.Add(seconds(t.End-t.First) / float64(t.Output-1))
		}
	}
	k.cached.add(&row.Row{Counted: t.Input, Cached: t.Cached})
}

func (t *jobs) kindResults(percentiles []float64) (list []JobKind) {
	latency := func(s *sample.Sample) GroupLatency { return GroupLatency{summarize(s), askedBeyond(s, percentiles)} }
	whole := t.path.Time()
	for kind, k := range t.kinds {
		list = append(list, JobKind{
			Kind: kind, Branches: k.branches, Turns: k.turns, Completed: k.completed,
			TTFT: latency(k.ttft), TPOT: latency(k.tpot), E2EL: latency(k.e2el), Output: k.output, Cached: k.cached,
			OnPath: ratio(k.onPath, whole), Lateness: k.late.Spread(),
		})
	}
	slices.SortFunc(list, func(a, b JobKind) int {
		if (a.Kind == "root") != (b.Kind == "root") {
			if a.Kind == "root" {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Turns-a.Turns, cmp.Compare(a.Kind, b.Kind))
	})
	return list
}
