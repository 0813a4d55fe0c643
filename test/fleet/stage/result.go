//go:build linux

package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// Result is what is looked at in a run's result.
type Result struct {
	Completed int `json:"completed"`
	Failed    int `json:"failed"`

	Inferometer struct {
		Outcomes map[string]int `json:"outcomes"`
		Workload struct {
			SHA256  string `json:"sha256"`
			Planned int    `json:"requests_planned"`
			Sent    int    `json:"requests_sent"`
		} `json:"workload"`
		Client struct {
			Cost struct {
				CPUSeconds float64 `json:"cpu_s"`
				MaxRSS     float64 `json:"max_rss_bytes"`
			} `json:"cost"`
		} `json:"client"`
	} `json:"inferometer"`

	fields map[string]any
}

// Percentile is one of those that --metric-percentiles asked for.
func (r *Result) Percentile(metric string, p float64) (ms float64, ok bool) {
	ms, ok = r.fields[fmt.Sprintf("p%v_%s_ms", p, metric)].(float64)
	return ms, ok
}

// ReadResult reads a run's result.
func ReadResult(folder string) (*Result, error) {
	b, err := os.ReadFile(filepath.Join(folder, journal.ResultName))
	if err != nil {
		return nil, err
	}
	r := &Result{}
	return r, errors.Join(json.Unmarshal(b, r), json.Unmarshal(b, &r.fields))
}

// Journal is a run's journal: its measured requests by index, and its first and last line.
type Journal struct {
	Run      *journal.Run
	End      *journal.End
	Requests map[int][]*journal.Request
}

// ReadJournal reads one.
func ReadJournal(folder string) (*Journal, error) {
	r, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	j := &Journal{Run: r.Run(), Requests: map[int][]*journal.Request{}}
	for {
		q, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !q.Warmup {
			own := *q // the reader uses its own again
			own.Events.At, own.Events.Lag = slices.Clone(q.Events.At), slices.Clone(q.Events.Lag)
			own.Events.Tokens, own.Events.Kind, own.Events.Size = slices.Clone(q.Events.Tokens), slices.Clone(q.Events.Kind), slices.Clone(q.Events.Size)
			j.Requests[q.Index] = append(j.Requests[q.Index], &own)
		}
	}
	j.End = r.End()
	return j, r.Damage()
}

// The outcomes of requests that no agent told the end of.
const (
	Lost   = journal.Outcome("lost")
	Unsent = journal.Outcome("unsent")
)

// Tally counts a run's requests by what became of them.
type Tally struct{ Complete, Failed, Lost, Unsent int }

// All is their sum.
func (t Tally) All() int { return t.Complete + t.Failed + t.Lost + t.Unsent }

// String is for people.
func (t Tally) String() string {
	return fmt.Sprintf("%d complete, %d failed, %d lost, %d unsent", t.Complete, t.Failed, t.Lost, t.Unsent)
}

// Account holds a journal against the plan and the truth: each index once, none that the
// truth has no trace of is complete, none that it saw is unsent, and it saw none twice.
func (j *Journal) Account(planned int, truth Truth) (t Tally, wrong []error) {
	note := func(format string, args ...any) {
		if len(wrong) < 20 {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	for i := range planned {
		if n := len(j.Requests[i]); n != 1 {
			note("index %d is in the journal %d times", i, n)
		}
	}
	for i, all := range j.Requests {
		if i < 0 || i >= planned {
			note("index %d is in the journal, of %d planned", i, planned)
		}
		for _, q := range all {
			switch seen := truth[i]; q.Outcome {
			case journal.Complete:
				t.Complete++
				if len(seen) == 0 || seen[0].Finish == "abort" || seen[0].Finish == "" {
					note("index %d is called complete, and the server did not complete it: %+v", i, seen)
				}
			case Unsent:
				t.Unsent++
				if len(seen) > 0 {
					note("index %d is called unsent, and the server saw it", i)
				}
			case Lost:
				t.Lost++
			default:
				t.Failed++
			}
		}
	}
	for i, seen := range truth {
		if len(seen) > 1 {
			note("the server saw index %d %d times", i, len(seen))
		}
	}
	if t.All() != planned {
		note("%v: %d in all, of %d planned", t, t.All(), planned)
	}
	return t, wrong
}
