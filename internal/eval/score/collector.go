package score

import (
	"errors"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Bounds on what is kept: a question takes some 300 bytes.
const (
	maxQuestions  = 1 << 18
	maxCategories = 200
	maxAnswer     = 64 // characters of what was found
)

// scoringTime is what answers may take in all that are slow to score; others take
// microseconds. What comes after it is not scored.
const (
	scoringTime = 30 * time.Second
	slowText    = 100 * time.Millisecond
)

// Collector takes in answers in any order. Of a text only what it is worth is kept.
type Collector struct {
	task *journal.Task
	ways []way
	err  error // why nothing can be scored
	most int   // questions that are kept

	questions  map[int]*question
	programs   map[int]*question        // by their request
	early      map[int]*journal.Checked // of requests whose answer has not come
	categories map[string]int           // numbers of names
	names      []string
	spent      time.Duration // on texts that are slow to score
	oddities
}

// oddities are counted for the warnings.
type oddities struct {
	twice, tooMany, slow, unscored, noLogprob, badChoice, noRight int

	failures int
	failure  error // the first
}

// question is what is kept of one.
type question struct {
	number, category, options int
	id, answer, hash          string
	prompt, output            int64
	right, lost               uint32 // a bit for each score
	answered, earlier         bool
	cut, refused              bool
	began                     bool // a part of it came: a choice, or a program that is not run yet
	choices                   *choices
}

// NewCollector makes ready for the answers of a run.
func NewCollector(t *journal.Task) *Collector {
	ways, err := newWays(t)
	return collectorOf(t, ways, err)
}

func collectorOf(t *journal.Task, ways []way, err error) *Collector {
	return &Collector{
		task: t, ways: ways, err: err, most: maxQuestions, questions: map[int]*question{}, programs: map[int]*question{},
		early: map[int]*journal.Checked{}, categories: map[string]int{},
	}
}

// Add takes in what a question got.
func (c *Collector) Add(a *journal.Answer) {
	q := c.questions[a.Number]
	if q == nil {
		if len(c.questions) >= c.most {
			c.tooMany++
			return
		}
		q = &question{
			number: a.Number, category: c.category(a.Category), options: a.Options,
			id: strings.Clone(outside.Line(a.ID, outside.MaxWord)),
		}
		c.questions[a.Number] = q
	}
	switch {
	case a.Outcome != journal.Complete || c.err != nil:
	case c.task.Kind == journal.TaskChoice:
		c.addChoice(q, a)
	case q.answered || q.began:
		c.twice++
	case c.task.Kind == journal.TaskCode:
		c.addProgram(q, a)
	default:
		c.addText(q, a)
	}
}

// category is the number of a category's name. 0 is none; beyond so many all are one.
func (c *Collector) category(name string) int {
	if name == "" {
		return 0
	}
	name = outside.Line(name, outside.MaxWord)
	if n := c.categories[name]; n > 0 {
		return n
	}
	if len(c.names) >= maxCategories {
		return maxCategories + 1
	}
	name = strings.Clone(name)
	c.names = append(c.names, name)
	c.categories[name] = len(c.names)
	return len(c.names)
}

// answeredBy takes over what is the same of all kinds of answers.
func (q *question) answeredBy(a *journal.Answer) {
	q.hash = strings.Clone(outside.Line(a.Hash, outside.MaxWord))
	q.cut = a.FinishReason == "length" || a.FinishReason == "max_tokens"
	q.earlier = a.Earlier
	q.count(a)
}

func (q *question) count(a *journal.Answer) {
	q.prompt += int64(a.Prompt)
	q.output += int64(a.Output)
}

func (c *Collector) addText(q *question, a *journal.Answer) {
	q.answered = true
	q.answeredBy(a)
	if len(a.Right) == 0 {
		c.noRight++
	}
	began := time.Now()
	for i := range c.ways {
		c.scoreText(i, q, a)
	}
	if took := time.Since(began); took > slowText {
		c.spent += took
	}
	q.refused = q.lost&1 != 0 && refused(a)
}

func (c *Collector) scoreText(i int, q *question, a *journal.Answer) {
	w := &c.ways[i]
	if w.err != nil {
		return
	}
	bit := uint32(1) << i
	if c.spent > scoringTime {
		if i == 0 {
			c.unscored++
		}
		q.lost |= bit
		return
	}
	e, err := w.found(a.Text, &a.Question)
	right := false
	if err == nil {
		right, err = w.exact.right(e.text, a.Right)
	}
	if err != nil {
		c.failed(err)
		e.lost, right = true, false
	}
	if right {
		q.right |= bit
	}
	if e.lost {
		q.lost |= bit
	} else if i == 0 {
		q.answer = strings.Clone(outside.Line(e.text, maxAnswer))
	}
}

// failed counts an answer that a score could not be made of.
func (c *Collector) failed(err error) {
	if errors.Is(err, errSlow) {
		c.slow++
		return
	}
	if c.failures++; c.failures == 1 {
		c.failure = err
	}
}

func (c *Collector) addChoice(q *question, a *journal.Answer) {
	switch {
	case a.Logprob == nil:
		c.noLogprob++
		return
	case q.options < 1 || q.options > mostChoices || a.Choice < 1 || a.Choice > q.options || a.Options != q.options:
		c.badChoice++
		return
	}
	if q.choices == nil && !q.answered {
		q.choices, q.earlier = newChoices(q.options), true
	}
	if q.answered || !q.choices.add(a) {
		c.twice++
		return
	}
	q.count(a)
	q.earlier = q.earlier && a.Earlier
	if q.choices.left > 0 {
		return
	}
	q.answered = true
	if a.RightChoice < 1 {
		c.noRight++
	}
	for i := range c.ways {
		if b := q.choices.best[c.ways[i].score.Metric]; b != nil && b.choice == a.RightChoice {
			q.right |= 1 << i
		}
	}
	if b := q.choices.best[c.ways[0].score.Metric]; b != nil {
		q.answer = choiceName(b.choice)
	}
	q.choices = nil
}

func (c *Collector) addProgram(q *question, a *journal.Answer) {
	q.began = true
	q.answeredBy(a)
	q.refused = refused(a)
	if strip(a.Text) == "" {
		q.lost = 1
	}
	q.refused = q.refused && q.lost&1 != 0
	if early := c.early[a.Index]; early != nil {
		delete(c.early, a.Index)
		q.run(early, len(c.ways))
		return
	}
	c.programs[a.Index] = q
}

// Checked takes in what became of a program, after its answer or before it.
func (c *Collector) Checked(p *journal.Checked) {
	if q := c.programs[p.Index]; q != nil {
		delete(c.programs, p.Index)
		q.run(p, len(c.ways))
		return
	}
	if len(c.early) < c.most {
		c.early[p.Index] = &journal.Checked{Index: p.Index, Passed: p.Passed, How: strings.Clone(outside.Line(p.How, maxAnswer))}
	}
}

// run is what became of a question's program.
func (q *question) run(p *journal.Checked, ways int) {
	q.answered = true
	q.answer = strings.Clone(outside.Line(p.How, maxAnswer))
	if p.Passed {
		q.right, q.answer = 1<<ways-1, "passed"
	}
}
