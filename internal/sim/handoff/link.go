package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// Config is how fast prompts come to a decode server.
type Config struct {
	BytesPerToken int           // of KV
	Bandwidth     float64       // bytes a second; 0: without a bound
	Latency       time.Duration // of each transfer, before its first byte
	Shared        bool          // transfers follow one another on one link; else each has a link of its own
	Recompute     bool          // a prompt that can't be had is computed here; else its request fails
}

// Validate says what is wrong with it.
func (c *Config) Validate() error {
	if c.BytesPerToken < 0 || !(c.Bandwidth >= 0) || c.Latency < 0 {
		return fmt.Errorf("kv-bytes-per-token is %d, kv-bandwidth %v and kv-latency %v; give 0 or more", c.BytesPerToken, c.Bandwidth, c.Latency)
	}
	return nil
}

// time is how long a transfer takes that has the link for itself.
func (c *Config) time(bytes int64) time.Duration {
	d := c.Latency
	if c.Bandwidth > 0 {
		d += time.Duration(float64(bytes) / c.Bandwidth * float64(time.Second))
	}
	return d
}

// Transfer is what was got from another server. Times are nanoseconds since 1970.
type Transfer struct {
	Tokens int
	Bytes  int64
	Begun  int64 // the other server had computed the prompt, and the link was free
	Ended  int64
	Due    int64 // by plan: the machine may be late
}

// Link gets prompts for a decode server.
type Link struct {
	cfg    Config
	client *http.Client

	mu   sync.Mutex
	free time.Time // when the shared link is
}

// NewLink makes one; dial reaches the other servers, nil: over the network.
func NewLink(cfg Config, dial func(ctx context.Context, network, address string) (net.Conn, error)) *Link {
	return &Link{cfg: cfg, client: &http.Client{
		Transport:     &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 1 << 10, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it is asked, nobody else
	}}
}

// Close lets go of its connections.
func (l *Link) Close() { l.client.CloseIdleConnections() }

// Fetch gets a prompt, which takes as long as it takes.
func (l *Link) Fetch(ctx context.Context, p *Params) (Transfer, error) {
	t := Transfer{}
	if p.Host == "" || p.ID == "" || p.Port <= 0 || p.Port > 1<<16-1 {
		return t, errors.New("the request does not say where its prompt is kept")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*lease)
	defer cancel()
	address := "http://" + net.JoinHostPort(p.Host, strconv.Itoa(p.Port)) + "/sim/kv/" + url.PathEscape(p.ID)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return t, err
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return t, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return t, fmt.Errorf("the prefill server answers %s", resp.Status)
	}
	var r reply
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<10)).Decode(&r); err != nil {
		return t, err
	}
	t.Tokens, t.Bytes = r.Tokens, int64(r.Tokens)*int64(l.cfg.BytesPerToken)
	return t, l.wait(ctx, &t)
}

// wait takes the time of a transfer.
func (l *Link) wait(ctx context.Context, t *Transfer) error {
	begin := clock.Now()
	if l.cfg.Shared {
		l.mu.Lock()
		if l.free.After(begin) {
			begin = l.free
		}
		l.free = begin.Add(l.cfg.time(t.Bytes))
		l.mu.Unlock()
	}
	due := begin.Add(l.cfg.time(t.Bytes))
	if !clock.Pause(ctx, due.Sub(clock.Now())) {
		return ctx.Err()
	}
	t.Begun, t.Ended, t.Due = begin.UnixNano(), clock.Now().UnixNano(), due.UnixNano()
	return nil
}
