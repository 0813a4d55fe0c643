package load

import (
	"hash/fnv"
	"io"
	"sync"

	"github.com/inferometer/inferometer/internal/send/workload"
)

// PromptHash is how the journal tells what a request asks.
func PromptHash(w *workload.Request) string { return requestHash(w) }

// requestHash is the hash of all that makes a request the same as another: its text,
// and what stands beside it.
func requestHash(w *workload.Request) string {
	if len(w.Media) == 0 && len(w.Inputs) == 0 && w.Sound == nil {
		return hash64(w.Prompt)
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, w.Prompt) // never fails, as the others
	for _, part := range w.Media {
		_, _ = h.Write([]byte{0})
		_, _ = h.Write(part)
	}
	for _, text := range w.Inputs {
		_, _ = h.Write([]byte{1})
		_, _ = io.WriteString(h, text)
	}
	if w.Sound != nil {
		_, _ = h.Write([]byte{2})
		_, _ = h.Write(w.Sound.Data)
	}
	return hexOf(h.Sum64())
}

// inputsOf counts the texts of a request with several: without the query, where there is one.
func (r *run) inputsOf(w *workload.Request) int {
	n := len(w.Inputs)
	if r.cfg.Query && n > 0 {
		n--
	}
	return n
}

// answers is how many vectors or scores a request is answered with.
func (r *run) answers(j *job) int { return max(j.inputs, 1) }

// aheadBytes bounds the bodies that are prepared before they are due: with images each
// may have megabytes.
const aheadBytes = 32 << 20

// room bounds the bytes of what waits between two goroutines. One thing is always let
// in, however large it is.
type room struct {
	mu         sync.Mutex
	size, most int
	freed      chan struct{} // has a token when something was taken out
}

func newRoom(most int) *room { return &room{most: most, freed: make(chan struct{}, 1)} }

// put waits until n bytes have room. False: enough was closed before.
func (r *room) put(n int, enough <-chan struct{}) bool {
	for {
		if r.fits(n) {
			return true
		}
		select {
		case <-r.freed:
		case <-enough:
			return false
		}
	}
}

func (r *room) fits(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size > 0 && r.size+n > r.most {
		return false
	}
	r.size += n
	return true
}

// take gives n bytes back.
func (r *room) take(n int) {
	r.mu.Lock()
	r.size -= n
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default:
	}
}
