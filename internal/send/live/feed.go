package live

import (
	"slices"
	"sync"
)

// Feed hands states on to all who listen. The zero value is ready; a nil Feed has no
// listeners, and then nothing is counted.
type Feed struct {
	mu        sync.Mutex
	last      *State
	listeners []*listener
}

type listener struct{ see func(*State) }

// Listen asks for each state from now on. see must be quick and may keep the state, which
// nobody changes. stop ends it; no call of see begins after stop has returned.
func (f *Feed) Listen(see func(*State)) (stop func()) {
	l := &listener{see}
	f.mu.Lock()
	f.listeners = append(f.listeners, l)
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.listeners = slices.DeleteFunc(f.listeners, func(o *listener) bool { return o == l })
	}
}

// Tell hands a state on. It must not be changed afterwards.
func (f *Feed) Tell(s *State) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = s
	for _, l := range f.listeners {
		l.see(s)
	}
}

// Last is the newest state; nil: there was none.
func (f *Feed) Last() *State {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}
