package scenario

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/inferometer/inferometer/internal/foreign/serverlog"
)

// The numbers of speculative decoding, as a result names them.
const (
	acceptanceRate   = "spec_decode_acceptance_rate" // percent
	acceptanceLength = "spec_decode_acceptance_length"
)

// SpecDecodeRecord is what the logs of servers that we started say of a point's
// speculative decoding. It counts where the server's counters say nothing.
type SpecDecodeRecord struct {
	AcceptanceRate   float64  `json:"acceptance_rate"`             // percent
	AcceptanceLength *float64 `json:"acceptance_length,omitempty"` // nil: not said
}

// number adds what the record knows and the result does not.
func (d *SpecDecodeRecord) number(m *measured) {
	if _, known := m.Numbers[acceptanceRate]; d == nil || known {
		return
	}
	m.Numbers[acceptanceRate], m.fromLog = d.AcceptanceRate, true
	if d.AcceptanceLength != nil {
		m.Numbers[acceptanceLength] = *d.AcceptanceLength
	}
}

// logMarks are how long the servers' logs are: what is written later belongs to the
// point that runs then.
func logMarks(logs []string) (marks []int64) {
	for _, log := range logs {
		size := int64(0)
		if info, err := os.Stat(log); err == nil {
			size = info.Size()
		}
		marks = append(marks, size)
	}
	return marks
}

// specDecodeSince is what all logs together say since the marks; nil: nothing.
func specDecodeSince(logs []string, marks []int64) *SpecDecodeRecord {
	var rate, tokens, length, steps float64
	for i, log := range logs {
		d, ok := serverlog.Between(logPart(log, 0, marks[i]), logPart(log, marks[i], math.MaxInt64))
		if !ok {
			continue
		}
		n := float64(d.Drafted)
		rate, tokens = rate+d.Rate*n, tokens+n
		if !math.IsNaN(d.Length) {
			length, steps = length+d.Length*n, steps+n
		}
	}
	if tokens == 0 {
		return nil
	}
	r := &SpecDecodeRecord{AcceptanceRate: rate / tokens * 100}
	if steps == tokens {
		length /= steps
		r.AcceptanceLength = &length
	}
	return r
}

// mostLog bounds how much of the end of a log is read: each line covers the time since
// the previous one, or since the start.
const mostLog = 4 << 20

// logPart is the text of a log between two places, or the last of it. That a log
// can't be read is no reason to stop.
func logPart(path string, from, to int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	to = min(to, info.Size())
	from = max(from, to-mostLog)
	b, err := io.ReadAll(io.NewSectionReader(f, from, max(to-from, 0)))
	if err != nil {
		return ""
	}
	return string(b)
}

// specDecodeNote says how many points have these numbers from a log; empty: none.
func specDecodeNote(list []*Row) string {
	n := 0
	for _, r := range list {
		for m := range r.results {
			if m.fromLog {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("accepted %% and accepted length come from the server's log (in %d of the results): it sums up some seconds at a time, so that the edges of a point are blurred", n)
}
