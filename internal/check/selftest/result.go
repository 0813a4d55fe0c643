package selftest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
)

// Schema is the version of the result's format.
const Schema = 1

// Machine is what a claim holds for.
type Machine struct {
	Host       string `json:"host"`
	CPU        string `json:"cpu,omitempty"`
	CPUs       int    `json:"cpus"`
	GoMaxProcs int    `json:"gomaxprocs"` // a quota or a setting that makes the machine smaller
}

// Result is a self-test: what was measured, and what it proves.
type Result struct {
	Schema  int       `json:"schema"`
	At      time.Time `json:"at"`
	Version string    `json:"version"` // of inferometer
	Machine Machine   `json:"machine"`
	Engine  string    `json:"engine"` // what carried the requests: loop or nethttp
	Stamps  string    `json:"stamps"` // whose times: kernel or user
	Quick   bool      `json:"quick"`
	// OthersCPU is the share of the processors that other programs used meanwhile; absent: not told.
	OthersCPU *float64 `json:"others_cpu,omitempty"`

	Steps []Step `json:"steps"`
	// Points are what is proven; Claim is the one of them with the most streams at
	// the usual speed, absent if nothing could be proven.
	Points []journal.ProvenPoint `json:"points"`
	Claim  *journal.ProvenPoint  `json:"claim,omitempty"`
	// Busy is why the machine was not quiet; empty: it was. The client may then do
	// better than the points say, so that a load beyond them is no doubt about a run.
	Busy     string `json:"busy,omitempty"`
	Sentence string `json:"sentence"`
}

// mostOthers is the CPU share of other programs above which they limit what can be proven.
const mostOthers = 0.10

// Conclude derives the claims from the steps. The first main steps are the main ladder.
func (r *Result) Conclude(main int) {
	r.Points = Points(r.Steps)
	for i := range r.Steps[:main] {
		if claimed(r.Steps, i) {
			c := claim(r.Steps, &r.Steps[i])
			r.Claim = &c
		}
	}
	r.Busy = r.busy()
	r.Sentence = "on this machine, nothing could be proven: its errors are too large even at the lowest load"
	if c := r.Claim; c != nil {
		r.Sentence = fmt.Sprintf("on this machine, up to %s at %s tok/s, TTFT is right to ±%s ms and inter-token times to ±%s ms (p99)",
			streams(c.Streams), number(c.TokensPerS), number(c.TTFTMS), number(c.ITLMS))
		if r.Busy != "" {
			r.Sentence += "; more may hold, as the machine was busy: " + r.Busy
		}
	}
}

// busy is the evidence that other programs used the machine.
func (r *Result) busy() string {
	if r.OthersCPU != nil && *r.OthersCPU > mostOthers {
		return fmt.Sprintf("other programs used %.0f %% of its processors", 100**r.OthersCPU)
	}
	if beyond, all := r.Disturbed(); beyond > 0 {
		return fmt.Sprintf("%d of %d rounds were beyond the limits at loads that the client can take", beyond, all)
	}
	return ""
}

// Disturbed counts the rounds of the proven steps that were beyond a limit, and all
// of them: the client can take the load, so others had the machine meanwhile.
func (r *Result) Disturbed() (beyond, all int) {
	for i := range r.Steps {
		if r.Steps[i].Fails != "" {
			continue
		}
		for _, round := range r.Steps[i].Rounds {
			all++
			if round.Fails != "" {
				beyond++
			}
		}
	}
	return beyond, all
}

// Proven is what the result proves for a run by this program on this machine; nil: nothing.
func (r *Result) Proven(version, engine string, m Machine) *journal.Proven {
	if r.Version != version || r.Engine != engine || r.Machine != m || len(r.Points) == 0 {
		return nil
	}
	return &journal.Proven{At: r.At.Unix(), Version: r.Version, Engine: r.Engine, Busy: r.Busy, Points: r.Points}
}

// Decode reads a result.
func Decode(b []byte) (*Result, error) {
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("read the self-test's result: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("the self-test's result has the format %d, and this program knows %d: run inferometer selftest again", r.Schema, Schema)
	}
	return &r, nil
}

// Save keeps the result for later runs, whole or not at all.
func (r *Result) Save(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	if err := atomicfile.WriteBytes(path, append(b, '\n')); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	return nil
}

func streams(n int) string {
	if n == 1 {
		return "1 stream"
	}
	return number(float64(n)) + " streams"
}

// number is written with as many digits as needed, and thousands separators.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if v < 1000 {
		return text
	}
	text = strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
