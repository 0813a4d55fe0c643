package load

import (
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/crc32"

	"github.com/inferometer/inferometer/internal/send/workload"
)

const hexDigits = "0123456789abcdef"

// sum64 is two CRC-32 side by side, Castagnoli's and IEEE's: enough to find repetitions among millions of texts. Processors
// have instructions for them, and prompts have megabytes.
type sum64 struct{ castagnoli, ieee uint32 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (s *sum64) add(part []byte) {
	s.castagnoli = crc32.Update(s.castagnoli, castagnoli, part)
	s.ieee = crc32.Update(s.ieee, crc32.IEEETable, part)
}

func (s *sum64) hex() string {
	var out [16]byte
	sum := uint64(s.castagnoli)<<32 | uint64(s.ieee)
	for i := range out {
		out[15-i] = hexDigits[sum&15]
		sum >>= 4
	}
	return string(out[:])
}

func hash64[T string | []byte](text T) string {
	s := sum64{}
	s.add([]byte(text))
	return s.hex()
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
	s := sum64{}
	s.add([]byte(w.Prompt))
	for _, part := range w.Media {
		s.add([]byte{0})
		s.add(part)
	}
	for _, text := range w.Inputs {
		s.add([]byte{1})
		s.add([]byte(text))
	}
	if w.Sound != nil {
		s.add([]byte{2})
		s.add(w.Sound.Data)
	}
	return s.hex()
}
