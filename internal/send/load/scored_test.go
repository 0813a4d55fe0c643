package load

import (
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// echoOf makes the lists of an answer of these tokens, of which the last is generated. Token i
// has the log-probability -i, and the odd ones are the most likely.
func echoOf(tokens ...string) *stream.Trace {
	e := &stream.Echoed{}
	at := 0
	for i, text := range tokens {
		v, best := float64(-i), float64(-i)
		if i == 0 {
			v, best = math.NaN(), math.NaN()
		} else if i%2 == 0 {
			best = v / 2
		}
		e.Logprobs, e.Best, e.Offsets = append(e.Logprobs, v), append(e.Best, best), append(e.Offsets, at)
		e.Texts = append(e.Texts, text...)
		e.Ends = append(e.Ends, len(e.Texts))
		at += len([]rune(text))
	}
	t := &stream.Trace{Echoed: e, HasUsage: true}
	t.Usage.Prompt, t.Usage.Output = len(tokens)-1, 1
	return t
}

// words is a tokenizer for which each word is one token.
func words(text string) (int, error) { return len(strings.Fields(text)), nil }

func TestLikelihood(t *testing.T) {
	bare := func(tr *stream.Trace, offsets, texts bool) *stream.Trace {
		if !offsets {
			tr.Echoed.Offsets = nil
		}
		if !texts {
			tr.Echoed.Texts, tr.Echoed.Ends = nil, nil
		}
		return tr
	}
	sky := func() *stream.Trace { return echoOf("The", " sky", " is", " deep", " blue", " so") }
	for _, tt := range []struct {
		name            string
		context, choice string
		count           func(string) (int, error)
		trace           *stream.Trace
		logprob         float64
		greedy          bool
		err             string
	}{
		{"by texts", "The sky is", " deep blue", nil, bare(sky(), false, true), -7, false, ""},
		{"by offsets", "The sky is", " deep blue", nil, bare(sky(), true, false), -7, false, ""},
		{"by our tokenizer", "The sky is", " deep blue", words, bare(sky(), false, false), -7, false, ""},
		{"one greedy token", "The sky", " is deep", nil, bare(sky(), false, true), -2 - 3 - 4, false, "lists"},
		{"white space before it is the choice's", "The sky is ", "deep blue", nil, bare(sky(), false, true), -7, false, ""},
		{"by offsets too", "The sky is \n\t", "deep blue", nil, bare(echoOf("The", " sky", " is", " \n\tdeep", " blue", " so"), true, false), -7, false, ""},
		{"a token over the border counts", "The sky is de", "ep blue", nil, bare(sky(), true, false), -7, false, ""},
		{"of texts too", "The sky is de", "ep blue", nil, bare(sky(), false, true), -7, false, ""},
		// lm-evaluation-harness counts tokens of "The sky is de", four, and takes what is left.
		{"but not where we count as lm-eval", "The sky is de", "ep blue", words, sky(), -4, false, ""},
		{"a token before the prompt", "The sky is", " deep blue", nil, bare(echoOf("<s>", "The", " sky", " is", " deep", " blue", " so"), true, false), -9, false, ""},
		{"with our tokenizer", "The sky is", " deep blue", words, bare(echoOf("<s>", "The", " sky", " is", " deep", " blue", " so"), false, false), -9, false, ""},
		{"a tokenizer that is another's", "The sky is", " deep blue", func(string) (int, error) { return 99, nil }, sky(), -7, false, ""},
		{"a letter in several tokens", "In", " 東京", nil, bare(echoOf("In", "", " 東", "", "", "京", " is"), true, true), -15, false, ""},
		{"of which one is over the border", "In 東", "京", nil, bare(echoOf("In", "", " 東", "", "", "京", " is"), false, true), -12, false, ""},
		{"greedy", "a b c d", " e", nil, echoOf("a", " b", " c", " d e", " f"), -3, true, ""},
		{"no texts, no offsets, no tokenizer", "The sky is", " blue", nil, bare(sky(), false, false), 0, false, "--tokenizer"},
		{"SGLang's offsets, and halves of letters", "In", " 東京", nil, func() *stream.Trace {
			tr := echoOf("In", "\uFFFD", "\uFFFD", "\uFFFD", " is")
			for i := range tr.Echoed.Offsets {
				tr.Echoed.Offsets[i] = -1
			}
			return tr
		}(), 0, false, "--tokenizer"},
		{"all of the prompt", " \n", "The sky is deep blue", words, sky(), 0, false, "first token"},
		{"no lists", "The sky is", " deep blue", nil, &stream.Trace{Echoed: &stream.Echoed{}}, 0, false, "gave no log-probabilities of the prompt"},
		{"lists of what is generated", "The sky is", " deep blue", nil, echoOf(" so"), 0, false, "its 1 are of what it generated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := newScored(&workload.Request{Prompt: tt.context + tt.choice, Context: len(tt.context)}, tt.count)
			if err != nil {
				t.Fatal(err)
			}
			if tt.err == "lists" { // they are shorter than the rest
				tt.trace.Echoed.Best = tt.trace.Echoed.Best[:3]
			}
			got, err := s.likelihood(tt.trace)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("%+v, %v, want an error with %q", got, err, tt.err)
				}
				return
			}
			if err != nil || got.logprob != tt.logprob || got.greedy != tt.greedy {
				t.Errorf("%+v, %v, want %v, %v", got, err, tt.logprob, tt.greedy)
			}
		})
	}
}

func TestLikelihoodOfOtherLengths(t *testing.T) {
	s, err := newScored(&workload.Request{Prompt: "The sky is blue", Context: 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	null := echoOf("The", " sky", " is", " blue", " so")
	null.Echoed.Logprobs[3] = math.NaN()
	counted := echoOf("The", " sky", " is", " blue", " so")
	counted.Usage.Prompt = 9
	for want, tr := range map[string]*stream.Trace{"token 4 of 4 is null": null, "counts 9 tokens of the prompt and lists the log-probabilities of 4": counted} {
		if got, err := s.likelihood(tr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v, want %q", got, err, want)
		}
	}
}

func TestWhatCanBeScored(t *testing.T) {
	for _, w := range []*workload.Request{
		{Prompt: "ab", Context: 2},
		{Prompt: "ab", Context: -1},
		{Prompt: "é", Context: 1},
		{Prompt: "ab", Question: &journal.Question{Choice: 1}},
	} {
		if s, err := newScored(w, nil); err == nil {
			t.Errorf("%+v: %+v", w, s)
		}
	}
	if s, err := newScored(&workload.Request{Prompt: "ab"}, nil); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
}
