package view

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/send/live"
)

// The view takes a terminal and gives it back: its mode, what was written meanwhile, and
// everything that it has started.
func TestScreen(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Setenv("TERM", "xterm")
	master, tty := terminalPair(t)
	before := mode(t, tty)
	shown := &shown{}
	read := make(chan struct{})
	go func() { defer close(read); _, _ = io.Copy(shown, master) }()

	s := newScreen(onTerminal(t, tty), "a run", false)
	errs := s.hold(tty)
	pauses := make(chan bool, 2)
	s.Pauses(func(on bool) { pauses <- on })
	fmt.Fprintln(errs, "before the view")
	s.See(&live.State{Time: time.Now().UnixNano(), Phase: live.Running, At: 1, Completed: 12})
	shown.wait(t, "\x1b[?1049h", "12 done")
	if now := mode(t, tty); now.Lflag&(unix.ICANON|unix.ECHO) != 0 || now.Lflag&unix.ISIG == 0 {
		t.Errorf("while the view is open the mode is %x", now.Lflag)
	}
	fmt.Fprintln(errs, "said meanwhile")
	shown.wait(t, "said meanwhile")
	fmt.Fprint(master, "\x1b[?2026;2$y") // a terminal's answer, and no keys
	fmt.Fprint(master, "?")
	shown.wait(t, "Keys")
	fmt.Fprint(master, "pp")
	if first, second := <-pauses, <-pauses; !first || second {
		t.Errorf("paused %v, then %v", first, second)
	}
	fmt.Fprint(master, "q")
	<-s.Asks()
	s.Close()
	s.Close()
	fmt.Fprintln(errs, "after the view")
	shown.wait(t, "\x1b[?1049l", "after the view")
	if diff := cmp.Diff(before, mode(t, tty)); diff != "" {
		t.Errorf("the terminal's mode is another one: %s", diff)
	}
	after := shown.text()[strings.LastIndex(shown.text(), "\x1b[?1049l"):]
	if !strings.Contains(after, "said meanwhile") || strings.Contains(after, "before the view") {
		t.Errorf("after the view the terminal got %q", after)
	}
	tty.Close()
	master.Close()
	<-read
}

// A run that is over at once shows no view.
func TestScreenOfAShortRun(t *testing.T) {
	defer goleak.VerifyNone(t)
	master, tty := terminalPair(t)
	s := newScreen(onTerminal(t, tty), "a run", false)
	errs := s.hold(tty)
	s.See(&live.State{Phase: live.Running})
	s.Close()
	fmt.Fprintln(errs, "the result")
	line, err := bufio.NewReader(master).ReadString('\n')
	if err != nil || line != "the result\r\n" {
		t.Errorf("%q, %v", line, err)
	}
	tty.Close()
	master.Close()
}

// Where there is no terminal there is no screen, and all its methods do nothing.
func TestNoScreen(t *testing.T) {
	streams := command.Streams{Out: io.Discard, Err: &bytes.Buffer{}}
	s, why := New(&streams, Auto, "a run")
	if s != nil || why == "" {
		t.Fatalf("a screen on a buffer: %v, %q", s, why)
	}
	s.See(&live.State{})
	s.Plan(nil, true)
	s.Point(Point{})
	s.Pauses(nil)
	ctx, _, stop := s.Interrupts(t.Context(), io.Discard)
	stop()
	<-ctx.Done()
	s.Close()
}

func TestKeys(t *testing.T) {
	for _, tt := range []struct{ sent, want string }{
		{"q?p", "q?p"},
		{"\x1b[A\x1b[1;5Bq", "q"},
		{"\x1bOPq", "q"},
		{"\x1bq p", "p"},
		{"\x1b[?2026;2$yq", "q"},
		{"\x1b]11;rgb:qq/pp/qq\x07p", "p"},
		{"\x1bP>|qqq\x1b\\p", "p"},
		{"\x00\x7f\x03 \n\rq\xc3\xa9", "q"},
		{"\x1b\x1b[Aq", "q"},
		{"\x1b[\x1b[Aq", "q"},
	} {
		var p keyParser
		got := ""
		for i := range len(tt.sent) {
			if k, ok := p.next(tt.sent[i]); ok {
				got += string(rune(k))
			}
		}
		if got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.sent, got, tt.want)
		}
	}
}

func terminalPair(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	return master, tty
}

// onTerminal is a terminal that is ours; keys have a file of their own, which the screen closes.
func onTerminal(t *testing.T, tty *os.File) *terminal {
	t.Helper()
	in, err := os.Open(tty.Name())
	if err != nil {
		t.Fatal(err)
	}
	return &terminal{out: tty, in: in, ours: func() bool { return true }}
}

func mode(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	state, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	return state.Termios
}

// shown is all that a terminal was sent.
type shown struct {
	mu   sync.Mutex
	all  bytes.Buffer
	more chan struct{}
}

func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
	return s.all.Write(b)
}

func (s *shown) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// wait waits until all words were sent.
func (s *shown) wait(t *testing.T, words ...string) {
	t.Helper()
	timeout := time.After(2 * time.Minute)
	for _, word := range words {
		for {
			s.mu.Lock()
			there := strings.Contains(s.all.String(), word)
			if s.more == nil {
				s.more = make(chan struct{})
			}
			more := s.more
			s.mu.Unlock()
			if there {
				break
			}
			select {
			case <-more:
			case <-timeout:
				t.Fatalf("the terminal was never sent %q; it got %q", word, s.text())
			}
		}
	}
}
