package tokenizer

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// TestReference holds the small tokenizers of testdata to what Hugging Face's tokenizers gives for them.
func TestReference(t *testing.T) {
	for _, name := range []string{"bytes", "runes", "metaspace", "unigram", "unigram_bytes", "wordpiece", "affixes", "wordlevel"} {
		t.Run(name, func(t *testing.T) {
			f := loadSmall(t, name)
			for _, row := range expected(t, name) {
				ids, err := f.Encode(row.Text)
				if err != nil || !slices.Equal(ids, row.IDs) {
					t.Errorf("Encode(%q) = %v, %v; want %v", row.Text, ids, err, row.IDs)
				}
				ids, err = f.EncodeWithSpecial(row.Text)
				if err != nil || !slices.Equal(ids, row.Special) {
					t.Errorf("EncodeWithSpecial(%q) = %v, %v; want %v", row.Text, ids, err, row.Special)
				}
				text, err := f.Decode(row.IDs)
				if err != nil || text != row.Decoded {
					t.Errorf("Decode(%v) = %q, %v; want %q", row.IDs, text, err, row.Decoded)
				}
			}
		})
	}
}

func TestSizes(t *testing.T) {
	f := loadSmall(t, "bytes")
	first := int32(f.VocabSize())   // of the added tokens
	if f.Len() != f.VocabSize()+4 { // the fifth has the name of a token of the vocabulary
		t.Errorf("Len() = %d, want the vocabulary's %d and 4 added", f.Len(), f.VocabSize())
	}
	if f.NumSpecialTokensToAdd() != 1 {
		t.Errorf("NumSpecialTokensToAdd() = %d, want 1", f.NumSpecialTokensToAdd())
	}
	if got, want := f.SpecialIDs(), []int32{first, first + 1, first + 2}; !slices.Equal(got, want) {
		t.Errorf("SpecialIDs() = %v, want %v: those that the configuration names and the vocabulary has", got, want)
	}
	if got, want := loadSmall(t, "runes").SpecialIDs(), []int32{0, 1}; !slices.Equal(got, want) {
		t.Errorf("SpecialIDs() without a configuration = %v, want the special added tokens %v", got, want)
	}
}

func TestDecodeLeavesOutUnknownIDs(t *testing.T) {
	f := loadSmall(t, "bytes")
	ids, _ := f.Encode("the")
	got, err := f.Decode(slices.Concat([]int32{-1}, ids, []int32{1 << 30}))
	if err != nil || got != "the" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEncodeReplacesWhatIsNoText(t *testing.T) {
	f := loadSmall(t, "bytes")
	got, _ := f.Encode("a\xffb")
	want, _ := f.Encode("a\uFFFDb")
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestConcurrentUse is for the race detector, and for words that one goroutine leaves to another.
func TestConcurrentUse(t *testing.T) {
	f := loadSmall(t, "bytes")
	rows := expected(t, "bytes")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				for _, row := range rows {
					if ids, _ := f.Encode(row.Text); !slices.Equal(ids, row.IDs) {
						t.Errorf("Encode(%q) = %v, want %v", row.Text, ids, row.IDs)
						return
					}
					if text, _ := f.Decode(row.IDs); text != row.Decoded {
						t.Errorf("Decode(%v) = %q, want %q", row.IDs, text, row.Decoded)
					}
				}
			}
			if _, err := f.ApplyChatTemplate([]Message{{"user", "hi"}}, ChatOptions{AddGenerationPrompt: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestLoadErrors(t *testing.T) {
	const model = `"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}`
	tests := []struct{ name, file, want string }{
		{"empty", ``, "no JSON"},
		{"no object", `[]`, "no JSON"},
		{"cut off", `{"model":{"type":"BPE","vocab":{"a":0`, "no JSON"},
		{"no model", `{"decoder":null}`, "no model"},
		{"other model", `{"model":{"type":"Trigram","vocab":{"a":0}}}`, `type "Trigram" is not supported`},
		{"no score", `{"model":{"type":"Unigram","vocab":[["a"]]}}`, "no JSON"},
		{"unknown unk_id", `{"model":{"type":"Unigram","unk_id":3,"vocab":[["a",0]]}}`, "unk_id 3"},
		{"broken charsmap", `{"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="},` + model + `}`, "precompiled_charsmap"},
		{"normalizer", `{"normalizer":{"type":"Reverse"},` + model + `}`, "normalizer Reverse is not supported"},
		{"pre-tokenizer", `{"pre_tokenizer":{"type":"Lines"},` + model + `}`, "pre_tokenizer Lines is not supported"},
		{"behaviour", `{"pre_tokenizer":{"type":"Split","pattern":{"String":" "},"behavior":"Sideways"},` + model + `}`, "Sideways"},
		{"pattern", `{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"},` + model + `}`, "pattern"},
		{"decoder", `{"decoder":{"type":"Morse"},` + model + `}`, "decoder Morse is not supported"},
		{"nested decoder", `{"decoder":{"type":"Sequence","decoders":[{"type":"Morse"}]},` + model + `}`, "decoder Morse is not supported"},
		{"post-processor", `{"post_processor":{"type":"Signature"},` + model + `}`, "post_processor Signature is not supported"},
		{"merge", `{"model":{"type":"BPE","vocab":{"a":0},"merges":["a z"]}}`, `merge 0 ("a" with "z")`},
		{"merge without a space", `{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}}`, "merge 0"},
		{"negative id", `{"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}}`, "impossible token id"},
		{"huge id", `{"model":{"type":"BPE","vocab":{"a":99999999999},"merges":[]}}`, "impossible token id"},
		{"huge added id", `{"added_tokens":[{"id":99999999,"content":"x"}],` + model + `}`, "impossible id"},
		{"no mark", `{"pre_tokenizer":{"type":"Metaspace"},` + model + `}`, "no replacement"},
		{"no pattern", `{"pre_tokenizer":{"type":"Split","behavior":"Isolated"},` + model + `}`, "no pattern"},
		{"dropout", `{"model":{"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]}}`, "dropout"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokenizer.json")
			if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %q and the path in it", err, test.want)
			}
			if unsupported := strings.Contains(test.want, "not supported") || test.name == "pattern"; unsupported && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v: is not ErrUnsupported", err)
			}
		})
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the folder that holds it") {
		t.Errorf("an empty folder: %v, want what a tokenizer is", err)
	}
}

// TestHostileFiles: what a file may do to a text is bounded in time and in memory.
func TestHostileFiles(t *testing.T) {
	const model = `"model":{"type":"BPE","vocab":{"a":0},"merges":[]}`
	grow := strings.TrimSuffix(strings.Repeat(`{"type":"Replace","pattern":{"String":"a"},"content":"`+strings.Repeat("a", 64)+`"},`, 20), ",")
	double := strings.TrimSuffix(strings.Repeat(`{"type":"TemplateProcessing","single":[{"Sequence":{}},{"Sequence":{}}]},`, 40), ",")
	for _, test := range []struct{ name, file, want string }{
		{"backtracking in a split", `{"pre_tokenizer":{"type":"Split","behavior":"Isolated","pattern":{"Regex":"(a|aa)+$"}},` + model + `}`, "one match took more than 2s"},
		{"backtracking in a normalizer", `{"normalizer":{"type":"Replace","pattern":{"Regex":"(a|aa)+$"},"content":""},` + model + `}`, "one match took more than 2s"},
		{"growth", `{"normalizer":{"type":"Sequence","normalizers":[` + grow + `]},` + model + `}`, "grow without end"},
		{"a long content", `{"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"` + strings.Repeat("a", 1000) + `"},` + model + `}`, "more than 64 bytes"},
		{"a template of templates", `{"post_processor":{"type":"Sequence","processors":[` + double + `]},` + model + `}`, "more than 1024 tokens"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse([]byte(test.file), Options{})
			if err == nil {
				_, err = f.Encode(strings.Repeat("a", 200) + "!")
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// FuzzLoad: whatever the bytes, an error or a tokenizer that works. Its seeds are small, one
// for each part of the format: the fuzzer spends its time on making a large input smaller, and
// of the files of testdata it tried seven.
func FuzzLoad(f *testing.F) {
	const model = `"model":{"vocab":{"a":0,"b":1,"ab":2,"\u0120":3},"merges":["a b"]}`
	for _, part := range []string{
		`"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Lowercase"},{"type":"Prepend","prepend":"_"}]}`,
		`"normalizer":{"type":"Replace","pattern":{"Regex":"(a+)+b"},"content":"x"}`,
		`"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}`,
		`"pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":false}`,
		`"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},{"type":"Split","pattern":{"Regex":"\\s+(?!\\S)"},"behavior":"MergedWithNext","invert":true}]}`,
		`"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"s"}},{"Sequence":{"id":"A"}}],"special_tokens":{"s":{"ids":[1]}}}`,
		`"decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Strip","content":" ","start":1,"stop":1},{"type":"Fuse"}]}`,
		`"added_tokens":[{"id":9,"content":"<bos>","special":true,"lstrip":true,"rstrip":true,"single_word":true,"normalized":true}]`,
	} {
		f.Add([]byte("{"+part+","+model+"}"), "the <bos> 1é ab")
	}
	f.Add([]byte(`{"model":{"type":"BPE","byte_fallback":true,"fuse_unk":true,"unk_token":"a","vocab":{"a":0,"<0x41>":1},"merges":[]}}`), "A\xff a")
	f.Add([]byte(`{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece","prefix":"##"},"model":{"type":"WordPiece","unk_token":"a","vocab":{"a":0,"##b":1}}}`), "ab é a")
	f.Add([]byte(`{"normalizer":{"type":"Precompiled","precompiled_charsmap":"BAAAAAAAAAA="},"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["a",-1],["ab",-1.5],["<0x41>",-3]]}}`), "aab A")
	f.Add([]byte(`{"post_processor":{"type":"BertProcessing","sep":["s",1],"cls":["c",2]},"decoder":{"type":"CTC","pad_token":"a"},"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}}`), "a b")
	f.Add([]byte(`{"model":{"merges":[["a","b"]],"vocab":{"a":0,"b":1,"ab":7}},"decoder":{"type":"Fuse"}}`), "abba")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(data) > 1<<10 || len(text) > 1<<7 {
			return // more only takes longer
		}
		file, err := Parse(data, Options{})
		if err != nil {
			return
		}
		ids, err := file.EncodeWithSpecial(text)
		if err != nil {
			return
		}
		if _, err := file.Decode(ids); err != nil {
			t.Errorf("%q can't be decoded: %v", ids, err)
		}
	})
}

// FuzzRoundTrip: byte-level tokens of any text give the text back. (Added tokens that take the space
// around them do not, nor does a normalizer: so without these.)
func FuzzRoundTrip(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "bytes", "tokenizer.json"))
	if err != nil {
		f.Fatal(err)
	}
	format, err := spec.ParseJSON(data)
	if err != nil {
		f.Fatal(err)
	}
	format.Normalizer, format.AddedTokens = nil, nil
	file, err := build(format, settings{})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", " ", " \n ", "a  \n\n  b", "it'ſ", "'re've", " 12 34", "½²٣五", "👩‍👩‍👧 e\u0301", "日本語 テキスト", "\x00\x1f", "𝒳𝟙 x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := file.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		back, err := file.Decode(ids)
		if err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(text) && back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	})
}

func loadSmall(t testing.TB, name string) *Tokenizer {
	t.Helper()
	f, err := Load(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type expectedRow struct {
	Text    string  `json:"text"`
	IDs     []int32 `json:"ids"`
	Special []int32 `json:"special"`
	Decoded string  `json:"decoded"`
}

func expected(t testing.TB, name string) []expectedRow {
	t.Helper()
	var rows []expectedRow
	b, err := os.ReadFile(filepath.Join("testdata", name, "expected.json"))
	if err == nil {
		err = json.Unmarshal(b, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
