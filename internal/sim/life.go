package sim

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// life is what a server can't do all the time: it starts, sleeps, takes adapters in and drains.
type life struct {
	mu       sync.Mutex
	asleep   string // "" while it is awake; else as /metrics calls it
	draining bool
	busy     int // requests that have not ended
	idle     chan struct{}
	adapters []string
}

// Why requests are refused.
var (
	//lint:ignore ST1005 these are llama-server's words
	errStarting = errors.New("Loading model")
	errAsleep   = errors.New("the engine is asleep")
	errDraining = errors.New("the server is draining")
)

// away says why the server takes no requests now; nil: it does.
func (s *Server) away() error {
	if s.starting() {
		return errStarting
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	switch {
	case s.life.draining:
		return errDraining
	case s.life.asleep != "":
		return errAsleep
	}
	return nil
}

func (s *Server) starting() bool {
	return s.cfg.StartupTime > 0 && clock.Since(s.base) < s.cfg.StartupTime
}

// working lets requests through while the server takes them.
func (s *Server) working(do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.away(); err != nil {
			rec, _ := s.newRecord(w, r)
			s.refuse(w, rec, http.StatusServiceUnavailable, err)
			return
		}
		do(w, r)
	}
}

// health is vLLM's as long as it is awake or asleep, and SGLang's while it starts and drains.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if err := s.away(); err != nil && !errors.Is(err, errAsleep) {
		writeError(w, http.StatusServiceUnavailable, err)
	}
}

// begins counts a request until it ends.
func (l *life) begins() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy++
}

func (l *life) ends() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy--; l.busy == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

// drain takes no more requests and waits for those that run, as long as it may.
func (s *Server) drain() {
	s.life.mu.Lock()
	s.life.draining = true
	idle := make(chan struct{})
	if s.life.busy == 0 {
		close(idle)
	} else {
		s.life.idle = idle
	}
	s.life.mu.Unlock()
	late := time.NewTimer(s.cfg.Drain)
	defer late.Stop()
	select {
	case <-idle:
	case <-late.C:
	}
}

// sleepStates are the levels of /sleep by their names in /metrics.
var sleepStates = map[string]string{"": "weights_offloaded", "1": "weights_offloaded", "2": "discard_all"}

// sleep is vLLM's: the prefix cache is emptied, and requests are refused until it wakes.
func (s *Server) sleep(w http.ResponseWriter, r *http.Request) int {
	state, ok := sleepStates[r.URL.Query().Get("level")]
	if !ok {
		writeError(w, http.StatusBadRequest, errors.New("level must be 1 or 2"))
		return http.StatusBadRequest
	}
	s.engine.ResetPrefixCache()
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	s.life.asleep = state
	return http.StatusOK
}

func (s *Server) wakeUp(_ http.ResponseWriter, r *http.Request) int {
	if s.sleepState() != "awake" && !s.pause(r, s.cfg.WakeTime) {
		return 0 // nobody is left to tell
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	s.life.asleep = ""
	return http.StatusOK
}

// sleepState is the engine's, as /metrics calls it.
func (s *Server) sleepState() string {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.asleep == "" {
		return "awake"
	}
	return s.life.asleep
}

// adapters are those that requests may ask for now.
func (s *Server) adapters() []string {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	return slices.Clone(s.life.adapters)
}

func (s *Server) hasAdapter(name string) bool {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	return slices.Contains(s.life.adapters, name)
}

// maxAdapters bounds those that are taken in.
const maxAdapters = 10_000

// adapter is the body of requests that take one in or throw one out, for vLLM and SGLang.
type adapter struct {
	Name string `json:"lora_name"`
	Path string `json:"lora_path"`
}

func (s *Server) loadAdapter(w http.ResponseWriter, r *http.Request) int {
	var a adapter
	if !readJSON(w, r, &a) {
		return http.StatusBadRequest
	}
	if a.Name == "" || a.Path == "" {
		return refuseAdapter(w, http.StatusBadRequest, "both lora_name and lora_path must be given")
	}
	if !s.pause(r, s.cfg.AdapterTime) {
		return 0
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	switch {
	case slices.Contains(s.life.adapters, a.Name):
		return refuseAdapter(w, http.StatusBadRequest, fmt.Sprintf("The lora adapter '%s' has already been loaded.", a.Name))
	case len(s.life.adapters) >= maxAdapters || len(a.Name) > maxName:
		return refuseAdapter(w, http.StatusBadRequest, "there is no room for this adapter")
	}
	s.life.adapters = append(s.life.adapters, a.Name)
	_, _ = fmt.Fprintf(w, "Success: LoRA adapter '%s' added successfully.", a.Name)
	return http.StatusOK
}

func (s *Server) unloadAdapter(w http.ResponseWriter, r *http.Request) int {
	var a adapter
	if !readJSON(w, r, &a) {
		return http.StatusBadRequest
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	i := slices.Index(s.life.adapters, a.Name)
	if i < 0 {
		return refuseAdapter(w, http.StatusNotFound, fmt.Sprintf("The lora adapter '%s' cannot be found.", a.Name))
	}
	s.life.adapters = slices.Delete(s.life.adapters, i, i+1)
	_, _ = fmt.Fprintf(w, "Success: LoRA adapter '%s' removed successfully.", a.Name)
	return http.StatusOK
}

func refuseAdapter(w http.ResponseWriter, status int, why string) int {
	writeError(w, status, errors.New(why))
	return status
}
