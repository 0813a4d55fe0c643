package measure

import (
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// Until watches a run and ends it when the intervals of its goals are narrow
// enough. It is a load.Watch, and as pure as the rest: it is shown requests.
//
// Whoever stops at the first narrow interval stops at a lucky one now and then. So
// there is a least number of requests, interim analyses are few (each at a tenth
// more requests than the one before, which also bounds their cost), and two in a row
// must agree.
type Until struct {
	goals   []condition.Clause // of condition.Width
	rules   row.Rules
	gapsToo bool

	mu   sync.Mutex
	rows []row.Row // only ever appended to, so that Judge can read without the lock
	gaps gapLog    // the same
	ok   int       // successes
	next int       // successes at the next interim analysis

	narrow bool // at the last interim analysis; Judge's own
}

// minUntil is the least number of successes that a run of Until has.
const minUntil = 100

// NewUntil watches a run with these options.
func NewUntil(run *journal.Options, goals []condition.Clause) *Until {
	u := &Until{goals: goals, rules: row.NewRules(run, run.Compat), next: minUntil, gaps: gapLog{limit: sample.ExactLimit}}
	for _, g := range goals {
		n, _ := g.Name()
		u.gapsToo = u.gapsToo || n.Metric.Scope == metric.PerGap
	}
	return u
}

// Ended takes in a request.
func (u *Until) Ended(req *journal.Request) bool {
	r, err := u.rules.Read(req)
	if err != nil || !r.OK {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.rows) == RowLimit { // what so many don't show, more would show too slowly
		return false
	}
	u.rows = append(u.rows, r)
	u.ok++
	if u.gapsToo {
		row.EachGap(req, func(at, gap int64, first bool) {
			if !first {
				u.gaps.add(r.Sent+at, gap)
			}
		})
	}
	return u.ok >= u.next
}

// Judge is an interim analysis of all so far.
func (u *Until) Judge() (stop string) {
	u.mu.Lock()
	e, n := evidence{u.rows, u.gaps}, u.ok
	u.next = n + max(n/10, minUntil/10)
	u.mu.Unlock()
	e.rows = bySent(e.rows)
	narrow := true
	for i := range u.goals {
		in := e.interval(&u.goals[i])
		narrow = narrow && u.goals[i].Holds(in.HalfWidth())
	}
	if narrow && u.narrow {
		return journal.UntilReached
	}
	u.narrow = narrow
	return ""
}

// UntilState is how a run with --until ended.
type UntilState struct {
	Asked   string      `json:"asked"`
	Reached bool        `json:"reached"`
	Goals   []GoalState `json:"goals"`
}

// GoalState is how narrow an interval was at the end of the run.
type GoalState struct {
	Goal      string   `json:"goal"`
	Within    float64  `json:"within"`
	HalfWidth *float64 `json:"half_width"` // nil: an end is missing
}

// until is nil where the run had no goal.
func (c *collector) until(r *Result) *UntilState {
	asked := c.run.Options.Until
	if asked == "" {
		return nil
	}
	s := &UntilState{Asked: asked, Reached: r.End != nil && r.End.Stopped == journal.UntilReached, Goals: []GoalState{}}
	goals, err := condition.Parse(asked, condition.Width)
	if err != nil || c.aggregates != nil { // of a newer version; more than were watched
		return s
	}
	e := c.evidence()
	for i := range goals {
		state := GoalState{Goal: goals[i].Typed, Within: goals[i].Limit}
		if in := e.interval(&goals[i]); in.Low != nil && in.High != nil {
			half := in.HalfWidth()
			state.HalfWidth = &half
		}
		s.Goals = append(s.Goals, state)
	}
	return s
}
