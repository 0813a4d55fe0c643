package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
)

// Remote is a server that is to be measured, and how it is reached.
type Remote struct {
	Base     string // without a login: that is in Header
	Endpoint string // the path of the API
	Model    string // empty: the first that the server lists
	Header   http.Header
	Insecure bool     // accept any certificate
	Proxy    *url.URL // nil: none
	Protocol *protocol.Backend
	Timeout  time.Duration // for a probe
	CPUs     int           // of this machine

	// Best is the backend that --backend auto takes for a text to such a server; nil: nobody asks.
	Best func(target.Identity) (string, error)

	Lookup func(ctx context.Context, host string) ([]string, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

// dialTimeout is long enough for a connection around the world that loses a packet.
const dialTimeout = 5 * time.Second

// NewRemote returns a server to be examined by the system's own resolver and sockets.
func NewRemote(base string, p *protocol.Backend) Remote {
	d := net.Dialer{Timeout: dialTimeout}
	return Remote{
		Base: base, Protocol: p, Endpoint: p.Path(), Timeout: time.Minute,
		Lookup: net.DefaultResolver.LookupHost, Dial: d.DialContext,
	}
}

// facts are all that was found out about a server; the examinations judge them.
type facts struct {
	*Remote
	host, port string // what is connected to: the server, or its proxy

	literal   bool // the host is an address, not a name
	dnsTook   time.Duration
	noDNS     error
	addresses []address
	connects  []time.Duration // to the first address that answers
	local     bool            // both ends of a connection have one address

	answer   *answer // the first over HTTP; nil: there was none
	noAnswer error
	models   []target.Model
	noModels error
	identity target.Identity
	router   target.Router
	metrics  int // lines
	noMetric error

	probes      []*probe // one after the other, over one transport
	noIgnoreEOS string   // the server's words where it refused ignore_eos
	offered     string   // the encoding of a stream where one was offered
	noOffered   error
}

// address is one that the host's name stands for.
type address struct {
	ip  string
	err error // nil: it answers
}

// Examine checks the network path and the server. skip reports which findings, by
// name, are left out.
func (r *Remote) Examine(ctx context.Context, skip func(name string) bool) []Finding {
	f := r.gather(ctx)
	var findings []Finding
	for _, e := range remoteTable() {
		if skip(e.name) {
			continue
		}
		res := result{}
		if missing := f.missing(e.need); missing != nil {
			res = unknown(missing)
		} else {
			res = e.examine(f)
		}
		findings = append(findings, e.finding(e.group, res))
	}
	return findings
}

// missing says why an examination can't be made; nil: it can.
func (f *facts) missing(n need) error {
	switch {
	case n >= needConnection && len(f.connects) == 0:
		return errors.New("the server was not reached")
	case n >= needAnswer && f.answer == nil:
		return errors.New("there was no answer over HTTP")
	case n >= needProbe && (len(f.probes) == 0 || f.probes[0].trouble() != ""):
		return errors.New("the probe did not work (see stream)")
	}
	return nil
}

func (r *Remote) gather(ctx context.Context) *facts {
	f := &facts{Remote: r}
	f.findHost()
	f.resolve(ctx)
	f.connect(ctx)
	if len(f.connects) == 0 {
		return f
	}
	f.ask(ctx)
	if f.answer == nil {
		return f
	}
	f.tryStreams(ctx)
	return f
}

// findHost tells what connections go to.
func (f *facts) findHost() {
	u, err := url.Parse(f.Base)
	if err != nil {
		f.noDNS = err
		return
	}
	if f.Proxy != nil {
		u = f.Proxy
	}
	f.host, f.port = u.Hostname(), u.Port()
	if f.port == "" {
		f.port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[strings.ToLower(u.Scheme)]
	}
	if f.port == "" {
		f.port = "80"
	}
}

func (f *facts) resolve(ctx context.Context) {
	if _, err := netip.ParseAddr(f.host); err == nil {
		f.literal, f.addresses = true, []address{{ip: f.host}}
		return
	}
	if f.noDNS != nil {
		return
	}
	begin := clock.Now()
	ips, err := f.Lookup(ctx, f.host)
	f.dnsTook, f.noDNS = clock.Since(begin), err
	for _, ip := range ips {
		f.addresses = append(f.addresses, address{ip: ip})
	}
}

// connectTimes is how many connections the round trip is the median of.
const connectTimes = 7

// connect tries each address, and the first that answers several times.
func (f *facts) connect(ctx context.Context) {
	for i := range f.addresses {
		a := &f.addresses[i]
		tries := 1
		if len(f.connects) == 0 {
			tries = connectTimes
		}
		for range tries {
			took, err := f.connectOnce(ctx, a.ip)
			if a.err = err; err != nil {
				break
			}
			if tries > 1 {
				f.connects = append(f.connects, took)
			}
		}
	}
	slices.Sort(f.connects)
}

func (f *facts) connectOnce(ctx context.Context, ip string) (time.Duration, error) {
	begin := clock.Now()
	c, err := f.Dial(ctx, "tcp", net.JoinHostPort(ip, f.port))
	took := clock.Since(begin)
	if err != nil {
		return 0, err
	}
	l, isTCP := c.LocalAddr().(*net.TCPAddr)
	r, _ := c.RemoteAddr().(*net.TCPAddr)
	f.local = isTCP && r != nil && (r.IP.IsLoopback() || r.IP.Equal(l.IP))
	return took, c.Close()
}

// endpoint names what connections go to.
func (f *facts) endpoint() string {
	name := net.JoinHostPort(f.host, f.port)
	if f.Proxy != nil {
		return fmt.Sprintf("the proxy %s", name)
	}
	return name
}
