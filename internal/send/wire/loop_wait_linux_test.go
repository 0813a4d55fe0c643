package wire

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"
)

// A loop that keeps its processor can be stopped to collect garbage while it waits, and
// goes on: the scheduler's signal ends the wait.
func TestRealKeptLoopIsStoppedAndGoesOn(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	runtime.GOMAXPROCS(before + 2)
	const events = 200
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range events {
			_, _ = w.Write([]byte("data: x\n\n"))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond) // a stream that is never quiet for long, so that the loop keeps its processor
		}
	}))
	defer srv.Close()
	tr, err := NewLoop(LoopConfig{Clock: NewClock(), Connections: 1, Loops: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	tr.Keep(true)
	over, sink := make(chan error, 1), &recorder{}
	go func() {
		_, err := tr.Do(context.Background(), &Request{URL: srv.URL}, sink)
		over <- err
	}()
	for collections := 0; ; collections++ {
		select {
		case err := <-over:
			if err != nil || len(sink.body) != events*len("data: x\n\n") || collections == 0 {
				t.Errorf("%v, %d bytes, %d collections", err, len(sink.body), collections)
			}
			return
		default:
			runtime.GC()
		}
	}
}
