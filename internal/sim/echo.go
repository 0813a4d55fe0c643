package sim

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// leastLikely is the lowest log-probability of a prompt's token.
const leastLikely = -12

// echo is what a completion that repeats its prompt says of the prompt's tokens, as vLLM does.
type echo struct {
	Tokens   []string             `json:"tokens"`
	Logprobs []*float64           `json:"token_logprobs"` // null of the first
	Top      []map[string]float64 `json:"top_logprobs"`
	Offsets  []int                `json:"text_offset"`
}

// appendEcho adds them to a record of the truth.
func (r *Record) appendEcho(b []byte) []byte {
	if len(r.EchoLogprobs) == 0 {
		return b
	}
	b = append(b, `,"echo_logprobs":[`...)
	for i, v := range r.EchoLogprobs {
		if b = comma(b, i); v == nil {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, *v, 'g', -1, 64)
		}
	}
	return append(b, ']')
}

// echoes says whether an answer repeats its prompt: a completion that was asked to, in one piece.
func (c *call) echoes() bool { return c.echo && !c.chat && !c.stream }

// liking is whether an answer key says that a prompt's end is the likeliest of the choices.
type liking uint8

const (
	indifferent liking = iota // there is no key, or the prompt is not in it
	liked
	disliked
)

// apply moves a log-probability. The key knows no texts, so that all of a prompt is likely or not:
// what a client adds up over a choice is then the highest of the one that is liked, per byte too.
func (l liking) apply(logprob float64) float64 {
	switch l {
	case liked:
		return logprob * 1e-5
	case disliked:
		return logprob - 1
	}
	return logprob
}

// consult asks the answer key for a text, or for how likely the prompt's end is.
func (s *Server) consult(c *call, a *answer, rec *Record, once uint64) error {
	if !c.echoes() || c.logprobs < 0 {
		return s.tell(c, a, rec, once)
	}
	switch favoured, known, err := s.favours(c, rec, once); {
	case err != nil:
		return err
	case known && favoured:
		c.liking = liked
	case known:
		c.liking = disliked
	}
	return nil
}

// echoOf makes up how likely each token of a prompt is. It hangs on all tokens before it and
// on nothing else, so that what two prompts have in common is equally likely in both.
func (s *Server) echoOf(c *call) (e *echo, end int) {
	e = &echo{}
	key := random.Mix(s.cfg.Seed, random.SaltText)
	letter := "" // what is there of one in several tokens: as in vLLM the last of them has it
	for i, id := range c.prompt {
		piece, _ := s.tokenizer.Decode([]int32{id}) // it was looked at when the request was read
		var text string
		if letter += piece; utf8.ValidString(letter) || len(letter) > utf8.UTFMax {
			text, letter = letter, ""
		}
		key = random.Mix(key, uint64(id)+1)
		var logprob *float64
		var top map[string]float64
		if i > 0 {
			logprob, top = s.likely(key, text, c)
		}
		e.add(text, logprob, top, &end)
	}
	return e, end
}

// add adds a token. Offsets count characters of the tokens' own texts, as vLLM's do.
func (e *echo) add(text string, logprob *float64, top map[string]float64, offset *int) {
	e.Tokens = append(e.Tokens, text)
	e.Logprobs = append(e.Logprobs, logprob)
	e.Top = append(e.Top, top)
	e.Offsets = append(e.Offsets, *offset)
	*offset += utf8.RuneCountInString(text)
}

// likely is one token's log-probability and those of the likeliest. One in three is the
// likeliest itself.
func (s *Server) likely(key uint64, text string, c *call) (*float64, map[string]float64) {
	own := single(c.liking.apply(leastLikely * random.Unit(random.Mix(key, random.SaltCoin))))
	top := map[string]float64{text: own}
	if draw := random.Mix(key, random.SaltEOS); draw%3 != 0 && c.logprobs > 0 {
		if other := s.pieces[draw/3%uint64(len(s.pieces))].text; other != text {
			top[other] = single(own / 2)
		}
	}
	return &own, top
}

// single rounds as a server does that computes with 32 bits.
func single(v float64) float64 { return float64(float32(v)) }

// echoed puts the prompt before an answer.
func (s *Server) echoed(c *call, a answer, rec *Record, text string) (string, any) {
	prompt, _ := s.tokenizer.Decode(c.prompt) // as above
	if c.logprobs < 0 {
		return prompt + text, nil
	}
	e, offset := s.echoOf(c)
	rec.EchoLogprobs = slices.Clip(e.Logprobs)
	for i := range rec.CompletionTokens {
		v, piece := a.logprob(i), a.piece(i).text
		e.add(piece, &v, map[string]float64{piece: v}, &offset)
	}
	return prompt + text, e
}
