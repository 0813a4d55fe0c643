package load

import (
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/fnv"
	"io"

	"github.com/inferometer/inferometer/internal/send/workload"
)

const hexDigits = "0123456789abcdef"

// hash64 is FNV-1a in hex: enough to find repetitions among millions of texts.
func hash64[T string | []byte](text T) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return hexOf(h.Sum64())
}

func hexOf(sum uint64) string {
	var out [16]byte
	for i := range out {
		out[15-i] = hexDigits[sum&15]
		sum >>= 4
	}
	return string(out[:])
}

// textHash is empty for no text: nothing equals nothing.
func textHash(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	return hash64(text)
}

// workloadSum hashes what was sent, in order, in a goroutine of its own: a long
// body takes as long as several sends, and the dispatcher has the next ones to make.
type workloadSum struct {
	sent   chan sentBody
	budget *budget // of the bodies that wait
	sum    chan []byte
}

type sentBody struct {
	index     int
	scheduled int64
	parts     [][]byte // of the body: protocol.Anonymous
}

func (s *sentBody) size() (n int) {
	for _, p := range s.parts {
		n += len(p)
	}
	return n
}

func (s *sentBody) sum(h hash.Hash) {
	var head [24]byte
	binary.LittleEndian.PutUint64(head[0:], uint64(s.index))
	binary.LittleEndian.PutUint64(head[8:], uint64(s.scheduled))
	binary.LittleEndian.PutUint64(head[16:], uint64(s.size()))
	h.Write(head[:])
	for _, p := range s.parts {
		h.Write(p)
	}
}

// waitingSums is how many bodies may wait for their turn. They are short-lived: hashing is
// faster than any network.
const waitingSums = 1024

func newWorkloadSum(h hash.Hash) *workloadSum {
	w := &workloadSum{make(chan sentBody, waitingSums), newBudget(aheadBytes), make(chan []byte, 1)}
	go func() {
		for s := range w.sent {
			s.sum(h)
			w.budget.release(s.size())
		}
		w.sum <- h.Sum(nil)
	}()
	return w
}

func (w *workloadSum) add(index int, scheduled int64, parts [][]byte) {
	s := sentBody{index, scheduled, parts}
	w.budget.reserve(s.size(), nil) // the hash goes on by itself
	w.sent <- s
}

// hex ends it and gives the sum.
func (w *workloadSum) hex() string {
	close(w.sent)
	return hex.EncodeToString(<-w.sum)
}

// PromptHash is how the journal tells what a request asks: the hash of all that makes it the same as another, its text
// and what stands beside it.
func PromptHash(w *workload.Request) string {
	if len(w.Media) == 0 && len(w.Inputs) == 0 && w.Sound == nil {
		return hash64(w.Prompt)
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, w.Prompt) // never fails, as the others
	for _, part := range w.Media {
		_, _ = h.Write([]byte{0})
		_, _ = h.Write(part)
	}
	for _, text := range w.Inputs {
		_, _ = h.Write([]byte{1})
		_, _ = io.WriteString(h, text)
	}
	if w.Sound != nil {
		_, _ = h.Write([]byte{2})
		_, _ = h.Write(w.Sound.Data)
	}
	return hexOf(h.Sum64())
}
