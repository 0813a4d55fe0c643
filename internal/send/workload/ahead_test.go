package workload

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"go.uber.org/goleak"
)

// Datasets that are left open, or half read, must not leave a goroutine behind their Close.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setWorkers must come before the first Next.
func setWorkers(t *testing.T, d Dataset, n int) {
	t.Helper()
	switch d := d.(type) {
	case *randomDataset:
		d.prompts.Workers = n
	case *sonnetDataset:
		d.drafts.Workers = n
	default:
		t.Fatalf("%T has no workers", d)
	}
}

// unsteadyVocabulary gives prompts that often miss tokens, so that the order of
// the draws shows, and is slow now and then, so that tasks overtake one another.
type unsteadyVocabulary struct {
	fakeVocabulary
	calls *atomic.Int64
}

func (u unsteadyVocabulary) Decode(ids []int32) (string, error) {
	if u.calls.Add(1)%3 == 0 {
		time.Sleep(time.Millisecond) // the bubble's clock: no time passes outside
	}
	return u.fakeVocabulary.Decode(ids)
}

func TestAnyNumberOfWorkersGivesTheSameRequests(t *testing.T) {
	for name, o := range map[string]Options{"random": randomOptions(nil), "sonnet": sonnetOptions(t)} {
		t.Run(name, func(t *testing.T) {
			o.Tokenizer = unsteadyVocabulary{calls: new(atomic.Int64)}
			o.NumPrompts = 700 // more than a window
			var want []string
			for _, workers := range []int{0, 1, 2, 7} {
				synctest.Test(t, func(t *testing.T) {
					d := open(t, o)
					setWorkers(t, d, workers)
					var got []string
					for _, r := range all(t, d) {
						got = append(got, fmt.Sprintf("%+v", *r))
					}
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Errorf("%d workers made other requests than none", workers)
					}
				})
			}
		})
	}
}

// Without prompts that draw, the test above would show little.
func TestSomeRandomPromptsMissTokens(t *testing.T) {
	d := open(t, randomOptions(fakeVocabulary{})).(*randomDataset)
	drawn, draw := 0, d.draw
	d.draw = func(n int) ([]int32, error) { drawn++; return draw(n) }
	all(t, d)
	if drawn == 0 {
		t.Error("none of 30 prompts missed a token")
	}
}

func counting(limit int) (*prompts.Ahead[*int], *atomic.Int64) {
	var planned, ran atomic.Int64
	a := prompts.NewAhead(1024, func() (*int, bool) {
		n := int(planned.Add(1)) - 1
		return &n, n < limit
	}, func(*int) { ran.Add(1) })
	return a, &ran
}

func TestAheadStartsEarlyAndHoldsNoMoreThanItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, ran := counting(10_000)
		defer a.Stop()
		a.Workers = 3
		a.Start()
		synctest.Wait()
		if got := ran.Load(); got != prompts.AheadTasks {
			t.Errorf("%d tasks ran before one was asked for, want %d", got, prompts.AheadTasks)
		}
		for i := range 40 {
			if got, ok := a.Next(); !ok || *got != i {
				t.Fatalf("task %v, %v; want %d", got, ok, i)
			}
		}
		synctest.Wait()
		if got := ran.Load(); got != prompts.AheadTasks+40 {
			t.Errorf("%d tasks ran when 40 were taken, want %d", got, prompts.AheadTasks+40)
		}
	})
}

func TestAheadEnds(t *testing.T) {
	a, _ := counting(5)
	for i := range 5 {
		if got, ok := a.Next(); !ok || *got != i {
			t.Fatalf("task %v, %v; want %d", got, ok, i)
		}
	}
	for range 2 {
		if got, ok := a.Next(); ok {
			t.Fatalf("task %d behind the last", *got)
		}
	}
	a.Group.Wait() // without a stop: at the end of the tasks the workers are gone
}

func TestAheadStops(t *testing.T) {
	t.Run("before the start", func(t *testing.T) {
		a, ran := counting(5)
		a.Stop()
		a.Stop()
		a.Start()
		if _, ok := a.Next(); ok || ran.Load() > 0 {
			t.Error("it went on")
		}
	})
	t.Run("while next waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			a := prompts.NewAhead(1, func() (int, bool) { return 1, true }, func(int) { <-release })
			result := make(chan bool)
			go func() {
				_, ok := a.Next()
				result <- ok
			}()
			synctest.Wait()
			go a.Stop()
			if <-result {
				t.Error("next gave a task that had not run")
			}
			close(release)
		})
	})
}

// Long prompts must not fill the memory.
func TestAheadHoldsFewLongPrompts(t *testing.T) {
	if a := prompts.NewAhead[int](1<<17, nil, nil); a.Window > max(8, 2*a.Workers) {
		t.Errorf("%d prompts of 128k tokens are held", a.Window)
	}
	if a := prompts.NewAhead[int](1<<30, nil, nil); a.Window < 2*a.Workers {
		t.Errorf("a window of %d starves %d workers", a.Window, a.Workers)
	}
}

func TestCloseInTheMiddle(t *testing.T) {
	for name, o := range map[string]Options{"random": randomOptions(fakeVocabulary{}), "sonnet": sonnetOptions(t)} {
		t.Run(name, func(t *testing.T) {
			d := open(t, o)
			Start(d)
			if _, err := d.Next(); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if err := goleak.Find(); err != nil {
				t.Error(err)
			}
			if _, err := d.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("Next behind Close: %v, want io.EOF", err)
			}
		})
	}
}

type brokenVocabulary struct {
	fakeVocabulary
	good *atomic.Int64
}

var errBroken = errors.New("broken")

func (b brokenVocabulary) Encode(text string) ([]int32, error) {
	if b.good.Add(-1) < 0 {
		return nil, errBroken
	}
	return b.fakeVocabulary.Encode(text)
}

func TestAnErrorComesInItsPlace(t *testing.T) {
	o := randomOptions(brokenVocabulary{good: new(atomic.Int64)})
	o.Own.(*RandomOptions).PrefixLen = 0
	o.Tokenizer.(brokenVocabulary).good.Store(20)
	d := open(t, o)
	for i := 0; ; i++ {
		_, err := d.Next()
		if errors.Is(err, errBroken) && i > 0 {
			return
		}
		if err != nil || i == 20 {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}
