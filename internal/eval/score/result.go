package score

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// others is the category of all beyond those that are kept apart.
const others = "(others)"

// Result is what the answers so far are worth.
func (c *Collector) Result() *Result {
	t := c.task
	r := &Result{Task: t.Name, Version: t.Version, Kind: t.Kind, Shots: t.Shots, Chat: t.Chat, Data: t.Data, SHA: t.SHA, Scores: []Score{}}
	all := make([]*question, 0, len(c.questions))
	for _, q := range c.questions {
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b *question) int { return cmp.Compare(a.number, b.number) })
	r.Questions = max(t.Asked, len(all))
	for _, q := range all {
		r.count(q, t.Kind)
	}
	r.Unanswered = r.Questions - r.Answered
	c.scores(r, all)
	c.byCategory(r, all)
	r.Each = c.each(all)
	r.Warnings = c.warnings(r)
	return r
}

func (r *Result) count(q *question, kind string) {
	if !q.answered {
		return
	}
	r.Answered++
	r.PromptTokens += q.prompt
	r.OutputTokens += q.output
	add := func(to *int, is bool) {
		if is {
			*to++
		}
	}
	add(&r.Earlier, q.earlier)
	add(&r.CutOff, q.cut && kind != journal.TaskChoice)
	add(&r.NoAnswer, q.lost&1 != 0)
	add(&r.Refused, q.refused)
}

func (c *Collector) scores(r *Result, all []*question) {
	for i := range c.ways {
		w := &c.ways[i]
		s := Score{Name: w.score.Name, Metric: w.score.Metric}
		if w.err == nil {
			n := tallyOf(all, i)
			n.unseen = r.Questions - len(all)
			s.Accuracy = n.accuracy()
			if i == 0 {
				r.Chance = n.chance()
			}
		}
		r.Scores = append(r.Scores, s)
	}
}

func (c *Collector) byCategory(r *Result, all []*question) {
	if len(c.names) == 0 || len(c.ways) == 0 || c.ways[0].err != nil {
		return
	}
	members := make([][]*question, maxCategories+2)
	for _, q := range all {
		members[q.category] = append(members[q.category], q)
	}
	names := append(append([]string{""}, c.names...), make([]string, maxCategories-len(c.names))...)
	names = append(names, others)
	for i, some := range members {
		if len(some) == 0 {
			continue
		}
		n := tallyOf(some, 0)
		n.unseen = -1
		if len(all) == r.Questions {
			n.unseen = 0
		}
		name := names[i]
		if i == 0 {
			name = "(none)"
		}
		r.Categories = append(r.Categories, Category{name, n.accuracy()})
	}
	slices.SortStableFunc(r.Categories, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
}

func (c *Collector) each(all []*question) Each {
	e := Each{Numbers: []int{}}
	var right strings.Builder
	var ids, hashes, answers bool
	for _, q := range all {
		e.Numbers = append(e.Numbers, q.number)
		e.IDs, e.Hashes, e.Answers = append(e.IDs, q.id), append(e.Hashes, q.hash), append(e.Answers, q.answer)
		ids, hashes, answers = ids || q.id != "", hashes || q.hash != "", answers || q.answer != ""
		switch {
		case !q.answered || c.ways[0].err != nil:
			right.WriteByte('-')
		case q.right&1 != 0:
			right.WriteByte('1')
		case q.lost&1 != 0:
			right.WriteByte('n')
		default:
			right.WriteByte('0')
		}
	}
	e.Right = right.String()
	if !ids {
		e.IDs = nil
	}
	if !hashes {
		e.Hashes = nil
	}
	if !answers {
		e.Answers = nil
	}
	return e
}

// choiceName is how a choice is called in Each: its number, from 1.
func choiceName(choice int) string { return strconv.Itoa(choice) }

func (c *Collector) warnings(r *Result) (out []string) {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if c.err != nil {
		out = append(out, "the answers can't be scored: "+c.err.Error())
	}
	for i := range c.ways {
		if err := c.ways[i].err; err != nil {
			out = append(out, fmt.Sprintf("the score %q can't be computed: %v", clip(c.ways[i].score.Name, 40), err))
		}
	}
	say(c.twice, "%d answers came to a question that was answered before: the first complete one counts", c.twice)
	say(c.tooMany, "%d answers are left out: only %d questions are scored", c.tooMany, c.most)
	say(c.slow, "%d answers took too long to be searched by a pattern, and count as no answer", c.slow)
	say(c.failures, "%d answers could not be searched, and count as no answer: %v", c.failures, c.failure)
	say(c.unscored, "%d answers were not searched, since others took %s together, and count as no answer", c.unscored, scoringTime)
	say(c.noLogprob, "%d choices came without a log-likelihood: the server must give log-probabilities of the prompt", c.noLogprob)
	say(c.badChoice, "%d choices are left out: their numbers are not those of their question", c.badChoice)
	say(c.noRight, "of %d questions it is not known what is right: they count as wrong", c.noRight)
	say(len(c.programs), "%d programs were not run: their questions count as unanswered", len(c.programs))
	if first := r.first(); first != nil && r.Chance != nil && first.Chance != nil && !*first.Chance && *first.Value < *r.Chance {
		out = append(out, "the accuracy is below that of guessing: look at what was found in the answers")
	}
	return out
}

// first is the task's own score, nil where there is none.
func (r *Result) first() *Score {
	if len(r.Scores) == 0 {
		return nil
	}
	return &r.Scores[0]
}
