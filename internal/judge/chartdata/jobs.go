package chartdata

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// The bounds of what is kept of jobs, turn by turn: a picture shows no more.
const (
	MaxJobs  = 24
	maxTurns = 4000
	maxName  = 200 // bytes
)

// Job is one of the first jobs of a run, turn by turn. Times are seconds since the run's zero.
type Job struct {
	Number   int
	Trace    string // the recording that it was played from; empty: none
	Ended    bool   // its own line was in the journal
	Outcome  journal.ConversationOutcome
	Branches []JobBranch // the root's first
	Left     int         // turns that are not kept: they were too many

	begin int64
	turns []job.Turn
}

// JobBranch is one agent of a job.
type JobBranch struct {
	Name, Kind string
	Turns      []JobTurn
}

// JobTurn is one request. From is where its pause began.
type JobTurn struct {
	Turn                        int
	From, Due, Sent, First, End float64 // First is negative where no token came
	Tokens                      int
	OK                          bool
	Outcome                     journal.Outcome
	Critical                    bool // on the critical path of a job that has ended and is kept as a whole
	index                       int
}

// jobs keeps the first jobs. What ends first is not what began first: a job is one of the first by its number.
type jobs struct {
	list  map[int]*Job
	turns int
	total int
}

func newJobs() jobs { return jobs{list: map[int]*Job{}} }

func (j *jobs) add(r *row.Request) {
	if r.Conversation <= 0 {
		return
	}
	j.total = max(j.total, r.Conversation)
	if r.Conversation > MaxJobs || r.Branch > maxTurns || r.Branch < 0 {
		return
	}
	one := j.list[r.Conversation]
	if one == nil {
		one = &Job{Number: r.Conversation}
		j.list[r.Conversation] = one
	}
	if j.turns == maxTurns {
		one.Left++
		return
	}
	j.turns++
	for len(one.Branches) <= r.Branch {
		one.Branches = append(one.Branches, JobBranch{})
	}
	all, turn := newRow(r), job.NewTurn(r)
	one.turns = append(one.turns, turn)
	b := &one.Branches[r.Branch]
	b.Turns = append(b.Turns, JobTurn{
		Turn: r.Turn, From: seconds(turn.Due - turn.Pause), Due: all.Due, Sent: all.Sent, First: all.First, End: all.End,
		Tokens: all.Tokens, OK: all.OK, Outcome: r.Outcome, index: r.Index,
	})
}

// ended takes in the line of a conversation.
func (j *jobs) ended(c *journal.Conversation) {
	one := j.list[c.Number]
	if one == nil {
		return
	}
	one.Ended, one.begin, one.Outcome, one.Trace = true, c.Begin, c.Outcome, c.Trace[:min(len(c.Trace), maxName)]
	for i := range min(len(c.Branches), len(one.Branches)) {
		one.Branches[i].Name = c.Branches[i].Name[:min(len(c.Branches[i].Name), maxName)]
		one.Branches[i].Kind = c.Branches[i].Kind[:min(len(c.Branches[i].Kind), maxName)]
	}
}

// result are the jobs by their number, each with its critical path.
func (j *jobs) result() []Job {
	var list []Job
	for _, one := range j.list {
		one.mark()
		for i := range one.Branches {
			slices.SortFunc(one.Branches[i].Turns, func(a, b JobTurn) int { return cmp.Compare(a.Due, b.Due) })
		}
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Job) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// mark marks the critical path. It is not known where turns are missing.
func (j *Job) mark() {
	if !j.Ended || j.Left > 0 {
		return
	}
	on := map[int]bool{}
	for _, s := range job.Path(j.begin, j.turns, false) {
		on[s.Turn.Index] = true
	}
	for i := range j.Branches {
		for k := range j.Branches[i].Turns {
			t := &j.Branches[i].Turns[k]
			t.Critical = on[t.index]
		}
	}
}
