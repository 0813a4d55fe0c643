package comparison

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// TestLists: the extracts of notes as tables, CSV and JSON.
func TestLists(t *testing.T) {
	runs, err := foreign.ReadFile("../../foreign/testdata/notes.md")
	if err != nil {
		t.Fatal(err)
	}
	lists := compare.Lists(runs, nil)
	for file, format := range map[string]string{"lists.md": "markdown", "lists.csv": "csv", "lists.json": "json"} {
		golden(t, file, func(w io.Writer) error { return WriteLists(w, lists, Options{Format: format}) })
	}
}

// TestOurOwnTableIsRead: a list that was pasted into a note is a note.
func TestOurOwnTableIsRead(t *testing.T) {
	one := result.Result{Name: "a", Tool: result.VLLM, Values: map[string]float64{"request_throughput": 4.25, "mean_ttft_ms": 100.5, "p99_tpot_ms": 12.5}, Facts: result.Facts{
		Concurrency: 8, Asked: 64, Completed: 36,
	}}
	two := one
	two.Name, two.Facts = "b", result.Facts{Rate: 2, Asked: 10, Completed: 10}
	var b bytes.Buffer
	if err := WriteLists(&b, compare.Lists([]result.Result{one, two}, nil), Options{Format: "markdown"}); err != nil {
		t.Fatal(err)
	}
	back, err := foreign.Read("note.md", b.Bytes())
	if err != nil || len(back) != 2 {
		t.Fatalf("%d runs, %v:\n%s", len(back), err, b.String())
	}
	if back[0].Name != "a" || back[0].Facts.Missing() != 28 || back[0].Facts.Load() != "c=8" || back[0].Values["mean_ttft_ms"] != 100.5 || back[1].Facts.Load() != "2/s" {
		t.Errorf("%+v", back)
	}
}

// hostile words are those that a terminal, a table, a page or a spreadsheet would obey.
const hostile = "=cmd|' /C calc'!A0\u001b[2J\n| <img src=x onerror=alert(1)> **bold**"

// TestHostileWords: a label, a model and the name of a metric are shown as words, in
// comparisons and in lists.
func TestHostileWords(t *testing.T) {
	read := func(model string) result.Result {
		data, err := json.Marshal(map[string]any{"label": hostile, "model_id": model, "request_throughput": 1, "completed": 2})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := foreign.Read("x.json", data)
		if err != nil {
			t.Fatal(err)
		}
		return runs[0]
	}
	runs := []result.Result{read("a"), read("b" + hostile)}
	c := mustCompare(t, sides(runs...))
	lists := compare.Lists(runs, nil)
	for _, name := range []string{"table", "markdown", "csv", "html", "json", "list table", "list markdown", "list csv", "list json"} {
		var b bytes.Buffer
		opt := Options{Format: strings.TrimPrefix(name, "list ")}
		err := Write(&b, c, nil, opt)
		if strings.HasPrefix(name, "list ") {
			b.Reset()
			err = WriteLists(&b, lists, opt)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := b.String()
		if strings.ContainsAny(text, "\x1b\a\r") || strings.Contains(text, "\n|  <img") {
			t.Errorf("%s steers a terminal:\n%q", name, text)
		}
		isMarkdown := strings.Contains(name, "markdown")
		if (isMarkdown || name == "html") && strings.Contains(text, "<img") || isMarkdown && strings.Contains(text, "**bold**") {
			t.Errorf("%s has someone else's markup:\n%s", name, text)
		}
		if !strings.Contains(name, "csv") {
			continue
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) && !strings.ContainsAny(cell[1:2], "0123456789.") {
					t.Errorf("%s: the cell %q is a formula", name, cell)
				}
			}
		}
	}
}

// TestManyRunsAreListed: thousands of runs, each under a load of its own, take no time that anyone notices.
func TestManyRunsAreListed(t *testing.T) {
	var runs []result.Result
	for i := range 40_000 {
		runs = append(runs, result.Result{Name: fmt.Sprint(i), Tool: result.VLLM, Facts: result.Facts{Concurrency: i/2 + 1, Completed: 1}, Values: map[string]float64{"mean_ttft_ms": float64(i)}})
	}
	began := time.Now()
	l := compare.Lists(runs, nil)
	if err := WriteLists(io.Discard, l, Options{Format: "markdown"}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Minute { // some 400 ms on a free machine; each held against each, it would be minutes
		t.Errorf("it took %v", took)
	}
}
