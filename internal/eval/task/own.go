package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// readOwn reads a task of our own form.
func readOwn(from *tree, t *Task) error {
	if from.twice != nil {
		return from.twice
	}
	r := &reader{from: from}
	t.Name = r.text("name", t.Name)
	t.version = r.text("version", "")
	t.kind = r.text("kind", journal.TaskGenerate)
	if v := from.get("kind"); v != nil && !contains([]string{journal.TaskGenerate, journal.TaskChoice, journal.TaskCode}, t.kind) {
		r.fail(v, "kind is %s: it must be generate, choice or code", outside.Sentence(clipped(t.kind)))
	}
	t.needs = r.text("needs", "") // said where the task has no data of its own
	err := ownSource(r.within("data"), &t.questions, func(r *reader) {
		if rows := r.get("rows"); rows != nil {
			t.questions.rows = fileRows(r, rows, "questions")
		}
	})
	if err != nil {
		return err
	}
	t.description = r.expression("description")
	t.asked = form{
		question: r.expression("question"), answer: r.expression("answer"),
		choices: r.expression("choices"), prefix: r.expression("prefix"), delimiter: r.text("delimiter", " "),
	}
	t.id, t.category = r.expression("id"), r.expression("category")
	t.options, t.labels = r.expression("options"), r.expression("labels")
	t.program = r.expression("program")
	if err := t.ownExamples(r.within("examples")); err != nil {
		return err
	}
	if err := t.ownGeneration(r.within("generation")); err != nil {
		return err
	}
	scores := r.get("scores")
	if err := r.done(); err != nil {
		return err
	}
	if err := t.ownScores(scores); err != nil {
		return err
	}
	return t.whole()
}

// ownSource reads where rows come from, and with others further keys.
func ownSource(r *reader, s *source, others func(*reader)) error {
	s.files = r.texts("file")
	s.hub, s.config, s.split = r.text("hub", ""), r.text("config", ""), r.text("split", "")
	others(r)
	if r.err == nil && len(s.files) > 0 && s.hub != "" {
		r.fail(r.from, "%s has both a file and a set on the hub", r.of)
	}
	if r.err == nil && s.rows != nil && len(s.files)+len(s.hub) > 0 {
		r.fail(r.from, "%s has both rows and a file or a set", r.of)
	}
	return r.done()
}

func (t *Task) ownExamples(r *reader) error {
	t.shown = t.asked
	return ownSource(r, &t.examples, func(r *reader) {
		t.shots = r.number("shots", 0, 0, maxShots)
		t.between = r.text("delimiter", "\n\n")
		t.shownBetween = t.between
		for _, e := range []struct {
			key string
			to  **expression
		}{{"question", &t.shown.question}, {"answer", &t.shown.answer}, {"choices", &t.shown.choices}, {"prefix", &t.shown.prefix}} {
			if given := r.expression(e.key); given != nil {
				*e.to = given
			}
		}
		t.ofCategory = r.flag("same_category")
		switch draw := r.text("draw", "first"); draw {
		case "first":
		case "random":
			t.random = true
		default:
			r.fail(r.from, "examples.draw is %s: it must be first or random", outside.Sentence(clipped(draw)))
		}
		rows := r.get("rows")
		if rows == nil {
			t.exclude = t.examples.empty()
			return
		}
		t.samples = fileRows(r, rows, "worked examples")
		if !t.examples.empty() {
			r.fail(rows, "the worked examples have both rows and a file or a set")
		}
	})
}

// fileRows are questions or worked examples that a task's file itself holds.
func fileRows(r *reader, from *tree, what string) (rows []*row) {
	for i, e := range from.items {
		o, isRow := e.plain().(table.Object)
		if from.kind != list || !isRow {
			r.fail(from, "the %s must be a list of rows", what)
			return nil
		}
		rows = append(rows, newRow(i, o))
	}
	if len(rows) == 0 {
		r.fail(from, "there are no %s in the list", what)
	}
	return rows
}

// Bounds on what a task asks a server for.
const (
	maxTokens     = 1 << 20
	defaultTokens = 256
)

func (t *Task) ownGeneration(r *reader) error {
	t.generation.stop = r.texts("stop")
	t.generation.maxTokens = r.number("max_tokens", defaultTokens, 1, maxTokens)
	temperature := 0.0
	if v := r.get("temperature"); v != nil {
		switch x := v.value.(type) {
		case int64:
			temperature = float64(x)
		case float64:
			temperature = x
		default:
			r.fail(v, "generation.temperature must be a number")
		}
	}
	t.generation.fields = []Field{field("temperature", temperature, true)}
	if r.err == nil && (temperature < 0 || temperature > 10) {
		r.fail(r.from, "generation.temperature must be from 0 to 10")
	}
	return r.done()
}

func (t *Task) ownScores(from *tree) error {
	if from == nil {
		t.scores = defaultScores(t.kind)
		return nil
	}
	if from.kind != list || len(from.items) == 0 {
		return fmt.Errorf("line %d: scores must be a list with a name and a metric each", from.line)
	}
	for _, e := range from.items {
		r := &reader{of: "scores", from: e}
		if e.kind != mapping {
			return fmt.Errorf("line %d: scores must be a list with a name and a metric each", e.line)
		}
		s := journal.Score{
			Metric: r.text("metric", defaultScores(t.kind)[0].Metric), IgnoreCase: r.flag("ignore_case"), IgnorePunctuation: r.flag("ignore_punctuation"),
			IgnoreNumbers: r.flag("ignore_numbers"), IgnorePatterns: r.texts("ignore_patterns"),
		}
		s.Name = r.text("name", s.Metric)
		filters := r.get("filters")
		if err := r.done(); err != nil {
			return err
		}
		if err := t.metricFits(s.Metric, e.line); err != nil {
			return err
		}
		var err error
		if s.Filters, err = ownFilters(filters); err != nil {
			return err
		}
		t.scores = append(t.scores, s)
	}
	return nil
}

// metricsOf are the metrics of each kind of task.
var metricsOf = map[string][]string{
	journal.TaskGenerate: {journal.MetricExact},
	journal.TaskChoice:   {journal.MetricAcc, journal.MetricAccNorm, "acc_bytes"},
	journal.TaskCode:     {journal.MetricPass},
}

func (t *Task) metricFits(metric string, line int) error {
	known := metricsOf[t.kind]
	if contains(known, metric) {
		return nil
	}
	return fmt.Errorf("line %d: the metric %s is not one of a task of the kind %s: %s", line, outside.Sentence(clipped(metric)), t.kind, strings.Join(known, ", "))
}

func defaultScores(kind string) []journal.Score {
	switch kind {
	case journal.TaskChoice:
		return []journal.Score{{Name: journal.MetricAcc, Metric: journal.MetricAcc}, {Name: journal.MetricAccNorm, Metric: journal.MetricAccNorm}}
	case journal.TaskCode:
		return []journal.Score{{Name: journal.MetricPass, Metric: journal.MetricPass}}
	}
	return []journal.Score{{Name: journal.MetricExact, Metric: journal.MetricExact}}
}

// functions are the filters that package score runs.
var functions = []string{"regex", "take_first", "remove_whitespace", "lowercase", "uppercase", "map", "multi_choice_regex", "first_of", "remove"}

func ownFilters(from *tree) (out []journal.Filter, err error) {
	if from == nil {
		return nil, nil
	}
	if from.kind != list {
		return nil, fmt.Errorf("line %d: filters must be a list", from.line)
	}
	for _, e := range from.items {
		if e.kind != mapping {
			return nil, fmt.Errorf("line %d: a filter must have the key function", e.line)
		}
		r := &reader{of: "filters", from: e}
		f := journal.Filter{
			Function: r.text("function", ""), Pattern: r.text("pattern", ""), Patterns: r.texts("patterns"),
			Select: r.number("select", 0, -1<<20, 1<<20), Fallback: r.text("fallback", ""),
			IgnoreCase: r.flag("ignore_case"), IgnorePunctuation: r.flag("ignore_punctuation"), Default: r.text("default", ""),
		}
		readMap(r, "map", &f)
		if err := r.done(); err != nil {
			return nil, err
		}
		if err := checkFilter(&f, e.line); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func readMap(r *reader, key string, f *journal.Filter) {
	m := r.get(key)
	if m == nil {
		return
	}
	for i, name := range m.names {
		f.Map = append(f.Map, [2]string{name, pythonText(forTemplate(m.items[i].plain()))})
	}
	if m.kind != mapping {
		r.fail(m, "%s must be a mapping of texts to texts", r.name(key))
	}
}

// checkFilter refuses a filter that can't be run.
func checkFilter(f *journal.Filter, line int) error {
	if !contains(functions, f.Function) {
		hint := "known are " + strings.Join(functions, ", ")
		if near := usage.Nearest(f.Function, functions); near != "" {
			hint = "did you mean " + near + "?"
		}
		return fmt.Errorf("line %d: there is no filter %s: %s", line, outside.Sentence(clipped(f.Function)), hint)
	}
	if (f.Function == "first_of" || f.Function == "remove") && len(f.Patterns) == 0 {
		return fmt.Errorf("line %d: the filter %s needs patterns", line, f.Function)
	}
	if f.Function == "regex" && f.Pattern == "" {
		return fmt.Errorf("line %d: the filter regex needs a pattern", line)
	}
	return nil
}

// apartScores refuses two scores of one name: nobody could tell them apart.
func (t *Task) apartScores() error {
	seen := map[string]bool{}
	for _, s := range t.scores {
		if seen[s.Name] {
			return fmt.Errorf("two scores have the name %s: give each its own", outside.Sentence(clipped(s.Name)))
		}
		seen[s.Name] = true
	}
	return nil
}

// whole says what a task lacks.
func (t *Task) whole() error {
	if err := t.apartScores(); err != nil {
		return err
	}
	switch {
	case t.Name == "":
		return errors.New("it has no name")
	case t.asked.question == nil:
		return errors.New("it has no question: a template, or the name of a column")
	case t.kind == journal.TaskCode && t.program == nil:
		return errors.New("a task of the kind code needs a program that tests the answer")
	case t.kind != journal.TaskCode && t.asked.answer == nil:
		return errors.New("it has no answer: a template, or the name of a column, of what is right")
	case t.kind == journal.TaskChoice && t.asked.choices == nil:
		return errors.New("a task of the kind choice needs choices: a list, or the name of a column")
	case t.ofCategory && t.category == nil:
		return errors.New("worked examples of the same category need the key category")
	case len(t.samples) > 0 && t.shots > len(t.samples):
		return fmt.Errorf("it asks for %d worked examples and holds %d", t.shots, len(t.samples))
	}
	return nil
}
