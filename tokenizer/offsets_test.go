package tokenizer

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var shortTexts = []string{"", "a", " the server", "the  server sends\n\ntokens ", "日本語 🚀!", "<eot>x <eot>", "ünï", "\tx", "a\xffb"}

// Count, AppendEncode and EncodeOffsets agree with Encode.
func TestWaysToEncode(t *testing.T) {
	refused := 0
	for _, name := range []string{"bytes", "runes"} {
		f := loadSmall(t, name)
		for _, text := range shortTexts {
			want, err := f.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := f.Count(text); err != nil || n != len(want) {
				t.Errorf("%s, %q: Count %d, %v, want %d", name, text, n, err, len(want))
			}
			if got, err := f.AppendEncode([]int32{7}, text); err != nil || !slices.Equal(got[1:], want) || got[0] != 7 {
				t.Errorf("%s, %q: AppendEncode %v, %v, want %v", name, text, got, err, want)
			}
			ids, offsets, err := f.EncodeOffsets(text)
			if errors.Is(err, ErrNoOffsets) {
				refused++
				continue
			}
			if err != nil || !slices.Equal(ids, want) || len(offsets) != len(ids) {
				t.Fatalf("%s, %q: %v %v, %v", name, text, ids, offsets, err)
			}
			at := 0
			for i, o := range offsets { // in order, and only spaces between them
				if o.Start < at || o.End < o.Start || strings.TrimSpace(text[at:o.Start]) != "" {
					t.Errorf("%s, %q: token %d is at %v, behind %d", name, text, i, o, at)
				}
				at = o.End
			}
		}
	}
	if refused > len(shortTexts) {
		t.Errorf("%d texts had no offsets", refused)
	}
}

func TestCountKeepsNoIDs(t *testing.T) {
	f := loadSmall(t, "bytes")
	text := strings.Repeat("the server sends tokens ", 20)
	if n := testing.AllocsPerRun(100, func() { _, _ = f.Count(text) }); n > 1.5 { // this file's pre-tokenizer makes a text of its own
		t.Errorf("%.1f allocations", n)
	}
}

// A file system and bytes give the tokenizer that the folder gives.
func TestLoadFSAndParse(t *testing.T) {
	want := loadSmall(t, "bytes")
	data, err := os.ReadFile("testdata/bytes/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("testdata/bytes/tokenizer_config.json")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"models/a/tokenizer.json": {Data: data}, "models/a/tokenizer_config.json": {Data: config}}
	for name, load := range map[string]func() (*Tokenizer, error){
		"folder": func() (*Tokenizer, error) { return LoadFS(files, "models/a", Options{}) },
		"file":   func() (*Tokenizer, error) { return LoadFS(files, "models/a/tokenizer.json", Options{}) },
		"bytes":  func() (*Tokenizer, error) { return Parse(data, Options{Config: config}) },
	} {
		f, err := load()
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := f.ApplyChatTemplate([]Message{{"user", "hi"}}, ChatOptions{})
		wanted, _ := want.ApplyChatTemplate([]Message{{"user", "hi"}}, ChatOptions{})
		if err != nil || text != wanted || !slices.Equal(f.SpecialIDs(), want.SpecialIDs()) || f.Len() != want.Len() {
			t.Errorf("%s: %q, %v, want %q", name, text, err, wanted)
		}
	}
	if _, err := LoadFS(files, "models/b", Options{}); err == nil || !strings.Contains(err.Error(), "models/b") {
		t.Errorf("%v", err)
	}
}

// The tokens of a family without a normalizer lie one behind another, over the whole of any text.
func TestOffsetsOfFamilies(t *testing.T) {
	for _, name := range []string{"gpt2", "llama3"} {
		f := loadFamily(t, name)
		for _, text := range loadCorpus(t) {
			_, offsets, err := f.EncodeOffsets(text)
			if err != nil {
				t.Fatalf("%s, %.60q: %v", name, text, err)
			}
			at := 0
			for i, o := range offsets {
				if o.Start != at || o.End <= at {
					t.Fatalf("%s, %.60q: token %d is at %v, behind %d", name, text, i, o, at)
				}
				at = o.End
			}
			if at != len(text) {
				t.Fatalf("%s, %.60q: %d of %d bytes", name, text, at, len(text))
			}
		}
	}
}
