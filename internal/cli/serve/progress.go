package serve

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/send/load"
)

// How often progress is shown: a bar lives, lines in a pipe should stay few.
const (
	barEvery  = 250 * time.Millisecond
	lineEvery = 5 * time.Second
)

// progressShow shows a run's progress until it is stopped.
type progressShow struct {
	w        io.Writer
	bar      bool
	total    int           // requests to come; 0: not known
	length   time.Duration // of a run that ends by time; 0: not known
	progress *load.Progress
	beside   func() string
	began    time.Time
	primed   time.Time // since when primers are sent, if they are
	last     load.Snapshot
	lastAt   time.Time
	quit     chan struct{}
	done     chan struct{}
}

// showProgress starts the display that --progress asks for.
func showProgress(w io.Writer, mode string, p *observe.Run) *progressShow {
	s := &progressShow{w: w, progress: p.Progress, total: p.Total, length: p.Length, beside: p.Beside, began: time.Now(), primed: time.Now(), quit: make(chan struct{}), done: make(chan struct{})}
	if mode == view.Auto || mode == view.Live { // there is no live view
		mode = view.Plain
		if command.IsTerminal(w) {
			mode = view.Bar
		}
	}
	if mode == view.None {
		close(s.done)
		return s
	}
	s.bar = mode == view.Bar
	every := lineEvery
	if s.bar {
		every = barEvery
	}
	s.lastAt = s.began
	go s.loop(every)
	return s
}

func (s *progressShow) loop(every time.Duration) {
	defer close(s.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.show(now)
		case <-s.quit:
			if s.bar {
				fmt.Fprint(s.w, "\r\x1b[K") // the result follows where the bar was
			}
			return
		}
	}
}

func (s *progressShow) stop() {
	close(s.quit)
	<-s.done
}

func (s *progressShow) show(now time.Time) {
	snap := s.progress.Snapshot()
	if snap.Primers > 0 {
		s.began = now // of the load: it begins with the last primer's end
	}
	text := s.text(snap, now)
	if s.bar {
		fmt.Fprintf(s.w, "\r\x1b[K%s", command.Fit(s.barOf(snap, now)+" "+text, command.TerminalWidth(s.w)-1))
	} else {
		fmt.Fprintln(s.w, text)
	}
	s.last, s.lastAt = snap, now
}

// text says how far the run is: done of total, in flight, tokens a second
// since the last time, failures, and the time left.
func (s *progressShow) text(p load.Snapshot, now time.Time) string {
	if p.Primers > 0 {
		return fmt.Sprintf("priming the server's cache: %d of %d one-token requests done, %s", p.Primed, p.Primers, round(now.Sub(s.primed)))
	}
	var b strings.Builder
	ended := p.Ended()
	fmt.Fprintf(&b, "%d", ended)
	if s.total > 0 {
		fmt.Fprintf(&b, "/%d", s.total)
	}
	fmt.Fprintf(&b, " done, %d in flight", p.InFlight)
	if p.Jobs+p.JobsEnded > 0 {
		fmt.Fprintf(&b, ", %d jobs open, %d ended", p.Jobs, p.JobsEnded)
	}
	if span := now.Sub(s.lastAt).Seconds(); span > 0 {
		fmt.Fprintf(&b, ", %.0f tok/s", float64(p.Tokens-s.last.Tokens)/span)
	}
	if p.HungUp > 0 {
		fmt.Fprintf(&b, ", %d hung up", p.HungUp)
	}
	fmt.Fprintf(&b, ", %d failed, %s", p.Failed, round(now.Sub(s.began)))
	if left, ok := s.left(p, now); ok {
		fmt.Fprintf(&b, ", %s left", round(left))
	}
	if s.beside != nil {
		fmt.Fprintf(&b, "; %s", s.beside())
	}
	return b.String()
}

// left estimates the time to the end, from the share that is done. A run may end by its time or by its requests, whichever
// comes first.
func (s *progressShow) left(p load.Snapshot, now time.Time) (time.Duration, bool) {
	share := s.share(p, now)
	if share <= 0 {
		return 0, false
	}
	return time.Duration(float64(now.Sub(s.began)) * (1/share - 1)), true
}

func (s *progressShow) share(p load.Snapshot, now time.Time) float64 {
	var requests, span float64
	if s.total > 0 {
		requests = p.Done(s.total)
	}
	if s.length > 0 {
		span = min(float64(now.Sub(s.began))/float64(s.length), 1)
	}
	return max(requests, span)
}

func (s *progressShow) barOf(p load.Snapshot, now time.Time) string {
	const cells = 20
	full := int(s.share(p, now) * cells)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

func round(d time.Duration) time.Duration { return d.Round(time.Second) }

// fetchShow shows files that come from the hub: one line that is written over on a
// terminal, and in a pipe a line for what takes long.
func fetchShow(w io.Writer, bar bool) func(hub.Progress) {
	last := time.Now()
	return func(p hub.Progress) {
		every := lineEvery
		if bar {
			every = barEvery
		}
		switch now := time.Now(); {
		case p.Finished && bar:
			fmt.Fprint(w, "\r\x1b[K")
		case p.Finished || now.Sub(last) < every:
		default:
			last = now
			line := fmt.Sprintf("fetching %s of %s: %.1f of %.1f MB", p.File, p.Repo, float64(p.Done)/1e6, float64(p.Total)/1e6)
			if bar {
				fmt.Fprint(w, "\r\x1b[K"+line)
			} else {
				fmt.Fprintln(w, line)
			}
		}
	}
}
