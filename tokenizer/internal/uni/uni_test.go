package uni

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestTables holds every code point to what the libraries under Hugging Face's tokenizers say of it. It fails
// when a new Go brings new tables: go run ./gen.
func TestTables(t *testing.T) {
	file, err := os.Open("testdata/unicode.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.NewDecoder(unpacked).Decode(&raw); err != nil {
		t.Fatal(err)
	}
	var patterns map[string]json.RawMessage
	read(t, raw["patterns"], &patterns)
	for _, test := range []struct {
		name   string
		want   json.RawMessage
		belong func(rune) bool
	}{
		{"L", patterns["L"], Letter},
		{"N", patterns["N"], Number},
		{"M", patterns["M"], Mark},
		{"Ll", patterns["Ll"], Lower},
		{"P", patterns["P"], Punct},
		{"S", patterns["S"], Symbol},
		{"number", raw["number"], Numeric},
		{"word", raw["word"], Word},
		{"punctuation", raw["punctuation"], Punctuation},
		{"mark", raw["mark"], Combining},
		{"bert mark", raw["bert_mark"], BertCombining},
		{"bert removed", raw["bert_removed"], BertControl},
		{"space", raw["space"], unicode.IsSpace},
		{"decomposable", raw["decomposable"], func(r rune) bool { return Form(norm.NFKD)(string(r)) != string(r) }},
	} {
		var want [][2]rune
		read(t, test.want, &want)
		at, wrong := 0, 0
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if r >= 0xD800 && r <= 0xDFFF {
				continue
			}
			for at < len(want) && want[at][1] < r {
				at++
			}
			if is := at < len(want) && want[at][0] <= r; is != test.belong(r) {
				if wrong++; wrong <= 5 {
					t.Errorf("%s: %U: %v, want %v", test.name, r, !is, is)
				}
			}
		}
	}
	var lower map[string]string
	read(t, raw["lower"], &lower)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want, ok := lower[strconv.Itoa(int(r))]
		if !ok {
			want = string(r)
		}
		if got := ToLower(string(r)); got != want {
			t.Errorf("ToLower(%U) = %q, want %q", r, got, want)
		}
	}
}

func read(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
