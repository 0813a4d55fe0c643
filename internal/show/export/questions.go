package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// questionLine is a question with all that became of it. Texts are as they came, and
// written in ASCII: what steers a terminal is an escape of JSON's.
type questionLine struct {
	Number       int            `json:"n"`
	ID           string         `json:"id,omitempty"`
	Category     string         `json:"category,omitempty"`
	Right        []string       `json:"right"`
	Correct      *bool          `json:"correct"` // by the first score; null: unanswered
	Scores       []score.Given  `json:"scores"`
	Outcome      string         `json:"outcome"`
	FinishReason string         `json:"finish_reason,omitempty"`
	Prompt       int            `json:"prompt_tokens"`
	Output       int            `json:"output_tokens"`
	Earlier      bool           `json:"earlier,omitempty"`
	Hash         string         `json:"hash,omitempty"`
	Text         string         `json:"text"`
	Logprobs     []*float64     `json:"logprobs,omitempty"` // of each choice
	Program      *programResult `json:"program,omitempty"`
}

type programResult struct {
	Passed bool   `json:"passed"`
	How    string `json:"how,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// questions writes a line of JSON for each question, in the order in which they ended.
// The journal is read twice: a question may have failed before it was answered, and a
// program's end comes after its answer. No text is kept.
func questions(w io.Writer, folder string, _ measure.Options, _ *Options) error {
	path := filepath.Join(folder, journal.FileName)
	var plan questionPlan
	if err := readAnswers(path, plan.see, plan.seeChecked); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(folder), err)
	}
	out := &questionWriter{w: bufio.NewWriter(w), plan: &plan}
	err := readAnswers(path, out.see, nil)
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("writing the questions: %w", err)
	}
	return nil
}

// readAnswers shows all answers of a journal, each with its task.
func readAnswers(path string, see func(*journal.Task, *journal.Answer), checked func(*journal.Checked)) error {
	j, err := journal.Open(path)
	if err != nil {
		return err
	}
	defer j.Close()
	task := j.Run().Task
	if task == nil {
		return errors.New(noQuestions)
	}
	j.OnAnswer(func(a *journal.Answer) { see(task, a) })
	if checked != nil {
		j.OnChecked(checked)
	}
	for {
		if _, err := j.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// questionPlan says which answer of a question counts: the first complete one, else the last.
type questionPlan struct {
	lines    int
	counts   map[int]counting // by the question's number
	programs map[int]*journal.Checked
}

type counting struct {
	line     int
	complete bool
}

func (p *questionPlan) see(_ *journal.Task, a *journal.Answer) {
	if p.counts == nil {
		p.counts = map[int]counting{}
	}
	if !p.counts[a.Number].complete {
		p.counts[a.Number] = counting{p.lines, a.Outcome == journal.Complete}
	}
	p.lines++
}

func (p *questionPlan) seeChecked(c *journal.Checked) {
	if p.programs == nil {
		p.programs = map[int]*journal.Checked{}
	}
	if _, twice := p.programs[c.Index]; !twice {
		p.programs[c.Index] = c
	}
}

// questionWriter writes a question when its answer comes. One whose choices are requests
// of their own is written at the end.
type questionWriter struct {
	w       *bufio.Writer
	plan    *questionPlan
	single  *score.Single
	lines   int
	choices map[int][]*journal.Answer
	err     error
}

func (q *questionWriter) see(task *journal.Task, a *journal.Answer) {
	at := q.lines
	q.lines++
	if q.err != nil {
		return
	}
	if q.single == nil {
		if q.single, q.err = score.NewSingle(task); q.err != nil {
			return
		}
	}
	switch {
	case task.Kind == journal.TaskChoice:
		if q.choices == nil {
			q.choices = map[int][]*journal.Answer{}
		}
		a.Text, a.Labels, a.Program = "", nil, "" // a choice has none that anybody asks for
		q.choices[a.Number] = append(q.choices[a.Number], a)
	case q.plan.counts[a.Number].line == at:
		q.write([]*journal.Answer{a})
	}
}

func (q *questionWriter) Close() error {
	for _, number := range slices.Sorted(maps.Keys(q.choices)) {
		q.write(q.choices[number])
	}
	return errors.Join(q.err, q.w.Flush())
}

func (q *questionWriter) write(answers []*journal.Answer) {
	if q.err != nil {
		return
	}
	a := answers[0]
	line := questionLine{
		Number: a.Number, ID: a.ID, Category: a.Category, Right: slices.Concat([]string{}, a.Right), Outcome: string(a.Outcome), FinishReason: a.FinishReason,
		Prompt: a.Prompt, Output: a.Output, Earlier: a.Earlier, Hash: a.Hash, Text: a.Text, Scores: []score.Given{},
	}
	if a.Choice > 0 {
		line.ofChoices(answers)
	}
	checked := q.plan.programs[a.Index]
	if checked != nil {
		line.Program = &programResult{checked.Passed, checked.How, checked.Detail}
	}
	if given := q.single.Score(answers, checked); len(given) > 0 {
		line.Scores, line.Correct = given, &given[0].Correct
	}
	if q.err = pyjson.Write(q.w, line); q.err == nil {
		_, q.err = q.w.WriteString("\n")
	}
}

// ofChoices joins the requests of one question, each of which held a choice.
func (l *questionLine) ofChoices(answers []*journal.Answer) {
	l.Prompt, l.Output, l.Outcome, l.Earlier = 0, 0, string(journal.Complete), true
	if n := answers[0].RightChoice; n > 0 {
		l.Right = []string{fmt.Sprint(n)}
	}
	l.Logprobs = make([]*float64, min(answers[0].Options, mostChoices))
	failed := l.Outcome
	for _, a := range answers {
		l.Prompt, l.Output, l.Earlier = l.Prompt+a.Prompt, l.Output+a.Output, l.Earlier && a.Earlier
		if a.Outcome != journal.Complete {
			failed = string(a.Outcome)
		}
		if a.Choice >= 1 && a.Choice <= len(l.Logprobs) && l.Logprobs[a.Choice-1] == nil {
			l.Logprobs[a.Choice-1] = a.Logprob
		}
	}
	if slices.Contains(l.Logprobs, nil) {
		l.Outcome = failed
	}
}

// mostChoices is how many choices of a question are listed.
const mostChoices = 1024
