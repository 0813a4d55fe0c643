package workload

import (
	"sync"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// throughAtOnce is how many texts are made side by side where each asks the server several times: at a distance of
// 300 ms one after the other would take a second each.
const throughAtOnce = 16

// through makes texts of exact lengths with a server's tokenizer, several side by side. What they are made of is drawn from
// one stream, in their order, and so is what a text misses when the server has counted it. That hardly ever happens, so
// texts are begun before those ahead of them are known to be whole. If one is not, those behind it are begun again, from
// where the stream is then: the texts are the same as if they were made one after the other.
type through struct {
	tok  Tokenizer
	g    *numpy.Generator
	plan func() (*throughText, bool) // the next one's lengths, in order

	ahead *ahead[*throughText]
	again []*throughText // to be begun once more
	mu    sync.Mutex
	begun []*throughText // and not given out yet
}

// throughText is a text on its way.
type throughText struct {
	before  []int32 // ids that stand before those that are drawn
	n, want int     // ids to draw; tokens that the whole is to have
	prompt  *randomPrompt
	err     error

	words   string          // that were drawn
	after   numpy.Generator // the stream behind them
	fit     *fitting
	missing int
}

func newThrough(t Tokenizer, g *numpy.Generator, tokens int, plan func() (*throughText, bool)) *through {
	s := &through{tok: t, g: g, plan: plan}
	s.begin(tokens, throughAtOnce)
	return s
}

// begin starts anew with so many side by side; 0: one after the other.
func (s *through) begin(tokens, atOnce int) {
	s.ahead = newAhead(tokens, s.draw, s.run)
	s.ahead.workers, s.ahead.window = atOnce, 2*max(atOnce, 1)
}

// draw takes the words of the next text from the stream.
func (s *through) draw() (*throughText, bool) {
	var t *throughText
	if len(s.again) > 0 {
		t, s.again = s.again[0], s.again[1:]
	} else {
		var ok bool
		if t, ok = s.plan(); !ok {
			return nil, false
		}
	}
	if t.err == nil {
		picked, err := drawWords(s.g)(t.n)
		if err == nil {
			t.words, err = wordTokenizer{}.Decode(picked)
		}
		t.err = err
	}
	t.after = *s.g
	s.mu.Lock()
	s.begun = append(s.begun, t)
	s.mu.Unlock()
	return t, true
}

// run asks the server, as far as it goes without a draw.
func (s *through) run(t *throughText) {
	if t.err != nil {
		return
	}
	ids, err := firstTokens(s.tok, t.words, t.n)
	if err != nil {
		t.err = err
		return
	}
	t.fit = newFitting(append(t.before[:len(t.before):len(t.before)], ids...), t.want)
	t.missing, t.err = t.fit.run(s.tok)
}

// next is the next text, whole.
func (s *through) next() (*throughText, bool) {
	t, ok := s.ahead.next()
	if !ok {
		return nil, false
	}
	s.mu.Lock()
	s.begun = s.begun[1:]
	s.mu.Unlock()
	if t.err == nil && t.missing > 0 {
		s.rewind(t)
	}
	return t, true
}

// rewind goes back to where the stream was behind the words of a text that misses some, and begins those behind it again.
// Fewer are begun side by side then: where texts often miss tokens that would only be work for the server.
func (s *through) rewind(t *throughText) {
	atOnce := s.ahead.workers
	s.ahead.stop()
	*s.g = t.after
	t.err = t.fit.finish(s.tok, t.missing, drawThrough(s.tok, s.g))
	s.again, s.begun = append(s.begun, s.again...), nil
	for _, b := range s.again {
		b.fit, b.missing = nil, 0
		if b.words != "" { // else its plan failed
			b.err = nil
		}
	}
	s.begin(t.want, atOnce/4)
}

func (s *through) stop() { s.ahead.stop() }

// countAll counts the tokens of texts, side by side where each is a question to the server.
func countAll(t Tokenizer, texts []string) (total int, err error) {
	atOnce := throughAtOnce
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
			n, failure := countTokens(t, text)
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
