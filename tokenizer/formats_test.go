package tokenizer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFormats holds small files of every format to what their own libraries give. testdata/formats.py makes them.
func TestFormats(t *testing.T) {
	var want struct {
		Texts []string
		Files map[string]struct {
			IDs     [][]int32
			Decoded []string
		}
	}
	readPacked(t, "testdata/formats/expected.json.gz", &want)
	if len(want.Files) < 6 {
		t.Fatalf("%d files", len(want.Files))
	}
	for name, rows := range want.Files {
		t.Run(name, func(t *testing.T) {
			f, err := Load(filepath.Join("testdata", "formats", name))
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range want.Texts {
				ids, err := f.Encode(text)
				if err != nil || !slices.Equal(ids, rows.IDs[i]) {
					t.Errorf("Encode(%q) = %v, %v; want %v", text, ids, err, rows.IDs[i])
				}
				if got, err := f.Decode(rows.IDs[i]); err != nil || got != rows.Decoded[i] {
					t.Errorf("Decode(%v) = %q, %v; want %q", rows.IDs[i], got, err, rows.Decoded[i])
				}
			}
		})
	}
}

// TestFormatsSpecial: the special tokens of each format, and what goes around a text.
func TestFormatsSpecial(t *testing.T) {
	for _, test := range []struct {
		name    string
		special []int32
		empty   []int32 // EncodeWithSpecial of no text
	}{
		{"unigram.model", []int32{0, 1, 2, 3}, []int32{1}},
		{"plain.model", []int32{0, 1, 2, 3}, []int32{1}},
		{"cl100k_base.tiktoken", []int32{100257, 100258, 100259, 100260, 100276}, nil},
		{"gpt2.gguf", []int32{325}, []int32{325}},
	} {
		f, err := Load(filepath.Join("testdata", "formats", test.name))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.SpecialIDs(); !slices.Equal(got, test.special) {
			t.Errorf("%s: special tokens %v, want %v", test.name, got, test.special)
		}
		if got, err := f.EncodeWithSpecial(""); err != nil || !slices.Equal(got, test.empty) {
			t.Errorf("%s: %v, %v; want %v around a text", test.name, got, err, test.empty)
		}
	}
	f, err := Load("testdata/formats/tekken.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.SpecialIDs(); len(got) != 30 || f.VocabSize() != 355 || f.Len() != 355 {
		t.Errorf("tekken.json: %d special tokens, %d and %d in all; want 30, 355 and 355", len(got), f.VocabSize(), f.Len())
	}
	if got, _ := f.Decode([]int32{1, 3, 25}); got != "<s>[INST]<SPECIAL_25>" {
		t.Errorf("tekken.json: special tokens are %q", got)
	}
}

func TestGGUFChatTemplate(t *testing.T) {
	f, err := Load("testdata/formats/gpt2.gguf")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.ApplyChatTemplate([]Message{{"user", "hi"}}, ChatOptions{AddGenerationPrompt: true}); err != nil || got != "<|endoftext|>hi" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFolders: which file of a folder is taken.
func TestFolders(t *testing.T) {
	file := func(name string) string { return filepath.Join("testdata", "formats", name) }
	for _, test := range []struct {
		name  string
		files map[string]string // name in the folder, file
		mode  func(string) (*Tokenizer, error)
		size  int
		want  string // of the error
	}{
		{"tokenizer.json first", map[string]string{"tokenizer.json": "testdata/bytes/tokenizer.json", "tekken.json": file("tekken.json")}, Load, 316, ""},
		{"mistral takes tekken.json", map[string]string{"tokenizer.json": "testdata/bytes/tokenizer.json", "tekken.json": file("tekken.json")}, loadMistral, 355, ""},
		{"mistral takes a model", map[string]string{"tokenizer.model.v3": file("plain.model"), "tokenizer.json": "testdata/bytes/tokenizer.json"}, loadMistral, 100, ""},
		{"mistral without either", map[string]string{"tokenizer.json": "testdata/bytes/tokenizer.json"}, loadMistral, 0, "tekken.json"},
		{"a model", map[string]string{"tokenizer.model": file("plain.model")}, Load, 100, ""},
		{"one GGUF", map[string]string{"x.Q4_K.gguf": file("gpt2.gguf")}, Load, 326, ""},
		{"two GGUFs", map[string]string{"x.Q4_K.gguf": file("gpt2.gguf"), "y.gguf": file("gpt2.gguf")}, Load, 0, "more than one"},
		{"ranks with a name that says nothing", map[string]string{"tokenizer.model": file("cl100k_base.tiktoken")}, Load, 0, "pattern is not known"},
		{"nothing", nil, Load, 0, "the folder that holds it"},
	} {
		dir := t.TempDir()
		for name, from := range test.files {
			data, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f, err := test.mode(dir)
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", test.name, err, test.want)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case f.VocabSize() != test.size:
			t.Errorf("%s: %d tokens, want %d", test.name, f.VocabSize(), test.size)
		}
		if strings.Contains(test.want, "not known") && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: is not ErrUnsupported", test.name)
		}
	}
}

func parseNamed(data []byte, name string) (*Tokenizer, error) {
	return Parse(data, Options{Name: name})
}

func loadMistral(dir string) (*Tokenizer, error) {
	return LoadFS(os.DirFS(dir), ".", Options{PreferMistral: true})
}

// FuzzFormats: whatever the bytes, an error or a tokenizer that works, also for ids that it never gave.
func FuzzFormats(f *testing.F) {
	seeds, err := filepath.Glob("testdata/formats/*.*")
	if err != nil || len(seeds) < 6 {
		f.Fatal(seeds, err)
	}
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 1<<12)], "the <sep> ½ a\r\n日", filepath.Base(name))
	}
	f.Add([]byte("\n\x07\n\x05<unk>\x18\x02\n\x06\n\x04\xe2\x96\x81a\x12\x02\x18\x02"), "a", "x.model")
	f.Add([]byte("YQ== 0\nYg== 1\nYWI= 2\n"), "abab", "qwen.tiktoken")
	f.Add([]byte(`{"config":{"pattern":"\\w","default_vocab_size":3,"default_num_special_tokens":2},"vocab":[{"rank":0,"token_bytes":"YQ=="}]}`), "aa", "tekken.json")
	f.Fuzz(func(t *testing.T, data []byte, text, name string) {
		if len(data) > 1<<14 || len(text) > 1<<7 || strings.ContainsAny(name, "/\x00") {
			return
		}
		file, err := parseNamed(data, name)
		if err != nil {
			return
		}
		ids, err := file.EncodeWithSpecial(text)
		if err == nil {
			_, _ = file.Decode(ids)
		}
		foreign := make([]int32, 0, len(data))
		for i, c := range data[:min(len(data), 200)] {
			foreign = append(foreign, int32(c)<<(i%24)-8)
		}
		if _, err := file.Decode(foreign); err != nil && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v can't be decoded: %v", foreign, err)
		}
	})
}
