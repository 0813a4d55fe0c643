package gallery

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/inferometer/inferometer/internal/show/number"
)

// run is a line of summary.csv: one repeat of one point.
type run map[string]string

func readRuns(folder, name string) (runs []run, err error) {
	f, err := os.Open(filepath.Join(folder, name, "summary.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, line := range lines[1:] {
		r := run{}
		for i, key := range lines[0] {
			r[key] = line[i]
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// values are those of a metric at a point, one for each repeat; the point is given as target=q4,concurrency=1.
func values(folder, name, metric, point string) (all []float64, err error) {
	runs, err := readRuns(folder, name)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if !r.is(point) {
			continue
		}
		v, err := strconv.ParseFloat(r[metric], 64)
		if err != nil {
			return nil, fmt.Errorf("%s has no %s at %s", name, metric, point)
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no run at %s", name, point)
	}
	return all, nil
}

func (r run) is(point string) bool {
	for _, want := range strings.Split(point, ",") {
		key, value, _ := strings.Cut(want, "=")
		if r[key] != value {
			return false
		}
	}
	return true
}

func mean(all []float64) (m float64) {
	for _, v := range all {
		m += v / float64(len(all))
	}
	return m
}

// ratios are the mean of a over the mean of b, and the smallest and largest of the repeats' own. Repeats of one number were
// run in the same minutes.
func ratios(folder, name, metric, a, b string) (middle, low, high float64, err error) {
	of, err := values(folder, name, metric, a)
	if err != nil {
		return 0, 0, 0, err
	}
	to, err := values(folder, name, metric, b)
	if err != nil {
		return 0, 0, 0, err
	}
	if len(of) != len(to) {
		return 0, 0, 0, fmt.Errorf("%s was run %d times at %s and %d times at %s", name, len(of), a, len(to), b)
	}
	low, high = of[0]/to[0], of[0]/to[0]
	for i := range of {
		low, high = min(low, of[i]/to[i]), max(high, of[i]/to[i])
	}
	return mean(of) / mean(to), low, high, nil
}

func verdicts(folder, name string) (string, error) {
	runs, err := readRuns(folder, name)
	if err != nil {
		return "", err
	}
	count, why := map[string]int{}, map[string][]string{}
	for _, r := range runs {
		v := r["verdict"]
		if r["state"] != "done" {
			v = r["state"]
		}
		count[v]++
		for _, reason := range strings.Fields(strings.ReplaceAll(r["reasons"], ",", " ")) {
			if !strings.Contains(strings.Join(why[v], " "), reason) {
				why[v] = append(why[v], reason)
			}
		}
	}
	text := fmt.Sprintf("%d of %d runs are VALID", count["VALID"], len(runs))
	if count["VALID"] == len(runs) {
		text = fmt.Sprintf("VALID, all %d runs", len(runs))
	}
	for _, v := range []string{"SUSPECT", "INVALID", "failed", "missing"} {
		if n := count[v]; n == 1 {
			text += fmt.Sprintf(", 1 is %s", v)
		} else if n > 1 {
			text += fmt.Sprintf(", %d are %s", n, v)
		}
		if count[v] > 0 && len(why[v]) > 0 {
			text += " (" + strings.Join(why[v], ", ") + ")"
		}
	}
	return text, nil
}

// functions are what README.tmpl may say. times and even fail where the numbers say something else.
func functions(folder string) template.FuncMap {
	return template.FuncMap{
		"mean": func(name, metric, point string) (string, error) {
			all, err := values(folder, name, metric, point)
			return number.Short(mean(all)), err
		},
		"times": func(name, metric, a, b string) (string, error) {
			middle, low, high, err := ratios(folder, name, metric, a, b)
			if err == nil && low <= 1 {
				err = fmt.Errorf("%s: %s at %s is not larger than at %s in every repeat", name, metric, a, b)
			}
			return fmt.Sprintf("%s times (%s to %s)", number.Short(middle), number.Short(low), number.Short(high)), err
		},
		"even": func(name, metric, a, b string) (string, error) {
			_, low, high, err := ratios(folder, name, metric, a, b)
			if err == nil && (low > 1 || high < 1) {
				err = fmt.Errorf("%s: %s at %s is not even with that at %s", name, metric, a, b)
			}
			return fmt.Sprintf("%s to %s times", number.Short(low), number.Short(high)), err
		},
		"verdicts": func(name string) (string, error) { return verdicts(folder, name) },
	}
}
