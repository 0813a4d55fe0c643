package tokenizer

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// families are the models whose ids Hugging Face's tokenizers gave for the corpus, each with the number
// of texts that we encode otherwise: one of random runes holds a letter that is newer than the Unicode
// tables of Go 1.26.
var families = map[string]int{
	"aya_expanse": 0, "baichuan2": 0, "chatglm3": 0, "claude": 1, "command_r_plus": 0, "deepseek_v3": 0,
	"gemma": 0, "gemma2": 0, "gemma3": 0, "gpt2": 0, "gpt4": 0, "gpt4o": 1, "internlm2": 0,
	"llama2": 0, "llama3": 0, "llama3_1": 0, "llama3_2": 0, "mistral_nemo": 0,
	"qwen1_5": 0, "qwen2_5": 0, "qwen3": 0, "yi": 0,
}

// takes says whether this run of the tests takes a family. All of them take minutes under the race
// detector, and the three hold every part that most models have.
func takes(name string) bool {
	switch {
	case os.Getenv("INFEROMETER_ALL_TOKENIZERS") != "":
		return true
	case testing.Short():
		return name == "gpt2"
	}
	return slices.Contains([]string{"gpt2", "llama3", "qwen2_5"}, name)
}

// TestParity holds the families whose tokenizer.json is on this machine to the reference ids and texts.
func TestParity(t *testing.T) {
	corpus := loadCorpus(t)
	var digests map[string]struct {
		Decoded string `json:"decoded_sha256"`
	}
	readJSON(t, sharedFile(t, "digests.json"), &digests)
	for name, differing := range families {
		t.Run(name, func(t *testing.T) {
			if !takes(name) {
				t.Skip("not in every run: set INFEROMETER_ALL_TOKENIZERS=1")
			}
			f := loadFamily(t, name)
			var want [][]int32
			readJSON(t, sharedFile(t, name+".ids.json.gz"), &want)
			decoded := sha256.New()
			wrong := 0
			w := f.newWorker() // Encode's pool forgets workers at random under the race detector, which takes long
			for i, text := range corpus {
				got := f.encode(w, text, nil)
				if !slices.Equal(got, want[i]) {
					if wrong++; wrong > differing && wrong < differing+4 {
						t.Errorf("Encode(%.60q) = %.60v, want %.60v", text, got, want[i])
					}
				}
				back, err := f.Decode(want[i])
				if err != nil {
					t.Fatal(err)
				}
				if i > 0 {
					decoded.Write([]byte{0})
				}
				io.WriteString(decoded, back)
			}
			if wrong != differing {
				t.Errorf("%d of %d texts encoded otherwise, want %d", wrong, len(corpus), differing)
			}
			if got := hex.EncodeToString(decoded.Sum(nil)); got != digests[name].Decoded {
				t.Errorf("decoded texts differ: their digest is %s, want %s", got, digests[name].Decoded)
			}
		})
	}
}

// loadFamily loads a tokenizer.json that scripts/tokenizers.sh has fetched, or skips.
func loadFamily(t testing.TB, name string) *File {
	t.Helper()
	f, err := Load(filepath.Join(tokenizersDir(), name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no tokenizer of %s here: get it with scripts/tokenizers.sh", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tokenizersDir() string {
	if dir := os.Getenv("INFEROMETER_TOKENIZERS"); dir != "" {
		return dir
	}
	cache := os.Getenv("INFEROMETER_CACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache", "inferometer")
	}
	return filepath.Join(cache, "tokenizers")
}

// sharedFile is a file of the reference data that lies beside the repository, or a skip.
func sharedFile(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", "tokenizers", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the reference ids are not here: ../shared/data/tokenizers beside the repository")
	}
	return path
}

func loadCorpus(t testing.TB) []string {
	t.Helper()
	var entries []struct{ S string }
	readJSON(t, sharedFile(t, "corpus.json.gz"), &entries)
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.S
	}
	return texts
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewDecoder(r).Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
