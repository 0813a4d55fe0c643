package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
)

// choices asks n questions with four choices each.
type choices struct{ n, next int }

var ends = [4][2]string{{"", " the deep sea"}, {" ", "naïve 東京 👩‍🚀"}, {"\n\n", "a"}, {" the same ", "words again and again"}}

func (c *choices) Next() (*workload.Request, error) {
	if c.next == 4*c.n {
		return nil, io.EOF
	}
	i := c.next
	c.next++
	end := ends[i%4]
	context := fmt.Sprintf("Question %d: what is it?\nAnswer:%s", i/4, end[0])
	return &workload.Request{
		Index: i, Prompt: context + end[1], Context: len(context), OutputTokens: 1,
		Question: &journal.Question{Number: i / 4, Options: 4, Choice: i%4 + 1, RightChoice: 1, Bytes: len(end[1])},
	}, nil
}

// ask sends the choices to a simulator and gives what is in the journal, by the requests' ids.
func (c *choices) ask(t *testing.T, s *server, count func(string) (int, error)) (map[string]*journal.Answer, []journal.Request) {
	t.Helper()
	cfg, read := setup(t, s, "openai"+unstreamed, closed(), c)
	cfg.CountPrompt = count
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	r, err := cfg.Journal.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]*journal.Answer{}
	r.OnAnswer(func(a *journal.Answer) { answers[fmt.Sprint(cfg.IDPrefix, a.Index)] = a })
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return answers, records
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// tokenize counts tokens as the simulator does.
func (s *server) tokenize() func(string) (int, error) {
	client := s.sim.Client()
	return func(text string) (int, error) {
		body, err := json.Marshal(map[string]string{"prompt": text})
		if err != nil {
			return 0, err
		}
		resp, err := client.Post(s.url+"/tokenize", "application/json", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		var said struct{ Count int }
		err = json.NewDecoder(resp.Body).Decode(&said)
		return said.Count, err
	}
}

// The likelihood of each choice is what the server sent of its tokens, whether our own tokenizer
// tells where it begins or the server's texts do.
func TestLikelihoodsAreTheTruths(t *testing.T) {
	for _, by := range []string{"texts", "tokenizer"} {
		t.Run(by, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				const n = 10
				s := startSim(t, func(*sim.Config) {})
				count, tokens := s.tokenize(), map[int]int{} // of the choices
				for c := (choices{n: n}); ; {
					w, err := c.Next()
					if err != nil {
						break
					}
					scored, err := newScored(w, count)
					if err != nil {
						t.Fatal(err)
					}
					tokens[w.Index] = scored.tokens
				}
				if by == "texts" {
					count = nil
				}
				answers, records := (&choices{n: n}).ask(t, s, count)
				truth := s.truth()
				if len(answers) != 4*n || len(records) != 4*n {
					t.Fatalf("%d answers of %d requests", len(answers), len(records))
				}
				greedy := 0
				for i := range records {
					q := &records[i]
					a, known := answers[q.ID], truth[q.ID]
					want := 0.0
					for _, v := range known.EchoLogprobs[len(known.EchoLogprobs)-tokens[q.Index]:] {
						want += *v
					}
					if q.Outcome != journal.Complete || a.Logprob == nil || math.Abs(*a.Logprob-want) > 1e-9 || a.Text != "" || q.UsagePrompt != known.PromptTokens {
						t.Errorf("%s: %s (%s), %+v, want %v", q.ID, q.Outcome, q.Error, a, want)
					}
					if a.Greedy {
						greedy++
					}
				}
				if greedy == 0 || greedy == 4*n {
					t.Errorf("%d of %d are greedy", greedy, 4*n)
				}
			})
		})
	}
}

// A fault leaves no likelihood, and what has one is the server's.
func TestLikelihoodsWithFaults(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) {
			var err error
			if c.Faults, err = sim.ParseFaults("truncate=0.2,http-500=0.2,reset=0.1"); err != nil {
				t.Fatal(err)
			}
		})
		answers, records := (&choices{n: 40}).ask(t, s, nil)
		truth := s.truth()
		outcomes := map[journal.Outcome]int{}
		for i := range records {
			q := &records[i]
			outcomes[q.Outcome]++
			a, known := answers[q.ID], truth[q.ID]
			if (a.Logprob != nil) != (q.Outcome == journal.Complete) || a.Outcome != q.Outcome || (known.Fault == "") != (q.Outcome == journal.Complete) {
				t.Errorf("%s: fault %q, %s (%s), %+v", q.ID, known.Fault, q.Outcome, q.Error, a)
			}
		}
		if outcomes[journal.Complete] < 20 || outcomes[journal.HTTP5xx] < 5 || outcomes[journal.Truncated] < 5 || outcomes[journal.Reset] < 2 {
			t.Errorf("outcomes %v", outcomes)
		}
	})
}

// A server that passes over echo is told apart from one that does as asked.
func TestNoEcho(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, ignored := range []string{"echo", "logprobs"} {
			s := startSim(t, func(c *sim.Config) { c.Ignore = []string{ignored} })
			answers, records := (&choices{n: 1}).ask(t, s, nil)
			if len(records) != 4 {
				t.Errorf("%d records", len(records))
			}
			for i := range records {
				if q := &records[i]; q.Outcome != journal.Protocol || answers[q.ID].Logprob != nil || len(q.Error) < len(errNoEcho.Error()) || q.Error[:len(errNoEcho.Error())] != errNoEcho.Error() {
					t.Errorf("without %s: %s (%s)", ignored, q.Outcome, q.Error)
				}
			}
		}
	})
}
