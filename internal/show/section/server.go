package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atServer, server) }

// server is what the servers say of themselves, where they say anything: all together, and each of several.
func server(run *Run) *Section {
	s := run.Result.Server
	if s == nil {
		return nil
	}
	name := cmp.Or(s.Kind, "The server")
	sec := &Section{ID: "server", Title: name + " by its own metrics"}
	if len(s.Each) > 0 {
		name, sec.Title = "All servers", fmt.Sprintf("%d servers by their own metrics", len(s.Each))
	}
	sec.Tables = serverTables(name, &s.Server, 0)
	few := &table.Table{Except: table.Files} // the little that tells servers apart
	for i := range s.Roles {
		sec.Tables = append(sec.Tables, serverTables(fmt.Sprintf("All servers for %s", s.Roles[i].Role), &s.Roles[i], table.OnConsole)...)
		few.Fact("For "+string(s.Roles[i].Role), factWords(&s.Roles[i], true))
	}
	for i := range s.Routers {
		few.Fact("The router", factWords(&s.Routers[i], false))
	}
	for i := range s.Each {
		if i == mostServers {
			few.Fact("More", fmt.Sprintf("%d servers; the JSON has them all", len(s.Each)-i))
			break
		}
		e := &s.Each[i]
		kind := cmp.Or(e.Kind, "metrics of no known kind")
		words := kind
		if apart := factWords(e, true); apart != "" {
			words += "; " + apart
		}
		one := serverName(run, e)
		few.Fact(one, words)
		sec.Tables = append(sec.Tables, serverTables(one+", "+kind, e, table.OnConsole)...)
	}
	notes := &table.Table{}
	notes.Fact("Note", strings.Join(s.Notes, "; "))
	if slices.ContainsFunc(histograms(&s.Server), func(h histogram) bool { return h.P50 != nil }) {
		notes.Notes = []string{"The server's own times are counts between bounds: a percentile lies between the two in brackets (≤: below the first bound), and ≈ is where it would lie if values were spread evenly between them."}
	}
	sec.Tables = append(sec.Tables, few, notes)
	return sec
}

// mostServers is how many of several stand by themselves.
const mostServers = 32

// serverName is what one of several servers is called.
func serverName(run *Run, e *serving.Server) string {
	replicas := run.Result.Run.Replicas
	if e.Replica < 1 || e.Replica > len(replicas) {
		return fmt.Sprintf("Server %d", e.Target+1)
	}
	r := &replicas[e.Replica-1]
	if r.Role == journal.BothRoles {
		return r.Name
	}
	return fmt.Sprintf("%s (%s)", r.Name, r.Role)
}

// factWords are what a server says, in one line: all of it, or what tells servers apart.
func factWords(s *serving.Server, apart bool) string {
	var words []string
	for _, f := range serverFacts(s) {
		if (f.apart || !apart) && f.text != "" {
			words = append(words, f.label+" "+f.text)
		}
	}
	return strings.Join(words, "; ")
}

// serverTables are what one server says, and its own times.
func serverTables(name string, s *serving.Server, except table.Medium) []*table.Table {
	short := &table.Table{Title: name + ": over the run", Except: except}
	rest := &table.Table{Title: name + ": more over the run", Except: table.OnConsole}
	for _, f := range serverFacts(s) {
		if f.wide {
			rest.Fact(f.label, f.text)
		} else {
			short.Fact(f.label, f.text)
		}
	}
	times := &table.Table{Title: name + ": its own times over just this run, in ms", Except: except, Columns: slices.Concat(
		table.Words("its times, ms"), table.Numbers(number.Count, "count"), table.Numbers(number.Millis, "mean"), table.Words("p50"), table.Hide(table.OnConsole, table.Words("p90")...), table.Words("p99"),
		table.Hide(table.OnConsole, table.Words("its name")...),
	)}
	for _, h := range histograms(s) {
		times.Add(h.what, h.Count, h.Mean, quantile(h.P50), quantile(h.P90), quantile(h.P99), table.Sentence(h.Name))
	}
	return []*table.Table{short, rest, times}
}

// serverFact is one thing that a server says; empty text: it does not.
type serverFact struct {
	label, text string
	wide        bool // needs no second look on a console
	apart       bool // tells servers apart
}

func serverFacts(s *serving.Server) []serverFact {
	return []serverFact{
		{label: "Running requests", text: amount(s.Running), apart: true},
		{label: "Waiting requests", text: queue(s.Waiting), apart: true},
		{label: "Swapped requests", text: amount(s.Swapped)},
		{label: "Requests in flight", text: amount(s.InFlight)},
		{label: "KV cache in use", text: share(s.CacheUse), apart: true},
		{label: "Prefix cache hit rate", text: optional(s.PrefixHitRate, number.Share)},
		{label: "Preemptions", text: optional(s.Preemptions, number.Count), apart: true},
		{label: "Requests", text: counted(s.Requests)},
		{label: "Requests received", text: optional(s.Received, number.Count), wide: true},
		{label: "Requests sent again", text: optional(s.Retries, number.Count)},
		{label: "Answers that moved to another server", text: optional(s.Migrations, number.Count)},
		{label: "Requests that wait in the router", text: queue(s.QueuedInRouter)},
		{label: "Requests that wait for a transfer", text: queueIfAny(s.AwaitTransfer)},
		{label: "Transfers failed", text: some(s.TransferFailed)},
		{label: "Bytes transferred", text: some(s.TransferBytes)},
		{label: "Prompt tokens transferred", text: some(s.Transferred)},
		{label: "Requests aborted", text: some(s.Aborted)},
		{label: "Requests failed", text: some(s.Failed)},
		{label: "Prompt tokens", text: counted(s.PromptTokens)},
		{label: "Prompt tokens computed", text: optional(s.ComputedTokens, number.Count), wide: true},
		{label: "Generated tokens", text: counted(s.GeneratedTokens)},
		{label: "Batch", text: batch(s), wide: true},
		{label: "Time on prompts, all requests", text: optional(s.PrefillSeconds, seconds), wide: true},
		{label: "Time on answers, all requests", text: optional(s.DecodeSeconds, seconds), wide: true},
		{label: "Time in the queue, all requests", text: optional(s.QueueSeconds, seconds), wide: true},
		{label: "Speculative decoding", text: drafts(s.SpecDecode), wide: true}, // a console has vLLM's block
	}
}

// optional is a number that a server may not tell: empty then.
func optional(v *float64, format func(float64) string) string {
	if v == nil {
		return ""
	}
	return format(*v)
}

func seconds(v float64) string { return number.Short(v) + " s" }

// histogram is one of the server's own; in milliseconds.
type histogram struct {
	what string
	*serving.Times
}

// histograms are those that the server has.
func histograms(s *serving.Server) []histogram {
	return slices.DeleteFunc([]histogram{
		{"TTFT", s.TTFT}, {"Queue", s.Queue}, {"Prefill", s.Prefill}, {"Decode", s.Decode}, {"In the batch", s.Inference}, {"ITL", s.ITL}, {"E2EL", s.E2E}, {"Transfer", s.Transfer},
	}, func(h histogram) bool { return h.Times == nil })
}

// quantile is a percentile with the bounds that it lies between, in milliseconds.
func quantile(q *serving.Quantile) string {
	switch {
	case q == nil:
		return number.None
	case q.Value == nil || q.High == nil:
		return "> " + number.Short(q.Low)
	}
	if q.Low <= 0 { // in the first bucket anything is possible: half way through it would be a guess
		return "≤ " + number.Short(*q.High)
	}
	return fmt.Sprintf("≈ %s (%s to %s)", number.Short(*q.Value), number.Short(q.Low), number.Short(*q.High))
}

func amount(l *serving.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("mean %s, max %s", number.Short(l.Mean), number.Short(l.Max))
}

func queue(l *serving.Level) string {
	switch {
	case l == nil:
		return ""
	case l.Above == 0:
		return amount(l)
	}
	return fmt.Sprintf("%s, a queue %s of the time", amount(l), number.Share(l.Above))
}

// queueIfAny is worth a line only where there ever was one.
func queueIfAny(l *serving.Level) string {
	if l == nil || l.Max == 0 {
		return ""
	}
	return queue(l)
}

func share(l *serving.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("mean %s, max %s", number.Share(l.Mean), number.Share(l.Max))
}

// some is what is worth a line only where there is any.
func some(v *float64) string {
	if v == nil || *v == 0 {
		return ""
	}
	return number.Count(*v)
}

// counted is the server's number beside ours.
func counted(c *serving.Counted) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%.0f", c.Server)
	if c.PerSecond != nil {
		text += fmt.Sprintf(", %s/s under load", number.Short(*c.PerSecond))
	}
	if c.Ours == nil || c.Difference == nil {
		return text
	}
	ours := fmt.Sprintf("%.0f", *c.Ours)
	if c.OursMost != nil {
		ours += fmt.Sprintf(" to %.0f", *c.OursMost)
	}
	switch d := *c.Difference; {
	case d > 0:
		return fmt.Sprintf("%s; ours %s: %.0f more", text, ours, d)
	case d < 0:
		return fmt.Sprintf("%s; ours %s: %.0f fewer", text, ours, -d)
	case c.OursMost != nil:
		return text + "; ours " + ours
	}
	return text + "; ours the same"
}

func batch(s *serving.Server) string {
	switch {
	case s.Steps == nil:
		return ""
	case s.StepTokens == nil:
		return number.Count(*s.Steps) + " steps"
	}
	return fmt.Sprintf("%s steps of %s tokens in the mean", number.Count(*s.Steps), number.Short(*s.StepTokens))
}

func drafts(d *serving.SpecDecode) string {
	if d == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %.0f drafted tokens accepted", number.Share(d.Rate), d.DraftTokens)
	if d.Length != nil {
		text += fmt.Sprintf(", %s tokens per step", number.Short(*d.Length))
	}
	if d.DraftLength != nil && d.Efficiency != nil {
		text += fmt.Sprintf(": %s of what drafts of %s can give", number.Share(*d.Efficiency), number.Short(*d.DraftLength))
	}
	return text
}
