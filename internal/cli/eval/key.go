package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim/answers"
)

const (
	flagWriteKey = "write-key"
	writeKeyHelp = "Write the prompts' SHA-256 with right and wrong answers to FILE, and ask nothing: inferometer sim --answer-key FILE then answers the questions, as often right as it is told to."
)

// mostKeyed bounds the questions of a key.
const mostKeyed = 200_000

// asking is a request that goes into a key.
type asking struct {
	prompt   string // as the simulator knows it
	question journal.Question
}

// writeTheKey makes the answer key of a task for the simulator.
func (o *options) writeTheKey(ctx context.Context, s command.Streams, set *argv.Set) error {
	if o.writeKey == "" {
		return argv.Errorf(flagWriteKey, "needs the name of a file")
	}
	for _, name := range []string{"resume", flagUnderLoad, flagRepeat, "dry-run", "print-spec", "lock"} {
		if set.Seen(name) {
			return argv.Errorf(name, "can't be used with --%s, which asks nothing and prints nothing else", flagWriteKey)
		}
	}
	if _, err := os.Lstat(o.writeKey); err == nil {
		return argv.Errorf(flagWriteKey, "%s is there already: remove it, or give another name", o.writeKey)
	}
	asked := set.Given().Without(func(flag string) bool { return flag == flagWriteKey })
	if !set.Seen("model") {
		asked.Add("model", "sim") // a prompt does not depend on it
	}
	var all []asking
	task, err := serve.ShowQuestions(ctx, s, asked, place, func(w *workload.Request) error {
		if len(all) == mostKeyed {
			return fmt.Errorf("the task has more than %d questions: take fewer with --num-prompts", mostKeyed)
		}
		prompt, err := promptOf(w)
		if err != nil {
			return fmt.Errorf("question %d: %w", w.Question.Number+1, err)
		}
		all = append(all, asking{prompt, *w.Question})
		return nil
	})
	if err != nil {
		return err
	}
	lines, left, err := keyLines(task, all)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return err
		}
	}
	if _, err := answers.Read(bytes.NewReader(b.Bytes())); err != nil { // what is written can be read
		return fmt.Errorf("the key would not be one: %w", err)
	}
	if err := atomicfile.WriteBytes(o.writeKey, b.Bytes()); err != nil {
		return err
	}
	for _, note := range left {
		fmt.Fprintln(s.Err, "note:", note)
	}
	fmt.Fprintf(s.Err, "%d prompts of %s in %s: inferometer sim --answer-key %s --accuracy 0.8\n", len(lines), task.Name, o.writeKey, o.writeKey)
	return nil
}

// promptOf is a request's prompt as a key knows it.
func promptOf(w *workload.Request) (string, error) {
	if w.Messages == nil {
		return w.Prompt, nil
	}
	var list []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(w.Messages, &list); err != nil {
		return "", fmt.Errorf("its messages are no texts: %w", err)
	}
	messages := make([]answers.Message, len(list))
	for i, m := range list {
		messages[i] = answers.Message(m)
	}
	return answers.ChatText(messages), nil
}

// keyLines are the lines of a key, and what the user should know of questions that have none.
func keyLines(t *journal.Task, all []asking) (lines []answers.Line, left []string, err error) {
	name := func(q *journal.Question) string { return fmt.Sprintf("%s/%d", t.Name, q.Number) }
	var same, unlike int
	seen := map[string]bool{}
	add := func(prompt string, l answers.Line) {
		if l.Prompt = answers.Sum(prompt); seen[l.Prompt] {
			same++
			return
		}
		seen[l.Prompt] = true
		lines = append(lines, l)
	}
	switch t.Kind {
	case journal.TaskChoice:
		for i := range all {
			q := &all[i].question
			add(all[i].prompt, answers.Line{Question: name(q), Choice: q.Choice, Choices: q.Options, Correct: q.Choice == q.RightChoice})
		}
	case journal.TaskGenerate:
		questions := make([]*journal.Question, len(all))
		for i := range all {
			questions[i] = &all[i].question
		}
		made, err := makeTexts(t, questions)
		if err != nil {
			return nil, nil, err
		}
		for i := range made {
			m := &made[i]
			if m.right == "" || len(m.wrong) == 0 {
				unlike++
				continue
			}
			add(all[i].prompt, answers.Line{Question: name(m.question), Right: m.right, Wrong: m.wrong, None: m.none})
		}
	default:
		return nil, nil, fmt.Errorf("the answers to %s are programs, and a key has none", t.Name)
	}
	if len(lines) == 0 {
		return nil, nil, errors.New("no question has both a right and a wrong answer that can be made up")
	}
	if same > 0 {
		left = append(left, fmt.Sprintf("%d prompts are the same as an earlier one, and get its answer", same))
	}
	if unlike > 0 {
		left = append(left, fmt.Sprintf("%d questions are left out: no right, or no wrong answer to them could be made up", unlike))
	}
	return lines, left, nil
}
