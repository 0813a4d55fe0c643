// Package task is what is asked: a small file that says how the rows of a set become
// questions, with worked examples before them, and how answers are scored. The built-in
// tasks are such files. Task files of lm-evaluation-harness are read where they hold no
// Python; the prompts are then the same, byte for byte.
package task

import (
	"encoding/json"
	"errors"

	"github.com/inferometer/inferometer/internal/journal"
)

// Task is a file that was read. Nothing of its data is opened yet.
type Task struct {
	Name string
	// (the file's fields: prompts, worked examples, generation, scores)
}

// Load reads a built-in task by its name, or a file.
func Load(nameOrFile string) (*Task, error) { return nil, errNotYet }

// Names are the built-in tasks.
func Names() []string { return nil }

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

// Set is a task's questions.
type Set struct{}

// Open reads the questions and the worked examples.
func (t *Task) Open(o Options) (*Set, error) { return nil, errNotYet }

// Task is what the journal says of the set.
func (s *Set) Task() *journal.Task { return nil }

// Len is how many requests there are: questions, or their choices where each has its own.
func (s *Set) Len() int { return 0 }

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

// Item makes one request.
func (s *Set) Item(i int) (*Item, error) { return nil, errNotYet }

// Notes are what the user should know.
func (s *Set) Notes() []string { return nil }

// Close lets go of files.
func (s *Set) Close() error { return nil }

var errNotYet = errors.New("tasks are not read yet")
