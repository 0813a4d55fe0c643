package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/fireworks"
	"github.com/inferometer/inferometer/internal/outside"
)

// FireworksRun is what a row says of the run besides its numbers.
type FireworksRun struct {
	Provider, Model string
	Temperature     *float64
	Logprobs        *int
	Concurrency     string // users, or QPS and how it is spaced
	fireworks.Fireworks
}

// columns of fw-ai/benchmark's --summary-file, with this run's values.
func (r *FireworksRun) columns() (names, values []string) {
	add := func(name, value string) { names, values = append(names, name), append(values, value) }
	number := func(name string, v float64) { add(name, strconv.FormatFloat(v, 'g', -1, 64)) }
	temperature, logprobs := "", ""
	if r.Temperature != nil {
		temperature = pyjson.Float(*r.Temperature)
	}
	if r.Logprobs != nil {
		logprobs = strconv.Itoa(*r.Logprobs)
	}
	add("Provider", outside.CSV(r.Provider))
	add("Model", outside.CSV(r.Model))
	number("Prompt Tokens", r.PromptTokens)
	number("Generation Tokens", r.OutputTokens)
	number("Completion Tokens", r.OutputTokens)
	add("Stream", "True")
	add("Temperature", temperature)
	add("Logprobs", logprobs)
	add("Concurrency", outside.CSV(r.Concurrency))
	number("Time To First Token", r.TTFT)
	number("Latency Per Token", r.LatencyPerToken)
	number("Overall Latency Per Token", r.OverallLatencyPerToken)
	number("Total Latency", r.TotalLatency)
	number("Num Tokens", r.OutputTokens)
	number("Cached Tokens", r.CachedTokens)
	number("Num Requests", float64(r.Requests))
	number("Qps", r.QPS)
	for i, p := range fireworks.Percentiles {
		number(fmt.Sprintf("P%g Time To First Token", p), r.TTFTPercentiles[i])
	}
	for i, p := range fireworks.Percentiles {
		number(fmt.Sprintf("P%g Total Latency", p), r.TotalPercentiles[i])
	}
	return names, values
}

// AppendFireworks adds a row to a CSV file. A new file gets a header first; in one
// that is there the row follows its header, whoever wrote it: what that does not
// name is left out, and what we don't know stays empty.
func AppendFireworks(f io.ReadWriteSeeker, r *FireworksRun) error {
	names, values := r.columns()
	header, err := csv.NewReader(f).Read()
	isNew := errors.Is(err, io.EOF)
	if err != nil && !isNew {
		return fmt.Errorf("read the header of the summary: %w", err)
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	row := values
	if isNew {
		_ = w.Write(names) // to memory
	} else {
		row = make([]string, len(header))
		for i, name := range header {
			if k := slices.Index(names, name); k >= 0 {
				row[i] = values[k]
			}
		}
		if !slices.Contains(header, "Total Latency") {
			return errors.New("the summary file has another header; give a new file")
		}
	}
	_ = w.Write(row)
	w.Flush()
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	_, err = f.Write(out.Bytes())
	return err
}
