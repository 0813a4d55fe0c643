package sim

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// keyOf is a key for prompts p0, p1, …, as completions and as chats.
func keyOf(t testing.TB, n int) *answers.Key {
	t.Helper()
	var b strings.Builder
	for i := range n {
		prompt := fmt.Sprint("p", i)
		for _, p := range []string{prompt, answers.ChatText([]answers.Message{{Role: "user", Content: prompt}})} {
			fmt.Fprintf(&b, `{"question":"q%d","prompt_sha256":"%s","right":"The answer is (Ä), \"%d\".","wrong":["The answer is (no%d)."]}`+"\n", i, answers.Sum(p), i, i)
		}
	}
	k, err := answers.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func rightText(i int) string { return fmt.Sprintf(`The answer is (Ä), "%d".`, i) }

func TestAnswersOfTheKey(t *testing.T) {
	for _, test := range []struct {
		name, path, body string
		framing          dialect.Framing
	}{
		{"completion", "/v1/completions", `{"prompt":"p%d","stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, 0},
		{"a list with a prompt", "/v1/completions", `{"prompt":["p%d"],"stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, 0},
		{"chat", "/v1/chat/completions", `{"messages":[{"role":"user","content":"p%d"}],"stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, 0},
		{"parts", "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"p%d"}]}],"stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, 0},
		{"reasoning before it", "/v1/chat/completions", `{"messages":[{"role":"user","content":"p%d"}],"stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, dialect.FrameReasoning},
		{"merged events", "/v1/completions", `{"prompt":"p%d","stream":true,"max_tokens":200,"stream_options":{"include_usage":true}}`, dialect.FrameMerge},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := fast()
			cfg.Framing = test.framing
			cfg.Answers = &answers.Settings{Key: keyOf(t, 40), Accuracy: 0.5, Seed: rand.Uint64()}
			r := start(t, cfg)
			right := 0
			for i := range 40 {
				g := read(r.post(test.path, fmt.Sprint("id", i), fmt.Sprintf(test.body, i)))
				want, verdict := rightText(i), "right"
				if cfg.Answers.Question(fmt.Sprint("q", i)).Verdict != answers.Right {
					want, verdict = fmt.Sprintf("The answer is (no%d).", i), "wrong"
				} else {
					right++
				}
				if g.err != nil || g.text != want || g.finish != "stop" || !g.done {
					t.Fatalf("question %d (%s): %q, %q, %v", i, verdict, g.text, g.finish, g.err)
				}
				if ids, _ := vocab.NewWordTokenizer().Encode(g.reason + g.text); test.framing != dialect.FrameReasoning && g.usage["completion_tokens"] != float64(len(ids)) {
					t.Fatalf("usage %v for %d tokens", g.usage, len(ids))
				}
			}
			if right == 0 || right == 40 {
				t.Errorf("%d of 40 are right (seed %d)", right, cfg.Answers.Seed)
			}
			for id, rec := range r.truth() {
				var i int
				fmt.Sscanf(id, "id%d", &i)
				if want := string(cfg.Answers.Question(fmt.Sprint("q", i)).Verdict); rec.Question != fmt.Sprint("q", i) || rec.Answer != want {
					t.Errorf("%s: the truth says %q, %q; want %q", id, rec.Question, rec.Answer, want)
				}
			}
		})
	}
}

// TestOtherPrompts get the usual words, and are counted.
func TestOtherPrompts(t *testing.T) {
	cfg := fast()
	plain := start(t, cfg)
	const body = `{"prompt":"something else","max_tokens":9}`
	_, want := plain.call("/v1/completions", body)
	cfg.Answers = &answers.Settings{Key: keyOf(t, 1), Accuracy: 1}
	r := start(t, cfg)
	_, got := r.call("/v1/completions", body)
	text := func(m map[string]any) any { return m["choices"].([]any)[0].(map[string]any)["text"] }
	if text(got) != text(want) {
		t.Errorf("%v; without a key %v", text(got), text(want))
	}
	for _, rec := range r.truth() {
		if rec.Question != "" || rec.Answer != "" {
			t.Errorf("the truth has a question: %+v", rec)
		}
	}
}

func TestKeyAndLimits(t *testing.T) {
	cfg := fast()
	cfg.Answers = &answers.Settings{Key: keyOf(t, 1), Accuracy: 1}
	r := start(t, cfg)
	whole, _ := vocab.NewWordTokenizer().Encode(rightText(0))
	for _, test := range []struct {
		id, more, finish string
	}{
		{"all", `"max_tokens":200`, "stop"},
		{"exactly", fmt.Sprintf(`"max_tokens":%d`, len(whole)), "stop"},
		{"cut", `"max_tokens":3`, "length"},
		{"on", `"max_tokens":90,"ignore_eos":true`, "length"},
	} {
		g := read(r.post("/v1/completions", test.id, `{"prompt":"p0","stream":true,`+test.more+`}`))
		if g.finish != test.finish || g.text == "" || !strings.HasPrefix(rightText(0), g.text) && !strings.HasPrefix(g.text, rightText(0)) {
			t.Errorf("%s: %q, %q", test.id, g.finish, g.text)
		}
	}
	truth := r.truth()
	for id, want := range map[string][2]any{"all": {len(whole), "right"}, "exactly": {len(whole), "right"}, "cut": {3, "cut"}, "on": {90, "right"}} {
		if rec := truth[id]; rec.CompletionTokens != want[0] || rec.Answer != want[1] {
			t.Errorf("%s: %d tokens, %s; want %v", id, rec.CompletionTokens, rec.Answer, want)
		}
	}
}

// TestOtherDialects: what has no messages or prompt of OpenAI's is found by its tokens.
func TestOtherDialects(t *testing.T) {
	cfg := fast()
	cfg.Answers = &answers.Settings{Key: keyOf(t, 1), Accuracy: 1}
	r := start(t, cfg)
	for _, test := range []struct{ path, body string }{
		{"/completion", `{"prompt":"p0","n_predict":90}`},
		{"/generate", `{"text":"p0","sampling_params":{"max_new_tokens":90}}`},
		{"/generate", `{"inputs":"p0","parameters":{"max_new_tokens":90}}`},
		{"/v1/responses", `{"input":"p0","max_output_tokens":90}`},
		{"/v1/messages", `{"messages":[{"role":"user","content":"p0"}],"max_tokens":90}`},
		{"/api/chat", `{"model":"sim","messages":[{"role":"user","content":"p0"}],"stream":false}`},
	} {
		resp, err := r.post(test.path, "", test.body)
		if err != nil {
			t.Fatal(err)
		}
		if got := drain(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(got, `The answer is (Ä), \"0\".`) {
			t.Errorf("%s: %d %s", test.path, resp.StatusCode, got)
		}
	}
}

// TestLoadFlips: alone a question always gets its answer, beside others some do not.
func TestLoadFlips(t *testing.T) {
	const n = 300
	cfg := fast()
	cfg.TTFT = random.Constant(4 * time.Millisecond)
	cfg.Answers = &answers.Settings{Key: keyOf(t, n), Accuracy: 0.5, LoadFlips: 0.5, Seed: rand.Uint64()}
	r := start(t, cfg)
	ask := func(run string, i int) string {
		return read(r.post("/v1/completions", fmt.Sprint(run, i), fmt.Sprintf(`{"prompt":"p%d","stream":true,"max_tokens":50}`, i))).text
	}
	var alone, beside [n]string
	for i := range 40 {
		alone[i] = ask("alone", i)
	}
	for i := range 40 {
		if again := ask("again", i); again != alone[i] {
			t.Fatalf("question %d alone: %q, then %q", i, alone[i], again)
		}
	}
	var wg sync.WaitGroup
	for k := range 10 {
		wg.Go(func() {
			for i := k; i < n; i += 10 {
				beside[i] = ask("beside", i)
			}
		})
	}
	wg.Wait()
	changed, anew := 0, 0
	for i := range n {
		right := cfg.Answers.Question(fmt.Sprint("q", i)).Verdict == answers.Right
		if (beside[i] == rightText(i)) != right {
			changed++
		}
	}
	for id, rec := range r.truth() {
		if rec.Anew {
			anew++
			if !strings.HasPrefix(id, "beside") {
				t.Errorf("%s was alone", id)
			}
		}
	}
	// Some 150 are drawn anew, and half of these come out another way.
	if anew < 100 || anew > 200 || changed < anew/2-35 || changed > anew/2+35 {
		t.Errorf("%d of %d were drawn anew, %d changed (seed %d)", anew, n, changed, cfg.Answers.Seed)
	}
}

func TestFavours(t *testing.T) {
	var b strings.Builder
	for k := 1; k <= 4; k++ {
		fmt.Fprintf(&b, `{"question":"q","prompt_sha256":"%s","choice":%d,"choices":4,"correct":%t}`+"\n", answers.Sum(fmt.Sprint("p", k)), k, k == 3)
	}
	key, err := answers.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, accuracy := range []float64{0, 1} {
		cfg := fast()
		cfg.Answers = &answers.Settings{Key: key, Accuracy: accuracy}
		s, err := New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		count := 0
		for k := 1; k <= 4; k++ {
			c, err := dialect.ParseCall(fmt.Appendf(nil, `{"prompt":"p%d"}`, k), false, s.tokenizer)
			if err != nil {
				t.Fatal(err)
			}
			if other, _ := dialect.ParseCall([]byte(`{"prompt":"other"}`), false, s.tokenizer); k == 1 {
				if l, _, err := s.question(other, 1); l != nil || err != nil || s.Unknown() != 1 {
					t.Errorf("another prompt: %+v, %v, %d unknown", l, err, s.Unknown())
				}
			}
			var rec Record
			f, err := s.favours(c, &rec, 1)
			if err != nil || f == noFavour || rec.Question != "q" {
				t.Fatalf("choice %d: %v, %v, %+v", k, f, err, rec)
			}
			if f == favoured {
				count++
				if (k == 3) != (accuracy == 1) {
					t.Errorf("accuracy %v: choice %d is favoured", accuracy, k)
				}
			}
		}
		if count != 1 {
			t.Errorf("accuracy %v: %d choices are favoured", accuracy, count)
		}
	}
}
