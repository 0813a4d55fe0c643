// Package bus carries messages, files and journals between a leader and its agents. It is
// NATS with JetStream, and the only package that knows so.
package bus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/outside"
)

// Place is where the server is, and as whom to come.
type Place struct {
	URL      string `json:"url"`
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	CA       string `json:"ca,omitempty"` // PEM of the authority that its certificate is from; empty: the system's
	// Inbox is the first part of the subjects that answers to this user go to: others may not listen there.
	// Empty: NATS's usual one.
	Inbox string `json:"inbox,omitempty"`

	file string // that it was read from; empty: an address was given
}

// Options are a connection's.
type Options struct {
	Name string // of this side, for the server's lists
	// Trouble is told when the connection is lost, and with nil when it is back; and when the
	// server does not permit something that no call waits for: then it is a RefusedError; and of the
	// first message that is not for this side: a StrayError. May be nil.
	Trouble func(error)
}

// Bus is a connection. It comes back by itself, for as long as it takes.
type Bus struct {
	since atomic.Int64 // unix ns of the last connection

	mu     sync.Mutex
	strays strays

	conn *nats.Conn
	js   jetstream.JetStream

	waiting refusals
	stores  atomic.Pointer[time.Time] // when those that a leader prepared were made
}

const (
	connectTime = 5 * time.Second
	// A partition that no packet tells of is noticed after pingEvery × pingsOut.
	pingEvery = 2 * time.Second
	pingsOut  = 3
	// bufferedBytes is what may wait for a connection that is away: some minutes of statuses.
	bufferedBytes = 8 << 20
)

// Open connects.
func Open(ctx context.Context, p Place, o Options) (*Bus, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	b := &Bus{strays: strays{trouble: o.Trouble}}
	options := []nats.Option{
		nats.Name(o.Name), nats.Timeout(connectTime), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsOut),
		nats.ReconnectBufSize(bufferedBytes), nats.DrainTimeout(connectTime), nats.IgnoreDiscoveredServers(),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if o.Trouble != nil && !c.IsClosed() { // an end that we made is no trouble
				if err == nil {
					err = errors.New("the connection was closed")
				}
				o.Trouble(fmt.Errorf("the connection to NATS is lost: %s", outside.Sentence(err.Error())))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			b.since.Store(time.Now().UnixNano())
			if o.Trouble != nil {
				o.Trouble(nil)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if refused := refusal(err); refused != nil {
				if heard := b.waiting.tell(refused); !heard && o.Trouble != nil {
					o.Trouble(refused)
				}
			}
		}),
	}
	if p.Inbox != "" {
		options = append(options, nats.CustomInboxPrefix(p.Inbox))
	}
	if p.User != "" {
		options = append(options, nats.UserInfo(p.User, p.Password))
	}
	if p.secure() {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if p.CA != "" {
			config.RootCAs = x509.NewCertPool()
			if !config.RootCAs.AppendCertsFromPEM([]byte(p.CA)) {
				return nil, errors.New("the authority of NATS's certificate is no PEM")
			}
		}
		options = append(options, nats.Secure(config))
	}
	conn, err := connect(ctx, p.URL, options)
	if err != nil {
		return nil, p.explain(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	b.conn, b.js = conn, js
	b.since.Store(time.Now().UnixNano())
	return b, nil
}

// connect gives up when ctx ends; the library knows no context here.
func connect(ctx context.Context, url string, options []nats.Option) (*nats.Conn, error) {
	type result struct {
		conn *nats.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		conn, err := nats.Connect(url, options...)
		done <- result{conn, err}
	}()
	select {
	case r := <-done:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.conn != nil {
				r.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// Close ends the connection after all that was told has been sent.
func (b *Bus) Close() {
	_ = b.conn.FlushTimeout(connectTime) // a server that is away gets nothing more
	b.conn.Close()
}

// Connected says whether the server is there now.
func (b *Bus) Connected() bool { return b.conn.IsConnected() }

// secure says whether TLS is spoken.
func (p Place) secure() bool {
	u, err := url.Parse(p.URL)
	return err == nil && (u.Scheme == "tls" || p.CA != "")
}

// check refuses a place where others could listen, or take part.
func (p Place) check() error {
	u, err := url.Parse(p.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" {
		return fmt.Errorf("%q is no address of NATS: it is such as tls://nats.example:4222, or nats://127.0.0.1:4222", outside.Word(outside.RedactURL(p.URL)))
	}
	if outside.Loopback(u.Hostname()) {
		return nil
	}
	switch {
	case !p.secure():
		return fmt.Errorf("%s is not of this machine, so NATS needs TLS: write tls:// (inferometer fleet init makes the certificates)", outside.Word(u.Host))
	case p.User == "" && u.User == nil:
		return fmt.Errorf("%s is not of this machine, so NATS needs a user and a password: give the file that inferometer fleet init wrote", outside.Word(u.Host))
	}
	return nil
}

// explain says what to do about a connection that did not come about.
func (p Place) explain(err error) error {
	where := outside.Word(outside.RedactURL(p.URL))
	var unknown x509.UnknownAuthorityError
	var otherName x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("NATS at %s does not know this user or password: use the file that inferometer fleet init wrote for this role", where)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("NATS at %s wants TLS: write tls://, or use the file that inferometer fleet init wrote", where)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("NATS at %s does not speak TLS, and the address asks for it", where)
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of NATS at %s is from an authority that is not known here: use the file that inferometer fleet init wrote", where)
	case errors.As(err, &otherName):
		return fmt.Errorf("the certificate of NATS at %s is for other hosts: reach it by one of those, or write the fleet anew with inferometer fleet init --host (%s)", where, outside.Sentence(err.Error()))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("the certificate of NATS at %s is not good today: if this machine's clock is right, write the fleet anew with inferometer fleet init (%s)", where, outside.Sentence(err.Error()))
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("no NATS answers at %s: start it with nats-server -c, as inferometer fleet init says", where)
	}
	return fmt.Errorf("connect to NATS at %s: %s", where, outside.Sentence(err.Error()))
}
