package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atAgents, agents) }

// maxOnConsole is how many agents or groups a console has room for. Files have all.
const maxOnConsole = 10

// agents is each client of a fleet by itself, how far they lie apart, and what became of the list.
func agents(run *Run) *Section {
	a := run.Result.Agents
	if a == nil {
		return nil
	}
	about := &table.Table{}
	about.Fact("Requests", accounting(a))
	t := &table.Table{Title: "Each agent by itself; latencies in ms", Brief: maxOnConsole, Columns: slices.Concat(
		table.Words("agent"), table.Hide(table.OnConsole, table.Words("labels", "share")...), table.Numbers(number.Count, "requests"), wide(number.Count, "completed", "failed", "lost", "unsent"),
		table.Numbers(number.Rate, "tok/s"), wide(number.Rate, "req/s"), partColumns(), wide(number.Millis, "began after, ms", "clock offset, ms", "± ms"), wide(number.Points, "CPU, %"), table.Hide(table.OnConsole, table.Words("gone")...),
	)}
	notes := &table.Table{Brief: maxOnConsole, Except: table.Files}
	for _, e := range badFirst(a.Each) {
		began, offset, within, cpu := math.NaN(), math.NaN(), math.NaN(), math.NaN()
		var words []string
		say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
		if e.Agent.Read {
			began = float64(e.Agent.SkewNs) / 1e6
			say("began %+.1f ms", began)
		}
		if e.Agent.OffsetErrorNs >= 0 {
			offset, within = float64(e.Agent.OffsetNs)/1e6, float64(e.Agent.OffsetErrorNs)/1e6
			say("clock ±%s ms", number.Millis(within))
		}
		if e.Cost != nil {
			cpu = e.Cost.CPUShare
			say("CPU %s", number.Share(cpu))
		}
		if e.Failed+e.Lost+e.Unsent > 0 {
			say("%s", outcomes(e.Outcomes))
		}
		name := e.Title
		if labels := e.Labels(); labels != "" {
			name += " (" + labels + ")"
		}
		if e.Agent.Gone != "" {
			say("gone: %s", e.Agent.Gone)
		}
		notes.Fact(name, strings.Join(words, ", "))
		t.Rows = append(t.Rows, slices.Concat(
			table.Row(table.Sentence(e.Title), e.Labels(), e.Agent.Share, e.Requests, e.Completed, e.Failed, e.Lost, e.Unsent, e.OutputThroughput, e.RequestThroughput),
			partCells(&e.TTFT, &e.TPOT, &e.E2EL), table.Row(began, offset, within, cpu, table.Sentence(e.Agent.Gone)),
		))
	}
	if a.StartSpread != nil {
		about.Fact("Began within", number.Fixed(*a.StartSpread, 1)+" ms")
	}
	about.Fact("Skew, max/min", skew(&a.Skew))
	return &Section{ID: "agents", Title: fmt.Sprintf("Fleet of %d agents", len(a.Each)), Tables: []*table.Table{about, t, notes}}
}

// badFirst puts those that lack something before all others: a console has no room for all.
func badFirst(each []measure.AgentResult) []measure.AgentResult {
	if len(each) <= maxOnConsole {
		return each
	}
	lacks := func(e *measure.AgentResult) bool {
		return e.Failed+e.Lost+e.Unsent+e.Refused > 0 || e.Agent.Gone != ""
	}
	var bad, good []measure.AgentResult
	for i := range each {
		if lacks(&each[i]) {
			bad = append(bad, each[i])
		} else {
			good = append(good, each[i])
		}
	}
	return append(bad, good...)
}

// accounting is what became of the requests of a fleet's list, in words.
func accounting(a *measure.Agents) string {
	sum := a.Completed + a.Failed + a.HungUp + a.Lost + a.Unsent + a.Skipped
	planned := a.Planned
	if planned == 0 {
		planned = sum // the list had no end that was known before
	}
	words := fmt.Sprintf("%d planned = %d complete + %d failed + %d lost + %d unsent", planned, a.Completed, a.Failed, a.Lost, a.Unsent)
	if a.HungUp > 0 {
		words += fmt.Sprintf(" + %d hung up", a.HungUp)
	}
	if a.Skipped > 0 {
		words += fmt.Sprintf(" + %d turns skipped", a.Skipped)
	}
	if sum != planned {
		words += fmt.Sprintf(": %d are not accounted for", planned-sum)
	}
	return words
}
