package prompts

import (
	"sync"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// ThroughAtOnce is how many texts are made side by side where each asks the server several times: at a distance of
// 300 ms one after the other would take a second each.
const ThroughAtOnce = 16

// Through makes texts of exact lengths with a server's tokenizer, several side by side. What they are made of is drawn from
// one stream, in their order, and so is what a text misses when the server has counted it. That hardly ever happens, so
// texts are begun before those ahead of them are known to be whole. If one is not, those behind it are begun again, from
// where the stream is then: the texts are the same as if they were made one after the other.
type Through struct {
	tok  Tokenizer
	g    *numpy.Generator
	plan func() (*ThroughText, bool) // the next one's lengths, in order

	ahead *Ahead[*ThroughText]
	again []*ThroughText // to be begun once more
	mu    sync.Mutex
	begun []*ThroughText // and not given out yet
}

// ThroughText is a text on its way.
type ThroughText struct {
	Before  []int32 // ids that stand before those that are drawn
	N, Want int     // ids to draw; tokens that the whole is to have
	Of      any     // what it is the text of, for who planned it
	Err     error

	words   string          // that were drawn
	after   numpy.Generator // the stream behind them
	Fit     *Fitting
	missing int
}

func NewThrough(t Tokenizer, g *numpy.Generator, tokens int, plan func() (*ThroughText, bool)) *Through {
	s := &Through{tok: t, g: g, plan: plan}
	s.begin(tokens, ThroughAtOnce)
	return s
}

// begin starts anew with so many side by side; 0: one after the other.
func (s *Through) begin(tokens, atOnce int) {
	s.ahead = NewAhead(tokens, s.draw, s.run)
	s.ahead.Workers, s.ahead.Window = atOnce, 2*max(atOnce, 1)
}

// draw takes the words of the next text from the stream.
func (s *Through) draw() (*ThroughText, bool) {
	var t *ThroughText
	if len(s.again) > 0 {
		t, s.again = s.again[0], s.again[1:]
	} else {
		var ok bool
		if t, ok = s.plan(); !ok {
			return nil, false
		}
	}
	if t.Err == nil {
		picked, err := DrawWords(s.g)(t.N)
		if err == nil {
			t.words, err = WordTokenizer{}.Decode(picked)
		}
		t.Err = err
	}
	t.after = *s.g
	s.mu.Lock()
	s.begun = append(s.begun, t)
	s.mu.Unlock()
	return t, true
}

// run asks the server, as far as it goes without a draw.
func (s *Through) run(t *ThroughText) {
	if t.Err != nil {
		return
	}
	ids, err := firstTokens(s.tok, t.words, t.N)
	if err != nil {
		t.Err = err
		return
	}
	t.Fit = NewFitting(append(t.Before[:len(t.Before):len(t.Before)], ids...), t.Want)
	t.missing, t.Err = t.Fit.Run(s.tok)
}

// Next is the next text, whole.
func (s *Through) Next() (*ThroughText, bool) {
	t, ok := s.ahead.Next()
	if !ok {
		return nil, false
	}
	s.mu.Lock()
	s.begun = s.begun[1:]
	s.mu.Unlock()
	if t.Err == nil && t.missing > 0 {
		s.rewind(t)
	}
	return t, true
}

// rewind goes back to where the stream was behind the words of a text that misses some, and begins those behind it again.
// Fewer are begun side by side then: where texts often miss tokens that would only be work for the server.
func (s *Through) rewind(t *ThroughText) {
	atOnce := s.ahead.Workers
	s.ahead.Stop()
	*s.g = t.after
	t.Err = t.Fit.Finish(s.tok, t.missing, DrawThrough(s.tok, s.g))
	s.again, s.begun = append(s.begun, s.again...), nil
	for _, b := range s.again {
		b.Fit, b.missing = nil, 0
		if b.words != "" { // else its plan failed
			b.Err = nil
		}
	}
	s.begin(t.Want, atOnce/4)
}

func (s *Through) Stop() { s.ahead.Stop() }

// CountAll counts the tokens of texts, side by side where each is a question to the server.
func CountAll(t Tokenizer, texts []string) (total int, err error) {
	atOnce := ThroughAtOnce
	if _, known := t.(Vocabulary); known {
		atOnce = 1
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, atOnce)
	for _, text := range texts {
		slots <- struct{}{}
		mu.Lock()
		failed := err != nil
		mu.Unlock()
		if failed {
			<-slots
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			n, failure := CountTokens(t, text)
			mu.Lock()
			defer mu.Unlock()
			total += n
			if err == nil {
				err = failure
			}
		})
	}
	group.Wait()
	return total, err
}
