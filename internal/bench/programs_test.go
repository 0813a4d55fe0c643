package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/eval/sandbox"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/usage"
)

// answers is a journal of a task, open for more.
func answers(t *testing.T, task *journal.Task, list ...journal.Answer) *journal.Writer {
	t.Helper()
	w, err := journal.Create(filepath.Join(t.TempDir(), journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Run(&journal.Run{Schema: journal.Schema, Task: task}); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := w.Answer(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// checkedOf closes a journal and gives what became of its programs.
func checkedOf(t *testing.T, w *journal.Writer) map[int]journal.Checked {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := w.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[int]journal.Checked{}
	r.OnChecked(func(c *journal.Checked) {
		if _, twice := all[c.Index]; twice {
			t.Errorf("program %d is written twice", c.Index)
		}
		all[c.Index] = *c
	})
	if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Damage() != nil {
		t.Fatal(err, r.Damage())
	}
	return all
}

func answer(i int, outcome journal.Outcome, text string) journal.Answer {
	return journal.Answer{Index: i, Question: journal.Question{Number: i, Program: "<{{answer}}>"}, Outcome: outcome, Text: text}
}

// TestProgramsEachOnce: of ten thousand answers each complete one that was not run is run
// once, and never more than so many are under way.
func TestProgramsEachOnce(t *testing.T) {
	const n, atOnce = 10_000, 3
	list := make([]journal.Answer, n)
	for i := range list {
		list[i] = answer(i, journal.Complete, fmt.Sprint("a", i))
		if i%10 == 1 {
			list[i].Outcome = journal.Timeout
		}
	}
	w := answers(t, &journal.Task{Name: "code", Kind: journal.TaskCode}, list...)
	for i := 0; i < n; i += 10 { // by the part of the run that was killed
		if err := w.Checked(&journal.Checked{Index: i, How: sandbox.Memory}); err != nil {
			t.Fatal(err)
		}
	}
	var underWay, most, ran atomic.Int64
	c := &programs{write: w.Checked, say: t.Logf}
	c.run = func(_ context.Context, program string) (sandbox.Result, error) {
		now := underWay.Add(1)
		defer underWay.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		ran.Add(1)
		if strings.HasSuffix(program, "7>") {
			return sandbox.Result{Passed: true}, nil
		}
		return sandbox.Result{How: sandbox.Failed, Detail: program}, nil
	}
	if err := c.look(w); err != nil || c.total != n*8/10 {
		t.Fatalf("%d to run: %v", c.total, err)
	}
	if err := c.all(t.Context(), w, atOnce); err != nil {
		t.Fatal(err)
	}
	if ran.Load() != n*8/10 || most.Load() > atOnce || c.passed != n/10 || c.failed != 0 {
		t.Errorf("%d ran, %d at once, %d passed, %d failed", ran.Load(), most.Load(), c.passed, c.failed)
	}
	all := checkedOf(t, w)
	if len(all) != n*9/10 || all[10].How != sandbox.Memory || !all[17].Passed || all[18].Detail != "<a18>" {
		t.Errorf("%d are written: %+v %+v %+v", len(all), all[10], all[17], all[18])
	}
}

func TestProgramsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := answers(t, &journal.Task{Kind: journal.TaskCode}, answer(0, journal.Complete, ""), answer(1, journal.Complete, ""), answer(2, journal.Complete, ""))
	c := &programs{write: w.Checked, say: t.Logf}
	c.run = func(ctx context.Context, _ string) (sandbox.Result, error) {
		if c.done == 1 {
			cancel()
			return sandbox.Result{}, ctx.Err()
		}
		return sandbox.Result{Passed: true}, nil
	}
	if err := errors.Join(c.look(w), c.all(ctx, w, 1)); err != nil {
		t.Fatal(err)
	}
	if all := checkedOf(t, w); len(all) != 1 || !all[0].Passed {
		t.Errorf("written: %+v", all)
	}
}

// TestProgramsSandboxFails: what the sandbox could not run has no verdict.
func TestProgramsSandboxFails(t *testing.T) {
	bad := answer(1, journal.Complete, "")
	bad.Program = "no place"
	w := answers(t, &journal.Task{Kind: journal.TaskCode}, answer(0, journal.Complete, ""), bad)
	c := &programs{write: w.Checked, say: t.Logf, run: func(context.Context, string) (sandbox.Result, error) {
		return sandbox.Result{}, errors.New("no room")
	}}
	if err := errors.Join(c.look(w), c.all(t.Context(), w, 1)); err != nil || c.failed != 2 {
		t.Fatal(c.failed, err)
	}
	if all := checkedOf(t, w); len(all) != 0 {
		t.Errorf("written: %+v", all)
	}
}

func TestProgramsOfOtherTasks(t *testing.T) {
	for _, task := range []*journal.Task{nil, {Kind: journal.TaskGenerate}} {
		w := answers(t, task, answer(0, journal.Complete, ""))
		c := &programs{}
		if err := c.look(w); err != nil || c.total != 0 {
			t.Errorf("%+v: %d to run, %v", task, c.total, err)
		}
	}
}

func TestRefuseCode(t *testing.T) {
	code, text := &journal.Task{Name: "humaneval", Kind: journal.TaskCode}, &journal.Task{Kind: journal.TaskGenerate}
	for _, c := range []struct {
		task    *journal.Task
		allowed bool
		want    string
	}{
		{code, true, ""},
		{code, false, "is needed for the task humaneval"},
		{text, true, "is for a task whose answers are programs"},
		{nil, true, "is for a task whose answers are programs"},
		{text, false, ""},
		{nil, false, ""},
	} {
		s := Default()
		s.AllowCode = c.allowed
		err := s.RefuseCode(c.task)
		var wrong *usage.Error
		if (err != nil) != (c.want != "") || err != nil && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v %v: %v", c.task, c.allowed, err)
		}
	}
	s := Default()
	s.AllowCode, s.NATS = true, "nats://127.0.0.1"
	if err := s.checkFleet(); err == nil || !strings.Contains(err.Error(), "--allow-code can't be used with --fleet") {
		t.Errorf("in a fleet: %v", err)
	}
}

// TestRealPrograms runs three of HumanEval in the sandbox, as a run does after its load.
func TestRealPrograms(t *testing.T) {
	s := Default()
	s.AllowCode = true
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	r := newRun(&s, &Host{Lookup: os.LookupEnv, Say: say, Warn: say})
	if err := r.openSandbox(t.Context()); err != nil {
		var wrong *usage.Error
		if errors.As(err, &wrong) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	var err error // a busy machine may need longer than a run gives them
	if r.sandbox, err = sandbox.Open(t.Context(), os.Getenv(pythonVariable), sandbox.Limits{Time: 10 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join("..", "eval", "sandbox", "testdata", "humaneval-3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var list []journal.Answer
	for _, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		var row struct {
			Prompt   string `json:"prompt"`
			Solution string `json:"canonical_solution"`
			Test     string `json:"test"`
			Entry    string `json:"entry_point"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		program := row.Prompt + answerMark + "\n" + row.Test + "\ncheck(" + row.Entry + ")"
		for _, text := range []string{"```python\n" + row.Prompt + row.Solution + "```\nThat is it.", row.Solution + "\n```", "    return None\n"} {
			a := answer(len(list), journal.Complete, text)
			a.Program = program
			list = append(list, a)
		}
	}
	r.journal = answers(t, &journal.Task{Name: "humaneval", Kind: journal.TaskCode, Chat: true}, list...)
	end := &journal.End{}
	if err := r.runPrograms(t.Context(), nil, end); err != nil || end.Interrupted != "" {
		t.Fatal(err, end.Interrupted)
	}
	for i, c := range checkedOf(t, r.journal) {
		if want := i%3 != 2; c.Passed != want || c.Passed != (c.How == "") {
			t.Errorf("program %d: %+v", i, c)
		}
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "running 9 programs") || !strings.Contains(text, "9 of 9 run, 6 passed") {
		t.Errorf("said:\n%s", text)
	}
	stopped := &journal.End{Interrupted: "signal"}
	if err := r.runPrograms(t.Context(), nil, stopped); err != nil {
		t.Error(err)
	}
}
