package record

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLineageExact: what a prompt continues is the longest earlier prompt that it begins with, in drawn conversations
// with forks, against a search through all of them.
func TestLineageExact(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		l := newLineage()
		type asked struct {
			prompt  string
			session string
		}
		var all []asked
		begin := time.Now()
		found := 0
		for i := range 200 {
			q := asked{prompt: strings.Repeat("system ", rng.IntN(30)), session: "s"}
			if len(all) > 0 && rng.IntN(5) > 0 {
				q = all[rng.IntN(len(all))]
				if rng.IntN(6) == 0 {
					q.prompt = q.prompt[:rng.IntN(len(q.prompt)+1)]
				}
			}
			q.prompt += strings.Repeat(fmt.Sprint(rng.IntN(9)), rng.IntN(100))
			at := begin.Add(time.Duration(i) * time.Second)
			want := -1
			for k, e := range all {
				if k%7 != 0 && len(e.prompt) < len(q.prompt) && strings.HasPrefix(q.prompt, e.prompt) && (want < 0 || len(e.prompt) >= len(all[want].prompt)) {
					want = k // of equal ones the last; each seventh is still being answered
				}
			}
			places := l.places("m", q.prompt)
			got := l.find(places, q.prompt, "", at)
			if (got == nil) != (want < 0) || got != nil && got.id != uint64(want) {
				t.Fatalf("seed %d, prompt %d: %+v, not %d", seed, i, got, want)
			}
			if got != nil {
				found++
			}
			if l.find(l.places("another", q.prompt), q.prompt, "", at) != nil || l.find(places, q.prompt, "another", at) != nil {
				t.Fatal("it is of another model or session")
			}
			e := &earlier{id: uint64(i), session: "s", ended: at}
			if i%7 == 0 {
				e.ended = at.Add(time.Hour)
			}
			l.add(e, places, q.prompt, "")
			all = append(all, q)
		}
		if found < 50 {
			t.Errorf("only %d continue another", found)
		}
	}
}

// Two answers to one prompt: each is gone on from by the prompt that holds it.
func TestLineageByAnswer(t *testing.T) {
	l := newLineage()
	const prompt = "user\nsay a number\n"
	at := time.Now()
	for i, answer := range []string{"one", "two ", "three"} {
		l.add(&earlier{id: uint64(i + 1), ended: at}, l.places("m", prompt), prompt, answer)
	}
	for follows, want := range map[string]uint64{"one": 1, "two": 2, "three": 3, "four": 3} {
		next := prompt + "\nassistant\n" + follows + "\n\nuser\nand another\n"
		if got := l.find(l.places("m", next), next, "", at); got == nil || got.id != want {
			t.Errorf("%s: %+v", follows, got)
		}
	}
}

// The requests that are remembered are bounded, and the oldest are forgotten.
func TestLineageIsBounded(t *testing.T) {
	l := newLineage()
	ask := func(i int) (string, []uint64) {
		prompt := fmt.Sprint("one of many prompts with the same beginning ", i%100, " and a number ", i)
		return prompt, l.places("m", prompt)
	}
	const n = maxEarlier + 1000
	for i := range n {
		prompt, places := ask(i)
		l.add(&earlier{id: uint64(i)}, places, prompt, "")
	}
	known := 0
	for _, list := range l.ends {
		known += len(list)
	}
	if len(l.all) != maxEarlier || known != maxEarlier {
		t.Errorf("%d and %d are known", len(l.all), known)
	}
	for i, want := range map[int]bool{0: false, 999: false, 1000: true, n - 1: true} {
		prompt, _ := ask(i)
		prompt += " goes on"
		if got := l.find(l.places("m", prompt), prompt, "", time.Now()); (got != nil) != want || got != nil && got.id != uint64(i) {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// BenchmarkLineage is what a prompt of 256 k tokens costs.
func BenchmarkLineage(b *testing.B) {
	l := newLineage()
	prompt := strings.Repeat("word ", 256<<10)
	b.SetBytes(int64(len(prompt)))
	for b.Loop() {
		places := l.places("m", prompt)
		l.find(places, prompt, "", time.Now())
	}
}

// answering is a chat server whose answer is a word, or a call of a tool where the last message asks for one.
func answering(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		message, finish := `"content":"done"`, "stop"
		if q.Header.Get("X-Wants") == "tools" {
			const call = `{"type":"function","function":{"name":"f","arguments":"{}"},"index":`
			message, finish = `"content":null,"tool_calls":[`+call+`0},`+call+`1}]`, "tool_calls"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":"%s"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`, message, finish)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A recording says which request continues which, with a header or without, and what tools did.
func TestJobsAreRecorded(t *testing.T) {
	const (
		first  = `{"model":"m","messages":[{"role":"system","content":"plan"},{"role":"user","content":"go"}`
		second = first + `,{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","content":"1"},{"role":"tool","content":"2"}`
		sub    = `{"model":"m","messages":[{"role":"system","content":"look"},{"role":"user","content":"there"}`
		fork   = first + `,{"role":"assistant","content":"done"},{"role":"user","content":"another way"}`
		parts  = `{"model":"m","messages":[{"role":"system","content":"plan"},{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}`
	)
	for _, header := range []string{"", "X-Session-Id"} {
		r := start(t, answering(t), nil)
		ask := func(body string, headers ...string) {
			if header != "" {
				headers = append(headers, header, "job")
			}
			if status, answer, err := post(t.Context(), r.url+"/v1/chat/completions", body+"]}", headers...); err != nil || status != 200 {
				t.Errorf("%d %v %s", status, err, answer)
			}
		}
		ask(parts, "X-Wants", "tools")                                                            // 1, as a client writes the message that is to be cached
		ask(sub)                                                                                  // 2
		ask(second)                                                                               // 3 continues 1
		ask(fork)                                                                                 // 4 continues 1
		ask(second + `,{"role":"assistant","content":"done"},{"role":"user","content":"thanks"}`) // 5 continues 3
		rows := r.stop()
		if len(rows) != 5 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, continues := range []uint64{0, 0, 1, 1, 3} {
			row := rows[i]
			if row.ID != uint64(i+1) || row.Continues != continues {
				t.Errorf("%q: row %d has the id %d and continues %d", header, i, row.ID, row.Continues)
			}
			by, same := "prefix", i != 1
			if header != "" {
				by, same = "header", true
			}
			if row.SessionBy != by || row.Session == "" || (row.Session == rows[0].Session) != same {
				t.Errorf("%q: row %d is of the session %s by %s", header, i, row.Session, row.SessionBy)
			}
		}
		if rows[0].ToolCalls != 2 || rows[0].Finish != "tool_calls" || rows[2].ToolResults != 2 || rows[2].ToolCalls != 0 || rows[2].Finish != "stop" || rows[4].ToolResults != 0 {
			t.Errorf("%+v", rows)
		}
	}
}
