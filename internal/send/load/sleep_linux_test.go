package load

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A sleep that keeps its processor lasts as long as it should, whatever stops the program meanwhile.
func TestRealKeptSleep(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	runtime.GOMAXPROCS(before + 1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range 50 {
		const asked = 2 * time.Millisecond
		began := time.Now()
		keptSleep(asked)
		if took := time.Since(began); took < asked {
			t.Errorf("slept %v, want %v at least", took, asked)
		}
	}
	close(stop)
	<-stopped
}

// What the dispatcher's thread is given, it gives back: the thread serves others afterwards.
func TestRealSharpenIsUndone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slack := func() int {
		n, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			t.Skipf("the kernel tells no timer slack: %v", err)
		}
		return n
	}
	before := slack()
	undo := sharpen()
	if got := slack(); got != sharpSlack {
		t.Errorf("slack %d ns, want %d", got, sharpSlack)
	}
	undo()
	if got := slack(); got != before {
		t.Errorf("slack %d ns afterwards, was %d", got, before)
	}
}
