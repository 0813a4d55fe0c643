package workload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
)

// setCase is what vLLM's own classes made of a set: see testdata/make_sets.py.
type setCase struct {
	Args      string
	Requests  int
	AllSHA256 string  `json:"all_sha256"`
	Rows      [][]any // the first six and the last three
}

// TestRequestsOfSetsAreThoseOfVLLM: same seed, same prompts, lengths and media.
func TestRequestsOfSetsAreThoseOfVLLM(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "sets.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []setCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		t.Run(c.Args, func(t *testing.T) { c.check(t) })
	}
}

func (c *setCase) check(t *testing.T) {
	d, err := Open(setOptions(t, c.Args))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var lines []string
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Index != len(lines) {
			t.Fatalf("request %d has index %d", len(lines), r.Index)
		}
		lines = append(lines, setRow(t, r))
	}
	if len(lines) != c.Requests || d.Len() != c.Requests {
		t.Fatalf("%d requests, Len %d, want %d", len(lines), d.Len(), c.Requests)
	}
	for i, row := range c.Rows {
		at := i
		if len(c.Rows) == 9 && i >= 6 {
			at = len(lines) - 9 + i
		}
		want := strings.TrimSuffix(fmt.Sprintln(row...), "\n")
		if lines[at] != want {
			t.Errorf("request %d: %s, want %s", at, lines[at], want)
		}
	}
	if all := hashHex(strings.Join(lines, "\n")); all != c.AllSHA256 {
		t.Errorf("all requests together hash to %s, want %s", all, c.AllSHA256)
	}
}

// setRow is a request as the script writes it.
func setRow(t *testing.T, r *Request) string {
	row := fmt.Sprint(hashHex(r.Prompt)[:16], " ", r.PromptTokens, " ", r.OutputTokens, " ")
	for _, m := range r.Media {
		row += mediaHash(t, m)
	}
	if r.Messages != nil {
		var fields []string
		for _, f := range r.Fields {
			fields = append(fields, fmt.Sprintf("%q:%s", f.Name, f.Value))
		}
		row += " " + sortedHash(t, r.Messages) + " " + sortedHash(t, []byte("{"+strings.Join(fields, ",")+"}"))
	}
	return row
}

// sortedHash is of JSON with its names sorted and without spaces, and its numbers as they are written.
func sortedHash(t *testing.T, raw []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return hashHex(string(b))[:16]
}

// mediaHash is of the bytes of a picture, and of the address of a film.
func mediaHash(t *testing.T, part json.RawMessage) string {
	t.Helper()
	type address struct{ URL string }
	var p struct {
		Image address `json:"image_url"`
		Video address `json:"video_url"`
	}
	if err := json.Unmarshal(part, &p); err != nil {
		t.Fatal(err)
	}
	if p.Video.URL != "" {
		root, err := filepath.Abs("testdata")
		if err != nil {
			t.Fatal(err)
		}
		return hashHex(strings.Replace(p.Video.URL, root+"/", "", 1))[:16]
	}
	_, data, _ := strings.Cut(p.Image.URL, ";base64,")
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	return hashHex(string(b))[:16]
}

// setOptions reads the flags of a case.
func setOptions(t *testing.T, line string) Options {
	t.Helper()
	args := strings.Fields(line)
	o := Defaults(args[1])
	fields := map[string]func(string) error{
		"--dataset-name": func(string) error { return nil },
		"--tokenizer":    func(v string) error { o.Tokenizer = testTokenizer(t, v); return nil },
		"--backend":      func(v string) error { o.Chat = v == "openai-chat"; return nil },
		"--seed":         func(v string) (err error) { o.Seed, err = strconv.ParseUint(v, 10, 64); return err },
		"--num-prompts":  func(v string) (err error) { o.NumPrompts, err = strconv.Atoi(v); return err },
		"--dataset-path": func(v string) error { o.Path = filepath.Join("testdata", v); return nil },
	}
	for _, at := range []any{o.Own, &o.Shared} {
		for _, f := range option.Fields(at) {
			if fields["--"+f.Flag] == nil {
				fields["--"+f.Flag] = func(v string) error { return f.SetText(at, v) }
			}
		}
	}
	for i := 0; i < len(args); i++ {
		set, ok := fields[args[i]]
		if !ok {
			t.Fatalf("%s is not known here", args[i])
		}
		value := "true"
		if i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			i++
			value = args[i]
		}
		if err := set(value); err != nil {
			t.Fatal(err)
		}
	}
	return o
}
