// Package site shows a folder of runs as pages: an index of all series, the history
// of each metric with its changes, each run, and two runs against each other. The
// same pages are served over HTTP or written as files.
//
//	history.Tree ─▶ state (series, runs by ID) ─▶ pages by their path ─▶ Handler, or Write
//
// A page is found by its path in one place, [Site.Page], so that the server and the
// files can't differ. Paths hold only hashes and known words: the name of a file or
// of a metric never becomes part of one. All links are relative.
package site

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/show/page"
)

// Options are what the site needs from outside.
type Options struct {
	Name    string   // of the folder
	By      []string // what else tells series apart: label, keys of the metadata
	Version string   // of inferometer
	// Measure computes the result JSON of a run that has only a journal.
	Measure func(folder string) ([]byte, error)
	// Report writes the page of a run with a journal.
	Report func(w io.Writer, folder string, way []page.Link) error
	// Static leaves out what needs a server: the form that chooses two runs, and the
	// journals among the downloads.
	Static bool
}

// Site is the pages of a folder. It is safe for concurrent use.
type Site struct {
	opt   Options
	files fs.FS
	heavy chan struct{} // what measures journals, a few at a time
	memo  changesMemo

	mu      sync.Mutex // of what follows
	tree    *history.Tree
	state   *state
	scanned time.Time
}

// state is what the last look has found. It is never changed.
type state struct {
	series   []history.Series
	byID     map[string]*history.Series
	runs     map[string]*history.Run
	of       map[string]*history.Series // the series of a run
	problems []history.Problem
	unread   int // files that there was no time for: the next look goes on with them
}

const (
	freshFor = time.Second // after which the folder is looked at again
	patience = time.Second // how long a look keeps a reader waiting: a folder of 10,000 runs takes several
	mostBusy = 2
)

// New makes the site of a folder.
func New(files fs.FS, opt Options) *Site {
	tree := history.NewTree(files, opt.Measure)
	if !opt.Static {
		tree.Patience = patience
	}
	return &Site{opt: opt, files: files, heavy: make(chan struct{}, mostBusy), tree: tree}
}

// look reads what has changed in the folder.
func (s *Site) look(now time.Time) (*state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := now.Sub(s.scanned); s.state != nil && s.state.unread == 0 && since >= 0 && since < freshFor {
		return s.state, nil
	}
	runs, problems, err := s.tree.Scan(now)
	if err != nil {
		return nil, err
	}
	st := &state{series: history.Group(runs, s.opt.By), problems: problems, unread: s.tree.Unread(), byID: map[string]*history.Series{}, runs: map[string]*history.Run{}, of: map[string]*history.Series{}}
	for i := range st.series {
		series := &st.series[i]
		st.byID[series.ID] = series
		for j := range series.Runs {
			st.runs[series.Runs[j].ID], st.of[series.Runs[j].ID] = &series.Runs[j], series
		}
	}
	s.state, s.scanned = st, now
	return st, nil
}

// Count is how many runs and series there are.
func (s *Site) Count(now time.Time) (runs, series int, err error) {
	st, err := s.look(now)
	if err != nil {
		return 0, 0, err
	}
	return len(st.runs), len(st.series), nil
}

// Unread is how many files the last look had no time for.
func (s *Site) Unread() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == nil {
		return 0
	}
	return s.state.unread
}

// busy runs what takes long, when its turn has come.
func (s *Site) busy(ctx context.Context, do func() error) error {
	select {
	case s.heavy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.heavy }()
	return do()
}

// errNotFound says that there is no such page.
var errNotFound = errors.New("there is no such page")
