package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// long makes turns of one long message.
type long struct{ messages json.RawMessage }

func (l *long) Make(int) (*talk.Made, error) {
	return &talk.Made{Messages: l.messages, Tokens: 256 << 10}, nil
}
func (l *long) Sent(int) (before, of int)    { return 0, 0 }
func (l *long) Answered(int, *talk.Answer)   {}
func (l *long) AppendPlan(dst []byte) []byte { return dst }
func contextOf(bytesOfText int) json.RawMessage {
	return append(append(json.RawMessage{'['}, talk.Text("user", string(bytes.Repeat([]byte("lorem "), bytesOfText/6)))...), ']')
}

// TestRealBodiesAreLetGo: while answers are waited for, no body is held, nor is it after them.
func TestRealBodiesAreLetGo(t *testing.T) {
	const trees, size = 400, 1300 << 10
	for _, noLoop := range []bool{false, true} {
		t.Run(fmt.Sprintf("net/http %v", noLoop), func(t *testing.T) {
			messages := contextOf(size)
			before := inUse()
			var arrived atomic.Int64
			var during int64
			all := make(chan struct{})
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if arrived.Add(1) == trees {
					during = inUse()
					close(all)
				}
				<-all
				fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			}))
			defer h.Close()
			s := &talking{n: trees, make: sequence(1, 0), maker: &long{messages}}
			records, _ := s.run(t, &server{url: h.URL, noLoop: noLoop}, closed(), func(c *Config) {
				c.Concurrency, c.Call.IgnoreEOS = 0, false
			})
			for _, r := range records {
				if r.Outcome != journal.Complete {
					t.Fatalf("%s: %s", r.Outcome, r.Error)
				}
			}
			// A connection's buffers on both sides, and the bodies that are made ahead.
			if most := int64(trees*128<<10 + 2*aheadBytes); during-before > most {
				t.Errorf("%d MB are held while %d answers are waited for, of which each asked with %d KB", (during-before)>>20, trees, size>>10)
			}
		})
	}
}

// inUse is the memory.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkTurn is what a turn with a context of 256 k tokens costs before it is written.
func BenchmarkTurn(b *testing.B) {
	backend, err := protocol.FindBackend("openai-chat")
	if err != nil {
		b.Fatal(err)
	}
	m := newMaker(&Config{Workload: Workload{Conversations: &Conversations{}}, Destination: Destination{Protocol: backend}})
	o := newConversation(&talk.Conversation{Number: 1, Turns: make([]talk.Turn, 1), Maker: &long{contextOf(1300 << 10)}}, "", "")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.makeTurn(m.newTurn(o, 0)); err != nil {
			b.Fatal(err)
		}
	}
}
