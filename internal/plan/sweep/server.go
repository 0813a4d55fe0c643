package sweep

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// server is the server of one setting. It is started when its first run needs it:
// where all results are there, none is.
type server struct {
	r       *Runner
	setting Item
	command []string
	target  target.Target
	process *target.Process
	follow  *follower
	begun   bool
}

func (r *Runner) server(setting Item) (*server, error) {
	s := &server{r: r, setting: setting, command: setting.Apply(r.Serve)}
	base, err := serverAddress(s.command)
	s.target = target.Target{Base: base, Client: r.Client, Header: r.Header}
	return s, err
}

// serverAddress reads from a server's command where it will listen. The rest is
// vllm serve's default.
func serverAddress(command []string) (string, error) {
	host, port := "localhost", "8000"
	if listen, ok := flagValue(command, "listen"); ok { // our simulator's
		var err error
		if host, port, err = net.SplitHostPort(listen); err != nil {
			return "", fmt.Errorf("read the server's address: %w", err)
		}
	}
	if v, ok := flagValue(command, "host"); ok {
		host = v
	}
	for i, word := range command {
		if word == "-p" && i+1 < len(command) {
			port = command[i+1]
		}
	}
	if v, ok := flagValue(command, "port"); ok {
		port = v
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1" // it listens everywhere; we are here
	case "::":
		host = "::1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
	return u.String(), nil
}

// grace is the time between SIGTERM and SIGKILL. vLLM's sweep gives none.
const grace = 3 * time.Second

// ensure starts the server, unless it runs, and waits until it is ready.
func (s *server) ensure(ctx context.Context) error {
	if s.process != nil {
		return nil
	}
	s.begin()
	log := filepath.Join(s.r.Dir, logFolder, s.logName())
	pidFile := beside(log, ".pid.json")
	if _, err := target.EndLeftover(pidFile); err != nil {
		return err
	}
	// Somebody else's server would be measured in place of ours.
	if s.target.Healthy(ctx, "/health") == nil {
		return fmt.Errorf("a server answers at %s before ours is started; stop it, or give --port another value in both commands", s.target.Base)
	}
	shown, err := s.r.show(log)
	if err != nil {
		return err
	}
	p, err := target.Start(target.Command{
		Args: s.r.program(s.command), Env: []string{"VLLM_SERVER_DEV_MODE=1"}, Log: log, PIDFile: pidFile, Grace: grace,
	})
	if err != nil {
		shown.stop()
		return err
	}
	s.process, s.follow = p, shown
	late := fmt.Errorf("it was not ready at %s within %s; --server-ready-timeout gives it longer", s.target.Base, s.r.Ready)
	ready, cancel := context.WithTimeoutCause(ctx, s.r.Ready, late)
	defer cancel()
	up, err := p.Ready(ready, func(ctx context.Context) error { return s.target.Healthy(ctx, "/health") },
		func(context.Context) error { return nil }) // the benchmark sends the first request
	if err != nil {
		s.stop()
		return err
	}
	s.r.Observe(Event{Kind: ServerReady, Text: up.Healthy.Round(10 * time.Millisecond).String(), Path: log})
	return nil
}

// begin tells once that this server's turn has come.
func (s *server) begin() {
	if !s.begun {
		s.begun = true
		s.r.Observe(Event{Kind: ServerBegin, Overrides: s.setting, Command: s.r.program(s.command)})
	}
}

// stop ends the server and all that it started.
func (s *server) stop() {
	if s.process != nil {
		s.process.Stop()
		s.follow.stop()
		if left := s.process.Left(); left != "" {
			s.r.Observe(Event{Kind: Warning, Text: left})
		}
		s.process = nil
	}
	if s.begun {
		s.begun = false
		s.r.Observe(Event{Kind: ServerEnd})
	}
}

func (s *server) logName() string {
	if len(s.setting) == 0 {
		return "server.log"
	}
	return fileName("SERVE--"+s.setting.Name()) + ".log"
}

// resetPaths are vLLM's caches. Not every server has the second and the third.
var resetPaths = []string{"/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache"}

// resetCaches empties the server's caches, so that no run profits from the one before.
func (s *server) resetCaches(ctx context.Context) error {
	for i, path := range resetPaths {
		status, err := s.post(ctx, path)
		switch {
		case err != nil:
			return fmt.Errorf("reset the server's caches: %w", err)
		case status/100 == 2, i > 0 && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed):
		default:
			return fmt.Errorf("reset the server's caches: %s%s answered HTTP %d; "+
				"for a server that can't do that give --after-bench-cmd (\"true\" does nothing)", s.target.Base, path, status)
		}
	}
	return nil
}

func (s *server) post(ctx context.Context, path string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.Base+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	if s.r.Header != nil {
		req.Header = s.r.Header.Clone()
	}
	resp, err := s.r.Client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}
