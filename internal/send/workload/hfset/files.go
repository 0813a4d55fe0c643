package hfset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/outside"
)

// Bounds on a set's folder.
const (
	maxFiles = 100_000
	maxCard  = 4 << 20 // bytes of README.md
)

// Files are the files of a subset and a split in a folder, or the one file.
func Files(root, subset, split string) ([]string, error) { return dataFiles(root, subset, split) }

// dataFiles are the files of a subset and a split in a folder, in the order of their
// names, by the conventions of Hugging Face's datasets: the card's list of configs, or
// the names of files and folders. Without a split it is the only one, or train.
func dataFiles(root, subset, split string) ([]string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{root}, nil
	}
	names, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	configs, err := readCard(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(root, "README.md"), err)
	}
	splits, err := splitsOf(names, configs, subset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	found, err := splits.choose(split)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	for i, name := range found {
		found[i] = filepath.Join(root, filepath.FromSlash(name))
	}
	return found, nil
}

// listFiles are the tables below a folder, with slashes.
func listFiles(root string) (names []string, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if file != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "__")) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		notData := slices.Contains([]string{"dataset_info.json", "dataset_infos.json", "config.json", "state.json"}, d.Name())
		if d.IsDir() || notData || !table.Readable(d.Name()) {
			return nil
		}
		name, err := filepath.Rel(root, file)
		if names = append(names, filepath.ToSlash(name)); len(names) > maxFiles {
			return fmt.Errorf("%s has more than %d files", root, maxFiles)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no file that can be read: there must be %s", root, strings.Join(table.Formats, ", "))
	}
	slices.Sort(names)
	return names, err
}

// splits are the files of each split.
type splits map[string][]string

func (s splits) names() []string {
	var names []string
	for name, files := range s {
		if len(files) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s splits) choose(split string) ([]string, error) {
	names := s.names()
	if split == "" && len(names) == 1 {
		split = names[0]
	}
	split = cmp.Or(split, "train")
	for _, name := range []string{split, keyword(split)} { // people write val for validation
		if files := s[name]; len(files) > 0 {
			return slices.Clone(files), nil
		}
	}
	return nil, fmt.Errorf("there is no split %q; it has %s (--hf-split)", split, outside.Sentence(strings.Join(names, ", ")))
}

// config is a subset as the card describes it.
type config struct {
	Name    string    `yaml:"config_name"`
	Files   dataLists `yaml:"data_files"`
	Folder  string    `yaml:"data_dir"`
	Default bool      `yaml:"default"`
}

// dataLists are patterns of files by split: a text, a list of them, or a list of splits.
type dataLists map[string][]string

func (d *dataLists) UnmarshalYAML(n *yaml.Node) error {
	*d = dataLists{}
	if n.Kind != yaml.SequenceNode {
		n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
	}
	for _, e := range n.Content {
		if e.Kind == yaml.ScalarNode {
			(*d)["train"] = append((*d)["train"], e.Value)
			continue
		}
		var one struct {
			Split string
			Path  yaml.Node
		}
		if err := e.Decode(&one); err != nil {
			return err
		}
		patterns := []string{one.Path.Value}
		if one.Path.Kind == yaml.SequenceNode {
			if err := one.Path.Decode(&patterns); err != nil {
				return err
			}
		}
		(*d)[one.Split] = append((*d)[one.Split], patterns...)
	}
	return nil
}

// readCard reads the configs at the top of a set's README.md; none where there is no card.
func readCard(file string) ([]config, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCard))
	if err != nil {
		return nil, err
	}
	return parseCard(strings.ReplaceAll(string(b), "\r\n", "\n"))
}

func parseCard(text string) ([]config, error) {
	text, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, nil
	}
	head, _, ok := strings.Cut(text, "\n---")
	if !ok {
		return nil, nil
	}
	var card struct{ Configs []config }
	if err := yaml.Unmarshal([]byte(head), &card); err != nil {
		return nil, errors.New(outside.Sentence(err.Error()))
	}
	return card.Configs, nil
}

// splitsOf are the splits of a subset.
func splitsOf(names []string, configs []config, subset string) (splits, error) {
	if len(configs) == 0 {
		if subset != "" {
			all := names
			if names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !inFolder(name, subset) }); len(names) == 0 {
				return nil, fmt.Errorf("there is no subset %q: neither a card that names one nor a folder of this name; it has %s (--hf-subset)",
					subset, outside.Sentence(strings.Join(folders(all), ", ")))
			}
		}
		return byName(names), nil
	}
	c, err := chooseConfig(configs, subset)
	if err != nil {
		return nil, err
	}
	if len(c.Files) == 0 {
		return byName(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return c.Folder != "" && !strings.HasPrefix(name, strings.Trim(c.Folder, "./")+"/")
		})), nil
	}
	out := splits{}
	for split, patterns := range c.Files {
		for _, pattern := range patterns {
			match, err := glob(path.Join(c.Folder, pattern))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if match.MatchString(name) && !slices.Contains(out[split], name) {
					out[split] = append(out[split], name)
				}
			}
		}
	}
	return out, nil
}

func chooseConfig(configs []config, subset string) (*config, error) {
	var names []string
	for i := range configs {
		c := &configs[i]
		if c.Name = cmp.Or(c.Name, "default"); c.Name == subset || subset == "" && (len(configs) == 1 || c.Default || c.Name == "default") {
			return c, nil
		}
		names = append(names, c.Name)
	}
	if subset == "" {
		return nil, fmt.Errorf("it has the subsets %s: choose one with --hf-subset", outside.Sentence(strings.Join(names, ", ")))
	}
	return nil, fmt.Errorf("there is no subset %q; it has %s (--hf-subset)", subset, outside.Sentence(strings.Join(names, ", ")))
}

func inFolder(name, folder string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), folder)
}

func folders(names []string) (list []string) {
	for _, name := range names {
		if d := path.Dir(name); !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// glob makes a pattern of the card an expression: ** is any folders, * any name.
func glob(pattern string) (*regexp.Regexp, error) {
	quoted := regexp.QuoteMeta(pattern)
	for from, to := range map[string]string{`\*\*/`: "(?:.*/)?", `\[0-9\]`: "[0-9]", `\?`: "[^/]"} {
		quoted = strings.ReplaceAll(quoted, from, to)
	}
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\*\*`, ".*"), `\*`, "[^/]*")
	return regexp.Compile("^" + quoted + "$")
}

// keywords are the words by which datasets know a split.
var keywords = map[string][]string{
	"train":      {"train", "training"},
	"validation": {"validation", "valid", "dev", "val"},
	"test":       {"test", "testing", "eval", "evaluation"},
}

// keyword is the split that a word means; empty where it means none.
func keyword(word string) string {
	for split, words := range keywords {
		if slices.Contains(words, strings.ToLower(word)) {
			return split
		}
	}
	return ""
}

// sharded is how datasets themselves name the files of a split.
var sharded = regexp.MustCompile(`^data/([^/]+)-[0-9]{5}-of-[0-9]{5}[^/]*\.[^/]*$`)

// byName finds the splits by the names of files, then of folders; where no name says
// anything, all are train.
func byName(names []string) splits {
	names = mostCommon(names)
	out := splits{}
	for _, name := range names {
		if m := sharded.FindStringSubmatch(name); m != nil {
			out[m[1]] = append(out[m[1]], name)
		}
	}
	for _, part := range []func(string) string{path.Base, path.Dir} {
		if len(out) > 0 {
			return out
		}
		for _, name := range names {
			if split := saidBy(part(name)); split != "" {
				out[split] = append(out[split], name)
			}
		}
	}
	if len(out) == 0 {
		out["train"] = names
	}
	return out
}

// saidBy is the split that the words of a name mean; digits and marks are between words.
func saidBy(name string) string {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if split := keyword(word); split != "" {
			return split
		}
	}
	return ""
}

// mostCommon keeps the files of one format: that of most, as datasets do.
func mostCommon(names []string) []string {
	count := map[string]int{}
	for _, name := range names {
		count[path.Ext(name)]++
	}
	best := ""
	for _, name := range names {
		if ext := path.Ext(name); count[ext] > count[best] {
			best = ext
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return path.Ext(name) != best })
}
