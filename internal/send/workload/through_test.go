package workload

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// farServer is a server's tokenizer: a piece of up to four letters is a token, the blank before a word belongs to it. It
// counts how many ask at once, and how often. A greedy one makes one token of the last two pieces where the last is
// short, so that prompts miss tokens.
type farServer struct {
	mu       sync.Mutex
	known    []string
	ids      map[string]int32
	greedy   bool
	fail     int64         // the question from which on it is gone; 0: none
	distance time.Duration // there and back
	asked    atomic.Int64
	now, top atomic.Int64
}

func (f *farServer) enter() (leave func(), err error) {
	if n := f.asked.Add(1); f.fail > 0 && n >= f.fail {
		return nil, errors.New("the server is gone")
	}
	n := f.now.Add(1)
	for top := f.top.Load(); n > top && !f.top.CompareAndSwap(top, n); top = f.top.Load() {
	}
	time.Sleep(f.distance)
	return func() { f.now.Add(-1) }, nil
}

func (f *farServer) Encode(text string) ([]int32, error) {
	leave, err := f.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	var pieces []string
	for len(text) > 0 {
		n := 1
		for n < len(text) && n < 5 && text[n] != ' ' {
			n++
		}
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	if k := len(pieces); f.greedy && k > 1 && len(pieces[k-1]) == 2 {
		pieces = append(pieces[:k-2], pieces[k-2]+pieces[k-1])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := make([]int32, len(pieces))
	for i, p := range pieces {
		id, ok := f.ids[p]
		if !ok {
			id = int32(len(f.known))
			f.known = append(f.known, p)
			if f.ids == nil {
				f.ids = map[string]int32{}
			}
			f.ids[p] = id
		}
		ids[i] = id
	}
	return ids, nil
}

func (f *farServer) Decode(ids []int32) (string, error) {
	leave, err := f.enter()
	if err != nil {
		return "", err
	}
	defer leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(f.known[id])
	}
	return b.String(), nil
}

// farCases are the datasets whose prompts a server's tokenizer makes.
func farCases(t *testing.T) map[string]Options {
	o := func(name string, own func(Options)) Options {
		o := Defaults(name)
		o.Dataset, o.NumPrompts, o.Seed = name, 120, 7
		own(o)
		return o
	}
	return map[string]Options{
		"random": o("random", func(o Options) {
			r := o.Own.(*RandomOptions)
			r.InputLen, r.PrefixLen, r.RangeRatio = 23, 5, lengths.RangeRatio{Input: 0.5, Output: 0.5}
		}),
		"shared": o("random", func(o Options) {
			r := o.Own.(*RandomOptions)
			r.InputLen, r.PrefixShare, r.PrefixCount = 23, 0.4, 3
		}),
		"prefix_repetition": o("prefix_repetition", func(o Options) {
			p := o.Own.(*PrefixRepetitionOptions)
			p.PrefixLen, p.SuffixLen = 11, 9
		}),
	}
}

func digest(requests []*Request) string {
	h := sha256.New()
	for _, r := range requests {
		fmt.Fprintf(h, "%d %q %d %d\n", r.Index, r.Prompt, r.PromptTokens, r.OutputTokens)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// The prompts of a seed are those that were made one after the other, before they were made side by side.
func TestPromptsThroughAServerAreTheSame(t *testing.T) {
	want := map[string]string{
		"random false": "1a31fce06db3b2e9", "random true": "4a9b1e18a5769d87", "shared false": "6561d6a118c33114", "shared true": "b877ff2f1dddf4f4",
		"prefix_repetition false": "98cbe01a6adb3e22", "prefix_repetition true": "1ff701cfc71fc0ab",
	}
	for name, o := range farCases(t) {
		for _, greedy := range []bool{false, true} {
			o.Tokenizer = &farServer{greedy: greedy}
			key := fmt.Sprint(name, " ", greedy)
			if got := digest(all(t, open(t, o))); got != want[key] {
				t.Errorf("%s: %s, not %s", key, got, want[key])
			}
		}
	}
}

// A server that is 300 ms away is asked about sixteen prompts at a time, and no more often than before: three times for
// each prompt, and a few more where one missed a token and those behind it had been begun.
func TestPromptsThroughAServerAreMadeSideBySide(t *testing.T) {
	const distance = 300 * time.Millisecond
	for name, o := range farCases(t) {
		for _, greedy := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { // the bubble's clock: no time passes outside
				f := &farServer{greedy: greedy, distance: distance}
				o.Tokenizer = f
				begun := time.Now()
				d := open(t, o)
				all(t, d)
				took, asked := time.Since(begun), f.asked.Load()
				alone := time.Duration(asked) * distance
				t.Logf("%s, greedy %v: %d questions for %d prompts, at most %d at once, %v in place of %v: %.1f times as fast", name, greedy, asked, o.NumPrompts, f.top.Load(), took, alone, float64(alone)/float64(took))
				if f.top.Load() > prompts.ThroughAtOnce || !greedy && f.top.Load() < prompts.ThroughAtOnce {
					t.Errorf("%s, greedy %v: %d at once", name, greedy, f.top.Load())
				}
				most := 4*o.NumPrompts + 60 // prefix_repetition also decodes each whole
				if greedy {
					most *= 2
				}
				if int(asked) > most {
					t.Errorf("%s, greedy %v: %d questions for %d prompts", name, greedy, asked, o.NumPrompts)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A server that goes away in between is an error, and leaves nothing behind.
func TestPromptsThroughAServerThatGoes(t *testing.T) {
	for name, o := range farCases(t) {
		for _, greedy := range []bool{false, true} {
			o.Tokenizer = &farServer{greedy: greedy, fail: 200}
			d, err := Open(o)
			for err == nil {
				_, err = d.Next()
			}
			wantError(t, err, "the server is gone")
			if d != nil {
				if err := d.Close(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}
