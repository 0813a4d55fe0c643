// Package rules holds a run against the rules by which others publish results of agents: AgentX as AIPerf has it,
// InferenceX, MLPerf. A rule is one row of a table with its source. It is met, broken, or not known, and says by which
// figure. It is a pure function of the journal.
package rules

import (
	"github.com/inferometer/inferometer/internal/journal"
)

// State is what became of a rule.
type State string

// The states of a rule.
const (
	Met     State = "met"
	Broken  State = "broken"
	Unknown State = "not known" // the journal does not tell
)

// Set is the rules of one publisher.
type Set struct {
	Name, Title string
	Rules       []Rule
}

// Rule is one of them.
type Rule struct {
	Name   string // as in submission_invalid_reasons
	Text   string // what is asked for
	Source string // where it stands
	After  bool   // it is about what happened: before the end it says nothing
	judge  func(*Facts) (State, string)
}

// Facts are what rules look at. What was counted is valid only at the end.
type Facts struct {
	Run *journal.Run

	// Requests that were measured and came to an end of their own: those that the end of the run cut are none.
	Requests, Completed int
	Overflow            int // whose prompts did not fit into the model's context
	Failed              int // in any other way
	Counted             int // successes whose tokens the server counted, in and out
	Output              int64
	Conversations       int    // that were begun
	Interrupted         string // why the run ended early
	Drafts              bool   // the server decoded speculatively

	settings settings
}

// Finding is what became of one rule.
type Finding struct {
	Rule   string `json:"rule"`
	State  State  `json:"state"`
	Figure string `json:"figure"`
	Text   string `json:"text"`
	Source string `json:"source"`
}

// Judgement is what became of all. Valid says that each is met; Reasons name those that are not.
type Judgement struct {
	Rules    string    `json:"rules"`
	Valid    bool      `json:"submission_valid"`
	Reasons  []string  `json:"submission_invalid_reasons"`
	Findings []Finding `json:"findings"`
}

// Sets are all that there are.
func Sets() []Set { return []Set{agentX(), inferenceX(), mlperf()} }

// Find is a set by its name; false: there is none.
func Find(name string) (Set, bool) {
	for _, s := range Sets() {
		if s.Name == name {
			return s, true
		}
	}
	return Set{}, false
}

// Judge holds a run that has ended against a set by its name; nil: there is none of that name.
func Judge(name string, f Facts) *Judgement { return judge(name, f, true) }

// Before holds what a run is asked to do against a set, before it is done: what can't be told yet is left out.
func Before(name string, run *journal.Run) *Judgement { return judge(name, Facts{Run: run}, false) }

func judge(name string, f Facts, ended bool) *Judgement {
	s, ok := Find(name)
	if !ok {
		return nil
	}
	f.settings = settingsOf(f.Run)
	j := &Judgement{Rules: s.Name, Reasons: []string{}}
	for _, r := range s.Rules {
		if r.After && !ended {
			continue
		}
		state, figure := r.judge(&f)
		j.Findings = append(j.Findings, Finding{r.Name, state, figure, r.Text, r.Source})
		switch state {
		case Broken:
			j.Reasons = append(j.Reasons, r.Name)
		case Unknown:
			j.Reasons = append(j.Reasons, r.Name+" (not known)")
		}
	}
	j.Valid = len(j.Reasons) == 0
	return j
}

// Worst is the first finding that is broken, or else not known; nil: all are met.
func (j *Judgement) Worst() *Finding {
	for _, state := range []State{Broken, Unknown} {
		for i := range j.Findings {
			if j.Findings[i].State == state {
				return &j.Findings[i]
			}
		}
	}
	return nil
}

// met is Met or Broken.
func met(ok bool) State {
	if ok {
		return Met
	}
	return Broken
}
