// Package startup measures how a server becomes useful: from its process to a steady speed, from sleep to the first
// token, and from an adapter's loading to its first token.
//
// The phases of a start are the times between marks that follow each other, so that they add up to the whole: the process
// was started, its port is open, it says that it is ready, it lists a model, our request was sent, its first token came,
// and a request ended at the speed that later ones have.
package startup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Config is what is started, and how it is asked.
type Config struct {
	Args   []string // the server's command; {port} stands for its port
	Dir    string
	Log    string // its output is appended to
	Port   int    // 0: a free one
	Ready  string // the path that answers 200 when it is ready
	Limit  time.Duration
	Grace  time.Duration // between SIGTERM and SIGKILL
	Header http.Header
	Client *http.Client
	// Ask sends small requests one after the other to the server at an address, and shows each answer, until see has enough.
	Ask func(ctx context.Context, url string, see func(Answer) (more bool)) error
}

// Answer is one small request.
type Answer struct {
	Sent   time.Time
	First  time.Duration // until its first token
	Whole  time.Duration
	Tokens int // generated
}

// Gap is the mean time between its tokens; 0: it has one or none.
func (a *Answer) Gap() time.Duration {
	if a.Tokens < 2 {
		return 0
	}
	return (a.Whole - a.First) / time.Duration(a.Tokens-1)
}

// The phases of a start, in their order.
const (
	Port   = "port"        // process → port open
	Ready  = "ready"       // → says that it is ready
	Listed = "listed"      // → lists a model
	Asked  = "asked"       // → our request is sent: our own time
	First  = "first_token" // → its first token
	Steady = "steady"      // → end of the first request at the steady speed
)

// Phases are their names.
func Phases() []string { return []string{Port, Ready, Listed, Asked, First, Steady} }

// Start is one start of a server.
type Start struct {
	Began   time.Time
	Marks   [6]time.Duration // since Began, of each phase's end; those that were not reached are 0
	Reached int              // how many were
	Answers []Answer
}

// Phase is how long one took; ok is false where it was not reached.
func (s *Start) Phase(i int) (d time.Duration, ok bool) {
	if i >= s.Reached {
		return 0, false
	}
	if i == 0 {
		return s.Marks[0], true
	}
	return s.Marks[i] - s.Marks[i-1], true
}

// Whole is the time from the process to the last mark.
func (s *Start) Whole() time.Duration {
	if s.Reached == 0 {
		return 0
	}
	return s.Marks[s.Reached-1]
}

func (s *Start) mark(at time.Time) {
	s.Marks[s.Reached] = at.Sub(s.Began)
	s.Reached++
}

// Server is one that is up.
type Server struct {
	URL     string
	Process *target.Process
	target  *target.Target
}

// Measure starts a server and follows it up to its steady speed. The server is up where the error is nil, and the caller's
// to stop. env is added to the environment.
func Measure(ctx context.Context, c *Config, env []string) (*Start, *Server, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf("it was not ready within %v; --startup-timeout gives it longer", c.Limit))
	defer cancel()
	port := c.Port
	if port == 0 {
		var err error
		if port, err = freePort(ctx); err != nil {
			return nil, nil, err
		}
	} else if open(ctx, port) == nil {
		return nil, nil, fmt.Errorf("something listens on port %d already: stop it, or leave --port out for a free one", port)
	}
	s := &Start{Began: time.Now()}
	p, err := target.Start(target.Command{Args: c.words(port), Env: env, Dir: c.Dir, Log: c.Log, Grace: c.Grace})
	if err != nil {
		return s, nil, err
	}
	up := &Server{URL: "http://127.0.0.1:" + strconv.Itoa(port), Process: p}
	up.target = target.At(up.URL, c.Header, c.Client)
	if err := s.follow(ctx, c, up, port); err != nil {
		p.Stop()
		return s, nil, err
	}
	return s, up, nil
}

func (c *Config) words(port int) []string {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = strings.ReplaceAll(w, "{port}", strconv.Itoa(port))
	}
	return words
}

func (s *Start) follow(ctx context.Context, c *Config, up *Server, port int) error {
	for _, step := range []struct {
		what string
		try  func(context.Context) error
	}{
		{"its port to open", func(ctx context.Context) error { return open(ctx, port) }},
		{"it to be ready", func(ctx context.Context) error { return up.target.Healthy(ctx, c.Ready) }},
		{"it to list a model", up.listed},
	} {
		if err := s.until(ctx, up.Process, step.try); err != nil {
			return fmt.Errorf("wait for %s: %w", step.what, err)
		}
	}
	return s.speed(ctx, c, up)
}

// speed asks until the speed is steady.
func (s *Start) speed(ctx context.Context, c *Config, up *Server) error {
	err := c.Ask(ctx, up.URL, func(a Answer) bool {
		if len(s.Answers) == 0 {
			s.mark(a.Sent)
			s.mark(a.Sent.Add(a.First))
		}
		s.Answers = append(s.Answers, a)
		return len(s.Answers) < steadyAnswers
	})
	if err == nil && len(s.Answers) == 0 {
		err = errors.New("there was no answer")
	}
	if err != nil {
		select {
		case <-up.Process.Exited():
			err = up.Process.Ended()
		default:
		}
		return fmt.Errorf("wait for its first token: %w", err)
	}
	if i, ok := SteadyAnswer(s.Answers); ok {
		s.mark(s.Answers[i].Sent.Add(s.Answers[i].Whole))
	}
	return nil
}

// The pause between two looks is the error of a mark: at most a two-hundredth of what has passed, or 2 ms.
const (
	lookEvery  = 2 * time.Millisecond
	lookShare  = 200
	lookAtMost = 250 * time.Millisecond
)

// until tries again until there is no error, and sets the next mark.
func (s *Start) until(ctx context.Context, p *target.Process, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			s.mark(time.Now())
			return nil
		}
		select {
		case <-p.Exited():
			return p.Ended()
		case <-ctx.Done():
			return fmt.Errorf("%w; the last try: %w; its log ends with\n%s", context.Cause(ctx), err, p.Tail(10))
		case <-time.After(min(max(time.Since(s.Began)/lookShare, lookEvery), lookAtMost)):
		}
	}
}

func (u *Server) listed(ctx context.Context) error {
	models, err := u.target.Models(ctx)
	if err == nil && len(models) == 0 {
		err = errors.New("it lists no model")
	}
	return err
}

func open(ctx context.Context, port int) error {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return conn.Close()
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
