package sim

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// busy tells whether other requests are in flight.
func (s *Server) busy() bool {
	e := s.engine.State()
	return e.Running+e.Waiting > 0
}

// Unknown is how many prompts came that the answer key does not have.
func (s *Server) Unknown() uint64 { return s.unknown.Load() }

// question finds a call's prompt in the answer key and draws how it is answered; nil: it
// is not there. once is of this request alone. An adapter has its own luck.
func (s *Server) question(c *dialect.Call, once uint64) (*answers.Line, answers.Draw, error) {
	if s.cfg.Answers == nil || c.Dialect == dialect.OpenAISound {
		return nil, answers.Draw{}, nil
	}
	text, err := c.PromptText(s.tokenizer)
	if err != nil {
		return nil, answers.Draw{}, fmt.Errorf("answer key: %w", err)
	}
	l := s.cfg.Answers.Key.Find(text)
	if l == nil {
		s.unknown.Add(1)
		return nil, answers.Draw{}, nil
	}
	settings := *s.cfg.Answers
	if c.Adapter != "" {
		settings.Seed = random.Mix(settings.Seed, random.HashString(c.Adapter))
	}
	if settings.LoadFlips > 0 && s.busy() {
		// A request's id may come again in the next run, its number does not.
		return l, settings.Loaded(l.Question, random.Mix(once, s.arrivals.Load())), nil
	}
	return l, settings.Question(l.Question), nil
}

// favours tells whether the prompt ends with the choice that this server finds most likely.
func (s *Server) favours(c *dialect.Call, rec *Record, once uint64) (favour, error) {
	l, d, err := s.question(c, once)
	if err != nil || l == nil || l.Choice == 0 {
		return noFavour, err
	}
	rec.Question, rec.Answer, rec.Anew = l.Question, string(d.Verdict), d.Anew
	if s.cfg.Answers.Favoured(d, l) == l.Choice {
		return favoured, nil
	}
	return disfavoured, nil
}

// tell makes the text of a question that is in the answer key.
func (s *Server) tell(c *dialect.Call, a *vocab.Answer, rec *Record, once uint64) error {
	l, d, err := s.question(c, once)
	if err != nil || l == nil || l.Choice != 0 {
		return err
	}
	told, err := vocab.Spell(s.tokenizer, d.Text(l))
	if err != nil {
		return fmt.Errorf("answer key: %w", err)
	}
	if c.Chat && c.Stream && s.cfg.Framing.Has(dialect.FrameReasoning|dialect.FrameReasoningC) {
		a.Thinking = len(told)
		thought := make([]vocab.Piece, 0, 2*len(told))
		for i := range told {
			thought = append(thought, *a.Piece(i))
		}
		told = append(thought, told...)
	}
	a.Told = told
	rec.Question, rec.Answer, rec.Anew, rec.told = l.Question, string(d.Verdict), d.Anew, len(told)
	return nil
}

// toldLength is Server.length of an answer of the key: all of it, if that many tokens may be.
func toldLength(c *dialect.Call, a vocab.Answer) (int, string) {
	n := len(a.Told)
	if c.Dialect != nil && c.Dialect.EndToken {
		n++
	}
	if c.IgnoreEOS || n > c.MaxTokens {
		return c.MaxTokens, "length"
	}
	return n, "stop"
}
