package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Set is a task's questions.
type Set struct {
	task     *Task
	o        Options
	shots    int
	asked    []*row
	pool     []*row
	drawn    [][]int                     // of each question, places in pool
	turns    []atomic.Pointer[[]message] // of pool, once they were made
	first    []int                       // of choices: the first request of each question, and their number behind
	limited  bool
	data     string
	sha      string
	notes    []string
	fields   []Field
	maxToken int
}

// Open reads the questions and the worked examples.
func (t *Task) Open(o Options) (*Set, error) {
	if err := t.fits(&o); err != nil {
		return nil, err
	}
	questions, err := t.read(&t.questions, o.Data, "--dataset-path", &o)
	if err != nil {
		return nil, err
	}
	return t.ask(questions, o)
}

// ask makes requests of rows.
func (t *Task) ask(questions *set, o Options) (*Set, error) {
	s := &Set{task: t, o: o, shots: t.shots, notes: append([]string(nil), t.notes...)}
	if o.Shots != nil {
		if s.shots = *o.Shots; t.fixedShots && s.shots > 0 {
			s.notes = append(s.notes, "the task says that there are no worked examples: lm-eval would not heed --num-fewshot")
		}
	}
	s.data = questions.name
	t.reads.note(questions.files...)
	if n := len(questions.files); n > 1 && o.Data != "" {
		first, last := filepath.Base(questions.files[0]), filepath.Base(questions.files[n-1])
		s.notes = append(s.notes, outside.Sentence(fmt.Sprintf("the questions are of %d files in the folder, from %s to %s", n, first, last)))
	}
	if err := t.bind(questions.columns); err != nil {
		return nil, err
	}
	if err := s.choose(questions.rows); err != nil {
		return nil, err
	}
	if err := s.readExamples(questions); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.generation()
	return s, nil
}

// fits refuses options that the task can't have.
func (t *Task) fits(o *Options) error {
	switch {
	case o.Shots != nil && (*o.Shots < 0 || *o.Shots > maxShots):
		return fmt.Errorf("%d worked examples are asked for: there can be from 0 to %d", *o.Shots, maxShots)
	case o.Limit < 0:
		return fmt.Errorf("a limit of %d questions is below 0", o.Limit)
	case o.MaxTokens < 0:
		return fmt.Errorf("an answer of %d tokens is below 0", o.MaxTokens)
	case t.kind == journal.TaskChoice && o.Chat:
		return fmt.Errorf("the task %s compares how likely its choices are, and a chat does not tell that: ask by completions", outside.Word(t.Name))
	case o.Category != "" && t.category == nil:
		return fmt.Errorf("the task %s has no categories", outside.Word(t.Name))
	}
	return nil
}

func (t *Task) bind(columns []string) error {
	for _, e := range []*expression{
		t.description, t.asked.question, t.asked.answer, t.asked.choices, t.asked.prefix,
		t.shown.question, t.shown.answer, t.shown.choices, t.shown.prefix,
		t.id, t.category, t.options, t.labels, t.program,
	} {
		if err := e.bind(columns); err != nil {
			return err
		}
	}
	return nil
}

// choose keeps the questions that are asked.
func (s *Set) choose(rows []*row) error {
	if s.o.Category != "" {
		var kept []*row
		seen := map[string]bool{}
		for _, r := range rows {
			category, err := s.task.categoryOf(r)
			if err != nil {
				return rowError(r, err)
			}
			if seen[category] = true; category == s.o.Category {
				kept = append(kept, r)
			}
		}
		if rows = kept; len(rows) == 0 {
			var names []string
			for name := range seen {
				names = append(names, name)
			}
			sort.Strings(names)
			return fmt.Errorf("no question has the category %q; there are %s", s.o.Category, outside.Sentence(strings.Join(names, ", ")))
		}
	}
	s.asked = rows
	if s.o.Limit > 0 && len(rows) > s.o.Limit {
		s.asked, s.limited = rows[:s.o.Limit], true
	}
	s.limited = s.limited || s.o.Category != ""
	return nil
}

func (s *Set) readExamples(questions *set) (err error) {
	t := s.task
	if s.shots == 0 {
		return nil
	}
	switch {
	case s.o.Examples == "" && len(t.samples) > 0:
		s.pool = t.samples
	case s.o.Examples == "" && (t.examples.empty() || t.examples.same(&t.questions)):
		s.pool = questions.rows
		s.notes = append(s.notes, "the worked examples are of the questions' own set")
	default:
		given := s.o.Examples
		if given == "" && isFolder(s.o.Data) && t.examples.hub == t.questions.hub {
			given = s.o.Data // a whole set, with its splits
		}
		var examples *set
		if examples, err = t.read(&t.examples, given, "--examples", &s.o); err != nil {
			return fmt.Errorf("the worked examples: %w", err)
		}
		s.pool = examples.rows
		t.reads.note(examples.files...)
	}
	pools := map[string][]int{}
	if t.ofCategory {
		for i, r := range s.pool {
			category, err := t.categoryOf(r)
			if err != nil {
				return fmt.Errorf("the worked examples: %w", rowError(r, err))
			}
			pools[category] = append(pools[category], i)
		}
	}
	s.turns = make([]atomic.Pointer[[]message], len(s.pool))
	s.drawn, err = t.drawExamples(s.asked, s.pool, pools, s.shots, s.o.Seed)
	return err
}

// examples are the worked examples of a question. Each is made once: requests are made while a run is timed.
func (s *Set) examples(i int) (out []message, err error) {
	if s.drawn == nil {
		return nil, nil
	}
	for _, at := range s.drawn[i] {
		turn := s.turns[at].Load()
		if turn == nil {
			made, err := s.task.exampleTurn(s.pool[at])
			if err != nil {
				return nil, fmt.Errorf("worked example %d: %w", s.pool[at].number+1, err)
			}
			turn = &made
			s.turns[at].Store(turn)
		}
		out = append(out, *turn...)
	}
	return out, nil
}

// Task is what the journal says of the set.
func (s *Set) Task() *journal.Task {
	t := s.task
	return &journal.Task{
		Name: t.Name, Version: t.version, Kind: t.kind, Shots: s.shots, Chat: s.o.Chat, Data: s.data, SHA: s.sha,
		Asked: len(s.asked), Seed: s.o.Seed, Limited: s.limited, Scores: t.scores,
	}
}

// Len is how many requests there are: questions, or their choices where each has its own.
func (s *Set) Len() int {
	if s.first != nil {
		return s.first[len(s.first)-1]
	}
	return len(s.asked)
}

// Notes are what the user should know.
func (s *Set) Notes() []string { return s.notes }

// Close lets go of files.
func (s *Set) Close() error { return nil }

// Item makes one request.
func (s *Set) Item(i int) (*Item, error) {
	if i < 0 || i >= s.Len() {
		return nil, errors.New("there is no such question")
	}
	choice := 0
	if s.first != nil {
		request := i
		i = sort.SearchInts(s.first, request+1) - 1
		choice = request - s.first[i] + 1
	}
	r := s.asked[i]
	item, err := s.item(i, choice)
	if err != nil {
		return nil, rowError(r, err)
	}
	return item, nil
}

func (s *Set) item(i, choice int) (*Item, error) {
	r := s.asked[i]
	q, choices, err := s.task.questionOf(r)
	if err != nil {
		return nil, err
	}
	examples, err := s.examples(i)
	if err != nil {
		return nil, err
	}
	parts, err := s.task.messages(s.o.System, r, examples)
	if err != nil {
		return nil, err
	}
	item := &Item{MaxTokens: s.maxToken, Fields: s.fields, Question: *q}
	switch {
	case choice > 0:
		s.askChoice(item, plainText(parts), choices[choice-1], choice)
	case s.o.Chat:
		if !s.o.MultiTurn {
			parts = singleTurn(parts)
		}
		texts := make([]string, len(parts))
		for j, m := range parts {
			texts[j] = m.Content
		}
		item.Prompt = strings.Join(texts, "\n\n")
		item.Messages, err = chatJSON(parts)
	default:
		item.Prompt = plainText(parts)
	}
	return item, err
}

// askChoice makes the request that tells how likely a choice is. Blanks before a choice
// belong to it, as in lm-eval: tokens begin with them.
func (s *Set) askChoice(item *Item, context, text string, choice int) {
	item.Prompt = context + s.task.asked.delimiter + text
	item.Context = len(strings.TrimRightFunc(context, isSpace))
	item.Question.Choice = choice
	item.Question.Bytes, item.Question.Characters = len(text), utf8.RuneCountInString(text)
}

// generation makes the fields of all requests.
func (s *Set) generation() {
	g := &s.task.generation
	if s.task.kind == journal.TaskChoice {
		s.maxToken = 1
		s.fields = []Field{field("temperature", 0, true), field("logprobs", 1, false), field("echo", true, false)}
		return
	}
	s.maxToken = g.maxTokens
	if s.o.MaxTokens > 0 {
		s.maxToken = s.o.MaxTokens
	}
	stop := g.stop
	if s.o.Chat && len(stop) > 4 { // OpenAI's bound for chats, which lm-eval keeps
		stop = stop[:4]
		s.notes = append(s.notes, fmt.Sprintf("a chat takes four stop texts: the last %d of the task's are left out, as in lm-eval", len(g.stop)-4))
	}
	if len(stop) > 0 {
		s.fields = append(s.fields, field("stop", stop, false))
	}
	s.fields = append(s.fields, g.fields...)
}

func field(name string, value any, sampling bool) Field {
	b, err := json.Marshal(value)
	if err != nil { // of values that a task's file holds: not possible
		b = []byte("null")
	}
	return Field{Name: name, Value: b, Sampling: sampling}
}
