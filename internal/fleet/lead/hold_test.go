package lead

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
)

// words are what leaders have written down, as NATS keeps it: by revision.
type words struct {
	mu       sync.Mutex
	leader   string
	revision uint64
	away     bool // nobody is answered
	deaf     bool // what is written is kept, and its answer lost
	emptied  bool // the stores are others than those that were prepared
}

func (w *words) Hold(_ context.Context, _, leader string, since uint64) (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.away:
		return 0, errors.New("no answer")
	case since != w.revision:
		return 0, bus.ErrHeld
	}
	w.leader = leader
	w.revision++
	if w.deaf {
		return 0, errors.New("no answer")
	}
	return w.revision, nil
}

func (w *words) Holder(context.Context, string) (string, uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away {
		return "", 0, errors.New("no answer")
	}
	return w.leader, w.revision, nil
}

func (w *words) SameStores(context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.emptied
}

func (w *words) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

func (w *words) now() (leader string, revision uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leader, w.revision
}

func mustHold(t *testing.T, w *words, id string) *hold {
	t.Helper()
	h, err := takeHold(t.Context(), w, "run-1", id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A leader that lives keeps its run: another one sees its next word, and leaves.
func TestALeaderThatLivesIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &words{}
		defer mustHold(t, w, "first").stop()
		time.Sleep(holdEvery / 4) // between two of its words
		began := time.Now()
		_, err := takeHold(t.Context(), w, "run-1", "second")
		if err == nil || !strings.Contains(err.Error(), "has a leader that lives (first)") {
			t.Fatal(err)
		}
		if took := time.Since(began); took != holdEvery {
			t.Errorf("seen after %v", took)
		}
	})
}

// One that is dead is replaced after as many words as it may fail to say, and not before.
func TestADeadLeaderIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &words{}
		mustHold(t, w, "first").stop()
		began := time.Now()
		defer mustHold(t, w, "second").stop()
		if took := time.Since(began); took != holdLost*holdEvery {
			t.Errorf("replaced after %v", took)
		}
		if leader, revision := w.now(); leader != "second" || revision != 2 {
			t.Errorf("%s holds it, revision %d", leader, revision)
		}
	})
}

// Of two that wait for the same dead leader one has the run.
func TestOneOfTwoReplacesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &words{}
		mustHold(t, w, "first").stop()
		var all sync.WaitGroup
		holds, errs := make([]*hold, 2), make([]error, 2)
		for i, id := range []string{"second", "third"} {
			all.Go(func() { holds[i], errs[i] = takeHold(t.Context(), w, "run-1", id) })
		}
		all.Wait()
		if (errs[0] == nil) == (errs[1] == nil) { // the other may see it as held, or as a leader that lives
			t.Errorf("%v", errs)
		}
		for _, h := range holds {
			if h != nil {
				h.stop()
			}
		}
	})
}

// A leader that slept while another took its run over leaves that alone, with its next word.
func TestALeaderThatWasReplacedLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &words{}
		h := mustHold(t, w, "first")
		defer h.stop()
		time.Sleep(5*holdEvery + holdEvery/2)
		_, since := w.now()
		if _, err := w.Hold(t.Context(), "run-1", "second", since); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := <-h.lost; !strings.Contains(err.Error(), "another leader has taken over") {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != holdEvery/2 {
			t.Errorf("it left after %v", took)
		}
	})
}

// While NATS is away nobody can take the run, and a word whose answer was lost is the leader's own.
func TestNATSAwayIsNoOtherLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &words{}
		h := mustHold(t, w, "first")
		defer h.stop()
		time.Sleep(holdEvery / 2) // between two words
		for _, trouble := range []*bool{&w.away, &w.deaf} {
			w.change(func() { *trouble = true })
			time.Sleep(time.Hour)
			w.change(func() { *trouble = false })
			time.Sleep(2 * holdEvery)
			before, at := w.now()
			time.Sleep(2 * holdEvery)
			if leader, revision := w.now(); before != "first" || leader != "first" || revision != at+2 {
				t.Errorf("%s has said %d words in the time of two", leader, revision-at)
			}
		}
		select {
		case err := <-h.lost:
			t.Error(err)
		default:
		}
	})
}

// A word that NATS has lost with its stores is written anew, unless another leader was quicker.
func TestAWordThatIsLostIsWrittenAgain(t *testing.T) {
	for _, quicker := range []string{"", "second"} {
		synctest.Test(t, func(t *testing.T) {
			w := &words{}
			h := mustHold(t, w, "first")
			defer h.stop()
			time.Sleep(holdEvery / 2) // between two words
			w.change(func() {
				w.leader, w.revision, w.emptied = quicker, 0, true
				if quicker != "" {
					w.revision = 7
				}
			})
			time.Sleep(2 * holdEvery)
			leader, _ := w.now()
			var lost error
			select {
			case lost = <-h.lost:
			default:
			}
			if quicker == "" && (leader != "first" || lost != nil) || quicker != "" && (leader != quicker || lost == nil) {
				t.Errorf("quicker is %q: %q holds it, and the first has lost it: %v", quicker, leader, lost)
			}
		})
	}
}
