package run

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Progress tells how far a run is: a line for each point that ends, and on a terminal
// below them what runs now, what is to come, and the time left.
type Progress struct {
	Line  Line
	Total int // points to be run

	mu      sync.Mutex
	done    int // points with a record, skipped ones too
	failed  int
	spent   []float64 // seconds of the points of this run
	doing   string
	since   time.Time
	quit    chan struct{}
	stopped chan struct{}
}

// Line is the last line of a terminal, which Set overwrites; in a pipe it is not shown.
type Line interface {
	Live() bool // it is a terminal's
	Set(format string, args ...any)
	Clear()
	Print(format string, args ...any) // a line that stays
}

// drawEvery is how often the last line on a terminal is drawn anew.
const drawEvery = 250 * time.Millisecond

// Start draws the last line, from now on until Stop.
func (s *Progress) Start() {
	s.quit, s.stopped = make(chan struct{}), make(chan struct{})
	go s.loop()
}

func (s *Progress) loop() {
	defer close(s.stopped)
	if !s.Line.Live() {
		<-s.quit
		return
	}
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.draw()
			s.mu.Unlock()
		case <-s.quit:
			return
		}
	}
}

// Stop erases the last line.
func (s *Progress) Stop() {
	close(s.quit)
	<-s.stopped
	s.Line.Clear()
}

// Event is called by the runner.
func (s *Progress) Event(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line.Clear()
	switch e.Kind {
	case Skipped:
		s.done++
		s.Line.Print("%s %s: has a result already, of %s", s.count(), e.Point.Name, e.Point.Measured)
	case Starting:
		s.begin("starting " + e.Point.Target.Name)
		s.line("starting the target %s", e.Point.Target.Name)
	case Up:
		for _, up := range e.Startup {
			s.Line.Print("%s is up: healthy after %s, first answer after %s", up.Server, seconds(up.HealthyS), seconds(up.FirstAnswerS))
		}
	case Running:
		s.begin("running " + e.Point.Name)
		s.line("running %s", e.Point.Name)
	case Ended:
		s.ended(e)
	case Note:
		s.Line.Print("note: %s", e.Text)
	}
	if s.Line.Live() {
		s.draw()
	}
}

func (s *Progress) begin(what string) { s.doing, s.since = what, time.Now() }

// line is for a pipe, where nothing can be drawn again.
func (s *Progress) line(format string, args ...any) {
	if !s.Line.Live() {
		s.Line.Print(format, args...)
	}
}

func (s *Progress) ended(e Event) {
	s.done++
	o := e.Outcome
	s.spent = append(s.spent, o.Seconds)
	s.doing = ""
	text := fmt.Sprintf("%s after %s", o.State, seconds(o.Seconds))
	if o.State != Done {
		s.failed++
		first, _, _ := strings.Cut(o.Err.Error(), "\n")
		text += ": " + first
	}
	if left, ok := s.left(); ok && !s.Line.Live() {
		text += fmt.Sprintf("; about %s left", round(left))
	}
	s.Line.Print("%s %s: %s", s.count(), e.Point.Name, text)
}

func (s *Progress) count() string { return fmt.Sprintf("[%d/%d]", s.done, s.Total) }

// left is the mean time of the points so far for each that is to come.
func (s *Progress) left() (time.Duration, bool) {
	toCome := s.Total - s.done
	if len(s.spent) == 0 || toCome == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range s.spent {
		sum += v
	}
	return time.Duration(sum / float64(len(s.spent)) * float64(toCome) * float64(time.Second)), true
}

// draw writes the last line anew.
func (s *Progress) draw() {
	words := []string{fmt.Sprintf("%d of %d done", s.done, s.Total)}
	if s.failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", s.failed))
	}
	toCome := s.Total - s.done
	if s.doing != "" {
		words = append(words, fmt.Sprintf("%s for %s", s.doing, round(time.Since(s.since))))
		toCome--
	}
	words = append(words, fmt.Sprintf("%d to come", max(toCome, 0)))
	if left, ok := s.left(); ok {
		if s.doing != "" {
			left -= min(left, time.Since(s.since))
		}
		words = append(words, fmt.Sprintf("about %s left", round(left)))
	}
	s.Line.Set("%s", strings.Join(words, ", "))
}

func round(d time.Duration) time.Duration { return d.Round(time.Second) }

func seconds(v float64) string {
	return time.Duration(v * float64(time.Second)).Round(10 * time.Millisecond).String()
}
