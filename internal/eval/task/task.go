// Package task is what is asked: a small file that says how the rows of a set become
// questions, with worked examples before them, and how answers are scored. The built-in
// tasks are such files. Task files of lm-evaluation-harness are read where they hold no
// Python; the prompts are then the same, byte for byte.
package task

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/journal"
)

// Task is a file that was read. Nothing of its data is opened yet.
type Task struct {
	Name    string
	version string
	kind    string
	lmEval  bool   // read from a file of lm-eval's
	folder  string // of the task's file
	reads   *reads // what it may read, and what was read
	needs   string // what to give where the task names no set; of built-in tasks

	questions, examples source
	samples             []*row // worked examples that the file itself holds
	// exclude: a worked example is never the question itself.
	exclude bool

	description *expression
	asked       form   // of the question
	shown       form   // of worked examples
	between     string // after a description
	// shownBetween is what follows a worked example.
	shownBetween string
	shots        int
	// fixedShots: lm-eval would not let a flag change that there are none.
	fixedShots bool
	random     bool // worked examples are drawn; else they are the first ones
	// ofCategory: worked examples are of the question's own category.
	ofCategory bool

	id, category, options, labels, program *expression

	generation generation
	scores     []journal.Score
	notes      []string
}

// form is how a row becomes a question with its answer.
type form struct {
	question, answer, choices, prefix *expression
	delimiter                         string // between question and answer
}

// generation is how an answer is generated.
type generation struct {
	stop      []string
	maxTokens int
	fields    []Field
}

// Options are what a run may say of a task.
type Options struct {
	Data      string // the questions' file or folder; empty: as the task says
	Examples  string // the worked examples' file or folder; empty: as the task says
	Shots     *int   // worked examples before each question; nil: as the task says
	Limit     int    // questions; 0: all
	Seed      int64  // by which worked examples are drawn, as lm-eval draws them
	Chat      bool   // questions are messages of a chat
	MultiTurn bool   // worked examples are earlier turns of that chat
	System    string // an instruction for the chat's system message; of a completion, text before all
	Category  string // only these questions; empty: all
	MaxTokens int    // of an answer; 0: as the task says
	// Fetch gets files of a set on the hub; nil: nothing is fetched.
	Fetch func(name string, patterns []string) (folder string, err error)
}

// Item is one request.
type Item struct {
	Prompt    string          // of a completion; of a chat, its messages' text for hash and show
	Messages  json.RawMessage // of a chat
	MaxTokens int
	Fields    []Field // stop, temperature, echo and the like
	// Context is how much of Prompt, in bytes, stands before the choice (log-likelihood).
	Context  int
	Question journal.Question
}

// Field is a field of a request's body.
type Field struct {
	Name  string
	Value json.RawMessage
	// Sampling: a flag of the run wins over it.
	Sampling bool
}
