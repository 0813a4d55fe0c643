package export

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/show/parquet"
	"github.com/inferometer/inferometer/internal/show/section"
)

// lineTable is a table whose rows are parts of a journal's lines, written while it is
// read, or what a whole run did over time; docs/report.md lists their columns.
type lineTable struct {
	columns []parquet.Column
	// see asks a journal for its lines, and gives the row of each part of one.
	see func(j *journal.Reader, add func(values ...any)) (request func(*journal.Request) error)
	// drawn gives the rows of a run that has been read to its end, in place of see.
	drawn func(run *section.Run, add func(values ...any))
}

// LineTables are their names, and that of the table of requests.
func LineTables() []string {
	return append([]string{"requests"}, slices.Sorted(maps.Keys(lineTables()))...)
}

func lineTables() map[string]lineTable {
	return map[string]lineTable{
		"events": {columns: []parquet.Column{
			{Name: "run", Type: parquet.Text},
			{Name: "request", Type: parquet.Int},
			{Name: "event", Type: parquet.Int},
			{Name: "at_s", Type: parquet.Float},
			{Name: "since_sent_ms", Type: parquet.Float},
			{Name: "gap_ms", Type: parquet.Float},
			{Name: "lag_ms", Type: parquet.Float},
			{Name: "tokens", Type: parquet.Int},
			{Name: "choices", Type: parquet.Bool},
			{Name: "text", Type: parquet.Bool},
			{Name: "reasoning", Type: parquet.Bool},
			{Name: "tool", Type: parquet.Bool},
			{Name: "finish", Type: parquet.Bool},
			{Name: "usage", Type: parquet.Bool},
		}, see: seeEvents},
		"samples": {columns: []parquet.Column{
			{Name: "run", Type: parquet.Text},
			{Name: "at_s", Type: parquet.Float},
			{Name: "agent", Type: parquet.Text},
			{Name: "cpu_s", Type: parquet.Float},
			{Name: "wait_s", Type: parquet.Float},
			{Name: "gc_pause_s", Type: parquet.Float},
			{Name: "busy_s", Type: parquet.Float},
			{Name: "steal_s", Type: parquet.Float},
			{Name: "files", Type: parquet.Int},
			{Name: "in_flight", Type: parquet.Int},
			{Name: "sent", Type: parquet.Int},
			{Name: "ended", Type: parquet.Int},
		}, see: seeSamples},
		"scrapes": {columns: []parquet.Column{
			{Name: "run", Type: parquet.Text},
			{Name: "at_s", Type: parquet.Float},
			{Name: "when", Type: parquet.Text},
			{Name: "target", Type: parquet.Int},
			{Name: "name", Type: parquet.Text},
			{Name: "le", Type: parquet.Text},
			{Name: "value", Type: parquet.Float},
			{Name: "replica", Type: parquet.Text},
		}, see: seeScrapes},
		"jobs":   {columns: jobColumns(), see: seeJobs},
		"series": {columns: seriesColumns(), drawn: drawSeries},

		"replicas": {columns: replicaColumns(), drawn: listReplicas},
	}
}

func seeEvents(_ *journal.Reader, add func(values ...any)) func(*journal.Request) error {
	return func(r *journal.Request) error {
		if r.Warmup {
			return nil
		}
		if err := row.CheckShape(r); err != nil {
			return err
		}
		ev, at := &r.Events, int64(0)
		for i, gap := range ev.At {
			at += gap
			var before, lag, tokens any
			if i > 0 {
				before = millis(gap)
			}
			if ev.Lag != nil {
				lag = millis(ev.Lag[i])
			}
			if ev.Tokens != nil && ev.Tokens[i] >= 0 {
				tokens = int64(ev.Tokens[i])
			}
			has := func(kind journal.EventKind) bool { return ev.Kind[i]&kind != 0 }
			add(int64(r.Index), int64(i), row.Seconds(r.Sent+at), millis(at), before, lag, tokens, has(journal.EventChoices), has(journal.EventText),
				has(journal.EventReasoning), has(journal.EventTool), has(journal.EventFinish), has(journal.EventUsage))
		}
		return nil
	}
}

func seeSamples(j *journal.Reader, add func(values ...any)) func(*journal.Request) error {
	var agents []string
	if j.Run().Fleet != nil {
		agents = j.Run().Fleet.Titles()
	}
	j.OnSample(func(s *journal.Sample) {
		var agent any
		if s.Agent >= 0 && s.Agent < len(agents) {
			agent = text(agents[s.Agent])
		}
		add(row.Seconds(s.At), agent, seconds(s.CPUNs), seconds(s.WaitNs), seconds(s.GCPauseNs), seconds(s.BusyNs), seconds(s.StealNs),
			known32(int32(s.Files)), int64(s.InFlight), int64(s.Sent), int64(s.Ended))
	})
	return nil
}

func seeScrapes(j *journal.Reader, add func(values ...any)) func(*journal.Request) error {
	listed := j.Run().Replicas
	j.OnScrape(func(s *journal.Scrape) {
		var replica any
		if s.Replica > 0 && s.Replica <= len(listed) {
			replica = text(listed[s.Replica-1].Name)
		}
		when := "before"
		switch {
		case s.During:
			when = "during"
		case s.After:
			when = "after"
		}
		for _, name := range slices.Sorted(maps.Keys(s.Counters)) {
			add(row.Seconds(s.At), when, int64(s.Target), name, nil, s.Counters[name], replica)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Buckets)) {
			for _, bound := range slices.Sorted(maps.Keys(s.Buckets[name])) {
				add(row.Seconds(s.At), when, int64(s.Target), name, bound, s.Buckets[name][bound], replica)
			}
		}
	})
	return nil
}

// seconds is nil for what the system does not tell: below zero.
func seconds(ns int64) any {
	if ns < 0 {
		return nil
	}
	return row.Seconds(ns)
}

// WriteLines writes one of the LineTables of all runs, as Parquet or CSV.
func WriteLines(w io.Writer, f Format, table string, paths []string) error {
	kind, ok := lineTables()[table]
	if !ok {
		return fmt.Errorf("there is no table %q", table)
	}
	out, err := newSheet(w, kind.columns, f.Binary)
	if err != nil {
		return err
	}
	for _, path := range paths {
		folder, err := judged.Folder(path)
		if err != nil {
			return err
		}
		write := kind.write
		if kind.drawn != nil {
			write = kind.writeDrawn
		}
		if err := write(out, folder); err != nil {
			return fmt.Errorf("writing the %s of %s: %w", table, filepath.Base(folder), err)
		}
	}
	return out.end()
}

// write adds the rows of one run. A journal that can't be read to its end gives those before.
func (t lineTable) write(out *sheet, folder string) (err error) {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	name := runName(folder, j.Run())
	var failed error
	request := t.see(j, func(values ...any) {
		if failed == nil {
			failed = out.row(append([]any{name}, values...))
		}
	})
	for failed == nil {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return failed
		}
		if err == nil && request != nil {
			err = request(r)
		}
		if err != nil {
			return err
		}
	}
	return failed
}
