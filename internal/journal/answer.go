package journal

import (
	"errors"
	"math"
	"reflect"

	"github.com/inferometer/inferometer/internal/outside"
)

// Task is what the questions of a run are, and how their answers are scored. With it and
// the lines of answers a journal holds all that a score needs.
type Task struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind"`                     // generate, choice or code
	Shots   int    `json:"shots,omitempty"`          // worked examples before each question
	Chat    bool   `json:"chat,omitempty"`           // questions were messages of a chat
	Data    string `json:"data,omitempty"`           // where the questions come from: a file's base name, or a set on the hub
	SHA     string `json:"sha,omitempty"`            // of all questions with what is right: two runs with the same can be paired
	Asked   int    `json:"asked"`                    // questions of this run
	Seed    int64  `json:"seed,omitempty" bound:"-"` // by which worked examples were drawn
	Limited bool   `json:"limited,omitempty"`        // the set has more questions
	// Scores are the ways in which an answer is scored; the first is the task's own.
	Scores []Score `json:"scores"`
}

// The kinds of tasks.
const (
	TaskGenerate = "generate" // the answer is in the generated text
	TaskChoice   = "choice"   // the answer is the choice that the model finds most likely
	TaskCode     = "code"     // the answer is a program, which is run
)

// Score is a way from a generated text to right or wrong.
type Score struct {
	Name    string   `json:"name"` // strict-match, say
	Metric  string   `json:"metric"`
	Filters []Filter `json:"filters,omitempty"` // from the text to the answer, one after the other

	// Of the metric exact_match: what of the answer and of what is right does not count.
	IgnoreCase        bool     `json:"ignore_case,omitempty"`
	IgnorePunctuation bool     `json:"ignore_punctuation,omitempty"`
	IgnoreNumbers     bool     `json:"ignore_numbers,omitempty"`
	IgnorePatterns    []string `json:"ignore_patterns,omitempty"`
}

// The metrics.
const (
	MetricExact   = "exact_match" // the answer is one of the right ones
	MetricAcc     = "acc"         // the right choice is the most likely one
	MetricAccNorm = "acc_norm"    // as acc, by likelihood per character, as lm-eval has it
	MetricPass    = "pass@1"      // the program passes its test
)

// Filter is one step from a text to an answer.
type Filter struct {
	Function string `json:"function"` // a name of package score
	Pattern  string `json:"pattern,omitempty"`
	Select   int    `json:"select,omitempty" bound:"-"` // which of several matches; -1: the last
	Fallback string `json:"fallback,omitempty"`         // what stands for no match; empty: [invalid]
	// Of multi_choice_regex.
	IgnoreCase        bool `json:"ignore_case,omitempty"`
	IgnorePunctuation bool `json:"ignore_punctuation,omitempty"`
	// Of map: texts and what stands for them.
	Map     [][2]string `json:"map,omitempty"`
	Default string      `json:"default,omitempty"`
	// Of remove: what is taken out (regular expressions).
	Patterns []string `json:"patterns,omitempty"`
}

// Question is what a request asks, and what is right.
type Question struct {
	Number   int      `json:"n" bound:"index"`    // of its row, from 0
	ID       string   `json:"id,omitempty"`       // as the row says
	Category string   `json:"category,omitempty"` // as the row says
	Right    []string `json:"right,omitempty"`    // answers that are right
	// Options is among how many the answer is one: who guesses is right once in so many. 0: it is no choice.
	Options int `json:"options,omitempty"`
	// Labels are the options' texts, where a filter needs them.
	Labels []string `json:"labels,omitempty"`
	// Choice is the option that this request holds, from 1, where each has its own (log-likelihood).
	// RightChoice is the right one. Bytes and Characters are its length.
	Choice      int `json:"choice,omitempty"`
	RightChoice int `json:"right_choice,omitempty"`
	Bytes       int `json:"bytes,omitempty"`
	Characters  int `json:"characters,omitempty"`
	// Program is what tests a program: {{answer}} in it stands for the answer.
	Program string `json:"program,omitempty"`
}

// Answer is what a question got. It is written with its request's line.
type Answer struct {
	Index int `json:"i" bound:"index"` // of the request
	Question
	Outcome      Outcome `json:"outcome"`
	FinishReason string  `json:"finish_reason,omitempty"`
	Prompt       int     `json:"prompt_tokens,omitempty"` // as the server counted
	Output       int     `json:"output_tokens,omitempty"`
	Text         string  `json:"text,omitempty"`
	Hash         string  `json:"hash,omitempty"` // of the whole text
	Refusal      bool    `json:"refusal,omitempty"`
	// Logprob is the logarithm of the choice's likelihood, where the server tells it.
	Logprob *float64 `json:"logprob,omitempty"`
	Greedy  bool     `json:"greedy,omitempty"` // each of its tokens is the most likely one
	// Earlier: it was asked in a part of this run that was killed. It is scored; its time counts nowhere.
	Earlier bool `json:"earlier,omitempty"`
}

// Checked is what became of a program that was an answer.
type Checked struct {
	Index  int    `json:"i" bound:"index"` // of the request
	Passed bool   `json:"passed"`
	How    string `json:"how,omitempty"` // why not: failed, timeout, memory, …
	Detail string `json:"detail,omitempty"`
}

// Answer writes what a question got.
func (w *Writer) Answer(a *Answer) error { return w.line(Line{Answer: a}) }

// AppendAnswer adds the line of an answer to others.
func AppendAnswer(lines []byte, a *Answer) []byte {
	return appendLine(lines, Line{Answer: a})
}

// AppendChecked adds the line of a program to others.
func AppendChecked(lines []byte, c *Checked) []byte {
	return appendLine(lines, Line{Checked: c})
}

// appendLine leaves out what can't be encoded: a likelihood that is no number.
func appendLine(lines []byte, l Line) []byte {
	b, err := encode(l)
	if err != nil {
		return lines
	}
	return append(lines, b...)
}

// Checked writes what became of a program.
func (w *Writer) Checked(c *Checked) error { return w.line(Line{Checked: c}) }

// OnAnswer asks for the lines of answers, which Next passes over otherwise. see is called
// during Next; the value is its own to keep. OnChecked is the same for programs.
func (r *Reader) OnAnswer(see func(*Answer)) { r.see.answer = see }

// OnChecked: see OnAnswer.
func (r *Reader) OnChecked(see func(*Checked)) { r.see.checked = see }

// clean leaves the texts as they are: they are scored, and cleaned where they are shown.
func (a *Answer) clean() {
	a.ID, a.Category = outside.Word(a.ID), outside.Word(a.Category)
	a.Outcome = Outcome(outside.Word(string(a.Outcome)))
	a.FinishReason, a.Hash = outside.Word(a.FinishReason), outside.Word(a.Hash)
}

// clean keeps what scores: a pattern without its line breaks would be another one.
func (t *Task) clean() *Task {
	if t == nil {
		return nil
	}
	t.Name, t.Version, t.Kind = outside.Word(t.Name), outside.Word(t.Version), outside.Word(t.Kind)
	t.Data, t.SHA = outside.Line(t.Data, maxText), outside.Word(t.SHA)
	for i := range t.Scores {
		t.Scores[i].Name, t.Scores[i].Metric = outside.Word(t.Scores[i].Name), outside.Word(t.Scores[i].Metric)
	}
	return t
}

func (c *Checked) clean() { cleanValue(reflect.ValueOf(c)) }

// maxOptions bounds the options of a question.
const maxOptions = 1 << 16

func (a *Answer) check() error {
	b := checkFields(a)
	b.within("options", int64(a.Options), 0, maxOptions)
	b.within("choice", int64(a.Choice), 0, int64(a.Options))
	b.within("right_choice", int64(a.RightChoice), 0, int64(a.Options))
	if b.err == nil && a.Logprob != nil && (math.IsNaN(*a.Logprob) || *a.Logprob > 0) {
		b.err = errors.New("the logarithm of a likelihood is above 0")
	}
	if b.err == nil && a.Outcome == "" {
		b.err = errors.New("it has no outcome")
	}
	return b.named("answer", a.Index)
}
