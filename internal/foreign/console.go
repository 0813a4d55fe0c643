package foreign

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// consoleHead begins vLLM's block, SGLang's and ours: only the number of signs differs.
var consoleHead = regexp.MustCompile(`^=+ Serving Benchmark Result =+$`)

var (
	consoleEnd = regexp.MustCompile(`^=+$`)
	consoleRow = regexp.MustCompile(`^([A-Za-z0-9].*?):\s+(-?[0-9.]+|inf|nan)\s*%?$`)
	statistic  = regexp.MustCompile(`^(Mean|Median|Std|P[0-9.]+) (.+) \(ms\)$`)
)

// consoleNames are the labels that are not a statistic of milliseconds, in small
// letters: versions differ in them.
var consoleNames = map[string]string{
	"request throughput (req/s)":           "request_throughput",
	"request goodput (req/s)":              "request_goodput",
	"output token throughput (tok/s)":      "output_throughput",
	"input token throughput (tok/s)":       "input_throughput",
	"total token throughput (tok/s)":       "total_token_throughput",
	"peak output token throughput (tok/s)": "max_output_tokens_per_s",
}

// consoleMetrics are the short names that stand in the labels of statistics.
var consoleMetrics = map[string]string{
	"TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2EL": "e2el", "E2E Latency": "e2el",
}

// consoleBlock reads the block whose head is lines[0].
func consoleBlock(lines []string) ([]result.Result, int) {
	r := result.Result{Tool: result.VLLMConsole, Notes: []string{
		"a printed block has two decimals and no single requests: only large differences can be told",
	}}
	used := 1
	for ; used < len(lines); used++ {
		line := strings.TrimSpace(lines[used])
		if consoleEnd.MatchString(line) {
			used++
			break
		}
		if strings.HasPrefix(line, "```") || consoleHead.MatchString(line) {
			break // it was cut off
		}
		consoleLine(&r, line)
	}
	if len(r.Values) == 0 {
		return nil, used
	}
	return []result.Result{r}, used
}

func consoleLine(r *result.Result, line string) {
	m := consoleRow.FindStringSubmatch(line)
	if m == nil {
		return
	}
	label, word := m[1], m[2]
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return
	}
	f := &r.Facts
	switch strings.ToLower(label) {
	case "successful requests":
		done := result.Count(v)
		f.Done(&done)
	case "failed requests":
		n := result.Count(v)
		f.Failed = &n
	case "maximum request concurrency", "max request concurrency":
		f.Concurrency = result.Count(v)
	case "request rate configured (rps)":
		f.Rate = v
	case "benchmark duration (s)":
		f.Duration = v
	case "total input tokens":
		f.InputTokens = int64(result.Count(v))
	case "total generated tokens":
		f.OutputTokens = int64(result.Count(v))
	default:
		setLabel(r, label, v)
	}
}

func setLabel(r *result.Result, label string, v float64) {
	if name, ok := consoleNames[strings.ToLower(label)]; ok {
		r.Set(name, &v)
		return
	}
	if s := statistic.FindStringSubmatch(label); s != nil {
		if metric, ok := consoleMetrics[s[2]]; ok {
			r.Set(strings.ToLower(s[1])+"_"+metric+"_ms", &v)
		}
	}
}

func integer(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
