package load

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// scored is what is asked of a prompt's end: how likely the model finds it.
type scored struct {
	choice  string // the prompt's end, with the white space before it
	context int    // characters before it
	// By our own tokenizer: tokens of the whole prompt, and of it those of the choice.
	// No whole: there is no tokenizer.
	whole, tokens int
}

// newScored looks at a request. White space before the choice counts to it, as in
// lm-evaluation-harness: most tokenizers put a space into one token with what follows.
func newScored(w *workload.Request, count func(string) (int, error)) (*scored, error) {
	switch {
	case w.Context == 0 && w.Question != nil && w.Question.Choice > 0:
		return nil, errors.New("a choice needs a text before it, after which it is likely or not")
	case w.Context == 0:
		return nil, nil
	case w.Context < 0 || w.Context >= len(w.Prompt) || !utf8.RuneStart(w.Prompt[w.Context]):
		return nil, fmt.Errorf("a choice can't begin at byte %d of a prompt of %d bytes", w.Context, len(w.Prompt))
	}
	context := strings.TrimRightFunc(w.Prompt[:w.Context], isPythonSpace)
	s := &scored{choice: w.Prompt[len(context):], context: utf8.RuneCountInString(context)}
	if count == nil {
		return s, nil
	}
	whole, err := count(w.Prompt)
	if err != nil {
		return nil, fmt.Errorf("count the tokens of a prompt: %w", err)
	}
	before, err := count(context)
	if err != nil {
		return nil, fmt.Errorf("count the tokens of a prompt: %w", err)
	}
	s.whole, s.tokens = whole, max(whole-before, 0)
	return s, nil
}

// scored is what a request asks of its prompt's end; nil: nothing.
func (m *maker) scored(w *workload.Request) (*scored, error) {
	s, err := newScored(w, m.cfg.CountPrompt)
	if s != nil && (!m.cfg.Protocol.Echoes || !m.cfg.Call.NoStream) {
		return nil, errors.New("the likelihood of a text is only told by an unstreamed answer of /v1/completions: use --backend openai with --unstreamed")
	}
	return s, err
}

// isPythonSpace is what Python's str.rstrip takes away.
func isPythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// likelihood is how likely a choice is.
type likelihood struct {
	logprob float64
	greedy  bool // each token is the most likely one
}

// errNoEcho is an answer of a server that does not do what was asked.
var errNoEcho = errors.New("the server gave no log-probabilities of the prompt")

// likelihood adds up the log-probabilities of the choice's tokens.
func (s *scored) likelihood(t *stream.Trace) (likelihood, error) {
	e, end, err := s.echo(t)
	if err != nil {
		return likelihood{}, err
	}
	begin, err := s.begin(e, end)
	if err != nil {
		return likelihood{}, err
	}
	out := likelihood{greedy: true}
	for i := begin; i < end; i++ {
		if math.IsNaN(e.Logprobs[i]) {
			if i == 0 {
				return likelihood{}, errors.New("the choice begins with the prompt's first token, of which no likelihood is known: a text must stand before it")
			}
			return likelihood{}, fmt.Errorf("%w: that of token %d of %d is null", errNoEcho, i+1, end)
		}
		out.logprob += e.Logprobs[i]
		out.greedy = out.greedy && i < len(e.Best) && e.Logprobs[i] == e.Best[i]
	}
	out.logprob = min(out.logprob, 0) // above it by rounding alone
	return out, nil
}

// echo looks at whether the lists are those of the prompt, and where it ends in them.
func (s *scored) echo(t *stream.Trace) (e *stream.Echoed, end int, err error) {
	e = t.Echoed
	if e == nil || len(e.Logprobs) == 0 {
		return nil, 0, fmt.Errorf("%w: the answer has no token_logprobs", errNoEcho)
	}
	generated := 1 // as was asked for
	if t.HasUsage {
		generated = t.Usage.Output
	}
	end = len(e.Logprobs) - generated
	switch {
	case end <= 0:
		return nil, 0, fmt.Errorf("%w: its %d are of what it generated", errNoEcho, len(e.Logprobs))
	case t.Usage.Prompt > 0 && t.Usage.Prompt != end:
		return nil, 0, fmt.Errorf("the server counts %d tokens of the prompt and lists the log-probabilities of %d", t.Usage.Prompt, end)
	}
	for _, n := range []int{len(e.Best), len(e.Offsets), len(e.Ends)} {
		if n != 0 && n != len(e.Logprobs) {
			return nil, 0, fmt.Errorf("the lists of the answer's log-probabilities have other lengths: %d and %d", len(e.Logprobs), n)
		}
	}
	return e, end, nil
}

// specials is how many tokens a server may put before a prompt: the one that begins a text, mostly.
const specials = 2

// begin is the choice's first token. Our own tokenizer tells, as lm-evaluation-harness's does;
// without one, or with one that is not the server's, the tokens' texts; else their offsets.
func (s *scored) begin(e *stream.Echoed, end int) (int, error) {
	if own := end - s.whole; s.whole > 0 && own >= 0 && own <= specials {
		return end - s.tokens, nil
	}
	if i, ok := s.byTexts(e, end); ok {
		return i, nil
	}
	if i, ok := s.byOffsets(e, end); ok {
		return i, nil
	}
	return 0, errors.New("where the choice begins among the server's tokens can't be told: name the model's tokenizer with --tokenizer")
}

// byTexts goes back from the prompt's end as long as the tokens' texts are its text.
func (s *scored) byTexts(e *stream.Echoed, end int) (int, bool) {
	if len(e.Ends) == 0 {
		return 0, false
	}
	left := s.choice
	for i := end - 1; i >= 0; i-- {
		text := string(e.Text(i))
		switch {
		case len(text) >= len(left):
			for i > 1 && len(e.Text(i-1)) == 0 { // of a letter in several tokens vLLM gives it to the last
				i--
			}
			return i, strings.HasSuffix(text, left) // it may begin before the choice
		case !strings.HasSuffix(left, text):
			return 0, false
		}
		left = left[:len(left)-len(text)]
	}
	return 0, false
}

// byOffsets takes the token that holds the choice's first character. A token that the server
// put before the prompt moves all of them, by as much as where the prompt ends.
func (s *scored) byOffsets(e *stream.Echoed, end int) (int, bool) {
	if len(e.Offsets) <= end || e.Offsets[end] < 0 {
		return 0, false
	}
	first := e.Offsets[end] - utf8.RuneCountInString(s.choice)
	if first < s.context {
		return 0, false // they count something else
	}
	for i := end - 1; i >= 0; i-- {
		if at := e.Offsets[i]; at < 0 || at > e.Offsets[i+1] {
			return 0, false
		} else if at <= first {
			return i, true
		}
	}
	return 0, false
}

// score finds out how likely the choice of a request is. An answer that does not tell is none.
func (w *worker) score(j *job) {
	w.choice = nil
	if j.scored == nil || w.record.Outcome != journal.Complete {
		return
	}
	got, err := j.scored.likelihood(&w.sink.Trace)
	if err != nil {
		w.record.Outcome, w.record.Error = journal.Protocol, w.run.cfg.Secrets.Sentence(err.Error())
		return
	}
	w.choice = &got
}
