package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/summary"
	"github.com/inferometer/inferometer/internal/stats"
)

// journalSeed is a small run with one of everything.
const journalSeed = `{"run":{"schema":1,"start_unix_ns":1700000000000000000,"zone":"+02:00","options":{"pace":"closed","max_concurrency":2,"num_prompts":4,"metric_percentiles":[50,99],"goodput":{"ttft":100},"price":{"per_hour":2,"devices":1}},"targets":[{"url":"a"},{"url":"b"}],"clock":"kernel","environment":{"gomaxprocs":2}}}
{"sample":{"at":0,"cpu_ns":1,"wait_ns":1}}
{"scrape":{"at":-5,"counters":{"vllm:generation_tokens_total":1}}}
{"request":{"i":0,"due":0,"sent":10,"end":90,"outcome":"complete","prompt_tokens":3,"output_tokens":3,"usage_output":3,"events":{"at":[20,30,20],"lag":[1,1,1],"tokens":[1,1,1],"tokens_by":"usage","kind":[3,3,19]},"prompt_hash":"0f","text_hash":"0e"}}
{"request":{"i":1,"target":1,"due":0,"released":1,"sent":11,"end":2000000090,"outcome":"complete","prompt_tokens":3,"output_tokens":3,"events":{"at":[20,1000000000,20],"kind":[3,3,51],"size":[4,0,9]}}}
{"request":{"i":2,"due":90,"sent":95,"end":99,"outcome":"http_5xx","status":503,"error":"busy","prompt_tokens":3,"output_tokens":3,"events":{}}}
{"request":{"i":3,"warmup":true,"due":-90,"sent":-80,"end":-1,"outcome":"complete","prompt_tokens":3,"output_tokens":3,"events":{"at":[5,5],"kind":[3,3]}}}
{"sample":{"at":1000000000,"cpu_ns":100000,"wait_ns":100}}
{"scrape":{"at":2000000100,"after":true,"counters":{"vllm:generation_tokens_total":9}}}
{"end":{"at":2000000090,"sent":3,"peak_in_flight":2,"spec_decode":{"drafts":1,"draft_tokens":4,"accepted":2,"per_position":[1,1]},"client":{"user_cpu_ns":5}}}
`

var packer, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // no option can fail

// FuzzJournal: whatever stands in a journal, its result, its verdict and its reports can
// be had, or an error.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(journalSeed))
	f.Add([]byte(strings.ReplaceAll(journalSeed, `"pace":"closed"`, `"pace":"poisson","request_rate":2,"compat":"vllm"`)))
	f.Add([]byte(strings.ReplaceAll(journalSeed, `"sent":10,`, `"sent":-9223372036854775808,`)))
	f.Add([]byte(strings.ReplaceAll(journalSeed, `"options":{"pace":"closed","max_concurrency":2,`, `"spec":{"load":{"max_concurrency":2,"seed":7},"keep":{"metadata":[{"key":"a","value":"b"}]}},"options":{"pace":"closed",`)))
	f.Add([]byte(strings.ReplaceAll(journalSeed, `"max_concurrency":2`, `"max_concurrency":1000000000,"batch":2,"until":"p99_ttft±5%"`)))
	f.Fuzz(func(t *testing.T, lines []byte) {
		if len(lines) > 1<<13 {
			return
		}
		j, err := journal.NewReader(bytes.NewReader(packer.EncodeAll(lines, nil)))
		if err != nil {
			return
		}
		defer j.Close()
		watch := chartdata.NewCollector(50)
		of, err := judged.Journal(j, measure.Options{RowLimit: 3, ExactLimit: 4}, watch)
		if err != nil {
			return
		}
		r, v := of.Result, of.Verdict
		shown := report.Options{RunDir: "x", Verdict: v, Explain: of.Explain, Details: true}
		if lines := summary.Of(&section.Run{Result: r, Verdict: v, Explain: of.Explain}, nil); len(lines) > summary.MaxLines {
			t.Errorf("a summary of %d lines: %q", len(lines), lines)
		}
		if err := report.Console(io.Discard, r, shown); err != nil {
			t.Error(err)
		}
		if err := report.JSON(io.Discard, r, shown); err != nil {
			t.Error(err)
		}
		runs := []section.Run{{Name: "x", Result: r, Verdict: v, Drawn: watch.Run(j.Samples(), j.Scrapes())}}
		if err := page.Write(io.Discard, runs, page.Options{}); err != nil {
			t.Error(err)
		}
		if size := j.Run().Options.Batch; size > 0 {
			fuzzBatches(t, lines, size)
		}
	})
}

func fuzzBatches(t *testing.T, lines []byte, size int) {
	t.Helper()
	j, err := journal.NewReader(bytes.NewReader(packer.EncodeAll(lines, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	batches, err := batch.Read(j, size)
	if err != nil {
		return
	}
	l := batch.LatenciesOf(batches, 3)
	row := batch.MeasureShape(batch.Shape{Prompt: 3, Gen: 3, Batch: size}, batches, 0)
	_, _ = stats.MeanDeviation(row.Rates())
	if err := report.LatencyConsole(io.Discard, &l); err != nil {
		t.Error(err)
	}
}
