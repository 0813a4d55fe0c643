package lmeval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// sample is what lm-eval writes down of a question.
type sample struct {
	ID     int             `json:"doc_id"`
	Target json.RawMessage `json:"target"`
	Filter string          `json:"filter"`
	Exact  float64         `json:"exact_match"`
}

func readSamples(t *testing.T, folder, name string) (out []sample) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "samples_"+name+"_*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("lm_eval wrote down %v of %s: %v", found, name, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// compareSamples holds the questions' numbers, their order and what is right against what lm-eval wrote down.
func compareSamples(t *testing.T, name string, theirs []sample, s *task.Set) {
	t.Helper()
	var ids, filters []string
	right := map[string]string{}
	for _, one := range theirs {
		id := fmt.Sprint(one.ID)
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if !slices.Contains(filters, one.Filter) {
			filters = append(filters, one.Filter)
		}
		var text string
		if json.Unmarshal(one.Target, &text) != nil {
			text = string(one.Target) // a number or a list
		}
		right[id] = text
	}
	var ours []string
	for i := range s.Len() {
		item, err := s.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		q := item.Question
		id := fmt.Sprint(q.Number)
		if !slices.Contains(ours, id) {
			ours = append(ours, id)
		}
		// lm-eval writes a choice's number, or what is right; of several the list.
		list, _ := json.Marshal(q.Right)
		if theirs := right[id]; theirs != q.Right[0] && theirs != fmt.Sprint(q.RightChoice-1) && !sameList(theirs, string(list)) && !choiceOf(theirs, q.Right[0]) {
			t.Errorf("%s: of question %s right is %q, and lm_eval says %s", name, id, q.Right, theirs)
		}
	}
	slices.Sort(ids)
	slices.Sort(ours)
	if !slices.Equal(ids, ours) {
		t.Errorf("%s: lm_eval asks the questions %v, and we %v", name, ids, ours)
	}
	if n := len(s.Task().Scores); n < len(filters) {
		t.Errorf("%s: lm_eval has the filters %v, and we %d scores", name, filters, n)
	}
}

func sameList(a, b string) bool {
	a = strings.ReplaceAll(a, "'", "\"") // a list as Python prints it
	var x, y []string
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && slices.Equal(x, y)
}

// choiceOf: lm-eval writes the number of a choice where the task is generated, too.
func choiceOf(theirs, right string) bool {
	return map[string]string{"0": "red", "1": "green", "2": "blue"}[theirs] == right && right != ""
}

// keep writes golden files for the tests of package task, which need no lm-eval.
func keep(t *testing.T, way string, ours map[string][]body) {
	t.Helper()
	if t.Failed() {
		return
	}
	file := filepath.Join(testfiles.Root(t), "internal", "eval", "task", "testdata", "lmeval", way+".json")
	few := map[string][]body{}
	for name, all := range ours {
		few[name] = all[:min(len(all), 3)]
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(few); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
