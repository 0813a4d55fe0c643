package section

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/roles"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atRoles, prefillAndDecode) }

// prefillAndDecode is a run whose prompts are computed by other servers than those that answer.
func prefillAndDecode(run *Run) *Section {
	all := run.Result.Roles
	if all == nil {
		return nil
	}
	facts := &table.Table{}
	if len(all.Each) > 0 && !slices.ContainsFunc(all.Each, told) {
		facts.Fact("Servers", fmt.Sprintf("%d for prefill, %d for decode; what they count can't be read (--role prefill=URL, decode=URL)", all.Each[0].Servers, all.Each[1].Servers))
	}
	facts.Fact("Cached prompt tokens", cachedBy(all.Each, &run.Result.Tokens))
	for i := range all.Each {
		facts.Fact("Transfers by "+string(all.Each[i].Role), transfers(&all.Each[i]))
	}
	stages(facts, all.Stages)
	if g := all.SecondGap; g != nil {
		facts.Fact("Second-token gap (ms)", fmt.Sprintf("median %s, %s against later gaps of the same answer, over %d answers: how the decode server schedules; the handoff is in the TTFT",
			number.Millis(g.Median), signed(g.Excess), g.Answers))
	}
	gpuFacts(facts, all)
	energyFacts(facts, all)
	if a := all.Advice; a != nil {
		facts.Fact("Narrower part", fmt.Sprintf("%s: %s. A server more for %s helps first; %s", a.Narrow, a.Evidence, a.Narrow, ratioNow(all.Each)))
	}
	return &Section{ID: "roles", Title: "Prefill and decode", Tables: []*table.Table{roleTable(all.Each), facts}}
}

// roleTable is what the servers of each role say of themselves.
func roleTable(each []roles.Role) *table.Table {
	t := &table.Table{Title: "By the servers' own counters; never added up, since both count each prompt", Columns: slices.Concat(
		table.Words("role"), table.Numbers(number.Count, "servers", "requests"), wide(number.Count, "prompt tokens"), table.Numbers(number.Count, "computed", "own cache", "transferred", "generated"),
		table.Numbers(number.Rate, "running"), table.Numbers(number.Rate, "waiting"), table.Numbers(number.Rate, "awaiting KV"), wide(number.Share, "KV in use"),
	)}
	if !slices.ContainsFunc(each, told) {
		return nil
	}
	for i := range each {
		e := &each[i]
		s := e.Told
		if s == nil {
			s = &serving.Server{}
		}
		t.Rows = append(t.Rows, table.Row(string(e.Role), e.Servers, ofCounted(s.Requests), ofCounted(s.PromptTokens), ofPointer(e.Computed), ofPointer(s.LocalHits), ofPointer(s.Transferred),
			ofCounted(s.GeneratedTokens), ofLevel(s.Running), ofLevel(s.Waiting), ofLevel(s.AwaitTransfer), ofLevel(s.CacheUse)))
	}
	t.Notes = []string{"Running, waiting and awaiting KV are means over the load. Requests of prefill are the router's helper requests for one token, whose token may be thrown away."}
	return t
}

// told says that the servers of a role tell something.
func told(e roles.Role) bool { return e.Told != nil && !e.Told.Empty() }

// cachedBy is what prefill took from its cache, beside what answers say: those come from decode, where all that was transferred may count as cached.
func cachedBy(each []roles.Role, tokens *measure.Tokens) string {
	if len(each) == 0 || each[0].Told == nil {
		return ""
	}
	s := each[0].Told
	if s.LocalHits == nil || s.PromptTokens == nil || s.PromptTokens.Server <= 0 {
		return ""
	}
	words := number.Share(*s.LocalHits/s.PromptTokens.Server) + " by prefill's own counters"
	if tokens.PromptCached > 0 && tokens.PromptCounted > 0 {
		words += fmt.Sprintf("; %s by the answers, which may count as cached all that was transferred", number.Share(float64(tokens.PromptCached)/float64(tokens.PromptCounted)))
	}
	return words
}

func ofPointer(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func ofCounted(c *serving.Counted) float64 {
	if c == nil {
		return math.NaN()
	}
	return c.Server
}

func ofLevel(l *serving.Level) float64 {
	if l == nil {
		return math.NaN()
	}
	return l.Mean
}

// transfers are what a role says of the caches that it moved; empty: nothing.
func transfers(e *roles.Role) string {
	s := e.Told
	if s == nil || s.Transfer == nil {
		return ""
	}
	words := fmt.Sprintf("%s, mean %s ms", number.Count(s.Transfer.Count), number.Millis(s.Transfer.Mean))
	if s.TransferBytes != nil {
		words += ", " + number.Bytes(*s.TransferBytes)
	}
	if e.TransferRate != nil {
		words += fmt.Sprintf(": %s/s while one is on its way", number.Bytes(*e.TransferRate))
	}
	if failed := some(s.TransferFailed); failed != "" {
		words += "; " + failed + " failed"
	}
	return words
}

// stages is the time to the first token by the server's own parts, beside ours.
func stages(facts *table.Table, s *roles.Stages) {
	if s == nil {
		return
	}
	words := fmt.Sprintf("%s = %s until the prefill began + %s prefill + %s from there to the first decoded token + %s that it does not tell, means over %d answers",
		number.Millis(s.TTFT), number.Millis(s.Queue), number.Millis(s.Prefill), number.Millis(s.Transfer), number.Millis(s.Rest), s.Requests)
	if s.Over > 0 {
		words += fmt.Sprintf("; of %d answers it tells more than we measured, which can't be", s.Over)
	}
	facts.Fact("TTFT by the server's parts (ms)", words)
}

// gpuFacts are tokens a second per GPU, by the two conventions.
func gpuFacts(facts *table.Table, all *roles.Roles) {
	p := all.PerGPU
	if p == nil {
		return
	}
	facts.Fact("Tok/s per GPU, by all GPUs", fmt.Sprintf("%s in total, %s output, by %d GPUs: as for runs without roles", number.Rate(p.TotalAll), number.Rate(p.OutputAll), p.GPUs))
	words := "unknown: needs the GPUs of each server (--role prefill:4=URL)"
	if p.InputPrefill != nil && p.OutputDecode != nil {
		words = fmt.Sprintf("%s input by %d GPUs of prefill, %s output by %d GPUs of decode: as InferenceX divides, not to be compared with the line above",
			number.Rate(*p.InputPrefill), all.Each[0].GPUs, number.Rate(*p.OutputDecode), all.Each[1].GPUs)
	}
	facts.Fact("Tok/s per GPU, by those of the role", words)
}

// energyFacts are what the GPUs of each role took.
func energyFacts(facts *table.Table, all *roles.Roles) {
	for _, e := range all.Each {
		if e.Energy == nil {
			continue
		}
		words, of := fmt.Sprintf("%s J, %s W in the mean, by %d GPUs", number.Short(e.Energy.Joules), number.Short(e.Energy.Watts), e.Energy.Devices), "output"
		if e.Role == journal.Prefill {
			of = "input"
		}
		if e.Energy.PerToken != nil {
			words += fmt.Sprintf("; %s J per %s token", number.Short(*e.Energy.PerToken), of)
		}
		facts.Fact("Energy of "+string(e.Role), words)
	}
}

func ratioNow(each []roles.Role) string {
	return fmt.Sprintf("now %d : %d servers of prefill and decode", each[0].Servers, each[1].Servers)
}

// signed is a difference with its sign, also of what is above 0.
func signed(v float64) string {
	if v < 0 {
		return "−" + number.Millis(-v)
	}
	return "+" + number.Millis(v)
}
