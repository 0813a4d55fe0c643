package engine

import (
	"fmt"
	"testing"
	"time"
)

// Two requests, of which the second comes while the first is prefilled: it waits for
// the next step. A step takes 10 ms, 1 ms a prompt token, 0.1 ms a decoding sequence
// and 1 µs a cached token.
func TestVirtual(t *testing.T) {
	v := NewVirtual(smallBatch())
	v.Submit(int64(time.Second), 4, 2) // long after the others
	v.Submit(0, 4, 2)
	v.Submit(int64(time.Millisecond), 2, 1)
	got := ""
	for {
		made, ok := v.Step()
		if !ok {
			break
		}
		for _, m := range made {
			got += fmt.Sprintf("%d at %v last %v; ", m.Request, time.Duration(m.At), m.Last)
		}
	}
	const want = "1 at 14ms last false; 1 at 26.104ms last true; 2 at 26.104ms last true; " +
		"0 at 1.014s last false; 0 at 1.024104s last true; "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
