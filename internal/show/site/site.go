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

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/page"
)

// Options are what the site needs from outside.
type Options struct {
	Name    string   // of the folder
	By      []string // what else tells series apart: label, keys of the metadata
	Version string   // of inferometer
	// Measure computes the result of a run that has only a journal.
	Measure func(folder string) (result.Result, error)
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

	looking sync.Mutex // of the tree: one look at a time
	tree    *history.Tree

	mu      sync.Mutex // of what follows
	state   *state
	scanned time.Time // when the last look had ended
	goesOn  bool      // a goroutine reads what is left: nobody has to wait for it
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
	freshFor = time.Second     // after which the folder is looked at again
	patience = time.Second / 2 // how long a look reads while somebody waits: a folder of 10,000 runs takes minutes
	restTime = time.Second     // and while nobody does: each look finds all files again, which takes half a second there
	mostBusy = 2
)

// New makes the site of a folder.
func New(files fs.FS, opt Options) *Site {
	tree := history.NewTree(files, foreign.Read, opt.Measure)
	if !opt.Static {
		tree.Patience = patience
	}
	return &Site{opt: opt, files: files, heavy: make(chan struct{}, mostBusy), tree: tree}
}

// look reads what has changed in the folder, or gives what is known where that is fresh enough.
func (s *Site) look(now time.Time) (*state, error) {
	if st := s.fresh(now); st != nil {
		return st, nil
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	if st := s.fresh(now); st != nil { // of whom we have waited for
		return st, nil
	}
	return s.scan(now)
}

// fresh is the last state, nil if it is not to be shown any more.
func (s *Site) fresh(now time.Time) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := now.Sub(s.scanned); s.goesOn || since >= 0 && since < freshFor {
		return s.state
	}
	return nil
}

// scan looks at the folder. s.looking is held.
func (s *Site) scan(now time.Time) (*state, error) {
	begin := time.Now()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.scanned = st, now.Add(time.Since(begin))
	return st, nil
}

// readOn reads what the first look had no time for, whether anybody asks or not. It ends when all is read, with
// the context, or with an error, which the next reader gets.
func (s *Site) readOn(ctx context.Context) {
	going := func(on bool) {
		s.mu.Lock()
		s.goesOn = on && s.state != nil
		s.mu.Unlock()
	}
	going(true)
	defer going(false)
	for s.Unread() > 0 && ctx.Err() == nil {
		s.looking.Lock()
		was := s.tree.Patience
		s.tree.Patience = restTime
		_, err := s.scan(time.Now())
		s.tree.Patience = was
		s.looking.Unlock()
		if err != nil {
			return
		}
	}
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
