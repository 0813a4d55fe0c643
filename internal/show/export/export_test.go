package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/fakerun"
	"github.com/inferometer/inferometer/internal/show/section"
)

var update = flag.Bool("update", false, "write the golden files anew")

func shown(t *testing.T, n int, words string, also ...row.Collector) section.Run {
	return shownTurns(t, n, 0, words, also...)
}

// shownTurns is a run whose requests are turns of conversations, so many each.
func shownTurns(t *testing.T, n, turns int, words string, also ...row.Collector) section.Run {
	t.Helper()
	r, err := measure.Measure(&fakerun.Journal{N: n, Words: words, Turns: turns}, measure.Options{}, also...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Judge(&fakerun.Journal{N: n, Words: words, Turns: turns}, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return section.Run{Name: section.Name(r, "/runs/x"), Folder: "/runs/x", Result: r, Verdict: v}
}

// shownEval is a run whose requests were questions.
func shownEval(t *testing.T, n, categories int, words string) section.Run {
	t.Helper()
	r, err := measure.Measure(&fakerun.Journal{N: n, Words: words, Categories: categories}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return section.Run{Name: section.Name(r, "/runs/x"), Folder: "/runs/x", Result: r}
}

// shownFleet is a run that three agents sent.
func shownFleet(t *testing.T, words string) section.Run {
	t.Helper()
	r, err := measure.Measure(&fakerun.Journal{N: 40, Words: words, Agents: 3}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Judge(&fakerun.Journal{N: 40, Words: words, Agents: 3}, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return section.Run{Name: section.Name(r, "/runs/x"), Folder: "/runs/x", Result: r, Verdict: v}
}

// TestGolden: every form of text, as it was looked at.
func TestGolden(t *testing.T) {
	one, two := shown(t, 40, "my run"), shown(t, 20, "other|`run`")
	limits, err := slo.Parse("p99_ttft<25ms")
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"one.md":    func(b *bytes.Buffer) error { return Markdown(b, []section.Run{one}, nil) },
		"two.md":    func(b *bytes.Buffer) error { return Markdown(b, []section.Run{one, two}, limits) },
		"turns.md":  func(b *bytes.Buffer) error { return Markdown(b, []section.Run{shownTurns(t, 40, 4, "my run")}, nil) },
		"turns.csv": func(b *bytes.Buffer) error { return CSV(b, []section.Run{one, shownTurns(t, 40, 4, "my run")}) },
		"eval.md": func(b *bytes.Buffer) error {
			return Markdown(b, []section.Run{one, shownEval(t, 40, 3, "my run"), shownEval(t, 120, 60, "many")}, nil)
		},
		"eval.csv":   func(b *bytes.Buffer) error { return CSV(b, []section.Run{one, shownEval(t, 40, 3, "my run")}) },
		"lm-eval.md": func(b *bytes.Buffer) error { return LMEval(b, []section.Run{shownEval(t, 40, 3, "my run")}) },
		"lm-evals.md": func(b *bytes.Buffer) error {
			return LMEval(b, []section.Run{shownEval(t, 40, 3, "a"), shownEval(t, 0, 3, "b|c")})
		},
		"fleet.md":  func(b *bytes.Buffer) error { return Markdown(b, []section.Run{shownFleet(t, "my run")}, nil) },
		"fleet.csv": func(b *bytes.Buffer) error { return CSV(b, []section.Run{one, shownFleet(t, "my run")}) },
		"fleet-requests.csv": func(b *bytes.Buffer) error {
			rows, err := RequestsCSV(b)
			if err != nil {
				return err
			}
			rows.Begin("my run", (&fakerun.Journal{N: 12, Words: "my run", Agents: 3}).Run())
			if _, err := measure.Measure(&fakerun.Journal{N: 12, Words: "my run", Agents: 3}, measure.Options{}, rows); err != nil {
				return err
			}
			return rows.Close()
		},
		"section.md":      func(b *bytes.Buffer) error { return Section(b, &one) },
		"runs.csv":        func(b *bytes.Buffer) error { return CSV(b, []section.Run{one, two}) },
		"llmd.json":       func(b *bytes.Buffer) error { return LLMD(b, &one) },
		"inferencex.json": func(b *bytes.Buffer) error { return InferenceX(b, &one) },
		"requests.csv": func(b *bytes.Buffer) error {
			rows, err := RequestsCSV(b)
			if err != nil {
				return err
			}
			rows.Begin("my run", (&fakerun.Journal{N: 5, Words: "my run"}).Run())
			shown(t, 5, "my run", rows)
			return rows.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestHostileWords: what a server or a user calls things breaks no table and no fence.
func TestHostileWords(t *testing.T) {
	words := "=a|b\n```\n# <script>\x1b[31m"
	run := shownTurns(t, 20, 4, words)
	var b bytes.Buffer
	if err := Section(&b, &run); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.Contains(strings.Split(got, "````sh")[0], "<script>") || strings.Contains(got, "| =a|b") || strings.Count(got, "````") != 2 {
		t.Errorf("%s", got)
	}
	b.Reset()
	if err := CSV(&b, []section.Run{run}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 2 || lines[1][0] != "'=a|b ``` # <script>" {
		t.Errorf("%v %q", err, lines)
	}
}

// TestHostileQuestions: ids, categories and tasks break no table, and are no formula.
func TestHostileQuestions(t *testing.T) {
	words := "=1+1|\x1b[2J\u202e<script>`*\n| 1 | 2 |" + strings.Repeat("long ", 1<<18)
	run := shownEval(t, 40, 3, words)
	run.Name, run.Result.Eval.Task = "x", "=cmd|' /C calc'!A0"
	run.Result.Run.Options.ModelID, run.Result.Run.Command = "x", nil
	for i := range run.Result.Eval.Categories {
		run.Result.Eval.Categories[i].Name = words
	}
	var b bytes.Buffer
	if err := Markdown(&b, []section.Run{run, run}, nil); err != nil {
		t.Fatal(err)
	}
	if err := LMEval(&b, []section.Run{run}); err != nil {
		t.Fatal(err)
	}
	before := 0
	for line := range strings.Lines(b.String()) {
		bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if i := strings.IndexFunc(line, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }); i >= 0 || len(line) > 1000 || strings.Contains(line, "<script") {
			t.Errorf("%.200q", line)
		}
		if bars != 0 && before != 0 && bars != before { // of one table
			t.Errorf("a line of %d bars below %d: %.200q", bars, before, line)
		}
		before = bars
	}
	b.Reset()
	if err := CSV(&b, []section.Run{run}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 2 || lines[1][slices.Index(lines[0], "task")] != "'=cmd|' /C calc'!A0" {
		t.Errorf("%v %q", err, lines)
	}
	if err := LMEval(&b, []section.Run{shown(t, 3, "x")}); err == nil || !strings.Contains(err.Error(), "its requests were no questions") {
		t.Error(err)
	}
}

// TestParquetIsWritten: its content is read by other programs in test/parquet.
func TestParquetIsWritten(t *testing.T) {
	var b bytes.Buffer
	rows, err := RequestsParquet(&b)
	if err != nil {
		t.Fatal(err)
	}
	rows.Begin("a", (&fakerun.Journal{}).Run())
	shown(t, 100, "a", rows)
	if err := rows.Close(); err != nil || !bytes.HasPrefix(b.Bytes(), []byte("PAR1")) || !bytes.HasSuffix(b.Bytes(), []byte("PAR1")) {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}

// TestLLMDSchema holds what we write against llm-d's own schema, where somebody has it:
// br_v0_2_json_schema.json of github.com/llm-d/llm-d-benchmark.
func TestLLMDSchema(t *testing.T) {
	path := os.Getenv("INFEROMETER_LLMD_SCHEMA")
	if path == "" {
		t.Skip("INFEROMETER_LLMD_SCHEMA names no file: llm-d's schema is not kept here")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 40} {
		run := shown(t, n, "my run")
		var b bytes.Buffer
		if err := LLMD(&b, &run); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%d requests: %v", n, err)
		}
	}
}

// TestInferenceXOrder: its script lets later keys win, so the ones in ms come last.
func TestInferenceXOrder(t *testing.T) {
	run := shown(t, 40, "my run")
	var b bytes.Buffer
	if err := InferenceX(&b, &run); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if s, m := strings.LastIndex(got, `_e2el":`), strings.Index(got, `_ms":`); s < 0 || m < s {
		t.Errorf("seconds end at %d, ms begin at %d", s, m)
	}
}
