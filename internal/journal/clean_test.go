package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The words of a journal that someone else wrote are plain, whichever line and
// field they stand in.
func TestWordsOfAJournalArePlain(t *testing.T) {
	const hostile = "\x1b[2Ja\x1b]0;x\x07\n  b\u202e"
	run := &Run{Schema: Schema, Version: hostile, Command: []string{hostile, "{\n  \"a\": 1}"}, Options: Options{
		ModelID: hostile, Label: hostile, Metadata: []Pair{{hostile, hostile}}, PercentileMetrics: []string{hostile},
		Goodput: map[string]float64{hostile: 1}, Workload: map[string]string{hostile: hostile},
	}, Targets: []Target{{URL: hostile, Model: hostile, Root: hostile}}, Environment: Environment{Host: hostile}}
	request := &Request{ID: hostile, ServerID: hostile, FinishReason: hostile, Error: hostile, Outcome: hostile}
	end := &End{Interrupted: hostile, Power: &Power{Reason: hostile}}
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	for _, line := range []Line{{Run: run}, {Request: request}, {Scrape: &Scrape{Counters: map[string]float64{hostile: 1, "ok": 2}}}, {End: end}} {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(z, "%s\n", text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal([]any{r.Run(), got})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	rest, err := json.Marshal([]any{r.Scrapes(), r.End()})
	if err != nil || len(r.Scrapes()) == 0 || r.End() == nil {
		t.Fatalf("%s, %v", rest, err)
	}
	for _, bad := range []string{`\u001b`, "\u202e", "2J", `0;x`, `\u0007`} {
		if strings.Contains(string(all)+string(rest), bad) {
			t.Errorf("%q in %s %s", bad, all, rest)
		}
	}
	o := &r.Run().Options
	if o.Label != "a b" || o.ModelID != "a b" || o.Metadata[0] != (Pair{"a b", "a b"}) || o.Goodput["a b"] != 1 || o.Workload["a b"] != "a b" || r.Run().Command[1] != "{\n  \"a\": 1}" {
		t.Errorf("%+v %q", o, r.Run().Command)
	}
	if len(r.Scrapes()[0].Counters) != 1 {
		t.Errorf("%v", r.Scrapes())
	}
}
