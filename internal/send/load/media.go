package load

import (
	"hash/fnv"
	"io"

	"github.com/inferometer/inferometer/internal/send/workload"
)

// PromptHash is how the journal tells what a request asks.
func PromptHash(w *workload.Request) string { return requestHash(w) }

// requestHash is the hash of all that makes a request the same as another: its text,
// and what stands beside it.
func requestHash(w *workload.Request) string {
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

// inputsOf counts the texts of a request with several: without the query, where there is one.
func (m *maker) inputsOf(w *workload.Request) int {
	n := len(w.Inputs)
	if m.cfg.Query && n > 0 {
		n--
	}
	return n
}
