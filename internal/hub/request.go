package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

const (
	mostRedirects = 5
	longestDial   = 10 * time.Second
	longestWait   = 60 * time.Second // that a hub may ask for before the next try
	largestAnswer = 32 << 20         // of the API, in bytes
)

// session is the client at work on one snapshot.
type session struct {
	*Client
	limits
	http *http.Client
}

type limits = Limits

func (c *Client) session() *session {
	s := &session{Client: c, limits: c.limits()}
	transport := c.transport
	if transport == nil {
		transport = &http.Transport{
			Proxy: c.Proxy, DisableCompression: true, // sizes and digests are of the bytes themselves
			DialContext:         (&net.Dialer{Timeout: longestDial}).DialContext,
			TLSHandshakeTimeout: longestDial, ResponseHeaderTimeout: s.Silence, MaxIdleConnsPerHost: 4, IdleConnTimeout: longestDial, ForceAttemptHTTP2: true,
		}
	}
	s.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

func (s *session) Close() { s.http.CloseIdleConnections() }

// get asks for an address of the endpoint, follows redirects and tries again where
// that can help. The answer's status is 200 or 206; its body must be closed. meta are
// the headers of the first answer, in which the hub says what it links to.
func (s *session) get(ctx context.Context, address string, header http.Header) (res *http.Response, meta http.Header, err error) {
	for try := 1; ; try++ {
		res, meta, err = s.follow(ctx, address, header)
		if err == nil && (res.StatusCode == http.StatusOK || res.StatusCode == http.StatusPartialContent || !passing(res.StatusCode)) {
			return res, meta, nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		pause := backoff(try)
		if err == nil {
			if asked, ok := retryAfter(res.Header, time.Now()); ok {
				pause = asked
			}
			status := res.StatusCode
			drop(res)
			err = failed(ErrUnreachable, "%s answers %d %s", s.shown(address), status, http.StatusText(status))
			if pause > longestWait {
				return nil, nil, failed(ErrUnreachable, "%s answers %d and asks to wait %s", s.shown(address), status, pause.Round(time.Second)).hint("try again then, or give HF_TOKEN: the hub allows more to those it knows")
			}
		}
		var e *Error
		var nobody *net.DNSError
		if try >= s.Tries || errors.As(err, &e) && e.Kind != ErrUnreachable || errors.As(err, &nobody) && nobody.IsNotFound {
			return nil, nil, s.unreachable(address, err, try)
		}
		if err := s.pause(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
}

// passing are answers that may be others a moment later.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// backoff is how long to wait after so many tries: 1 s, 2 s, 4 s, …, each up to a half longer.
func backoff(try int) time.Duration {
	d := min(time.Second<<(try-1), 8*time.Second)
	return d + rand.N(d/2)
}

// retryAfter is what the header of that name asks for: seconds, or a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := h.Get("Retry-After")
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

func (s *session) pause(ctx context.Context, d time.Duration) error {
	after := time.After
	if s.wait != nil {
		after = s.wait
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-after(d):
		return nil
	}
}

// follow makes one request and follows its redirects by hand: the token goes to the
// endpoint's own origin, and nowhere else.
func (s *session) follow(ctx context.Context, address string, header http.Header) (*http.Response, http.Header, error) {
	home, err := url.Parse(s.endpoint())
	if err != nil {
		return nil, nil, err
	}
	var meta http.Header
	for range mostRedirects + 1 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, nil, err
		}
		for name, values := range header {
			req.Header[name] = values
		}
		req.Header.Set("User-Agent", s.agent())
		req.Header.Set("Accept-Encoding", "identity")
		if s.Token != "" && origin(req.URL) == origin(home) {
			req.Header.Set("Authorization", "Bearer "+s.Token)
		}
		res, err := s.http.Do(req)
		if err != nil {
			return nil, nil, err
		}
		if meta == nil {
			meta = http.Header{}
		}
		for _, name := range []string{"X-Repo-Commit", "X-Linked-Etag", "X-Linked-Size"} {
			if v := res.Header.Get(name); v != "" && meta.Get(name) == "" {
				meta.Set(name, v)
			}
		}
		if res.StatusCode/100 != 3 {
			return res, meta, nil
		}
		drop(res)
		next, err := req.URL.Parse(res.Header.Get("Location"))
		if err != nil || res.Header.Get("Location") == "" || !web(next, home) {
			return nil, nil, failed(ErrCorrupt, "%s sends us on to an address that can't be used", s.shown(address))
		}
		address = next.String()
	}
	return nil, nil, failed(ErrCorrupt, "%s sends us on more than %d times", s.shown(address), mostRedirects)
}

func (s *session) agent() string {
	if s.UserAgent != "" {
		return s.UserAgent
	}
	return "inferometer"
}

// web reports whether a redirect may be followed: to the web, and from TLS to nothing less.
func web(to, home *url.URL) bool {
	return to.Host != "" && (to.Scheme == "https" || to.Scheme == "http" && home.Scheme == "http")
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// drop ends an answer that nobody reads.
func drop(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // a short one leaves its connection for the next
	res.Body.Close()
}

// shown is an address without its query, which may hold a signature.
func (s *session) shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the hub"
	}
	return outside.Sentence(outside.RedactURL(u.Scheme + "://" + u.Host + u.EscapedPath()))
}

// unreachable says that nobody gave an answer that can be used.
func (s *session) unreachable(address string, err error, tries int) error {
	var e *Error
	if errors.As(err, &e) {
		if tries > 1 && e.Kind == ErrUnreachable {
			e.Text += fmt.Sprintf(", after %d tries", tries)
		}
		return e
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which may hold a signature
	}
	return failed(ErrUnreachable, "%s can't be reached: %s", s.shown(address), outside.Sentence(err.Error())).
		hint("without a way to the hub set HF_HUB_OFFLINE=1, or name a mirror with HF_ENDPOINT")
}

// getJSON reads an answer of the API.
func (s *session) getJSON(ctx context.Context, r repo, address string, to any) (http.Header, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	res, _, err := s.get(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, s.refused(ctx, r, res)
	}
	b, err := io.ReadAll(io.LimitReader(s.watched(cancel, res.Body), largestAnswer+1))
	switch {
	case err != nil:
		return nil, s.unreachable(address, err, 1)
	case len(b) > largestAnswer:
		return nil, failed(ErrTooLarge, "%s answers with more than %d bytes", s.shown(address), largestAnswer)
	}
	if err := json.Unmarshal(b, to); err != nil {
		return nil, failed(ErrCorrupt, "%s does not answer as the hub's API does: %s", s.shown(address), outside.Sentence(err.Error()))
	}
	return res.Header, nil
}

// errSilent ends a request whose body has stopped to come.
var errSilent = errors.New("it sends no more")

// watched is a body that is given up when nothing comes.
func (s *session) watched(cancel context.CancelCauseFunc, body io.Reader) io.Reader {
	return &watchedBody{body, time.AfterFunc(s.Silence, func() { cancel(errSilent) }), s.Silence}
}

type watchedBody struct {
	io.Reader
	timer   *time.Timer
	silence time.Duration
}

func (w *watchedBody) Read(p []byte) (int, error) {
	w.timer.Reset(w.silence)
	n, err := w.Reader.Read(p)
	if err != nil {
		w.timer.Stop()
	}
	return n, err
}
