// Package scrape reads what servers say of themselves while they are loaded: their metrics
// over HTTP, and their logs. Each source has a connection of its own, which is never used by
// two requests at once, and everything is bounded in time and size: a server that answers
// slowly, endlessly or with nonsense must not disturb the load beside it.
package scrape

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/outside"
)

const (
	// MaxText is far above the metrics of a server with thousands of series.
	MaxText = 4 << 20
	// Timeout bounds one answer: what is asked for lies in the server's memory.
	Timeout = 5 * time.Second
)

// accept asks for the text format, which costs a server least, and takes OpenMetrics.
const accept = "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5, */*;q=0.1"

// Source is an address at which a server has metrics. It may be used by one goroutine at a time.
type Source struct {
	URL    string
	header http.Header
	client *http.Client
}

// Config is how a Source asks.
type Config struct {
	Header   http.Header // of the load, with its key: see SameOrigin
	Proxy    func(*http.Request) (*url.URL, error)
	Insecure bool
	Dial     func(ctx context.Context, network, addr string) (net.Conn, error) // nil: over the network
}

// New is the source at an address. The header goes along as it is: who gives one with a key
// has made sure where it goes.
func New(address string, c Config) *Source {
	return &Source{
		URL: address, header: c.Header.Clone(),
		client: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy: c.Proxy, DialContext: c.Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: c.Insecure}, //nolint:gosec // the user's --insecure
				MaxConnsPerHost: 1, MaxIdleConns: 1, IdleConnTimeout: 90 * time.Second,
				DisableCompression: true, // it would cost the server more than it saves, and a small answer could grow here
			},
		},
	}
}

// Close closes the connection.
func (s *Source) Close() { s.client.CloseIdleConnections() }

// Read asks once. The text is as it came; the scrape is what is in it.
func (s *Source) Read(ctx context.Context) (text []byte, m *exposition.Scrape, err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if text, err = s.get(ctx); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("no whole answer within %v", Timeout)
		}
		return nil, nil, err
	}
	m = exposition.Parse(text)
	if len(m.Samples) == 0 && len(m.Families) == 0 && len(bytes.TrimSpace(text)) > 0 {
		return nil, nil, &NotMetricsError{Start: outside.Line(string(text[:min(len(text), 200)]), 40)}
	}
	return text, m, nil
}

func (s *Source) get(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, err
	}
	if s.header != nil {
		req.Header = s.header.Clone()
	}
	req.Header.Set("Accept", accept)
	req.Header.Del("Content-Type")
	resp, err := s.client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // which is shown beside the address
		}
		return nil, err
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code/100 == 3:
		return nil, &StatusError{code, "redirects are not followed, since the key would go with them; --metrics-url names the right address"}
	case code/100 != 2:
		return nil, &StatusError{code, ""}
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fmt.Errorf("it is compressed (%s), which was not asked for", outside.Line(coding, 20))
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, MaxText+1))
	if err == nil && len(text) > MaxText {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxText>>20)
	}
	return text, err
}

// StatusError is an answer that is no success.
type StatusError struct {
	Code int
	Hint string
}

func (e *StatusError) Error() string {
	if e.Hint != "" {
		return fmt.Sprintf("HTTP %d: %s", e.Code, e.Hint)
	}
	return fmt.Sprintf("HTTP %d", e.Code)
}

// NotMetricsError is an answer in neither format: a page for people, or JSON.
type NotMetricsError struct{ Start string }

func (e *NotMetricsError) Error() string {
	return fmt.Sprintf("what is there are no metrics: it begins with %q", e.Start)
}

// Absent says that asking again is no use: there is nothing, or nothing for us.
func Absent(err error) bool {
	var status *StatusError
	var no *NotMetricsError
	return errors.As(err, &no) || errors.As(err, &status) && status.Code/100 != 5 && status.Code != http.StatusTooManyRequests ||
		errors.As(err, &status) && status.Code == http.StatusNotImplemented
}

// SameOrigin says whether two addresses have scheme, host and port in common: only then what
// is secret to one is so to the other.
func SameOrigin(a, b string) bool {
	one, err1 := url.Parse(a)
	two, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && one.Host != "" && origin(one) == origin(two)
}

func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
