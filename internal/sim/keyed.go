package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// asked is a request's prompt before it became tokens. Only one of them is set; neither,
// where the request's dialect does not keep it.
type asked struct {
	prompt   json.RawMessage
	messages []message
}

// promptText is the prompt's text as an answer key knows it. Where only tokens are left it
// is theirs, which with most tokenizers is the same.
func (s *Server) promptText(c *call) (string, error) {
	if len(c.asked.messages) > 0 {
		return chatText(c.asked.messages)
	}
	var text string
	if json.Unmarshal(c.asked.prompt, &text) == nil && text != "" {
		return text, nil
	}
	var one []string
	if json.Unmarshal(c.asked.prompt, &one) == nil && len(one) == 1 {
		return one[0], nil
	}
	return s.tokenizer.Decode(c.prompt)
}

// busy tells whether other requests are in flight.
func (s *Server) busy() bool {
	e := s.engine.State()
	return e.Running+e.Waiting > 0
}

// Unknown is how many prompts came that the answer key does not have.
func (s *Server) Unknown() uint64 { return s.unknown.Load() }

// question finds a call's prompt in the answer key and draws how it is answered; nil: it
// is not there. once is of this request alone. An adapter has its own luck.
func (s *Server) question(c *call, once uint64) (*answers.Line, answers.Draw, error) {
	if s.cfg.Answers == nil || c.dialect == openAISound {
		return nil, answers.Draw{}, nil
	}
	text, err := s.promptText(c)
	if err != nil {
		return nil, answers.Draw{}, fmt.Errorf("answer key: %w", err)
	}
	l := s.cfg.Answers.Key.Find(text)
	if l == nil {
		s.unknown.Add(1)
		return nil, answers.Draw{}, nil
	}
	settings := *s.cfg.Answers
	if c.adapter != "" {
		settings.Seed = random.Mix(settings.Seed, random.HashString(c.adapter))
	}
	if settings.LoadFlips > 0 && s.busy() {
		// A request's id may come again in the next run, its number does not.
		return l, settings.Loaded(l.Question, random.Mix(once, s.arrivals.Load())), nil
	}
	return l, settings.Question(l.Question), nil
}

// favours tells whether the prompt ends with the choice that this server finds most likely.
// known is false where the answer key does not say.
func (s *Server) favours(c *call, rec *Record, once uint64) (favoured, known bool, err error) {
	l, d, err := s.question(c, once)
	if err != nil || l == nil || l.Choice == 0 {
		return false, false, err
	}
	rec.Question, rec.Answer, rec.Anew = l.Question, string(d.Verdict), d.Anew
	return s.cfg.Answers.Favoured(d, l) == l.Choice, true, nil
}

// tell makes the text of a question that is in the answer key.
func (s *Server) tell(c *call, a *answer, rec *Record, once uint64) error {
	l, d, err := s.question(c, once)
	if err != nil || l == nil || l.Choice != 0 {
		return err
	}
	told, err := spell(s.tokenizer, d.Text(l))
	if err != nil {
		return fmt.Errorf("answer key: %w", err)
	}
	if c.chat && c.stream && s.cfg.Framing.has(FrameReasoning|FrameReasoningC) {
		a.thinking = len(told)
		thought := make([]piece, 0, 2*len(told))
		for i := range told {
			thought = append(thought, *a.piece(i))
		}
		told = append(thought, told...)
	}
	a.told = told
	rec.Question, rec.Answer, rec.Anew, rec.told = l.Question, string(d.Verdict), d.Anew, len(told)
	return nil
}

// toldLength is Server.length of an answer of the key: all of it, if that many tokens may be.
func (c *call) toldLength(a answer) (int, string) {
	n := len(a.told)
	if c.dialect != nil && c.dialect.endToken {
		n++
	}
	if c.ignoreEOS || n > c.maxTokens {
		return c.maxTokens, "length"
	}
	return n, "stop"
}

// spell is a text in tokens. A token that ends inside a letter has no text; the letter comes
// with the token that completes it, as servers do. A tokenizer that does not give the text
// back gets it whole with its first token.
func spell(t Tokenizer, text string) ([]piece, error) {
	ids, err := t.Encode(text)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the text %.80q has no tokens", text)
	}
	ends, err := tokenEnds(t, ids, text)
	if err != nil {
		return nil, err
	}
	pieces := make([]piece, len(ids))
	from := 0
	for i, id := range ids {
		to := ends[i]
		for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		to = max(to, from)
		pieces[i] = piece{id: id, text: text[from:to], json: jsonText(text[from:to])}
		from = to
	}
	return pieces, nil
}

// tokenEnds is where in the text each token ends.
func tokenEnds(t Tokenizer, ids []int32, text string) ([]int, error) {
	ends := make([]int, len(ids))
	var joined strings.Builder
	for i := range ids { // most tokenizers: a text is its tokens' texts in a row
		one, err := t.Decode(ids[i : i+1])
		if err != nil {
			return nil, err
		}
		joined.WriteString(one)
		ends[i] = joined.Len()
	}
	if joined.String() == text {
		return ends, nil
	}
	end := 0
	for i := range ids { // a token that has half a letter, or whose space depends on its place
		now, err := t.Decode(ids[:i+1])
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(text, now) {
			end = max(end, len(now))
		}
		ends[i] = end
	}
	if end != len(text) {
		for i := range ends {
			ends[i] = len(text)
		}
	}
	return ends, nil
}
