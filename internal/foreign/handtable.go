package foreign

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// What the columns of a table that a person made, or compare --list, are called.
var (
	columnStat = regexp.MustCompile(`^(mean|avg|average|median|p[0-9]{1,2}(?:\.[0-9]+)?) (ttft|tpot|itl|e2el|e2e latency) \(?(ms|s)\)?$`)
	columnRate = map[string]*regexp.Regexp{
		"request_throughput":     regexp.MustCompile(`^(req(uest)?s?/s(ec)?|requests per second|qps|rps|request throughput \(req/s\))$`),
		"output_throughput":      regexp.MustCompile(`^(output|generation|decode) (tok(en)?s?/s(ec)?|token throughput \(tok/s\))$`),
		"total_token_throughput": regexp.MustCompile(`^total (tok(en)?s?/s(ec)?|token throughput \(tok/s\))$`),
		"input_throughput":       regexp.MustCompile(`^(input|prompt|prefill) (tok(en)?s?/s(ec)?|token throughput \(tok/s\))$`),
	}
	columnLoad = regexp.MustCompile(`^(max[-_ ])?concurrency$|^load$`)
	loadCell   = regexp.MustCompile(`^(?:c=)?([0-9]{1,7})(?:, ([0-9.]+)/s)?$|^([0-9.]+)/s$|^[0-9]+ at once$`)
	doneCell   = regexp.MustCompile(`^([0-9]{1,9})(?: ?(?:of|/) ?([0-9]{1,9}))?$`)
	ruleCell   = regexp.MustCompile(`^:?-+:?$`)
	numberCell = regexp.MustCompile(`^([0-9][0-9,]*(?:\.[0-9]+)?)(?: ?± ?[0-9.]+)?$`)
)

// handColumn is what a column holds: a metric and the factor to its unit, or another role.
type handColumn struct {
	role   string // metric, duration, load, completed, model, backend, word
	metric string
	factor float64
}

func handColumnOf(header string) handColumn {
	text := strings.Join(strings.Fields(strings.ToLower(strings.Trim(header, "*` "))), " ")
	if m := columnStat.FindStringSubmatch(text); m != nil {
		stat := map[string]string{"avg": "mean", "average": "mean"}[m[1]]
		if stat == "" {
			stat = m[1]
		}
		return handColumn{"metric", stat + "_" + strings.Replace(m[2], "e2e latency", "e2el", 1) + "_ms", map[string]float64{"ms": 1, "s": 1000}[m[3]]}
	}
	for metric, name := range columnRate {
		if name.MatchString(text) {
			return handColumn{"metric", metric, 1}
		}
	}
	switch {
	case text == "duration (s)":
		return handColumn{role: "duration"}
	case columnLoad.MatchString(text):
		return handColumn{role: "load"}
	case text == "completed" || text == "successful requests":
		return handColumn{role: "completed"}
	case strings.HasPrefix(text, "model"):
		return handColumn{role: "model"}
	case text == "backend" || text == "engine":
		return handColumn{role: "backend"}
	}
	return handColumn{role: "word"}
}

// handTable reads a Markdown table that a person made of results: one row per run, and
// at least two columns that name a metric with its unit. Other tables are none.
func handTable(lines []string) ([]result.Result, int) {
	if len(lines) < 3 {
		return nil, 0
	}
	if !strings.Contains(lines[0], "/s") && !strings.Contains(lines[0], "ms") && !strings.Contains(lines[0], "(s)") {
		return nil, 0 // no unit that a metric would have
	}
	header, rule := cells(lines[0]), cells(lines[1])
	if len(header) < 3 || len(rule) != len(header) || !ruleCell.MatchString(rule[0]) {
		return nil, 0
	}
	columns, metrics := make([]handColumn, len(header)), 0
	for i, h := range header {
		if columns[i] = handColumnOf(h); columns[i].role == "metric" {
			metrics++
		}
	}
	if metrics < 2 {
		return nil, 0
	}
	var runs []result.Result
	used := 2
	for ; used < len(lines); used++ {
		row := cells(lines[used])
		if len(row) != len(header) {
			break
		}
		if r := handRow(columns, row); len(r.Values) > 0 {
			runs = append(runs, r)
		}
	}
	return runs, used
}

func handRow(columns []handColumn, row []string) result.Result {
	r := result.Result{Tool: result.HandMade, Notes: []string{"a table that someone made by hand: nothing but what is printed is known"}}
	var words []string
	for i, c := range columns {
		text := strings.TrimSpace(strings.Trim(row[i], "*"))
		switch c.role {
		case "metric":
			if v, ok := handNumber(text); ok {
				v *= c.factor
				r.Set(c.metric, &v)
			}
		case "duration":
			r.Facts.Duration, _ = handNumber(text)
		case "load":
			if m := loadCell.FindStringSubmatch(text); m != nil {
				r.Facts.Concurrency = integer(m[1])
				r.Facts.Rate, _ = strconv.ParseFloat(m[2]+m[3], 64)
				r.Facts.AtOnce = strings.HasSuffix(text, "at once")
			}
		case "completed":
			if m := doneCell.FindStringSubmatch(text); m != nil {
				r.Facts.Completed, r.Facts.Asked = integer(m[1]), integer(m[2])
				r.Facts.Nothing = r.Facts.Completed == 0
			}
		case "model":
			r.Facts.Model = text
			words = append(words, text)
		case "backend":
			r.Facts.Backend = text
			words = append(words, text)
		default:
			if _, isNumber := handNumber(text); !isNumber && text != "" {
				words = append(words, strings.TrimSuffix(text, " (!)"))
			}
		}
	}
	r.Name = strings.Join(words, " ")
	return r
}

// handNumber reads 1,295.40, and the value of 878.3 ± 4.1.
func handNumber(text string) (float64, bool) {
	m := numberCell.FindStringSubmatch(strings.Trim(text, "*~ "))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	return v, err == nil
}
