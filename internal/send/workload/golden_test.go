package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// goldenCase is what vLLM's client sent for a command line.
type goldenCase struct {
	Name, Args string
	Requests   int
	Rows       []goldenRow
	AllSHA256  string `json:"all_sha256"` // over all requests; then rows are the first and the last ten
	File       string // contents of the custom dataset
}

type goldenRow struct {
	PromptSHA256 string `json:"prompt_sha256"`
	Chars        int
	MaxTokens    int `json:"max_tokens"`
}

// testTokenizer loads a tokenizer that scripts/tokenizers.sh has fetched.
func testTokenizer(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	root := os.Getenv("INFEROMETER_TOKENIZERS")
	if root == "" {
		cache := os.Getenv("INFEROMETER_CACHE")
		if home, err := os.UserHomeDir(); cache == "" && err == nil {
			cache = filepath.Join(home, ".cache", "inferometer")
		}
		root = filepath.Join(cache, "tokenizers")
	}
	folder := filepath.Join(root, name)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("tokenizer %s is not there: fetch it with scripts/tokenizers.sh %s", name, name)
	}
	loaded.Lock()
	defer loaded.Unlock()
	if f, ok := loaded.files[folder]; ok {
		return f
	}
	f, err := tokenizer.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	loaded.files[folder] = f
	return f
}

// loaded keeps tokenizers from test to test: to load one takes longer than most tests.
var loaded = struct {
	sync.Mutex
	files map[string]*tokenizer.Tokenizer
}{files: map[string]*tokenizer.Tokenizer{}}

func TestRequestsAreThoseOfVLLM(t *testing.T) {
	var file struct{ Cases []goldenCase }
	testfiles.JSON(t, &file, "compat", "golden-prompts.json")
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) { checkGolden(t, c) })
	}
}

func checkGolden(t *testing.T, c goldenCase) {
	d, err := Open(goldenOptions(t, c))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := rowsOf(t, d)
	if len(rows) != c.Requests || d.Len() != c.Requests {
		t.Fatalf("%d requests, Len %d, want %d", len(rows), d.Len(), c.Requests)
	}
	got := rows
	if c.AllSHA256 != "" {
		lines := make([]string, len(rows))
		for i, r := range rows {
			lines[i] = r.PromptSHA256 + " " + strconv.Itoa(r.MaxTokens)
		}
		if all := hashHex(strings.Join(lines, "\n")); all != c.AllSHA256 {
			t.Errorf("all requests together hash to %s, want %s", all, c.AllSHA256)
		}
		half := len(c.Rows) / 2
		got = append(append([]goldenRow{}, rows[:half]...), rows[len(rows)-half:]...)
	}
	for i, want := range c.Rows {
		if got[i] != want {
			t.Errorf("row %d: %+v, want %+v", i, got[i], want)
		}
	}
}

func rowsOf(t *testing.T, d Dataset) []goldenRow {
	t.Helper()
	var rows []goldenRow
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Index != len(rows) {
			t.Fatalf("request %d has index %d", len(rows), r.Index)
		}
		rows = append(rows, goldenRow{hashHex(r.Prompt), utf8.RuneCountInString(r.Prompt), r.OutputTokens})
	}
}

func hashHex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// goldenOptions reads the flags of a case.
func goldenOptions(t *testing.T, c goldenCase) Options {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(c.Args, `'{"min_tokens": 3}'`, "{}"))
	o := Defaults("random")
	if i := slices.Index(args, "--dataset-name"); i >= 0 {
		o = Defaults(args[i+1])
	}
	number := func(to *int) func(string) error {
		return func(v string) (err error) { *to, err = strconv.Atoi(v); return err }
	}
	flags := map[string]func(string) error{
		"--tokenizer":    func(v string) error { o.Tokenizer = testTokenizer(t, v); return nil },
		"--dataset-name": func(string) error { return nil },
		"--backend":      func(v string) error { o.Chat = v == "openai-chat"; return nil },
		"--seed":         func(v string) (err error) { o.Seed, err = strconv.ParseUint(v, 10, 64); return err },
		"--num-prompts":  number(&o.NumPrompts),
		"--temperature":  func(string) error { return nil }, // the wire's
		"--top-p":        func(string) error { return nil },
		"--extra-body":   func(string) error { return nil },
	}
	for _, f := range option.Fields(o.Own) {
		flags["--"+f.Flag] = func(v string) error { return f.SetText(o.Own, v) }
	}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--skip-chat-template":
			o.SkipChatTemplate = true
		case "--ignore-eos":
		default:
			set, ok := flags[args[i]]
			if !ok || i+1 == len(args) {
				t.Fatalf("flag %s of the case is not known here", args[i])
			}
			i++
			if err := set(args[i]); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", args[i-1], err))
			}
		}
	}
	switch o.Dataset {
	case "sharegpt":
		o.Path = testfiles.Path(t, "sharegpt", "sharegpt_mixed.json")
	case "custom":
		o.Path = writeFile(t, "prompts.jsonl", c.File)
	}
	return o
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
