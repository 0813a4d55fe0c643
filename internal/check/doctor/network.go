package doctor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

func reach(f *facts) result {
	switch {
	case f.noDNS != nil:
		return found(Bad, "%s: %v", f.host, f.noDNS).mendBy("check the name in --base-url")
	case len(f.addresses) == 0:
		return found(Bad, "%s has no address", f.host)
	case len(f.connects) == 0:
		return found(Bad, "%s: %v", f.endpoint(), cause(f.addresses[0].err))
	case f.answer == nil && !certificateRefused(f.noAnswer):
		return found(Bad, "%s takes the connection, but: %v", f.endpoint(), f.noAnswer).
			mendBy("check that it is an HTTP server, and http or https in --base-url")
	}
	return found(OK, "%s", f.endpoint())
}

// cause leaves out the address, which stands beside it already.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

const slowDNS = 20 * time.Millisecond

func dns(f *facts) result {
	if f.literal {
		return found(OK, "an address, no name")
	}
	level := OK
	if f.dnsTook > slowDNS {
		level = Warn
	}
	return found(level, "%s in %s", f.host, ms(f.dnsTook))
}

func addressesAnswer(f *facts) result {
	var good, dead []string
	for _, a := range f.addresses {
		if a.err == nil {
			good = append(good, a.ip)
		} else {
			dead = append(dead, a.ip)
		}
	}
	switch {
	case len(dead) > 0:
		scheme, _, _ := strings.Cut(f.Base, ":")
		host := good[0]
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return found(Warn, "%s: %s answers, %s does not", f.host, strings.Join(good, ", "), strings.Join(dead, ", ")).
			mendBy("--base-url %s://%s:%s", scheme, host, f.port)
	case len(good) > 1:
		return found(Note, "%s: all answer", strings.Join(good, ", "))
	}
	return found(OK, "%s", good[0])
}

// fewCPUs: with fewer than these one machine is small for both.
const fewCPUs = 4

func sameMachine(f *facts) result {
	switch {
	case f.Proxy != nil:
		return unknown(errors.New("the proxy hides it"))
	case !f.local:
		return found(OK, "another machine")
	case f.CPUs < fewCPUs:
		return found(Warn, "the server is on this machine, with %d processors for both", f.CPUs)
	}
	return found(Note, "the server is on this machine, with %d processors for both", f.CPUs)
}

const (
	shortTrip = time.Millisecond
	longTrip  = 20 * time.Millisecond
)

func roundTrip(f *facts) result {
	median, worst := f.connects[len(f.connects)/2], f.connects[len(f.connects)-1]
	level := OK
	switch {
	case median > longTrip:
		level = Warn
	case median > shortTrip:
		level = Note
	}
	return found(level, "%s to %s, %s at worst (%d connects)", ms(median), f.endpoint(), ms(worst), len(f.connects))
}

const soonExpired = 14 * 24 * time.Hour

func certificateRefused(err error) bool {
	var refused *tls.CertificateVerificationError
	return errors.As(err, &refused)
}

func tlsState(f *facts) result {
	if certificateRefused(f.noAnswer) {
		return found(Bad, "%v", f.noAnswer)
	}
	if f.answer == nil {
		return unknown(errors.New("there was no answer over HTTP"))
	}
	s := f.answer.tls
	if s == nil {
		return found(OK, "none: plain HTTP")
	}
	figure := fmt.Sprintf("%s, handshake %s", tls.VersionName(s.Version), ms(f.answer.handshake))
	if len(s.PeerCertificates) == 0 {
		return found(OK, "%s", figure)
	}
	expires := s.PeerCertificates[0].NotAfter
	figure += ", certificate until " + expires.UTC().Format(time.DateOnly)
	switch {
	case f.Insecure:
		return found(Note, "%s, not checked (--insecure)", figure).mendBy("leave --insecure out once the certificate is one that this machine trusts")
	case time.Until(expires) < soonExpired:
		return found(Warn, "%s", figure)
	}
	return found(OK, "%s", figure)
}

func httpVersion(f *facts) result {
	if strings.HasPrefix(f.answer.proto, "HTTP/2") {
		return found(Note, "%s, when it is offered", f.answer.proto)
	}
	if f.answer.proto == "HTTP/1.0" {
		return found(Warn, "HTTP/1.0: no connection is kept").mendBy("let the server or its proxy speak HTTP/1.1 (nginx: proxy_http_version 1.1)")
	}
	return found(OK, "%s", f.answer.proto)
}

func keepAlive(f *facts) result {
	if len(f.probes) < 2 || f.probes[1].Trace.Status == 0 {
		return unknown(errors.New("there was no second probe"))
	}
	p := f.probes[1]
	switch {
	case p.header.Get("Server") == "llama.cpp" && p.Trace.Conn.New:
		return found(Note, "llama.cpp's server closes the connection behind each stream; a new one is opened for each request").
			mendBy("nothing: bench serve knows it, and opens a connection for each request")
	case p.Trace.Conn.New:
		return found(Warn, "the second request needed a new connection")
	}
	return found(OK, "the second request used the first one's connection")
}

func compression(f *facts) result {
	if h := f.probes[0].header; h != nil && h.Get("Content-Encoding") != "" && h.Get("Content-Encoding") != "identity" {
		return found(Bad, "%s, though nobody offered it", h.Get("Content-Encoding"))
	}
	switch {
	case f.missing(needProbe) != nil: // a compressed stream can't be read, so this comes second
		return unknown(f.missing(needProbe))
	case f.noOffered != nil:
		return unknown(f.noOffered)
	case f.offered != "" && f.offered != "identity":
		return found(Note, "%s where the client offers it; bench serve offers none", f.offered)
	}
	return found(OK, "none, even if offered")
}

func buffering(f *facts) result {
	p := f.best()
	times := p.times()
	if len(times) < fewestEvents {
		return unknown(fmt.Errorf("the answer had %d events, too few to tell", len(times)))
	}
	per := burstiness(times)
	span := times[len(times)-1] - times[0]
	figure := fmt.Sprintf("%d events in %s, %.1f at a time", len(times), ms(time.Duration(span)), per)
	switch {
	case per < someBursts:
		return found(OK, "%s", figure)
	case times[len(times)-1]-p.sent < quickNs:
		return found(Warn, "%s; the whole answer took %s: the server may be that quick", figure, ms(time.Duration(times[len(times)-1]-p.sent)))
	case per < muchBursts:
		return found(Warn, "%s", figure)
	}
	return found(Bad, "%s", figure)
}

// ms writes a duration for people.
func ms(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	if v >= 10 {
		return fmt.Sprintf("%.0f ms", v)
	}
	return fmt.Sprintf("%.2f ms", v)
}
