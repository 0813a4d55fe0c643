package export

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/parquet"
)

// column is one column of the table of requests. Its value is nil where there is none.
type column struct {
	parquet.Column
	of func(c *context) any
}

// context is a request with its run.
type context struct {
	run  string
	zero int64 // of the run's clock, ns since 1970
	req  *journal.Request
	row  *row.Row

	agents   []string       // of a fleet: what they are called
	replicas *replica.Names // of the run
}

// name is what the replica is called that answered; empty: nobody said.
func (c *context) name() string {
	switch at := c.replicas.Of(c.req); at {
	case replica.Unknown:
		return ""
	case replica.Others: // too many for tables by replica, and not for this one
		return c.req.Replica
	default:
		return c.replicas.Name(at)
	}
}

// columns are the table of requests; docs/report.md lists them. That of a fleet has its agents too.
func columns(fleet bool) []column {
	list := requestColumns()
	if fleet {
		list = append(list, column{parquet.Column{Name: "agent", Type: parquet.Text}, func(c *context) any {
			if c.req.Agent < 0 || c.req.Agent >= len(c.agents) {
				return nil
			}
			return text(c.agents[c.req.Agent])
		}})
	}
	return list
}

// sent is a column of what a request has only if it was sent.
func sent(c column) column {
	of := c.of
	c.of = func(c *context) any {
		if c.req.Outcome.Missing() {
			return nil
		}
		return of(c)
	}
	return c
}

func requestColumns() []column {
	list := []column{
		{parquet.Column{Name: "run", Type: parquet.Text}, func(c *context) any { return c.run }},
		{parquet.Column{Name: "request", Type: parquet.Int}, func(c *context) any { return int64(c.row.Index) }},
		{parquet.Column{Name: "id", Type: parquet.Text}, func(c *context) any { return text(c.req.ID) }},
		{parquet.Column{Name: "outcome", Type: parquet.Text}, func(c *context) any { return string(c.req.Outcome) }},
		{parquet.Column{Name: "ok", Type: parquet.Bool}, func(c *context) any { return c.row.OK }},
		{parquet.Column{Name: "status", Type: parquet.Int}, func(c *context) any { return above(c.req.Status) }},
		{parquet.Column{Name: "error", Type: parquet.Text}, func(c *context) any { return text(c.req.Error) }},
		moment("due", func(r *row.Row) int64 { return r.Due }),
		sent(moment("sent", func(r *row.Row) int64 { return r.Sent })),
		sent(moment("ended", func(r *row.Row) int64 { return r.End })),
		sent(column{parquet.Column{Name: "sent_s", Type: parquet.Float}, func(c *context) any { return float64(c.row.Sent) / 1e9 }}),
		sent(column{parquet.Column{Name: "late_ms", Type: parquet.Float}, func(c *context) any { return millis(c.row.Sent - c.row.Due) }}),
	}
	for _, m := range metric.All() {
		if m.Reported() && m.Of != nil && !m.NoRequestColumn {
			list = append(list, latency(m))
		}
	}
	return append(list,
		column{parquet.Column{Name: "first_visible_ms", Type: parquet.Float}, func(c *context) any { return since(c.row.FirstVisible) }},
		column{parquet.Column{Name: "longest_gap_ms", Type: parquet.Float}, func(c *context) any { return since(c.row.LongestGap) }},
		column{parquet.Column{Name: "prompt_tokens", Type: parquet.Int}, func(c *context) any { return int64(c.row.Prompt) }},
		column{parquet.Column{Name: "output_tokens", Type: parquet.Int}, func(c *context) any { return int64(c.row.Output) }},
		column{parquet.Column{Name: "asked_tokens", Type: parquet.Int}, func(c *context) any { return int64(c.req.OutputTokens) }},
		column{parquet.Column{Name: "cached_tokens", Type: parquet.Int}, func(c *context) any { return int64(c.req.UsageCached) }},
		column{parquet.Column{Name: "events", Type: parquet.Int}, func(c *context) any { return int64(len(c.req.Events.At)) }},
		column{parquet.Column{Name: "finish_reason", Type: parquet.Text}, func(c *context) any { return text(c.req.FinishReason) }},
		column{parquet.Column{Name: "prompt_hash", Type: parquet.Text}, func(c *context) any { return text(c.req.PromptHash) }},
		column{parquet.Column{Name: "conversation", Type: parquet.Int}, func(c *context) any { return above(c.req.Conversation) }},
		column{parquet.Column{Name: "turn", Type: parquet.Int}, func(c *context) any { return above(c.req.Turn) }},
		column{parquet.Column{Name: "model", Type: parquet.Text}, func(c *context) any { return text(c.req.Model) }},
		column{parquet.Column{Name: "usage_cached", Type: parquet.Int}, func(c *context) any { return known32(c.row.Cached) }},
		column{parquet.Column{Name: "replica", Type: parquet.Text}, func(c *context) any { return text(c.name()) }},
		column{parquet.Column{Name: "prefiller", Type: parquet.Text}, func(c *context) any { return text(c.req.Prefiller) }},
		column{parquet.Column{Name: "retries", Type: parquet.Int}, func(c *context) any { return above(c.req.Retries) }},
	)
}

// latency is a metric of the successes.
func latency(m metric.Metric) column {
	return column{parquet.Column{Name: m.Name + "_ms", Type: parquet.Float}, func(c *context) any {
		if v, ok := m.Of(c.row); ok && c.row.OK {
			return v * 1000
		}
		return nil
	}}
}

func moment(name string, of func(*row.Row) int64) column {
	return column{parquet.Column{Name: name, Type: parquet.Moment}, func(c *context) any { return (c.zero + of(c.row)) / 1000 }}
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func above(n int) any {
	if n <= 0 {
		return nil
	}
	return int64(n)
}

// known32 is nil for what is not known: below zero.
func known32(n int32) any {
	if n < 0 {
		return nil
	}
	return int64(n)
}

func millis(ns int64) float64 { return float64(ns) / 1e6 }

func since(ns int64) any {
	if ns < 0 {
		return nil
	}
	return millis(ns)
}

// Requests writes a table with one row a request, while journals are measured. Its
// columns are known with the first run.
type Requests struct {
	now     context
	columns []column
	open    func(columns []column) (*sheet, error)
	out     *sheet
	err     error
}

// RequestsParquet writes them as Parquet.
func RequestsParquet(w io.Writer) (*Requests, error) { return newRequests(w, true), nil }

// RequestsCSV writes them as CSV; what has no value is empty, and moments are RFC 3339 in UTC.
func RequestsCSV(w io.Writer) (*Requests, error) { return newRequests(w, false), nil }

func newRequests(w io.Writer, binary bool) *Requests {
	return &Requests{open: func(columns []column) (*sheet, error) { return newSheet(w, names(columns), binary) }}
}

// start begins the table, once.
func (t *Requests) start(fleet bool) {
	if t.columns == nil && t.err == nil {
		t.columns = columns(fleet)
		t.out, t.err = t.open(t.columns)
	}
}

func field(v any, kind parquet.Type) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case int64:
		if kind == parquet.Moment {
			return time.UnixMicro(x).UTC().Format("2006-01-02T15:04:05.000000Z")
		}
		return strconv.FormatInt(x, 10)
	case string:
		return outside.CSV(x)
	}
	return fmt.Sprint(v)
}

// Begin says whose requests come next.
func (t *Requests) Begin(name string, run *journal.Run) {
	t.start(run.Fleet != nil)
	t.now.run, t.now.zero, t.now.agents, t.now.replicas = name, run.StartUnixNs, nil, replica.NewNames(run)
	if run.Fleet != nil {
		t.now.agents = run.Fleet.Titles()
	}
}

// Add writes the row of a request; warm-ups have none.
func (t *Requests) Add(r *row.Request) error {
	if t.err != nil || r.Warmup {
		return t.err
	}
	return t.add(r.Request, &r.Row)
}

// Missing writes the row of a request of a fleet that is lost or was not sent.
func (t *Requests) Missing(r *journal.Request) error {
	return t.add(r, &row.Row{
		Index: r.Index, Due: r.Due, First: -1, FirstToken: -1, FirstVisible: -1, Last: -1, LastTool: -1, LongestGap: -1,
		Planned: int32(r.PromptTokens), Prompt: int32(r.PromptTokens), Counted: -1, Cached: -1, Turn: int32(r.Turn),
	})
}

func (t *Requests) add(req *journal.Request, one *row.Row) error {
	if t.start(false); t.err != nil {
		return t.err
	}
	t.now.req, t.now.row = req, one
	values := make([]any, len(t.columns))
	for i := range t.columns {
		values[i] = t.columns[i].of(&t.now)
	}
	t.err = t.out.row(values)
	return t.err
}

// Close ends the table and returns the first error.
func (t *Requests) Close() error {
	if t.start(false); t.err != nil {
		return fmt.Errorf("writing the requests: %w", t.err)
	}
	return t.out.end()
}
