package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() {
	Add(atJobs, jobs)
	Add(atJobs, rollouts)
}

// jobs are conversations as a whole: how they ended, how long they took, and what that went into.
func jobs(run *Run) *Section {
	c := run.Result.Jobs
	if c == nil {
		return nil
	}
	about := &table.Table{}
	about.Fact("Ended", jobEnds(c))
	n := &c.Turns
	turns := fmt.Sprintf("%d sent, %d complete", n.Sent, n.Complete)
	if n.Skipped > 0 {
		turns += fmt.Sprintf(", %d of %d never sent", n.Skipped, n.Planned)
	}
	about.Fact("Turns", turns)
	if c.Traces > 0 {
		about.Fact("Recordings played", number.Of(c.Touched, c.Traces))
	}
	if c.Inside > 0 {
		about.Fact("Begun inside their recording", fmt.Sprintf("%d: they count in rates and have no job time", c.Inside))
	}
	times := latencyTable("Complete jobs, in ms (model: the server had a request of the critical path)")
	addLatency(times, "Job", &c.Time.Summary)
	if c.Path.Known > 0 {
		addLatency(times, "Model", &c.Model.Summary)
	}
	facts := &table.Table{}
	facts.Fact("Jobs per hour", JobRate(c))
	if text := survived(c.Survival); text != "" {
		facts.Fact("With those that were cut off", text+" ms: they count for as long as they were seen")
	}
	if g := c.Good; g != nil {
		facts.Fact("Jobs within their limits", fmt.Sprintf("%s, %s per hour", number.Of(g.Good, g.Jobs), number.Rate(g.PerHour)))
	}
	facts.Fact("Where the time of a job went", JobSplit(c))
	facts.Fact("Prefix cache", jobHits(run.Result))
	facts.Fact("Turns of one", amounts(&c.TurnsEach, number.Short))
	if c.Branches.Max > 1 {
		facts.Fact("Agents of one", amounts(&c.Branches, number.Short))
		facts.Fact("Requests of one at once", amounts(&c.AtOnce, number.Short))
	}
	facts.Fact("Prompt tokens of one", amounts(&c.PromptTokens, number.Short))
	facts.Fact("Output tokens of one", amounts(&c.OutputTokens, number.Short))
	if l := c.Lateness; l != nil {
		facts.Fact("Turns sent late by", fmt.Sprintf("p50 %s, p99 %s, max %s ms", number.Millis(l.P50), number.Millis(l.P99), number.Millis(l.Max)))
	}
	facts.Fact("Nothing in flight", jobIdle(c))
	return &Section{ID: "jobs", Title: jobsTitle(c.Begun), Tables: []*table.Table{about, times, facts, jobKinds(c)}}
}

// survived are the percentiles for which there are enough jobs.
func survived(s *measure.JobSurvival) string {
	if s == nil {
		return ""
	}
	var words []string
	for _, q := range []struct {
		p float64
		v *float64
	}{{50, s.P50}, {90, s.P90}, {99, s.P99}} {
		if q.v != nil && int64(s.Jobs) >= verdict.Needs(q.p) {
			words = append(words, fmt.Sprintf("p%g %s", q.p, number.Millis(*q.v)))
		}
	}
	return strings.Join(words, ", ")
}

func jobsTitle(n int) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

// JobRate is how many are done in an hour, and in one of a GPU where it is known how many there are.
func JobRate(c *measure.Jobs) string {
	text := number.Short(c.PerHour)
	if c.PerGPUHour != nil {
		text += fmt.Sprintf(", %s per GPU-hour", number.Short(*c.PerGPUHour))
	}
	return text
}

// JobPart is what a share of the time of a job went into.
type JobPart struct {
	Name  string
	Share float64
}

// leastPart is the share that is seen where shares have one digit behind the point.
const leastPart = 0.0005

// JobParts are where the time of jobs went along their critical paths, without what took next to nothing; none: not known.
func JobParts(c *measure.Jobs) (list []JobPart) {
	p := &c.Path
	prefill, queue := "prefill", 0.0
	if p.Queue == nil {
		prefill = "queue and prefill"
	} else {
		queue = *p.Queue
	}
	all := []JobPart{{"tools and pauses", p.Pause}, {"queue", queue}, {prefill, p.Prefill}, {"decode", p.Decode}, {"answers in one piece", p.Whole}, {"waiting for a slot", p.Slot}, {"stopped by hand", p.Held}, {"late by us", p.Late}}
	sum := 0.0
	for _, part := range all {
		sum += part.Share
	}
	for _, part := range all {
		if part.Share/sum >= leastPart {
			list = append(list, JobPart{part.Name, part.Share / sum})
		}
	}
	return list
}

// JobSplit is the same in words.
func JobSplit(c *measure.Jobs) string {
	var words []string
	for _, part := range JobParts(c) {
		words = append(words, number.Share(part.Share)+" "+part.Name)
	}
	if len(words) == 0 {
		return number.Unknown
	}
	return strings.Join(words, ", ")
}

// jobHits are the three rates of a prefix cache side by side. A server whose answers don't tell may count: all that it served.
func jobHits(r *measure.Result) string {
	h := &r.Cached.HitShares
	rate := func(name string, v *float64) string { return name + " " + number.Maybe(v, number.Share) }
	sent, server := rate("by what was sent", h.Sent), rate("as the server says", h.Measured)
	if h.Sent == nil && h.Planned != nil {
		sent += " (it needs a --tokenizer with a chat template)"
	}
	if h.Measured == nil && r.Server != nil && r.Server.PrefixHitRate != nil {
		server = rate("by the server's counters, warm-ups included,", r.Server.PrefixHitRate)
	}
	return strings.Join([]string{rate("by the recording", h.Planned), sent, server}, ", ")
}

// jobIdle is the time in which nothing was in flight, and what was left out of it.
func jobIdle(c *measure.Jobs) string {
	text := number.Short(c.Idle.Nothing) + " s"
	if c.Idle.Skips > 0 {
		text += fmt.Sprintf("; %s s more were skipped, at %d times", number.Short(c.Idle.Skipped), c.Idle.Skips)
	}
	if c.Idle.JobSkips > 0 {
		text += fmt.Sprintf("; single jobs skipped %s s of waiting together", number.Short(c.Idle.JobSkipped))
	}
	return text
}

// jobKinds are the turns by the kind of their agent, where there are two at least.
func jobKinds(c *measure.Jobs) *table.Table {
	if len(c.Kinds) < 2 {
		return nil
	}
	ms := number.Millis
	t := &table.Table{Title: "By kind of agent; latencies of the turns that succeeded, in ms", Brief: maxOnConsole, Columns: slices.Concat(
		table.Words("kind"), table.Numbers(number.Count, "agents", "turns"), wide(number.Count, "failed"), table.Numbers(number.Share, "of job time", "cached"),
		table.Numbers(ms, "TTFT p50"), wide(ms, "TTFT p99", "TPOT p50"), table.Numbers(ms, "E2EL p50"), wide(ms, "E2EL p99"), wide(number.Count, "output tokens"),
	)}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		cached := math.NaN()
		if v, ok := k.Cached.Share(); ok {
			cached = v
		}
		ttft, tpot, e2el := &k.TTFT.Summary, &k.TPOT.Summary, &k.E2EL.Summary
		t.Add(table.Sentence(outside.Line(k.Kind, maxName)), k.Branches, k.Turns, k.Turns-k.Completed, k.OnPath, cached,
			percentile(ttft, 50, ttft.P50), percentile(ttft, 99, ttft.P99), percentile(tpot, 50, tpot.P50), percentile(e2el, 50, e2el.P50), percentile(e2el, 99, e2el.P99), k.Output)
	}
	return t
}

// jobEnds says how jobs ended.
func jobEnds(c *measure.Jobs) string {
	words := []string{fmt.Sprintf("%d complete", c.Complete)}
	for _, part := range []struct {
		n    int
		word string
	}{{c.Failed, "failed"}, {c.Cut, "cut by the end of the run"}, {c.Open, "of unknown end"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(words, ", ")
}

func amounts(a *measure.Amounts, format func(float64) string) string {
	if a.Count == 0 {
		return number.Unknown
	}
	return fmt.Sprintf("mean %s, p50 %s, p90 %s, max %s, known of %d", format(a.Mean), format(a.P50), format(a.P90), format(a.Max), a.Count)
}

// rollouts are batches of requests that were waited for as a whole: how long each took, and what its last answers cost.
func rollouts(run *Run) *Section {
	r := run.Result.Rollouts
	if r == nil || r.Batches == 0 {
		return nil
	}
	t := &table.Table{}
	t.Fact("Makespan of a batch (ms)", fmt.Sprintf("mean %s, max %s", number.Millis(r.Makespan.Mean), number.Millis(r.Makespan.Max)))
	t.Fact("Of it with under 10 % of the answers running (ms)", fmt.Sprintf("mean %s, max %s", number.Millis(r.Tail.Mean), number.Millis(r.Tail.Max)))
	t.Fact("Longest answer of a batch, against its median", "× "+number.Short(r.Longest))
	return &Section{ID: "rollouts", Title: fmt.Sprintf("%d answers in %d batches", r.Answers, r.Batches), Tables: []*table.Table{t}}
}
