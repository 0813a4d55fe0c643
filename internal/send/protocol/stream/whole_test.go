package stream

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// noEvents reads nothing of an event.
type noEvents struct{}

func (noEvents) Reset(*Echoed)                 {}
func (noEvents) Decode([]byte, *Chunk) error   { return nil }
func (noEvents) ErrorWords(data []byte) []byte { return data }

// What is kept of an answer is small, however large it is.
func TestWholeAnswerKeepsNothingOfItsLists(t *testing.T) {
	s := New(Answers{Framing: Whole, Pooling: true}, noEvents{})
	s.Reset(0)
	s.Head(200, http.Header{}, wire.Stamp{})
	s.Body([]byte(`{"data":[`), wire.Stamp{})
	row := []byte(`[` + strings.Repeat("0.123456789,", 1000) + `1],`)
	for range 1000 {
		s.Body(row, wire.Stamp{})
	}
	s.Body([]byte(`1],"note":"`), wire.Stamp{})
	for range 1000 {
		s.Body(bytes.Repeat([]byte("x"), 1000), wire.Stamp{})
	}
	s.Body([]byte(`"}`), wire.Stamp{At: 9})
	s.Finish()
	if len(s.skim.Kept) > maxSkimmed || len(s.whole) > maxErrorBody || s.Trace.Items != 1001 || !s.Trace.Done {
		t.Errorf("%d bytes are kept, %d items, done %v", len(s.skim.Kept), s.Trace.Items, s.Trace.Done)
	}
}
