package workload

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// EvalName is the dataset whose requests are questions.
const EvalName = "eval"

var eval = NewKind(Kind{
	Name: EvalName, Doc: "Questions of a task, whose answers are kept and scored.", File: true, BuiltIn: true, AllOfFile: true, WholeFile: true,
}, openEval)

// EvalOptions say which questions are asked, and how.
type EvalOptions struct {
	Task      string `json:"task" flag:"task" common:"true" whole:"true" metavar:"FILE|NAME" help:"the task: a built-in one by its name, or a file (docs/tasks.md)."`
	Examples  string `json:"examples" flag:"examples" whole:"true" metavar:"FILE" shown:"as the task says" help:"the file or folder of the worked examples."`
	Shots     *int   `json:"num_fewshot" flag:"num-fewshot" common:"true" whole:"true" min:"0" max:"1000" shown:"as the task says" help:"worked examples before each question."`
	ShotSeed  int    `json:"fewshot_seed" flag:"fewshot-seed" whole:"true" default:"1234" min:"0" help:"seed by which worked examples are drawn, as lm-eval draws them."`
	Category  string `json:"category" flag:"category" whole:"true" shown:"all" help:"ask only the questions of this category."`
	OneTurn   bool   `json:"fewshot_in_one_turn" flag:"fewshot-in-one-turn" whole:"true" help:"of a chat: all worked examples are a part of the one message, not turns of their own."`
	System    string `json:"system_instruction" flag:"system-instruction" whole:"true" metavar:"TEXT" help:"an instruction: the system message of a chat; of a completion, the text before all."`
	MaxTokens *int   `json:"max_answer_tokens" flag:"max-answer-tokens" whole:"true" follows:"output-len" min:"1" max:"1048576" shown:"as the task says" help:"most tokens of an answer."`
}

// BuiltIn says that the task is one of this program's own, and no file.
func (o *EvalOptions) BuiltIn() bool { return slices.Contains(task.Names(), o.Task) }

// checkGiven tells a wrong name before anything is asked. For somebody else no file is opened,
// not even to say what is wrong with it.
func (o *EvalOptions) checkGiven(all *Options) error {
	if o.Task == "" {
		return option.Errorf("task", "is needed: a file, or one of %s", strings.Join(task.Names(), ", "))
	}
	if all.Confined {
		return nil
	}
	if _, err := task.Load(o.Task, all.Reads.Allowed...); err != nil {
		return option.Errorf("task", "%v", err)
	}
	return nil
}

// CheckWith holds the options against the protocol.
func (o *EvalOptions) CheckWith(all *Options) error {
	if o.OneTurn && all.Carries != nil && !all.Chat {
		return option.Errorf("fewshot_in_one_turn", "needs a backend for chat, and %s takes a text", all.Carries.Backend).WithHint("use %s openai-chat", option.Ref("backend"))
	}
	return nil
}

// evalSet is the questions of a task in their order, each once.
type evalSet struct {
	set  *task.Set
	next int
}

func openEval(o Options, own *EvalOptions) (Dataset, error) {
	t, err := task.Load(own.Task, o.Reads.Allowed...)
	if err != nil {
		return nil, err
	}
	set, err := t.Open(task.Options{
		Data: o.Path, Examples: own.Examples, Shots: own.Shots, Limit: max(o.NumPrompts, 0), Seed: int64(own.ShotSeed),
		Chat: o.Chat, MultiTurn: !own.OneTurn, System: own.System, Category: own.Category, MaxTokens: deref(own.MaxTokens), Fetch: o.Fetch,
	})
	if err != nil {
		return nil, err
	}
	return &evalSet{set: set}, nil
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// Next implements Source.
func (e *evalSet) Next() (*Request, error) {
	if e.next >= e.set.Len() {
		return nil, io.EOF
	}
	item, err := e.set.Item(e.next)
	if err != nil {
		return nil, err
	}
	r := requestOf(item)
	r.Index, r.Question = e.next, &item.Question
	e.next++
	return r, nil
}

// requestOf is an item in the words of a request. It is greedy unless the task or the run
// says otherwise: two answers are comparable only then.
func requestOf(item *task.Item) *Request {
	r := &Request{Prompt: item.Prompt, Messages: item.Messages, OutputTokens: item.MaxTokens, Context: item.Context}
	if !slices.ContainsFunc(item.Fields, func(f task.Field) bool { return f.Name == temperature }) {
		r.Fields = append(r.Fields, Field{Name: temperature, Value: json.RawMessage("0"), Sampling: true})
	}
	for _, f := range item.Fields {
		r.Fields = append(r.Fields, Field(f))
	}
	return r
}

const temperature = "temperature"

// Len implements Dataset.
func (e *evalSet) Len() int { return e.set.Len() }

// Of a warm-up: enough to wake a server, and less than the longest few-shot prompts.
const (
	mostWarmWords  = 512
	mostWarmTokens = 64
)

// Warmups implements Dataset: words as many as a question has, and no question of the task.
func (e *evalSet) Warmups(n int) ([]*Request, error) {
	if e.set.Len() == 0 {
		return nil, nil
	}
	item, err := e.set.Item(0)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(warmSeed(0), uint64(e.set.Len())))
	warmups := make([]*Request, n)
	for i := range warmups {
		words := make([]string, min(len(strings.Fields(item.Prompt))+1, mostWarmWords))
		for k := range words {
			words[k] = prompts.CommonWords[random.IntN(len(prompts.CommonWords))]
		}
		r := requestOf(item)
		r.Index, r.Prompt, r.OutputTokens, r.Context = i, strings.Join(words, " "), min(item.MaxTokens, mostWarmTokens), 0
		if item.Messages != nil {
			r.Messages, _ = json.Marshal([]map[string]string{{"role": "user", "content": r.Prompt}}) // texts always marshal
		}
		warmups[i] = r
	}
	return warmups, nil
}

// Close implements Dataset.
func (e *evalSet) Close() error { return e.set.Close() }

func (e *evalSet) files() []string { return e.set.Files() }

// Notes are what the user should know of the questions.
func (e *evalSet) Notes() []string { return e.set.Notes() }

func (e *evalSet) task() *journal.Task { return e.set.Task() }

// Task is what a dataset of questions asks and how it is scored; nil: it has no questions.
func Task(d Dataset) *journal.Task {
	if q, ok := as[interface{ task() *journal.Task }](d); ok {
		return q.task()
	}
	return nil
}
