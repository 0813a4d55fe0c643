package section

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atFaults, faults) }

const maxFaultName = 60 // letters: a command may be long

// faults is what was done to the servers on purpose, and what users felt of it.
func faults(run *Run) *Section {
	r := run.Result.Recovery
	if r == nil {
		return nil
	}
	t := &table.Table{Title: "What was done to the servers on purpose, and what users felt of it; seconds", Brief: maxOnConsole, Columns: slices.Concat(
		table.Numbers(hundredths, "at"), table.Words("fault", "recovered after"), table.Numbers(hundredths, "first failure"), wide(hundredths, "last failure"),
		table.Numbers(number.Count, "lost"), table.Hide(table.OnConsole, table.Words("lost by outcome")...), wide(number.Count, "in flight", "of these lost", "tokens lost", "failures in a second at most", "only by a retry"),
		wide(number.Rate, "tok/s meanwhile"),
	)}
	facts := &table.Table{}
	unknown := map[string]string{} // signals that say nothing, and why: of all faults the same
	for i := range r.Episodes {
		e := &r.Episodes[i]
		for k := range e.Faults {
			f := &e.Faults[k]
			if k > 0 { // one episode: what was felt stands beside its first
				t.Add(f.At, FaultName(f), "part of the above", "", "", "", "", "", "", "", "", "", "")
				continue
			}
			t.Add(f.At, FaultName(f), RecoveredWords(e), e.FirstFailure, e.LastFailure, e.Lost, lostWords(e), e.InFlight, e.InFlightLost, e.LostTokens, e.PeakFailures, e.Retried, e.Tokens)
		}
		facts.Fact(fmt.Sprintf("Of the fault at %s s", hundredths(e.Faults[0].At)), signalWords(e))
		for k := range e.Signals {
			if s := &e.Signals[k]; s.Unknown != "" {
				unknown[s.Words()] = s.Unknown
			}
		}
	}
	for i := range r.NotDone {
		f := &r.NotDone[i]
		facts.Fact("Not done", fmt.Sprintf("%s at %s s: %s", FaultName(f), hundredths(f.At), outside.Sentence(f.Error)))
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		facts.Fact("Not known of "+name, unknown[name])
	}
	beforeFaults(facts, r)
	return &Section{ID: "faults", Title: faultsTitle(r.Faults()), Tables: []*table.Table{t, facts}}
}

// beforeFaults says what was normal, and how long a server must be given to end what it has.
func beforeFaults(facts *table.Table, r *recovery.Recovery) {
	if r.Unknown != "" {
		facts.Fact("Recovery", "not known: "+r.Unknown)
	}
	b := &r.Before
	if b.Requests == 0 {
		return
	}
	text := fmt.Sprintf("%d requests in %s s, %d failed", b.Requests, hundredths(b.Seconds), b.Failed)
	if b.TTFT != nil {
		text += fmt.Sprintf(", p99 TTFT %s ms", number.Millis(*b.TTFT))
	}
	if b.Tokens != nil && *b.Tokens > 0 {
		text += fmt.Sprintf(", %s tok/s", number.Rate(*b.Tokens))
	}
	facts.Fact("Before", fmt.Sprintf("%s; within %s of that is recovered", text, number.Share(r.Within)))
	if b.Longest == nil {
		return
	}
	text = fmt.Sprintf("the longest of %d answers was in flight for %s s", b.Requests-b.Failed, hundredths(*b.Longest))
	if b.P999 != nil {
		text = fmt.Sprintf("p99.9 of the time that answers were in flight is %s s, the longest %s s", hundredths(*b.P999), hundredths(*b.Longest))
	}
	facts.Fact("Grace that a drain needs", text)
}

func faultsTitle(n int) string {
	if n == 1 {
		return "1 fault on purpose"
	}
	return fmt.Sprintf("%d faults on purpose", n)
}

// hundredths are those of a second: a fault is no more exact.
func hundredths(v float64) string { return number.Fixed(v, 2) }

// FaultName is what was done, to whom, and how.
func FaultName(f *recovery.Fault) string {
	words := f.Do
	for _, more := range []string{f.On, f.Detail} {
		if more != "" {
			words += " " + more
		}
	}
	return outside.Line(words, maxFaultName)
}

// RecoveredWords say when users were served as before.
func RecoveredWords(e *recovery.Episode) string {
	switch e.State {
	case recovery.Recovered:
		text := hundredths(*e.Seconds)
		if e.SinceLast != nil {
			text += fmt.Sprintf(" (%s after the last fault)", hundredths(*e.SinceLast))
		}
		return text
	case recovery.Cut:
		return fmt.Sprintf("not within the run (> %s)", hundredths(*e.AtLeast))
	case recovery.NoEffect:
		if e.Lost > 0 {
			return "no effect seen on others"
		}
		return "no effect seen"
	}
	return number.Unknown
}

func lostWords(e *recovery.Episode) string {
	if e.Lost == 0 {
		return number.None
	}
	words := make([]string, len(e.Outcomes))
	for i, o := range e.Outcomes {
		words[i] = fmt.Sprintf("%d %s", o.Count, o.Outcome)
	}
	return strings.Join(words, ", ")
}

// signalWords say which signal was back when; those of which nothing was seen are left out.
func signalWords(e *recovery.Episode) string {
	var words []string
	for i := range e.Signals {
		switch s := &e.Signals[i]; s.State {
		case recovery.Recovered:
			words = append(words, s.Words()+" back after "+hundredths(*s.Seconds)+" s")
		case recovery.Cut:
			words = append(words, s.Words()+" "+string(s.State))
		}
	}
	return strings.Join(words, "; ")
}

// FaultsWords are all faults in a line: the recovery that took longest, and what was lost.
func FaultsWords(r *recovery.Recovery) string {
	if len(r.Episodes) == 0 {
		return fmt.Sprintf("none of %d was made: %s", len(r.NotDone), outside.Line(r.NotDone[0].Error, maxFaultName))
	}
	worst := slices.MaxFunc(r.Episodes, func(a, b recovery.Episode) int { return cmp.Compare(rank(&a), rank(&b)) })
	words := RecoveredWords(&worst)
	switch worst.State {
	case recovery.Recovered:
		words = "recovered after " + number.Short(*worst.Seconds) + " s"
	case recovery.NotKnown:
		words = "recovery is not known"
	}
	words = FaultName(&worst.Faults[0]) + ": " + words
	if n := r.Faults(); n > 1 {
		words = fmt.Sprintf("%d, the worst %s", n, words)
	}
	lost, tokens := r.Lost()
	return fmt.Sprintf("%s; requests lost: %d (%d tokens had come)", words, lost, tokens)
}

// rank orders episodes by how bad they were, in milliseconds.
func rank(e *recovery.Episode) float64 {
	switch {
	case e.AtLeast != nil:
		return 1e12 + *e.AtLeast*1000
	case e.Seconds != nil:
		return *e.Seconds*1000 + float64(e.Lost)/1000
	}
	return 1e11
}
