package sim

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
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
		if b = dialect.Comma(b, i); v == nil {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, *v, 'g', -1, 64)
		}
	}
	return append(b, ']')
}

// favour is whether an answer key says that a prompt's end is the likeliest of the choices.
type favour uint8

const (
	noFavour favour = iota // there is no key, or the prompt is not in it
	favoured
	disfavoured
)

// apply moves a log-probability. The key knows no texts, so that all of a prompt is likely or not:
// what a client adds up over a choice is then the highest of the one that is favoured, per byte too.
func (f favour) apply(logprob float64) float64 {
	switch f {
	case favoured:
		return logprob * 1e-5
	case disfavoured:
		return logprob - 1
	}
	return logprob
}

// consult asks the answer key for a text, or for how likely the prompt's end is.
func (s *Server) consult(c *dialect.Call, a *vocab.Answer, rec *Record, once uint64) (favour, error) {
	if !c.Echoes() || c.Logprobs < 0 {
		return noFavour, s.tell(c, a, rec, once)
	}
	return s.favours(c, rec, once)
}

// echoOf makes up how likely each token of a prompt is. It hangs on all tokens before it and
// on nothing else, so that what two prompts have in common is equally likely in both.
func (s *Server) echoOf(c *dialect.Call, f favour) (e *echo, end int) {
	e = &echo{}
	key := random.Mix(s.cfg.Seed, random.SaltText)
	letter := "" // what is there of one in several tokens: as in vLLM the last of them has it
	for i, id := range c.Prompt {
		piece, _ := s.tokenizer.Decode([]int32{id}) // it was looked at when the request was read
		var text string
		if letter += piece; utf8.ValidString(letter) || len(letter) > utf8.UTFMax {
			text, letter = letter, ""
		}
		key = random.Mix(key, uint64(id)+1)
		var logprob *float64
		var top map[string]float64
		if i > 0 {
			logprob, top = s.likely(key, text, c, f)
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
func (s *Server) likely(key uint64, text string, c *dialect.Call, f favour) (*float64, map[string]float64) {
	own := single(f.apply(leastLikely * random.Unit(random.Mix(key, random.SaltCoin))))
	top := map[string]float64{text: own}
	if draw := random.Mix(key, random.SaltEOS); draw%3 != 0 && c.Logprobs > 0 {
		if other := s.pieces[draw/3%uint64(len(s.pieces))].Text; other != text {
			top[other] = single(own / 2)
		}
	}
	return &own, top
}

// single rounds as a server does that computes with 32 bits.
func single(v float64) float64 { return float64(float32(v)) }

// echoed is the prompt that stands before an answer, and what is said of the tokens of both.
func (s *Server) echoed(c *dialect.Call, p plan, rec *Record) (string, any) {
	prompt, _ := s.tokenizer.Decode(c.Prompt) // as above
	if c.Logprobs < 0 {
		return prompt, nil
	}
	e, offset := s.echoOf(c, p.favour)
	rec.EchoLogprobs = slices.Clip(e.Logprobs)
	for i := range rec.CompletionTokens {
		v, piece := p.text.Logprob(i), p.text.Piece(i).Text
		e.add(piece, &v, map[string]float64{piece: v}, &offset)
	}
	return prompt, e
}
