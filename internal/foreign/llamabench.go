package foreign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// llamaTest is one test of llama-bench: a shape and its speed.
type llamaTest struct {
	Model    string    `json:"model_type"`
	Backend  string    `json:"backends"`
	CPU      string    `json:"cpu_info"`
	GPU      string    `json:"gpu_info"`
	Prompt   int       `json:"n_prompt"`
	Gen      int       `json:"n_gen"`
	Depth    int       `json:"n_depth"`
	Speed    float64   `json:"avg_ts"`
	Dev      float64   `json:"stddev_ts"`
	Samples  []float64 `json:"samples_ts"`
	TestTime string    `json:"test_time"`
}

// shape is llama-bench's name of a test.
func (t *llamaTest) shape() string {
	name := ""
	switch {
	case t.Prompt > 0 && t.Gen > 0:
		name = fmt.Sprintf("pp%d+tg%d", t.Prompt, t.Gen)
	case t.Prompt > 0:
		name = fmt.Sprintf("pp%d", t.Prompt)
	default:
		name = fmt.Sprintf("tg%d", t.Gen)
	}
	if t.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", t.Depth)
	}
	return name
}

// run is one test by itself; a table joins those of one model.
func (t *llamaTest) run() result.Result {
	metric := result.ShapeMetric(t.shape())
	hardware := t.GPU
	if hardware == "" {
		hardware = t.CPU
	}
	r := result.Result{Name: t.Model, Tool: result.LlamaBench, Facts: result.Facts{Model: t.Model, Backend: t.Backend, Hardware: hardware, Date: t.TestTime}}
	r.Set(metric, &t.Speed)
	if t.Dev > 0 {
		r.Set("std_"+metric, &t.Dev)
	}
	r.Keep(metric, t.Samples)
	return r
}

func readLlamaObject(o object) ([]result.Result, error) {
	var t llamaTest
	if err := json.Unmarshal(o.whole, &t); err != nil {
		return nil, err
	}
	return []result.Result{t.run()}, nil
}

// readLlamaCSV reads llama-bench's CSV; nil if it is none.
func readLlamaCSV(data []byte) []result.Result {
	if !bytes.HasPrefix(data, []byte("build_commit,")) {
		return nil
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var runs []result.Result
	for _, row := range rows[1:] {
		cell := func(name string) string {
			if i, ok := column[name]; ok {
				return row[i]
			}
			return ""
		}
		count := func(name string) int { n, _ := strconv.Atoi(cell(name)); return n }
		speed, err := strconv.ParseFloat(cell("avg_ts"), 64)
		if err != nil {
			return nil
		}
		dev, _ := strconv.ParseFloat(cell("stddev_ts"), 64)
		t := llamaTest{
			Model: cell("model_type"), Backend: cell("backends"), CPU: cell("cpu_info"), GPU: cell("gpu_info"),
			Prompt: count("n_prompt"), Gen: count("n_gen"), Depth: count("n_depth"), Speed: speed, Dev: dev, TestTime: cell("test_time"),
		}
		runs = append(runs, t.run())
	}
	return joinShapes(runs)
}

// joinShapes makes one run of tests that follow each other, are of one model and
// backend, and repeat no shape.
func joinShapes(tests []result.Result) []result.Result {
	var runs []result.Result
	for _, t := range tests {
		if n := len(runs); n > 0 && t.Tool == result.LlamaBench && t.Line == 0 && sameSeries(&runs[n-1], &t) {
			for k, v := range t.Values {
				runs[n-1].Set(k, &v)
			}
			for k, v := range t.Samples {
				runs[n-1].Keep(k, v)
			}
			continue
		}
		runs = append(runs, t)
	}
	return runs
}

func sameSeries(a, b *result.Result) bool {
	if a.Tool != b.Tool || a.Name != b.Name || a.Facts.Backend != b.Facts.Backend || a.Facts.Hardware != b.Facts.Hardware {
		return false
	}
	for k := range b.Values {
		if _, ok := a.Values[k]; ok {
			return false
		}
	}
	return true
}

// A cell of speed: the deviation's sign may have been spoiled by a wrong encoding.
var speedCell = regexp.MustCompile(`^([0-9.]+)\s*(?:±|Â±|\+/-)\s*([0-9.]+)$`)

// llamaTable reads a Markdown table of llama-bench's whose header is in lines[0];
// nil if it is another table. used is the number of its lines.
func llamaTable(lines []string) (runs []result.Result, used int) {
	header := cells(lines[0])
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	test, hasTest := column["test"]
	speed, hasSpeed := column["t/s"]
	model, hasModel := column["model"]
	if !hasTest || !hasSpeed || !hasModel || len(lines) < 3 {
		return nil, 0
	}
	used = 2 // header and rule
	for ; used < len(lines); used++ {
		row := cells(lines[used])
		if len(row) != len(header) {
			break
		}
		m := speedCell.FindStringSubmatch(row[speed])
		if m == nil {
			break
		}
		value, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			break
		}
		dev, _ := strconv.ParseFloat(m[2], 64)
		r := result.Result{Name: name(row, header, model, test, speed), Tool: result.LlamaBench, Facts: result.Facts{Model: row[model]}}
		if i, ok := column["backend"]; ok {
			r.Facts.Backend = row[i]
		}
		metric := result.ShapeMetric(strings.ReplaceAll(row[test], " ", ""))
		r.Set(metric, &value)
		r.Set("std_"+metric, &dev)
		runs = append(runs, r)
	}
	return joinShapes(runs), used
}

// name is the model and what else was varied: all columns but size, test and speed.
func name(row, header []string, model, test, speed int) string {
	words := []string{row[model]}
	for i, h := range header {
		if i != model && i != test && i != speed && h != "size" && h != "params" && h != "backend" {
			words = append(words, h+"="+row[i])
		}
	}
	return strings.Join(words, " ")
}

// cells are the cells of a row of a Markdown table; nil if the line is none.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil
	}
	parts := strings.Split(line[1:len(line)-1], "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
