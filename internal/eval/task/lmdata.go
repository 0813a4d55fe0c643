package task

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// lmSets is where a task of lm-eval's says that its splits lie.
type lmSets struct {
	path, config string
	local        bool                // data_files are named
	files        map[string][]string // by split
}

// lmData reads where questions and worked examples come from, and how these are chosen.
func (t *Task) lmData(r *reader) error {
	sets := lmSets{path: r.text("dataset_path", ""), config: r.text("dataset_name", "")}
	if err := sets.kwargs(r.within("dataset_kwargs"), t.folder); err != nil {
		return err
	}
	test, validation, training := r.text("test_split", ""), r.text("validation_split", ""), r.text("training_split", "")
	split, err := t.lmExamples(r, r.text("fewshot_split", ""))
	if err != nil {
		return err
	}
	for _, s := range []string{test, validation, training, split} {
		if strings.ContainsAny(s, "[]+") {
			return fmt.Errorf("the split %s is a part or a sum of splits: such tasks can't be read", outside.Sentence(clipped(s)))
		}
	}
	asked := firstOf(test, validation)
	if asked == "" && r.err == nil {
		return fmt.Errorf("it has neither test_split nor validation_split: nothing can be asked")
	}
	t.exclude = split == test
	if t.questions, err = sets.source(asked, t.folder, t.reads); err != nil {
		return err
	}
	if t.samples != nil && split == "" {
		return nil
	}
	t.samples = nil
	t.examples, err = sets.source(firstOf(split, training, validation, test), t.folder, t.reads)
	return err
}

// lmExamples reads fewshot_config, whose keys stand for those of the task in worked examples.
func (t *Task) lmExamples(r *reader, split string) (string, error) {
	c := r.within("fewshot_config")
	t.shown = t.asked
	for _, e := range []struct {
		key string
		to  **expression
	}{{"doc_to_text", &t.shown.question}, {"doc_to_target", &t.shown.answer}, {"doc_to_choice", &t.shown.choices}, {"gen_prefix", &t.shown.prefix}} {
		if given := c.expression(e.key); given != nil {
			*e.to = given
		}
	}
	t.shown.delimiter = c.text("target_delimiter", t.asked.delimiter)
	t.shownBetween = c.text("fewshot_delimiter", t.between)
	split = c.text("split", split)
	switch sampler := c.text("sampler", "default"); sampler {
	case "default":
		t.random = true
	case "first_n":
	default:
		c.fail(c.from, "fewshot_config.sampler %s can't be used: default and first_n can", outside.Sentence(clipped(sampler)))
	}
	for _, key := range []string{"process_docs"} {
		if v := c.get(key); v != nil {
			c.fail(v, "fewshot_config.%s is Python: such a task can't be read", key)
		}
	}
	if v := c.get("samples"); v != nil {
		if v.kind == function {
			c.fail(v, "fewshot_config.samples is a Python function: such a task can't be read")
		} else {
			t.samples = fileRows(c, v, "worked examples")
		}
	}
	if c.get("fewshot_indices") != nil {
		t.notes = append(t.notes, "fewshot_indices is not heeded, as in lm-eval 0.4.13")
	}
	return split, c.done()
}

// kwargs reads dataset_kwargs.
func (s *lmSets) kwargs(r *reader, folder string) error {
	r.get("trust_remote_code") // no code of a set is run, whatever it says
	s.files = map[string][]string{}
	switch files := r.get("data_files"); {
	case files == nil:
	case files.kind == mapping:
		s.local = true
		for i, split := range files.names {
			list := &reader{of: r.name("data_files"), from: files}
			s.files[split] = list.texts(split)
			if list.err != nil {
				return list.err
			}
			_ = i
		}
	default:
		s.local = true
		s.files["train"] = r.texts("data_files")
	}
	if dir := r.text("data_dir", ""); dir != "" {
		r.fail(r.from, "dataset_kwargs.data_dir is not read: name the files with data_files")
	}
	return r.done()
}

// formats are what datasets calls sets that are but files.
var formats = []string{"json", "csv", "parquet"}

// source is where a split lies.
func (s *lmSets) source(split, folder string, reads *reads) (source, error) {
	switch {
	case s.local && !contains(formats, s.path):
		return source{}, fmt.Errorf("dataset_path %s with data_files can't be read: json, csv and parquet can", outside.Sentence(clipped(s.path)))
	case s.local:
		files, there := s.files[split]
		if !there {
			return source{}, fmt.Errorf("dataset_kwargs.data_files has no split %s", outside.Sentence(clipped(split)))
		}
		found, err := beside(files, folder, reads)
		return source{files: found}, err
	case s.path == "" || contains(formats, s.path):
		return source{split: split}, nil // to be given with --data
	case filepath.IsAbs(s.path) || strings.HasPrefix(s.path, "."):
		found, err := beside([]string{s.path}, folder, reads)
		return source{files: found, config: s.config, split: split}, err
	}
	return source{hub: s.path, config: s.config, split: split}, nil
}

// beside finds files as lm-eval does, from the folder in which it is started, where that may
// be read, or else from that of the task. A pattern stands for the files that match it.
func beside(names []string, folder string, reads *reads) (found []string, err error) {
	for _, name := range names {
		if strings.Contains(name, "://") {
			return nil, fmt.Errorf("%s is on the net: fetch it, and give the file with --dataset-path", outside.Sentence(clipped(name)))
		}
		own := name
		if !filepath.IsAbs(name) {
			own = filepath.Join(folder, name)
		}
		matches := matching(own)
		if started := matching(name); len(started) > 0 && (len(matches) == 0 || reads.all(started)) {
			matches = started // what may not be read is told of below
		}
		if len(matches) == 0 {
			matches = []string{own} // who reads it says that it is not there
		}
		for _, m := range matches {
			real, err := reads.find(m)
			if err != nil && !os.IsNotExist(err) {
				return nil, err
			}
			if err != nil {
				real = m
			}
			found = append(found, real)
		}
	}
	return found, nil
}

// matching are the file of a name, or those of a pattern.
func matching(name string) []string {
	if _, err := os.Stat(name); err == nil {
		return []string{name}
	}
	found, err := filepath.Glob(name)
	if err != nil {
		return nil
	}
	slices.Sort(found)
	return found
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
