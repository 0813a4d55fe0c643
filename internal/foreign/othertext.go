package foreign

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// locustHead begins the summary of fw-ai/benchmark's load test.
var locustHead = regexp.MustCompile(`^=+ Summary =+$`)

// locustNames are the rows of that summary. Milliseconds.
var locustNames = map[string]string{
	"Time To First Token": "mean_ttft_ms", "P50 Time To First Token": "median_ttft_ms", "P90 Time To First Token": "p90_ttft_ms",
	"P99 Time To First Token": "p99_ttft_ms", "P99.9 Time To First Token": "p99.9_ttft_ms",
	"Total Latency": "mean_e2el_ms", "P50 Total Latency": "median_e2el_ms", "P90 Total Latency": "p90_e2el_ms",
	"P99 Total Latency": "p99_e2el_ms", "P99.9 Total Latency": "p99.9_e2el_ms", "Latency Per Token": "mean_tpot_ms",
	"Qps": "request_throughput",
}

func locustBlock(lines []string) ([]result.Result, int) {
	r := newLocust()
	used := 1
	for ; used < len(lines); used++ {
		line := strings.TrimSpace(lines[used])
		if consoleEnd.MatchString(line) {
			used++
			break
		}
		label, word, ok := strings.Cut(line, ":")
		if !ok {
			break
		}
		locustField(&r, strings.TrimSpace(label), strings.TrimSpace(word))
	}
	if len(r.Values) == 0 {
		return nil, used
	}
	return []result.Result{r}, used
}

func newLocust() result.Result {
	return result.Result{Tool: result.Locust, Notes: []string{"percentiles are rounded by locust", "latency per token is 0 where the tokens were not counted"}}
}

// locustLoad is how that summary tells the load: users, or QPS and how it is spaced.
var locustLoad = regexp.MustCompile(`^(?:QPS ([0-9.]+)|([0-9]+))(?: |$)`)

// locustField keeps one field of the summary, or of a row of --summary-file.
func locustField(r *result.Result, label, word string) {
	switch label {
	case "Model":
		r.Facts.Model = word
	case "Provider":
		r.Facts.Backend = word
	case "Num Requests":
		if n, err := strconv.ParseFloat(word, 64); err == nil && n >= 0 && n < 1e12 {
			done := result.Count(n)
			r.Facts.Done(&done)
		}
	case "Concurrency":
		if m := locustLoad.FindStringSubmatch(word); m != nil {
			r.Facts.Rate, _ = strconv.ParseFloat(m[1], 64)
			r.Facts.Concurrency = integer(m[2])
		}
	}
	metric, known := locustNames[label]
	if v, err := strconv.ParseFloat(word, 64); known && err == nil {
		r.Set(metric, &v)
	}
}

// readLocustCSV reads the rows of fw-ai/benchmark's --summary-file, and of ours; nil if it is none.
func readLocustCSV(data []byte) []result.Result {
	header, _, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.Contains(header, []byte("Total Latency")) || !bytes.Contains(header, []byte(",")) {
		return nil
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil
	}
	var runs []result.Result
	for _, row := range rows[1:] {
		r := newLocust()
		for i, label := range rows[0] {
			locustField(&r, strings.TrimSpace(label), strings.TrimSpace(row[i]))
		}
		if len(r.Values) > 0 {
			runs = append(runs, r)
		}
	}
	return runs
}

// offlineHead begins the block of a script for offline batches that circulates in notes.
var offlineHead = regexp.MustCompile(`^\* =+$`)

var offlineRow = regexp.MustCompile(`^\* ([A-Z][A-Za-z/ ]+):\s+([0-9.]+)$`)

var offlineNames = map[string]string{
	"Generations / Sec": "request_throughput", "Generation Tok / Sec": "output_throughput", "Prompt Tok / Sec": "input_throughput",
}

func offlineBlock(lines []string) ([]result.Result, int) {
	r := result.Result{Tool: result.Offline, Notes: []string{"an offline batch has no latencies of single requests"}}
	used := 1
	for ; used < len(lines); used++ {
		line := strings.TrimSpace(lines[used])
		if offlineHead.MatchString(line) {
			used++
			break
		}
		if strings.HasPrefix(line, "```") {
			break
		}
		m := offlineRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue
		}
		switch m[1] {
		case "Total Time":
			r.Facts.Duration = v
		case "Total Generations":
			done := result.Count(v)
			r.Facts.Done(&done)
			r.Facts.AtOnce = true
		}
		if name, ok := offlineNames[m[1]]; ok {
			r.Set(name, &v)
		}
	}
	if len(r.Values) == 0 {
		return nil, 0
	}
	return []result.Result{r}, used
}

// evalTable reads lm-eval's table of scores: what a quantisation costs in quality
// belongs beside what it gains in speed.
func evalTable(lines []string) ([]result.Result, int) {
	header := cells(lines[0])
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	task, ok1 := column["Tasks"]
	metric, ok2 := column["Metric"]
	val, ok3 := column["Value"]
	errAt, ok4 := column["Stderr"]
	if !ok1 || !ok2 || !ok3 || !ok4 || len(lines) < 3 {
		return nil, 0
	}
	r := result.Result{Tool: result.LMEval}
	used, of := 2, ""
	for ; used < len(lines); used++ {
		row := cells(lines[used])
		if len(row) != len(header) {
			break
		}
		v, err := strconv.ParseFloat(row[val], 64)
		if err != nil {
			break
		}
		if row[task] != "" { // an empty one is that of the row above
			of = row[task]
		}
		name := of + "_" + row[metric]
		if _, taken := r.Values[name]; taken { // by another filter of the answers
			if i, ok := column["Filter"]; ok {
				name = of + "_" + row[i] + "_" + row[metric]
			}
		}
		r.Set(name, &v)
		if e, err := strconv.ParseFloat(row[errAt], 64); err == nil {
			r.Set("stderr_"+name, &e)
		}
		for _, word := range row {
			switch word {
			case "↑", "â†‘": // also as a wrong encoding leaves it
				r.Direct(name, true)
			case "↓", "â†“":
				r.Direct(name, false)
			}
		}
	}
	if len(r.Values) == 0 {
		return nil, used
	}
	return []result.Result{r}, used
}
