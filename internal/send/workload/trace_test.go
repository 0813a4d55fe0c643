package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/testfiles"
)

func traceOptions(t *testing.T, path string, change func(*TraceOptions)) Options {
	o := Defaults("trace")
	o.NumPrompts, o.Path, o.SelfTimed = 0, path, true
	o.Own.(*TraceOptions).Loop = loopOpen
	if change != nil {
		change(o.Own.(*TraceOptions))
	}
	return o
}

const smallTrace = `{"timestamp": 1000, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 2000, "input_length": 1024, "output_length": 6, "hash_ids": [1, 2]}
{"timestamp": 2000, "input_length": 1100, "output_length": 0, "hash_ids": [1, 2, 7]}
{"timestamp": 4000, "input_length": 1030, "output_length": 7, "hash_ids": [1, 3, 4]}
{"timestamp": 5000, "input_length": 10, "output_length": 8, "hash_ids": [9]}
`

// Tokens are as many as the row says, as the server will count them, for each family of
// tokenizers; and prompts share what their ids share.
func TestTracePromptsAreExact(t *testing.T) {
	for _, name := range []string{"gpt2", "qwen2_5", "llama3_1", "llama2", "gemma", "yi"} {
		t.Run(name, func(t *testing.T) {
			o := traceOptions(t, writeFile(t, "m.jsonl", smallTrace), nil)
			tok := testTokenizer(t, name)
			o.Tokenizer = tok
			rows := all(t, open(t, o))
			want := []int{600, 1024, 1030, 10}
			for i, r := range rows {
				ids, err := tok.EncodeWithSpecial(r.Prompt)
				if err != nil {
					t.Fatal(err)
				}
				if len(ids) != want[i] || r.PromptTokens != want[i] {
					t.Errorf("row %d has %d tokens, planned %d, want %d", i, len(ids), r.PromptTokens, want[i])
				}
			}
			if !strings.HasPrefix(rows[1].Prompt, rows[0].Prompt) {
				t.Error("a part of a block is not the beginning of the whole")
			}
			if n := sharedTokens(t, tok, rows[1].Prompt, rows[2].Prompt); n < 512 || n > 514 {
				t.Errorf("%d tokens are shared, want 512", n)
			}
		})
	}
}

func sharedTokens(t *testing.T, v prompts.Vocabulary, a, b string) (n int) {
	t.Helper()
	x, err := v.EncodeWithSpecial(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := v.EncodeWithSpecial(b)
	if err != nil {
		t.Fatal(err)
	}
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func TestTraceTimesAndPlan(t *testing.T) {
	path := writeFile(t, "m.jsonl", smallTrace)
	d := open(t, traceOptions(t, path, nil))
	var due []time.Duration
	var shared []int
	for _, r := range all(t, d) {
		due, shared = append(due, r.Due), append(shared, r.SharedTokens)
		if r.SharedOf == 0 || r.PromptTokens != 0 {
			t.Errorf("%+v", r)
		}
	}
	if want := []time.Duration{0, time.Second, 3 * time.Second, 4 * time.Second}; !slices.Equal(due, want) {
		t.Errorf("due at %v, want %v", due, want)
	}
	if want := []int{0, 600, 512, 0}; !slices.Equal(shared, want) {
		t.Errorf("shared are %v, want %v", shared, want)
	}
	notes := strings.Join(Notes(d), "\n")
	for _, want := range []string{"1 rows of the trace have no prompt or no answer", "without a tokenizer.json the prompts are words"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q: %s", want, notes)
		}
	}
}

// Slices, speed, loops and limits.
func TestTraceOptions(t *testing.T) {
	path := writeFile(t, "m.jsonl", smallTrace)
	for _, c := range []struct {
		change func(*TraceOptions)
		n      int
		want   string // time/words of each request
	}{
		{func(o *TraceOptions) { o.Speed = 2 }, 0, "0/600 0.5/1024 1.5/1030 2/10"},
		{func(o *TraceOptions) { o.From = time.Second }, 0, "0/1024 2/1030 3/10"},
		{func(o *TraceOptions) { o.From, o.To = time.Second, 4*time.Second }, 0, "0/1024 2/1030"},
		{func(o *TraceOptions) { o.From, o.To, o.Passes = time.Second, 4*time.Second, 2 }, 0, "0/1024 2/1030 3/1024 5/1030"},
		{func(o *TraceOptions) { o.From, o.To, o.Passes = time.Second, 4*time.Second, 9 }, 3, "0/1024 2/1030 3/1024"},
		{nil, 2, "0/600 1/1024"},
		{func(o *TraceOptions) { o.MaxInput, o.Long = 700, "clip" }, 0, "0/600 1/700 3/700 4/10"},
		{func(o *TraceOptions) { o.MaxInput, o.Long = 700, "skip" }, 0, "0/600 4/10"},
		{func(o *TraceOptions) { o.OutputLen = new(33) }, 1, "0/600"},
	} {
		o := traceOptions(t, path, c.change)
		o.NumPrompts = c.n
		var got []string
		for _, r := range all(t, open(t, o)) {
			got = append(got, fmt.Sprintf("%g/%d", r.Due.Seconds(), len(strings.Fields(r.Prompt))))
			if len := o.Own.(*TraceOptions).OutputLen; len != nil && r.OutputTokens != *len {
				t.Errorf("%d output tokens", r.OutputTokens)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A second pass shares nothing with the first.
func TestTraceLoopIsNew(t *testing.T) {
	rows := all(t, open(t, traceOptions(t, writeFile(t, "m.jsonl", smallTrace), func(o *TraceOptions) { o.Passes = 2 })))
	if len(rows) != 8 || rows[0].Prompt == rows[4].Prompt || rows[4].SharedTokens != 0 || rows[5].SharedTokens != 600 {
		t.Errorf("%d rows, shared %d and %d", len(rows), rows[4].SharedTokens, rows[5].SharedTokens)
	}
}

func TestTraceAsIDs(t *testing.T) {
	o := traceOptions(t, writeFile(t, "m.jsonl", smallTrace), func(o *TraceOptions) { o.Send = "ids" })
	o.Tokenizer = fakeVocabulary{special: 1}
	for _, r := range all(t, open(t, o)) {
		var ids []int
		if err := json.Unmarshal([]byte(r.Prompt), &ids); err != nil {
			t.Fatal(err)
		}
		if !r.TokenIDs || len(ids) != r.PromptTokens || slices.Contains(ids, 3) {
			t.Errorf("%d ids, planned %d", len(ids), r.PromptTokens)
		}
	}
}

func TestTraceErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		change func(*TraceOptions)
		want   string
	}{
		{smallTrace, func(o *TraceOptions) { o.MaxInput = 700 }, "row 2 of the trace has a prompt of 1024 tokens, above --trace-max-input 700"},
		{smallTrace, func(o *TraceOptions) { o.From = time.Hour }, "no row is left"},
		{smallTrace, func(o *TraceOptions) { o.From, o.To = time.Hour, time.Minute }, "trace_to must be later than trace_from"},
		{smallTrace, func(o *TraceOptions) { o.Format = "moon" }, "trace_format must be auto or one of tree"},
		{smallTrace, func(o *TraceOptions) { o.Send = "ids" }, "needs a tokenizer.json"},
		{"x\n", nil, "does not look like any known kind of trace"},
		{"num_prefill_tokens,num_decode_tokens\n3,4\n5,6\n", nil, "have no times"},
		{smallTrace + `{"timestamp": 9, "input_length": 600, "output_length": 5, "hash_ids": [1]}`, nil, "row 6: 1 block ids for 600 tokens"},
	} {
		_, err := Open(traceOptions(t, writeFile(t, "x", c.text), c.change))
		wantError(t, err, c.want)
	}
	o := traceOptions(t, writeFile(t, "x", smallTrace), nil)
	o.Tokenizer = fakeVocabulary{}
	_, err := Open(o)
	wantError(t, err, "send token ids with --trace-send ids")
}

// Of a recording, what is known is sent. What is not is named, with what to do about it.
func TestTraceOfUnknownLengths(t *testing.T) {
	row := func(at int, more string) string {
		return fmt.Sprintf(`{"inferometer":1,"timestamp":%d,"outcome":"complete","status":200,"stream":true,"e2el_ms":1%s}`+"\n", at, more)
	}
	whole, noInput, noOutput, events := row(0, `,"input_length":10,"output_length":3`), row(5, `,"output_length":3`), row(6, `,"input_length":20`), row(7, `,"input_length":5,"output_length":4,"output_by":"events"`)
	five := 5
	for _, c := range []struct {
		rows   string
		change func(*TraceOptions)
		n      int
		note   string
	}{
		{whole + noInput + noInput + events, nil, 2, "2 rows of the trace are of unknown length and are not sent: record with --tokenizer, or have clients ask for usage"},
		{whole + noOutput, nil, 1, "1 rows of the trace are of unknown length and are not sent: --output-len gives answers a length"},
		{noOutput + noInput, func(o *TraceOptions) { o.OutputLen = &five }, 1, "1 rows of the trace are of unknown length"},
		{whole + events, nil, 2, "1 rows of the trace have answers whose length is a count of their events"},
	} {
		d := open(t, traceOptions(t, writeFile(t, "r.jsonl", c.rows), c.change))
		notes := strings.Join(Notes(d), "\n")
		rows := all(t, d)
		if len(rows) != c.n || !strings.Contains(notes, c.note) || strings.Contains(notes, "no prompt or no answer") {
			t.Errorf("%d rows sent, want %d; %s", len(rows), c.n, notes)
		}
		for _, r := range rows {
			if r.OutputTokens < 1 {
				t.Errorf("%d output tokens", r.OutputTokens)
			}
		}
		warm, err := d.Warmups(1)
		if err != nil || warm[0].OutputTokens < 1 {
			t.Errorf("%v %+v", err, warm)
		}
	}
	_, err := Open(traceOptions(t, writeFile(t, "r.jsonl", noInput+noInput), nil))
	wantError(t, err, "2 of unknown length, and 0 that are too long; record with --tokenizer, or have clients ask for usage")
}

// Rows that are not in order are sorted; sessions without ids grow.
func TestTraceOfRealFiles(t *testing.T) {
	d := open(t, traceOptions(t, testfiles.Path(t, "traces", "weka"), nil))
	last := time.Duration(0)
	cached, tokens := 0, 0
	for _, r := range all(t, d) {
		if r.Due < last {
			t.Fatalf("due at %v behind %v", r.Due, last)
		}
		last = r.Due
		cached += r.SharedTokens
		tokens += len(strings.Fields(r.Prompt))
	}
	if share := float64(cached) / float64(tokens); math.Abs(share-0.897) > 0.001 {
		t.Errorf("%.4f of the tokens are shared, want what trace stats says", share)
	}
	byLength := map[string]bool{}
	o := traceOptions(t, testfiles.Path(t, "traces", "BurstGPT_3_head400.csv.gz"), nil)
	rows := all(t, open(t, o))
	grown := 0
	for _, r := range rows {
		if r.SharedTokens > 0 {
			grown++
			found := false
			for k := range byLength {
				if strings.HasPrefix(r.Prompt, k) || strings.HasPrefix(k, r.Prompt) {
					found = true
					break
				}
			}
			if !found {
				t.Error("a prompt that shares begins like none before")
			}
		}
		byLength[r.Prompt] = true
	}
	if len(rows) != 399 || grown < 200 {
		t.Errorf("%d rows, %d of them grown", len(rows), grown)
	}
	// A session of failed rows alone is left out of a closed loop, and said once.
	o = traceOptions(t, o.Path, nil)
	o.Own.(*TraceOptions).Loop = loopClosed
	if notes := strings.Join(Notes(open(t, o)), "\n"); strings.Count(notes, "no request that can be sent") != 1 {
		t.Error(notes)
	}
}

// Warm-ups are like no row.
func TestTraceWarmups(t *testing.T) {
	d := open(t, traceOptions(t, writeFile(t, "m.jsonl", smallTrace), nil))
	warm, err := d.Warmups(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all(t, d) {
		for _, w := range warm {
			if strings.HasPrefix(r.Prompt, w.Prompt[:40]) {
				t.Error("a warm-up begins like a measured prompt")
			}
		}
	}
	if warm[0].Prompt == warm[1].Prompt || len(strings.Fields(warm[0].Prompt)) != 600 {
		t.Error("the warm-ups are not two of the first row's length")
	}
}

func TestSelfTimed(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		kind  *Kind
		self  *bool
		paced bool
		want  bool
	}{
		{random, nil, false, false},
		{timedTrace, nil, false, true},
		{timedTrace, nil, true, true},
		{timedTrace, &no, false, false},
		{timedTrace, &yes, true, true},
		{tracePlay, nil, false, true},
		{tracePlay, nil, true, false},
		{tracePlay, &no, false, false},
		{tracePlay, &yes, true, true},
	} {
		own := c.kind.Options()
		if f, ok := option.Find(own, "self_timed"); ok && c.self != nil {
			if err := f.SetText(own, fmt.Sprint(*c.self)); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.kind.SelfTimed(own, c.paced); got != c.want {
			t.Errorf("%s, %v, paced %v: %v", c.kind.Name, c.self, c.paced, got)
		}
	}
}
