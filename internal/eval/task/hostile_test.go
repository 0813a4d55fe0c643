package task

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// plain is a task to which the tests add.
const plain = "name: x\nquestion: \"{{q}}\"\nanswer: \"{{a}}\"\ndata: {file: d.jsonl}\n"

// refusal is why a task, or its data, is refused; "" where it is not.
func refusal(t *testing.T, yaml, data string, o Options) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "d.jsonl", data)
	task, err := Load(write(t, folder, "t.yaml", yaml))
	if err != nil {
		return err.Error()
	}
	s, err := task.Open(o)
	if err != nil {
		return err.Error()
	}
	for i := range s.Len() {
		if _, err := s.Item(i); err != nil {
			return err.Error()
		}
	}
	return ""
}

func TestRefusals(t *testing.T) {
	row := `{"q": "1+1", "a": "2"}` + "\n"
	const lm = "task: x\ndataset_path: json\ntest_split: test\ndataset_kwargs: {data_files: {test: d.jsonl}}\ndoc_to_text: \"{{q}}\"\ndoc_to_target: a\n"
	many := "[" + strings.Repeat(`"o",`, 1000) + `"o"]`
	for _, c := range []struct{ name, yaml, data, want string }{
		{"a typo", plain + "qestion: x\n", row, "line 5: there is no key qestion: did you mean question?"},
		{"a typo within", plain + "examples: {shot: 1}\n", row, "there is no key examples.shot: did you mean examples.shots?"},
		{"a typo in a filter", plain + "scores: [{filters: [{function: regx, pattern: x}]}]\n", row, "there is no filter regx: did you mean regex?"},
		{"a wrong metric", plain + "scores: [{metric: bleu}]\n", row, "the metric bleu is not one of a task of the kind generate: exact_match"},
		{"a path for a set", strings.Replace(plain, "file: d.jsonl", "hub: ../../etc", 1), row, "../../etc is no set on the hub"},
		{"escapes in a name", strings.Replace(plain, "data: {file: d.jsonl}", "needs: \"\\e[2J\"", 1), row, "names no data: give a file with --dataset-path"},
		{"two scores of a name", plain + "scores: [{name: s}, {name: s}]\n", row, "two scores have the name s"},
		{"a wrong kind", plain + "kind: chioce\n", row, "kind is chioce: it must be generate, choice or code"},
		{"a key twice", plain + "name: y\n", row, "line 5: the key name is there twice"},
		{"no question", "name: x\nanswer: a\n", row, "it has no question"},
		{"no mapping", "- a\n- b\n", row, "it is no mapping"},
		{"empty", "", row, "it is empty"},
		{"two documents", plain + "---\n" + plain, row, "more than one document"},
		{"broken", "name: [x\n", row, "yaml: "},
		{"a tag", plain + "version: !!python/object:os.system [x]\n", row, "version must be a text"},
		{"a broken template", strings.Replace(plain, "{{q}}", "{{q", 1), row, "the template question: line 1"},
		{"an endless template", strings.Replace(plain, "{{q}}", "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}", 1), row, "row 1: the template question: line 1: the template does too much"},
		{"an endless macro", strings.Replace(plain, "{{q}}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", 1), row, "the template question: line 1"},
		{"a field of the system", strings.Replace(plain, "{{q}}", "{{ q.__class__.__mro__ }}", 1), row, "row 1: the template question"},
		{"a missing field", plain, row + `{"q": "x"}`, "row 2: the template answer: line 1: 'a' is undefined; the row has q"},
		{"a missing column", strings.Replace(plain, `"{{q}}"`, "q", 1), row + `{"a": "x"}`, "row 2: question: the row has no such field \"q\": it has a"},
		{"a number for a text", strings.Replace(plain, `"{{q}}"`, "q", 1), `{"q": 7, "a": 1}`, "row 1: question: [7] is no text"},
		{"a null answer", strings.Replace(plain, `"{{a}}"`, "a", 1), `{"q": "x", "a": null}`, "row 1: it has no right answer"},
		{"one option", plain + "options: o\n", `{"q": "x", "a": "y", "o": ["y"]}`, "row 1: it has 1 options: there must be from 2 to 1000"},
		{"many options", plain + "options: o\n", `{"q": "x", "a": "y", "o": ` + many + `}`, "row 1: it has 1001 options: there must be from 2 to 1000"},
		{"options of the wrong kind", plain + "options: o\n", `{"q": "x", "a": "y", "o": {"b": 1}}`, "is neither a number nor a list"},
		{"one choice", plain + "kind: choice\nchoices: o\n", `{"q": "x", "a": 0, "o": ["y"]}`, "row 1: it has 1 choices"},
		{"choices that are numbers", plain + "kind: choice\nchoices: o\n", `{"q": "x", "a": 0, "o": [1, 2]}`, "row 1: choices: [1] is no text"},
		{"a right choice that is none", plain + "kind: choice\nchoices: o\n", `{"q": "x", "a": "c", "o": ["a", "b"]}`, `row 1: "c" is said to be right, and is none of the choices`},
		{"a right choice beyond", plain + "kind: choice\nchoices: o\n", `{"q": "x", "a": 2, "o": ["a", "b"]}`, "row 1: choice 2 is said to be right, and there are 2"},
		{"no rows", plain, "{}\n", "row 1: the template answer: line 1: 'a' is undefined"},
		{"broken data", plain, "{\"q\": \n", "d.jsonl"},
		{"no data", strings.Replace(plain, "d.jsonl", "e.jsonl", 1), row, "e.jsonl"},
		{"too many examples", plain + "examples: {shots: 2}\n", row, "2 worked examples are asked for, and there are 0: give more with --examples, or ask for fewer with --num-fewshot"},
		{"shots beyond", plain + "examples: {shots: 5000}\n", row, "examples.shots must be a whole number from 0 to 1000"},
		{"tokens beyond", plain + "generation: {max_tokens: 99999999}\n", row, "generation.max_tokens must be a whole number"},
		{"examples of no category", plain + "examples: {same_category: true}\n", row, "worked examples of the same category need the key category"},

		{"Python", lm + "process_docs: !function utils.f\n", row, "process_docs is Python, or needs it: such a task can't be read"},
		{"Python in a text", strings.Replace(lm, `"{{q}}"`, "!function utils.f", 1), row, "doc_to_text is a Python function (utils.f)"},
		{"a metric in Python", lm + "metric_list: [{metric: !function utils.f}]\n", row, "metric_list.metric is a Python function (utils.f)"},
		{"other metrics", lm + "metric_list: [{metric: bleu}, {metric: ter}]\n", row, "of the metrics (bleu, ter) none is known here"},
		{"another filter", lm + "filter_list: [{name: n, filter: [{function: majority_vote}]}]\n", row, "the filter majority_vote can't be run"},
		{"likelihood of one text", lm + "output_type: loglikelihood\n", row, "output_type loglikelihood can't be asked"},
		{"repeats", lm + "repeats: 4\n", row, "repeats is above 1"},
		{"a group", "group: g\ntask: [a, b]\n", row, "it is a group of tasks"},
		{"a part of a split", strings.Replace(lm, "test_split: test", "test_split: test[:10%]", 1), row, "the split test[:10%] is a part or a sum of splits"},
		{"no split", strings.Replace(lm, "test_split: test\n", "", 1), row, "it has neither test_split nor validation_split"},
		{"an unknown key of lm-eval's", lm + "doc_to_txt: x\n", row, "there is no key doc_to_txt: did you mean doc_to_text?"},
		{"data on the net", strings.Replace(lm, "{test: d.jsonl}", "{test: \"https://x.test/d.jsonl\"}", 1), row, "is on the net: fetch it"},
		{"an include of a whole path", "include: /etc/passwd\ntask: x\n", row, "include must be a path relative to the file"},
		{"an include of itself", "include: t.yaml\ntask: x\n", row, "is included twice"},
		{"an include that is not there", "include: other.yaml\ntask: x\n", row, "include other.yaml: no such file"},
		{"a beam search", lm + "generation_kwargs: {num_beams: 4}\n", row, "generation_kwargs.num_beams is not sent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := refusal(t, c.yaml, c.data, Options{}); !strings.Contains(got, c.want) || strings.Contains(got, "\x1b") {
				t.Errorf("it is refused with %q, not with %q", got, c.want)
			}
		})
	}
}

// Aliases of aliases would be a billion values.
func TestYAMLBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: x\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10))
	}
	if got := refusal(t, b.String(), "{}", Options{}); !strings.Contains(got, "it holds too much") {
		t.Errorf("it is refused with %q", got)
	}
	if got := refusal(t, "name: "+strings.Repeat("[", 10000), "{}", Options{}); got == "" {
		t.Error("a file nested 10,000 deep is read")
	}
	if got := refusal(t, "name: x\n# "+strings.Repeat("x", maxFile), "{}", Options{}); !strings.Contains(got, "more than 4 MB") {
		t.Errorf("a file of more than 4 MB is refused with %q", got)
	}
}

// Lines of 10 MB are read, and a prompt of more than no server takes is refused.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	if got := refusal(t, plain, fmt.Sprintf("{\"q\": %q, \"a\": \"y\"}\n{\"q\": \"z\", \"a\": %q}\n", long, long), Options{}); got != "" {
		t.Errorf("lines of 10 MB are refused with %q", got)
	}
	twice := strings.Replace(plain, "{{q}}", "{{q}}{{q}}", 1)
	if got := refusal(t, twice, fmt.Sprintf("{\"q\": %q, \"a\": \"y\"}\n", long), Options{}); !strings.Contains(got, "makes a text of more than 16 MB") {
		t.Errorf("a question of 20 MB is refused with %q", got)
	}
}

// Rows with the same id are told apart by their numbers, and the user is told.
func TestSameID(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "d.jsonl", `{"q": "a", "a": "1", "key": 7}`+"\n"+`{"q": "b", "a": "2", "key": 7}`+"\n")
	s := opened(t, write(t, folder, "t.yaml", plain+"id: key\n"), Options{})
	if notes := s.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "rows 1 and 2 have the same id 7") {
		t.Errorf("the notes are %q", notes)
	}
	if a, b := item(t, s, 0).Question, item(t, s, 1).Question; a.ID != b.ID || a.Number == b.Number {
		t.Errorf("the questions are %+v and %+v", a, b)
	}
}

// A stale or wrong name is answered with what is there.
func TestUnknownTask(t *testing.T) {
	for name, want := range map[string]string{
		"gsmk8":                              "did you mean gsm8k?",
		"winogrande":                         "built in are choice, exact, gsm8k, humaneval, letter, mmlu_pro, regex",
		filepath.Join(t.TempDir(), "x.yaml"): "no such file",
		t.TempDir():                          "is a directory",
	} {
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", name, err, want)
		}
	}
}
