package hfset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/files/table"
)

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const card = "---\nlicense: mit\nconfigs:\n- config_name: one\n  default: true\n  data_files:\n  - split: train\n    path: [a/*.json, 'b/**']\n" +
	"- config_name: two\n  data_files: \"*.csv\"\n- config_name: three\n  data_dir: c\n---\n# text\n"

func TestFilesOfASplit(t *testing.T) {
	named := map[string]string{"data/train-00000-of-00002.parquet": "", "data/train-00001-of-00002.parquet": "", "data/test-00000-of-00001.parquet": "", ".git/train.json": ""}
	words := map[string]string{"my_valid2.jsonl": "", "x.train.jsonl": "", "training/7.jsonl": "", "README.md": "", "dataset_infos.json": "", "one.csv": ""}
	cards := map[string]string{"README.md": card, "a/1.json": "", "a/1.txt": "", "b/d/2.json": "", "3.csv": "", "c/dev/4.json": ""}
	for _, c := range []struct {
		files         map[string]string
		subset, split string
		want          string // names, or an error's words
	}{
		{named, "", "train", "data/train-00000-of-00002.parquet data/train-00001-of-00002.parquet"},
		{named, "", "", "data/train-00000-of-00002.parquet data/train-00001-of-00002.parquet"},
		{named, "", "val", `there is no split "val"; it has test, train`},
		{named, "english", "train", `there is no subset "english"`},
		{words, "", "train", "x.train.jsonl"},
		{words, "", "val", "my_valid2.jsonl"},
		{map[string]string{"a/x.json": "", "b/y.json": ""}, "b", "", "b/y.json"},
		{map[string]string{"x.json": "", "y.json": ""}, "", "test", `no split "test"; it has train`},
		{cards, "", "train", "a/1.json b/d/2.json"},
		{cards, "two", "", "3.csv"},
		{cards, "three", "", "c/dev/4.json"},
		{cards, "four", "", `there is no subset "four"; it has one, two, three`},
		{map[string]string{"README.md": "---\nconfigs: [\n---\n", "x.json": ""}, "", "", "README.md: yaml"},
		{map[string]string{"x.txt": ""}, "", "", "no file that can be read"},
	} {
		root := folder(t, c.files)
		got, err := dataFiles(root, c.subset, c.split)
		text := fmt.Sprint(err)
		if err == nil {
			text = strings.ReplaceAll(strings.Join(got, " "), root+"/", "")
		}
		if err == nil && text != c.want || !strings.Contains(text, c.want) {
			t.Errorf("subset %q, split %q: %s, want %s", c.subset, c.split, text, c.want)
		}
	}
}

func FuzzCard(f *testing.F) {
	f.Add(card)
	f.Add("---\nconfigs:\n- data_files:\n  - path: {a: b}\n---")
	f.Fuzz(func(t *testing.T, text string) {
		configs, err := parseCard(text)
		if err == nil {
			_, _ = splitsOf([]string{"a/train.json", "b.csv"}, configs, "one")
		}
	})
}

// TestEveryRowComesOnce: whatever the order.
func TestEveryRowComesOnce(t *testing.T) {
	for _, rows := range [][]int{{5}, {0, 3, 0}, {1000}, {999, 1, 501}, slices.Repeat([]int{123}, 25), {}} {
		for _, batch := range []int{1, 100} {
			s := shards{rows, batch}
			for name, next := range map[string]order{"sequence": s.inSequence(), "permuted": s.permuted(4), "streamed": s.streamed(4), "bfcl": bfclOrder(s, &Options{Shuffle: true})} {
				seen := map[place]bool{}
				for {
					p, ok := next()
					if !ok {
						break
					}
					if seen[p] || p.row >= rows[p.file] {
						t.Fatalf("%s of %v: %v", name, rows, p)
					}
					seen[p] = true
				}
				total := 0
				for _, n := range rows {
					total += n
				}
				if len(seen) != total {
					t.Errorf("%s of %v: %d rows", name, rows, len(seen))
				}
			}
		}
	}
}

// TestARowNamesNoFileOutside: a path in a row is one of the set's own folder.
func TestARowNamesNoFileOutside(t *testing.T) {
	const png = "\x89PNG\x0D\x0A\x1A\x0A"
	root := folder(t, map[string]string{"secret.png": png, "set/in.png": png, "set/text.png": "hello"})
	if err := os.Symlink("../secret.png", filepath.Join(root, "set", "link.png")); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"in.png": true, "../secret.png": false, filepath.Join(root, "secret.png"): false, "link.png": false, "text.png": false, "": false} {
		for _, image := range []any{name, table.Object{{Key: "bytes", Value: nil}, {Key: "path", Value: name}}} {
			parts, err := imageParts(image, &Options{Path: filepath.Join(root, "set")})
			if (err == nil) != ok || ok && !strings.Contains(string(parts[0]), "data:image/png;base64,iVBORw0KGgo=") {
				t.Errorf("%v: %s, %v", image, parts, err)
			}
		}
	}
}

func TestKnownSetsAreWhole(t *testing.T) {
	for _, s := range Known {
		if len(s.Names) == 0 || s.Doc == "" || len(s.Columns) == 0 || s.Read == nil {
			t.Errorf("%v lacks something", s.Names)
		}
		// A row without its columns is an error or left out, never a request.
		if sample, ok, err := s.Read(table.Object{}, &Options{MaxDistance: 1}); err == nil && ok {
			t.Errorf("%v makes %+v of nothing", s.Names, sample)
		}
	}
	names := 0
	for _, s := range Known {
		names += len(s.Names)
	}
	if Find("openai/gsm8k") == nil || Find("openai/gsm") != nil || IsSpeech("openai/gsm8k") || names != 19 {
		t.Errorf("%d names", names)
	}
}
