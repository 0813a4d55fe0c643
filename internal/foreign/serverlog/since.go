package serverlog

import (
	"io"
	"math"
	"os"
)

// Accepted is what logs say of speculative decoding over a time.
type Accepted struct {
	AcceptanceRate   float64  `json:"acceptance_rate"`             // percent
	AcceptanceLength *float64 `json:"acceptance_length,omitempty"` // nil: not said
}

// Marks are how long logs are: what is written later belongs to what runs then.
func Marks(logs []string) (marks []int64) {
	for _, log := range logs {
		size := int64(0)
		if info, err := os.Stat(log); err == nil {
			size = info.Size()
		}
		marks = append(marks, size)
	}
	return marks
}

// Since is what all logs together say since the marks; nil: nothing.
func Since(logs []string, marks []int64) *Accepted {
	var rate, tokens, length, steps float64
	for i, log := range logs {
		d, ok := Between(logPart(log, 0, marks[i]), logPart(log, marks[i], math.MaxInt64))
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
	r := &Accepted{AcceptanceRate: rate / tokens * 100}
	if steps == tokens {
		length /= steps
		r.AcceptanceLength = &length
	}
	return r
}

// maxLog bounds how much of the end of a log is read: each line covers the time since
// the previous one, or since the start.
const maxLog = 4 << 20

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
	from = max(from, to-maxLog)
	b, err := io.ReadAll(io.NewSectionReader(f, from, max(to-from, 0)))
	if err != nil {
		return ""
	}
	return string(b)
}
