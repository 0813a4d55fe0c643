package export

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	shown "github.com/inferometer/inferometer/internal/export/prometheus"
	"github.com/inferometer/inferometer/test/realserver"
)

const dashboardFile = "../../deploy/grafana/inferometer.json"

type dashboard struct {
	Panels []panel
}

type panel struct {
	Type, Title string
	Options     json.RawMessage
	FieldConfig struct {
		Defaults struct{ Custom json.RawMessage }
	}
	Targets []struct{ Expr string }
}

func readDashboard(t *testing.T) (d dashboard, text string) {
	t.Helper()
	b, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d, string(b)
}

var metricName = regexp.MustCompile(`inferometer_[a-z_]+`)

// familyOf is the metric that a name in a query is of.
func familyOf(name string) (shown.Family, bool) {
	for _, f := range shown.Families() {
		parts := []string{""}
		if f.Type == "histogram" {
			parts = []string{"_bucket", "_sum", "_count"}
		}
		for _, part := range parts {
			if name == f.Name+part {
				return f, true
			}
		}
	}
	return shown.Family{}, false
}

// Each query names metrics that there are, and each metric has a panel.
func TestDashboardNamesMetrics(t *testing.T) {
	d, _ := readDashboard(t)
	used := map[string]bool{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			names := metricName.FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("%s: %s names no metric", p.Title, target.Expr)
			}
			for _, name := range names {
				f, ok := familyOf(name)
				if used[f.Name] = true; !ok {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	for _, f := range shown.Families() {
		if !used[f.Name] {
			t.Errorf("%s is in no panel", f.Name)
		}
	}
}

// absent are metrics that a run without a fleet and an SLO, against a simulator, need not have.
var absent = regexp.MustCompile(`inferometer_(server_|slo_|fleet_)`)

// checkQueries runs each query of the dashboard over the time of a run. None may find nothing.
func checkQueries(t *testing.T, p prometheus, from, to time.Time) {
	t.Helper()
	d, _ := readDashboard(t)
	values := strings.NewReplacer("$__rate_interval", "4s", "$__range", "10m", "$run", ".*")
	asked := 0
	for _, panel := range d.Panels {
		for _, target := range panel.Targets {
			query := values.Replace(target.Expr)
			if strings.Contains(query, "$") {
				t.Errorf("%s: %s has a variable that is not known", panel.Title, query)
			}
			asked++
			found := p.ask(t, "/api/v1/query_range", url.Values{
				"query": {query}, "start": {fmt.Sprint(from.Unix())}, "end": {fmt.Sprint(to.Unix() + 1)}, "step": {"1"},
			})
			if len(found) == 0 && !absent.MatchString(query) {
				t.Errorf("%s finds nothing: %s", panel.Title, query)
			}
		}
	}
	if asked < 20 {
		t.Errorf("only %d queries were asked", asked)
	}
}

// plain makes the words of an enum plain text: JSON has no enums.
const plain = `type Plain<T> = T extends string ? ` + "`${T}`" + ` : T extends Array<infer E> ? Array<Plain<E>> : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
`

// Grafana's own types take the dashboard, its panels' options among them, and refuse one with a mistake in it.
func TestGrafanaTakesTheDashboard(t *testing.T) {
	home := realserver.Lines(t, "INFEROMETER_GRAFANA", 1, how)[0]
	d, text := readDashboard(t)
	check := func(name, text string, panels []panel) (said string, err error) {
		var ts strings.Builder
		types := "./node_modules/@grafana/schema/dist/types/"
		fmt.Fprintf(&ts, "import type { Dashboard } from '%sraw/dashboard/x/types.gen';\n", types)
		for _, kind := range []string{"timeseries", "stat"} {
			fmt.Fprintf(&ts, "import type * as %s from '%sraw/composable/%s/panelcfg/x/types.gen';\n", kind, types, kind)
		}
		ts.WriteString(plain)
		fmt.Fprintf(&ts, "export const dashboard: Dashboard = %s;\n", text)
		for i, p := range panels {
			if slices.Contains([]string{"timeseries", "stat"}, p.Type) {
				fmt.Fprintf(&ts, "export const options%d: Plain<%s.Options> = %s;\n", i, p.Type, p.Options)
			}
			if custom := p.FieldConfig.Defaults.Custom; p.Type == "timeseries" && custom != nil {
				fmt.Fprintf(&ts, "export const custom%d: Plain<timeseries.FieldConfig> = %s;\n", i, custom)
			}
		}
		file := filepath.Join(home, name)
		if err := os.WriteFile(file, []byte(ts.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file)
		c := exec.Command(filepath.Join(home, "node_modules", ".bin", "tsc"), "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext", name)
		c.Dir = home
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if said, err := check("dashboard.ts", text, d.Panels); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	for _, change := range [][2]string{{`"schemaVersion": 42`, `"schemaVersion": "42"`}, {`"graphTooltip"`, `"grafTooltip"`}, {`"type": "query"`, `"type": "quarry"`}} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if _, err := check("wrong.ts", wrong, nil); err == nil || wrong == text {
			t.Errorf("%s instead of %s is taken", change[1], change[0])
		}
	}
	wrong := slices.Clone(d.Panels)
	for i := range wrong {
		wrong[i].Options = json.RawMessage(strings.Replace(string(wrong[i].Options), `"multi"`, `"many"`, 1))
	}
	if _, err := check("wrong.ts", text, wrong); err == nil {
		t.Error("a tooltip's mode that there is not is taken")
	}
}
