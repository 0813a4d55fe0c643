package handoff

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// Path is where a decode server asks a prefill server for a prompt.
const Path = "/sim/kv/{id}"

// lease is how long a prompt is kept for a server that does not come, and how long one is waited for that is not there
// yet: vLLM's kv_lease_duration.
const lease = 30 * time.Second

// maxKept bounds the prompts that are kept.
const maxKept = 100_000

// Shelf holds the prompts that a prefill server has computed for others.
type Shelf struct {
	mu      sync.Mutex
	kept    map[string]kept
	changed chan struct{} // closed when a prompt is put there
	expired uint64
}

type kept struct {
	tokens int
	since  time.Time
}

// NewShelf makes an empty one.
func NewShelf() *Shelf {
	return &Shelf{kept: map[string]kept{}, changed: make(chan struct{})}
}

// Put keeps a prompt of so many tokens.
func (s *Shelf) Put(id string, tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	if len(s.kept) < maxKept {
		s.kept[id] = kept{tokens, clock.Now()}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Expired counts the prompts that nobody came for in time.
func (s *Shelf) Expired() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return s.expired
}

func (s *Shelf) sweep() {
	for id, k := range s.kept {
		if clock.Since(k.since) > lease {
			delete(s.kept, id)
			s.expired++
		}
	}
}

// take gives a prompt away; else a channel that tells of a new one.
func (s *Shelf) take(id string) (kept, bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	k, ok := s.kept[id]
	delete(s.kept, id)
	return k, ok, s.changed
}

// reply is what a prefill server says of a prompt.
type reply struct {
	Tokens int `json:"tokens"`
}

// ServeHTTP answers when the prompt has been computed, or says that it was not.
func (s *Shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	late := time.NewTimer(lease)
	defer late.Stop()
	for {
		k, ok, changed := s.take(r.PathValue("id"))
		if ok {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(reply{k.tokens})
			return
		}
		select {
		case <-changed:
		case <-late.C:
			http.Error(w, "no such prompt is kept here", http.StatusNotFound)
			return
		case <-r.Context().Done():
			return
		}
	}
}
