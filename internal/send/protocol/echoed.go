package protocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// maxEchoed bounds the tokens of an answer that repeats its prompt: no model has a longer context.
const maxEchoed = 1 << 21

// errBadLogprob: what stands there is no logarithm of a likelihood, so that nothing can be scored.
var errBadLogprob = errors.New("the log-probabilities can't be read")

// likeliest is how far above 0 the logarithm of a likelihood may lie by rounding.
const likeliest = 1e-3

// echoFields are those of the object logprobs of a choice: four lists side by side. Of a name that stands
// there twice the last counts.
var echoFields = shape{
	{name: "tokens", take: func(d *decoder, _ *stream.Chunk) {
		e := d.echo
		e.Texts, e.Ends = e.Texts[:0], e.Ends[:0]
		d.eachEchoed(func() {
			e.Texts = d.scan.AppendText(e.Texts)
			e.Ends = append(e.Ends, len(e.Texts))
		})
	}},
	{name: "token_logprobs", take: func(d *decoder, _ *stream.Chunk) {
		d.echo.Logprobs = d.echo.Logprobs[:0]
		d.eachEchoed(func() { d.echo.Logprobs = append(d.echo.Logprobs, d.logprob()) })
	}},
	{name: "top_logprobs", take: func(d *decoder, _ *stream.Chunk) {
		d.echo.Best = d.echo.Best[:0]
		d.eachEchoed(func() { d.echo.Best = append(d.echo.Best, d.highest()) })
	}},
	{name: "text_offset", take: func(d *decoder, _ *stream.Chunk) {
		d.echo.Offsets = d.echo.Offsets[:0]
		d.eachEchoed(func() {
			n, _, ok := d.scan.Number(math.MaxInt32)
			if !ok {
				n = -1
			}
			d.echo.Offsets = append(d.echo.Offsets, n)
		})
	}},
}.reader()

// eachEchoed calls take for each element of a list; what is no list is passed over.
func (d *decoder) eachEchoed(take func()) {
	d.scan.Elements(func(i int) {
		if i == maxEchoed {
			d.scan.Fail(fmt.Errorf("%w: there are more than %d", errBadLogprob, maxEchoed))
			return
		}
		take()
	})
}

// highest takes an object of tokens with their log-probabilities, and gives the highest.
func (d *decoder) highest() float64 {
	highest := math.NaN()
	d.scan.Fields(func([]byte) {
		if v := d.logprob(); !(v <= highest) { // also where highest is no number yet
			highest = v
		}
	})
	return highest
}

// logprob takes the logarithm of a likelihood; NaN for null. Anything else is no answer
// that could be scored.
func (d *decoder) logprob() float64 {
	raw := d.scan.Value()
	if d.scan.Err != nil || string(raw) == "null" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v > likeliest {
		d.scan.Fail(fmt.Errorf("%w: one is %.40q", errBadLogprob, raw))
		return math.NaN()
	}
	return v
}
