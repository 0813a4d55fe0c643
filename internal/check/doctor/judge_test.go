package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"testing"
	"time"
)

// What no small server shows is judged from facts that are written down.
func TestJudge(t *testing.T) {
	encrypted := func(left time.Duration) *facts {
		state := &tls.ConnectionState{Version: tls.VersionTLS13, PeerCertificates: []*x509.Certificate{{NotAfter: time.Now().Add(left)}}}
		return &facts{Remote: &Remote{}, answer: &answer{tls: state}}
	}
	for name, c := range map[string]struct {
		examine func(*facts) result
		facts   *facts
		level   Level
		figure  string
	}{
		"a sound certificate":        {tlsState, encrypted(300 * 24 * time.Hour), OK, `^TLS 1.3, handshake .*certificate until`},
		"a certificate near its end": {tlsState, encrypted(24 * time.Hour), Warn, `certificate until`},
		"HTTP/1.0":                   {httpVersion, &facts{answer: &answer{proto: "HTTP/1.0"}}, Warn, `no connection is kept`},
		"no Date":                    {clockSkew, &facts{answer: &answer{header: http.Header{}}}, Unknown, `sends no Date`},
		"several addresses":          {addressesAnswer, &facts{addresses: []address{{ip: "10.0.0.1"}, {ip: "10.0.0.2"}}}, Note, `^10.0.0.1, 10.0.0.2: all answer$`},
		"IPv6 only": {
			addressesAnswer, &facts{Remote: &Remote{Base: "https://host"}, host: "host", port: "443", addresses: []address{{ip: "10.0.0.1", err: errors.New("no")}, {ip: "fd00::1"}}},
			Warn, `^host: fd00::1 answers, 10.0.0.1 does not$`,
		},
		"a way of some length": {roundTrip, &facts{Remote: &Remote{}, connects: []time.Duration{1, 4 * time.Millisecond, 90 * time.Millisecond}}, Note, `^4.00 ms to .* 90 ms at worst \(3 connects\)`},
		"another machine":      {sameMachine, &facts{Remote: &Remote{CPUs: 2}}, OK, `^another machine$`},
		"empty metrics":        {serverMetrics, &facts{}, Note, `without a line`},
		"no second probe":      {keepAlive, &facts{probes: []*probe{{}}}, Unknown, `no second probe`},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.examine(c.facts)
			check(t, Finding{Level: r.level, Figure: r.figure}, c.level, c.figure, "")
			if name == "IPv6 only" && r.mend != "--base-url https://[fd00::1]:443" {
				t.Errorf("to mend: %s", r.mend)
			}
		})
	}
}
