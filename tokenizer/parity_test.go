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
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// families are the models whose ids and decoded texts Hugging Face's tokenizers
// gave for the corpus; digests.json has their digests.
var families = []string{
	"aya_expanse", "baichuan2", "chatglm3", "claude", "command_r_plus", "deepseek_v3", "gemma", "gemma2", "gemma3", "gpt2", "gpt4", "gpt4o",
	"internlm2", "llama2", "llama3", "llama3_1", "llama3_2", "mistral_nemo", "qwen1_5", "qwen2_5", "qwen3", "yi",
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

// TestParity holds the families whose tokenizer.json is on this machine to the
// digests of the reference ids and texts.
func TestParity(t *testing.T) {
	corpus := loadCorpus(t)
	var digests map[string]digest
	readParity(t, "digests.json", &digests)
	for _, name := range families {
		t.Run(name, func(t *testing.T) {
			if !takes(name) {
				t.Skip("not in every run: set INFEROMETER_ALL_TOKENIZERS=1")
			}
			holdTo(t, loadFamily(t, name), corpus, digests[name])
		})
	}
}

// TestFormatsParity does the same for the files of scripts/tokenizer-formats.sh, with the ids of SentencePiece,
// tiktoken and mistral-common. testdata/parity/formats.py writes their digests.
func TestFormatsParity(t *testing.T) {
	corpus := loadCorpus(t)
	var digests map[string]digest
	readParity(t, "formats.json", &digests)
	for name := range digests {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("INFEROMETER_ALL_TOKENIZERS") == "" && name != "tokenizer.model.v1" {
				t.Skip("not in every run: set INFEROMETER_ALL_TOKENIZERS=1")
			}
			f, err := Load(filepath.Join(tokenizersDir(), "formats", name))
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("the file is not here: get it with scripts/tokenizer-formats.sh")
			}
			if err != nil {
				t.Fatal(err)
			}
			holdTo(t, f, corpus, digests[name])
		})
	}
}

// digest is of the ids and of the decoded texts of the whole corpus.
type digest struct {
	IDs     string `json:"ids_sha256"`
	Decoded string `json:"decoded_sha256"`
}

func holdTo(t *testing.T, f *Tokenizer, corpus []string, want digest) {
	t.Helper()
	encoded, decoded := sha256.New(), sha256.New()
	w := f.lend() // Encode's pool forgets workers at random under the race detector, which takes long
	for i, text := range corpus {
		ids := f.encode(w, text, nil)
		back, err := f.Decode(ids)
		if err != nil {
			t.Fatal(err)
		}
		separator := "\x00"
		if i == 0 {
			separator = ""
		}
		io.WriteString(decoded, separator+back)
		encoded.Write(compact(ids, i, len(corpus)))
	}
	if got := hex.EncodeToString(encoded.Sum(nil)); got != want.IDs {
		t.Errorf("the digest of the ids is %s, want %s", got, want.IDs)
	}
	if got := hex.EncodeToString(decoded.Sum(nil)); got != want.Decoded {
		t.Errorf("the digest of the decoded texts is %s, want %s", got, want.Decoded)
	}
}

// compact is text i of n as it stands in the list of lists that was digested: [[1,2],[3]].
func compact(ids []int32, i, n int) []byte {
	b := []byte{'['}
	if i == 0 {
		b = []byte{'[', '['}
	}
	for k, id := range ids {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	if i == n-1 {
		return append(b, ']', ']')
	}
	return append(b, ']', ',')
}

// loadFamily loads a tokenizer.json that scripts/tokenizers.sh has fetched, or skips.
func loadFamily(t testing.TB, name string) *Tokenizer {
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

// The corpus is what its maker writes, so that its origin is no matter of belief.
func TestCorpusIsMade(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads some thousand files from git")
	}
	folder := filepath.Join("testdata", "parity")
	for _, program := range []string{"python3", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	commit := regexp.MustCompile(`COMMIT = "([0-9a-f]{40})"`).FindStringSubmatch(readText(t, filepath.Join(folder, "corpus.py")))
	if commit == nil {
		t.Fatal("corpus.py names no commit")
	}
	if err := exec.Command("git", "cat-file", "-e", commit[1]+"^{commit}").Run(); err != nil {
		t.Skip("this checkout does not have the commit that the corpus was cut from")
	}
	made := filepath.Join(t.TempDir(), "corpus.json.gz")
	if out, err := exec.Command("python3", filepath.Join(folder, "corpus.py"), made).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got, want []struct{ C, S string }
	readPacked(t, made, &got)
	readParity(t, "corpus.json.gz", &want)
	if !slices.Equal(got, want) {
		t.Errorf("%d texts are made, %d are there, and they differ", len(got), len(want))
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func loadCorpus(t testing.TB) []string {
	t.Helper()
	var entries []struct{ S string }
	readParity(t, "corpus.json.gz", &entries)
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.S
	}
	return texts
}

// readParity reads a JSON file of testdata/parity, packed or not.
func readParity(t testing.TB, name string, into any) {
	t.Helper()
	readPacked(t, filepath.Join("testdata", "parity", name), into)
}

func readPacked(t testing.TB, path string, into any) {
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
