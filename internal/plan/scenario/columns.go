package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"go.yaml.in/yaml/v3"
)

// column is one of the table beside the keys of the matrix: a number, or words.
type column struct {
	name   string // as it is asked for
	title  string
	metric string // by its name in an SLO; empty: words
	better better
	some   bool // among the usual ones only where a row has something to say in it
	words  func(*Row) string
}

// better is which direction of a column is an improvement.
type better int

const (
	lower better = iota
	more
	neither
)

// usualColumns are shown where none are asked for.
func usualColumns() []column {
	names := []string{"requests"}
	for _, n := range metric.UsualNames(func(u *metric.Usual) []string { return u.Columns }) {
		names = append(names, n.String())
	}
	var list []column
	for _, name := range append(names, "verdict", "slo", "why") {
		c, _ := columnOf(name)
		list = append(list, c)
	}
	return list
}

// inWords are the columns that are no number.
func inWords() []column {
	return []column{
		{name: "requests", title: "ok/total", words: (*Row).requests},
		{name: "verdict", title: "verdict", words: (*Row).state},
		{name: "slo", title: "SLO", words: (*Row).kept},
		{name: "why", title: "why", words: (*Row).why, some: true},
		{name: "measured", title: "measured", words: (*Row).measuredAt},
		{name: "version", title: "version", words: (*Row).version},
	}
}

// numberColumns are the columns of numbers of a whole run.
func numberColumns() []column {
	var list []column
	for _, m := range metric.All() {
		if m.Run == nil {
			continue
		}
		c := column{name: m.Name, title: metric.Name{Metric: &m}.Column(), metric: m.Name, better: neither, some: m.Better == "" || m.OfQuestions || m.OfJobs || m.OfFaults}
		if m.Better == metric.Higher && !m.Share { // a count is no merit
			c.better = more
		}
		if m.Name == result.AccuracyMetric { // with its error; which is best, the front says
			c.words, c.better = (*Row).accuracy, neither
		}
		list = append(list, c)
	}
	return list
}

// columnOf finds a column by its name: one in words, a number of a run, or a statistic of a latency.
func columnOf(name string) (column, error) {
	list := slices.Insert(inWords(), 1, numberColumns()...)
	if i := slices.IndexFunc(list, func(c column) bool { return c.name == name }); i >= 0 {
		return list[i], nil
	}
	if n, ok := metric.ParseName(name); ok && n.Metric.Reported() && n.Statistic != "" {
		return column{name: name, title: n.Column(), metric: n.String(), some: n.Metric.OfJobs}, nil
	}
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.name
	}
	return column{}, fmt.Errorf("there is no column %q; there are %s, and mean_, median_, std_ or pNN_ with %s",
		name, strings.Join(names, ", "), strings.Join(metric.ReportedNames(), ", "))
}

// columnNames are those that a file or a flag asks for.
type columnNames []string

func (c *columnNames) decodeNode(_ *decoder, _ string, n *yaml.Node) error {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		items = nil
		for word := range strings.SplitSeq(n.Value, ",") {
			items = append(items, &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(word)})
		}
	}
	var list columnNames
	for _, item := range items {
		if item.Kind != yaml.ScalarNode {
			return fmt.Errorf("must be a list of columns, and one is %s", describe(item))
		}
		if _, err := columnOf(item.Value); err != nil {
			return err
		}
		if slices.Contains(list, item.Value) {
			return fmt.Errorf("%s is there twice", item.Value)
		}
		list = append(list, item.Value)
	}
	if len(list) == 0 {
		return fmt.Errorf("is empty: leave it out for the usual columns")
	}
	*c = list
	return nil
}

// statistics are the latencies and percentiles that the columns need to be measured.
func (c columnNames) statistics() (latencies []string, percentiles []float64) {
	for _, name := range c {
		n, ok := metric.ParseName(name)
		if !ok || n.Statistic == "" {
			continue // no latency
		}
		latencies = append(latencies, n.Metric.Name)
		if p, ok := n.Statistic.Percentile(); ok && n.Statistic != metric.Median {
			percentiles = append(percentiles, p)
		}
	}
	return latencies, percentiles
}

// columns are those that this summary shows.
func (s *Summary) columns() []column {
	list := usualColumns()
	if names := s.plan.Scenario.Columns; len(names) > 0 {
		list = nil
		for _, name := range names {
			if c, err := columnOf(name); err == nil { // checked when the file was read
				list = append(list, c)
			}
		}
		return list
	}
	return slices.DeleteFunc(list, func(c column) bool {
		said := func(r *Row) bool { return r.text(c) != nothing }
		return c.name == "slo" && !s.hasSLO() || c.some && !slices.ContainsFunc(s.Rows, said)
	})
}

// nothing stands where a row has no value; tooFew where it has too few for one.
const (
	nothing = number.None
	tooFew  = number.TooFew
)

// text is a row's cell.
func (r *Row) text(c column) string {
	if c.words != nil {
		return c.words(r)
	}
	return r.cell(c.metric)
}

const longestWhy = 60

// why is the reason that a point has no result, or a doubtful one.
func (r *Row) why() string {
	switch {
	case len(r.Errors) > 0:
		first, _, _ := strings.Cut(r.Errors[0], "\n")
		first = strings.TrimPrefix(first, "bench serve: ")
		if more := len(r.Errors) - 1; more > 0 {
			first = fmt.Sprintf("%s (and %d more)", first, more)
		}
		if runes := []rune(first); len(runes) > longestWhy {
			first = string(runes[:longestWhy-1]) + "…"
		}
		return outside.Markdown(first)
	case len(r.Reasons) > 0:
		return strings.Join(r.Reasons, ", ")
	}
	return nothing
}

// measuredAt is when the first of a row's results was measured.
func (r *Row) measuredAt() string {
	text := nothing
	for _, rec := range r.Records {
		if rec.done() && !rec.Started.IsZero() && (text == nothing || day(rec.Started) < text) {
			text = day(rec.Started)
		}
	}
	return text
}

// version is what the servers of a row said of themselves.
func (r *Row) version() string {
	var list []string
	for _, rec := range r.Records {
		if rec != nil && rec.Version != "" && !slices.Contains(list, rec.Version) {
			list = append(list, rec.Version)
		}
	}
	if len(list) == 0 {
		return nothing
	}
	return outside.Markdown(strings.Join(list, ", "))
}
