package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// isLMEval says whether a file is a task of lm-eval's.
func isLMEval(from *tree) bool {
	if from.get("question") != nil {
		return false
	}
	for _, name := range []string{"task", "output_type", "dataset_path", "doc_to_text", "include", "group"} {
		if from.get(name) != nil {
			return true
		}
	}
	return false
}

// python are keys of lm-eval's that hold Python where they hold anything.
var python = []string{"process_docs", "process_results", "custom_dataset", "class", "use_prompt", "doc_to_image", "doc_to_audio"}

// harmless are keys of lm-eval's that change neither what is asked nor how it is scored.
var harmless = []string{"tag", "task_alias", "should_decontaminate", "doc_to_decontamination_query", "unsafe_code", "group", "group_alias"}

// readLMEval reads a task of lm-eval's. What it says of the order of rules there is
// that of version 0.4.13.
func readLMEval(from *tree, t *Task) (err error) {
	if from, err = included(from, t.folder, t.reads, map[string]bool{}); err != nil {
		return err
	}
	if task := from.get("task"); task != nil && task.kind == list || from.get("group") != nil && task == nil {
		return errors.New("it is a group of tasks: give the file of one of them")
	}
	t.lmEval = true
	r := &reader{from: from}
	t.Name = r.text("task", "")
	for _, key := range python {
		if v := r.get(key); v != nil {
			r.fail(v, "%s is Python, or needs it: such a task can't be read", key)
		}
	}
	for _, key := range harmless {
		r.get(key)
	}
	if v := r.within("metadata").from.get("version"); v != nil && v.kind == scalar {
		t.version = v.text
	}
	if err := t.lmKind(r); err != nil {
		return err
	}
	t.description = r.expression("description")
	t.between = r.text("fewshot_delimiter", "\n\n")
	t.asked = form{
		question: r.expression("doc_to_text"), answer: r.expression("doc_to_target"), choices: r.expression("doc_to_choice"),
		prefix: r.expression("gen_prefix"), delimiter: r.text("target_delimiter", " "),
	}
	t.shots = r.number("num_fewshot", 0, 0, maxShots)
	if v := r.from.get("num_fewshot"); v != nil && t.shots == 0 {
		t.fixedShots = true
	}
	if r.number("repeats", 1, 1, 1<<20) != 1 {
		r.fail(from.get("repeats"), "repeats is above 1: each question is asked once")
	}
	if err := t.lmData(r); err != nil {
		return err
	}
	generation, metrics, filters := r.within("generation_kwargs"), r.get("metric_list"), r.get("filter_list")
	if err := r.done(); err != nil {
		return err
	}
	if err := t.lmGeneration(generation); err != nil {
		return err
	}
	if err := t.lmScores(metrics, filters); err != nil {
		return err
	}
	return t.lmWhole()
}

func (t *Task) lmKind(r *reader) error {
	switch output := r.text("output_type", "generate_until"); output {
	case "generate_until":
		t.kind = journal.TaskGenerate
	case "multiple_choice":
		t.kind = journal.TaskChoice
	default:
		return fmt.Errorf("line %d: output_type %s can't be asked: generate_until and multiple_choice can", r.from.get("output_type").line, outside.Sentence(clipped(output)))
	}
	return r.err
}

func (t *Task) lmWhole() error {
	if err := t.apartScores(); err != nil {
		return err
	}
	switch {
	case t.Name == "":
		return errors.New("it has no key task with its name")
	case t.asked.question == nil:
		return errors.New("it has no doc_to_text: a template, or the name of a column")
	case t.asked.answer == nil:
		return errors.New("it has no doc_to_target: a template, or the name of a column")
	case t.kind == journal.TaskChoice && t.asked.choices == nil:
		return errors.New("multiple_choice needs doc_to_choice: a list, or the name of a column")
	case t.asked.question.fixed != nil:
		return errors.New("doc_to_text is a number: tasks whose choices are the questions can't be read")
	case t.kind == journal.TaskChoice && t.asked.prefix != nil:
		return errors.New("gen_prefix of a multiple_choice task can't be read")
	}
	return nil
}

// lmGeneration reads how answers are generated.
func (t *Task) lmGeneration(r *reader) error {
	g := &t.generation
	g.stop = []string{t.between}
	if until := r.texts("until"); until != nil {
		g.stop = until
	}
	g.maxTokens = r.number("max_gen_toks", defaultTokens, 1, maxTokens)
	g.maxTokens = r.number("max_tokens", g.maxTokens, 1, maxTokens)
	r.get("do_sample") // only says whether the temperature counts; servers have no such field
	temperature := field("temperature", 0, true)
	if v := r.get("temperature"); v != nil {
		switch x := v.value.(type) {
		case int64, float64:
			temperature = field("temperature", x, true)
		default:
			r.fail(v, "generation_kwargs.temperature must be a number")
		}
	}
	g.fields = []Field{temperature}
	if r.from == nil {
		return r.err
	}
	for i, name := range r.from.names { // others are fields of the request, as in lm-eval
		if v := r.from.items[i]; !contains(r.known, name) {
			r.known = append(r.known, name)
			if v.kind != scalar || !samplingFields[name] {
				r.fail(v, "generation_kwargs.%s is not sent: known are until, max_gen_toks, temperature, top_p, top_k, min_p, seed and penalties", outside.Sentence(clipped(name)))
				continue
			}
			g.fields = append(g.fields, field(name, v.value, true))
		}
	}
	return r.done()
}

// samplingFields are fields of requests that a task may set.
var samplingFields = map[string]bool{
	"top_p": true, "top_k": true, "min_p": true, "seed": true,
	"frequency_penalty": true, "presence_penalty": true, "repetition_penalty": true,
}

// lmScores reads metrics and filters: each filter is a score.
func (t *Task) lmScores(metrics, filters *tree) error {
	scores, err := t.lmMetrics(metrics)
	if err != nil {
		return err
	}
	if filters == nil {
		t.scores = scores
		return nil
	}
	if filters.kind != list || len(filters.items) == 0 {
		return fmt.Errorf("line %d: filter_list must be a list", filters.line)
	}
	for _, e := range filters.items {
		r := &reader{of: "filter_list", from: e}
		name, steps := r.text("name", ""), r.get("filter")
		if err := r.done(); err != nil {
			return err
		}
		if e.kind != mapping || name == "" || steps == nil || steps.kind != list {
			return fmt.Errorf("line %d: filter_list must be a list with a name and a filter each", e.line)
		}
		chain, err := t.lmFilters(steps)
		if err != nil {
			return err
		}
		for _, s := range scores {
			if t.kind == journal.TaskGenerate {
				s.Name, s.Filters = name, chain
			}
			t.scores = append(t.scores, s)
		}
		if t.kind != journal.TaskGenerate && len(filters.items) > 1 {
			return fmt.Errorf("line %d: several filters of a multiple_choice task can't be run", e.line)
		}
	}
	return nil
}

func (t *Task) lmMetrics(from *tree) (out []journal.Score, err error) {
	if from == nil {
		return defaultScores(t.kind), nil
	}
	var left []string
	for _, e := range from.items {
		r := &reader{of: "metric_list", from: e}
		if from.kind != list || e.kind != mapping {
			return nil, fmt.Errorf("line %d: metric_list must be a list with a metric each", from.line)
		}
		for _, key := range []string{"metric", "aggregation"} {
			if v := e.get(key); v != nil && v.kind == function {
				return nil, fmt.Errorf("line %d: metric_list.%s is a Python function (%s): such a task can't be scored", v.line, key, outside.Sentence(clipped(v.text)))
			}
		}
		s := journal.Score{
			Metric: r.text("metric", ""), IgnoreCase: r.flag("ignore_case"), IgnorePunctuation: r.flag("ignore_punctuation"),
			IgnoreNumbers: r.flag("ignore_numbers"), IgnorePatterns: r.texts("regexes_to_ignore"),
		}
		s.Name = s.Metric
		aggregation := r.text("aggregation", "mean")
		r.get("higher_is_better")
		r.get("weight_by_size") // of a group's mean
		evaluate := r.flag("hf_evaluate")
		if !slices.Contains(metricsOf[t.kind], s.Metric) {
			left = append(left, clipped(s.Metric))
			continue
		}
		if aggregation != "mean" || evaluate {
			r.fail(e, "the metric %s is only known with the aggregation mean, and without hf_evaluate", s.Metric)
		}
		if err := r.done(); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	names := outside.Sentence(strings.Join(left, ", "))
	if len(out) == 0 {
		return nil, fmt.Errorf("line %d: of the metrics (%s) none is known here: %s are", from.line, names, strings.Join(metricsOf[t.kind], " and "))
	}
	if len(left) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("not scored here, and left out: %s", names))
	}
	return out, nil
}

// lmFilters reads the steps of a filter.
func (t *Task) lmFilters(from *tree) (out []journal.Filter, err error) {
	for _, e := range from.items {
		r := &reader{of: "filter_list.filter", from: e}
		if e.kind != mapping {
			return nil, fmt.Errorf("line %d: a filter must have the key function", e.line)
		}
		f := journal.Filter{Function: r.text("function", "")}
		switch f.Function {
		case "regex", "multi_choice_regex":
			f.Pattern = r.text("regex_pattern", `#### (\-?[0-9\.\,]+)`)
			f.Select = r.number("group_select", 0, -1<<20, 1<<20)
			f.Fallback = r.text("fallback", "")
		case "map":
			readMap(r, "mapping_dict", &f)
			f.Default = r.text("default_value", "None")
		case "take_first", "remove_whitespace", "lowercase", "uppercase":
		default:
			return nil, fmt.Errorf("line %d: the filter %s can't be run: regex, multi_choice_regex, map, take_first, remove_whitespace, lowercase and uppercase can", e.line, outside.Sentence(clipped(f.Function)))
		}
		if f.Function == "multi_choice_regex" {
			f.IgnoreCase, f.IgnorePunctuation = r.flag("ignore_case"), r.flag("ignore_punctuation")
			f.Patterns = r.texts("regexes_to_ignore")
			t.labels = newExpression("choices", "choices")
		}
		if err := r.done(); err != nil {
			return nil, err
		}
		if t.kind == journal.TaskChoice && f.Function != "take_first" {
			return nil, fmt.Errorf("line %d: the filter %s is for generated answers, not for a multiple_choice task", e.line, f.Function)
		}
		out = append(out, f)
	}
	return out, nil
}
