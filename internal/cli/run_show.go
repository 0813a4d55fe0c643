package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/plan/scenario"
)

// runShow tells how far a scenario is: a line for each point that ends, and on a
// terminal below them what runs now, what is to come, and the time left.
type runShow struct {
	w     io.Writer
	live  bool
	total int // points to be run

	mu      sync.Mutex
	done    int // points with a record, skipped ones too
	failed  int
	spent   []float64 // seconds of the points of this run
	doing   string
	since   time.Time
	drawn   bool
	quit    chan struct{}
	stopped chan struct{}
}

func newRunShow(w io.Writer, plan *scenario.Plan) *runShow {
	s := &runShow{w: w, live: isTerminal(w), total: len(plan.Selected()), quit: make(chan struct{}), stopped: make(chan struct{})}
	fmt.Fprintf(w, "%s: %s\n", plan.Name, planWords(plan))
	go s.loop()
	return s
}

func (s *runShow) loop() {
	defer close(s.stopped)
	if !s.live {
		<-s.quit
		return
	}
	tick := time.NewTicker(barEvery)
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

func (s *runShow) stop() {
	close(s.quit)
	<-s.stopped
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// event is called by the runner.
func (s *runShow) event(e scenario.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	switch e.Kind {
	case scenario.Skipped:
		s.done++
		fmt.Fprintf(s.w, "%s %s: has a result already, of %s\n", s.count(), e.Point.ID, e.Record.Measured())
	case scenario.Starting:
		s.begin("starting " + e.Point.Target())
		s.line("starting the target %s", e.Point.Target())
	case scenario.Up:
		for _, up := range e.Record.Startup {
			fmt.Fprintf(s.w, "%s is up: healthy after %s, first answer after %s\n", up.Server, seconds(up.HealthyS), seconds(up.FirstAnswerS))
		}
	case scenario.Running:
		s.begin("running " + e.Point.ID)
		s.line("running %s", e.Point.ID)
	case scenario.Ended:
		s.ended(e)
	case scenario.Note:
		fmt.Fprintf(s.w, "note: %s\n", e.Text)
	}
	if s.live {
		s.draw()
	}
}

func (s *runShow) begin(what string) { s.doing, s.since = what, time.Now() }

// line is for a pipe, where nothing can be drawn again.
func (s *runShow) line(format string, args ...any) {
	if !s.live {
		fmt.Fprintf(s.w, format+"\n", args...)
	}
}

func (s *runShow) ended(e scenario.Event) {
	s.done++
	s.spent = append(s.spent, e.Record.Seconds)
	s.doing = ""
	text := fmt.Sprintf("%s after %s", e.Record.State, seconds(e.Record.Seconds))
	if e.Record.State != scenario.Done {
		s.failed++
		first, _, _ := strings.Cut(e.Record.Error, "\n")
		text += ": " + first
	}
	if left, ok := s.left(); ok && !s.live {
		text += fmt.Sprintf("; about %s left", round(left))
	}
	fmt.Fprintf(s.w, "%s %s: %s\n", s.count(), e.Point.ID, text)
}

func (s *runShow) count() string { return fmt.Sprintf("[%d/%d]", s.done, s.total) }

// left is the mean time of the points so far for each that is to come.
func (s *runShow) left() (time.Duration, bool) {
	toCome := s.total - s.done
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
func (s *runShow) draw() {
	words := []string{fmt.Sprintf("%d of %d done", s.done, s.total)}
	if s.failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", s.failed))
	}
	toCome := s.total - s.done
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
	fmt.Fprintf(s.w, "\r\x1b[K%s", fit(strings.Join(words, ", "), terminalWidth(s.w)-1))
	s.drawn = true
}

func (s *runShow) erase() {
	if s.drawn {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.drawn = false
	}
}

func seconds(v float64) string {
	return time.Duration(v * float64(time.Second)).Round(10 * time.Millisecond).String()
}

// planWords is a plan in one line.
func planWords(plan *scenario.Plan) string {
	var targets []string
	for _, p := range plan.Selected() {
		if !slices.Contains(targets, p.Target()) {
			targets = append(targets, p.Target())
		}
	}
	words := fmt.Sprintf("%d points over %s", len(plan.Selected()), strings.Join(targets, ", "))
	if plan.Scenario.Repeat > 1 {
		words += fmt.Sprintf(", each %d times", plan.Scenario.Repeat)
	}
	return words
}
