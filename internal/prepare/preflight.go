package prepare

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/errno"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// preflightTime bounds one question of the preflight: what takes longer is left to the load.
const preflightTime = 10 * time.Second

// preflight finds what would fail every request, before any of the workload is made
// or sent. It asks each server for its models, which costs it nothing. Only where
// that does not tell whether requests will be taken, and no ready check follows, it
// asks for a single token, with a prompt that is not of the workload. What may have
// another cause is left to the load, whose outcomes say it.
func (r *Ready) preflight(ctx context.Context) error {
	if err := checkCapacity(r.Spec); err != nil {
		return err
	}
	r.Servers.ask(ctx, false)
	err := r.Servers.unlessOneCan(func(i int, t *target.Target) error {
		if answered(r.Servers.lists[i].err) {
			return nil
		}
		return r.Servers.explain(ctx, t, r.Servers.lists[i].err, "/v1/models", "") // nobody is there, or nobody who speaks as we do
	})
	if err != nil {
		return err
	}
	if r.Chosen, err = r.Servers.choose(r.Spec); err != nil {
		return err
	}
	r.Servers.noteAdapters(r.LoRAModules)
	if r.ReadyCheckTimeoutSec > 0 {
		return nil
	}
	return r.Servers.unlessOneCan(func(i int, t *target.Target) error {
		if r.Servers.lists[i].has(r.Chosen.Sent) && r.Endpoint == r.API().Path() {
			return nil
		}
		one, cancel := context.WithTimeout(ctx, preflightTime)
		defer cancel()
		return r.Servers.explain(ctx, t, t.Ask(one, r.path(), r.Chosen.Sent), r.path(), r.Chosen.Sent)
	})
}

// unlessOneCan looks at each server and gives the first error, if each has one: one
// of several that is down fails its share of the load, and the outcomes say so.
func (s *Servers) unlessOneCan(look func(i int, t *target.Target) error) error {
	var first error
	for i, t := range s.Targets {
		err := look(i, t)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// modelList is what a server says that it serves.
type modelList struct {
	models []target.Model
	err    error
}

func (l *modelList) has(name string) bool {
	for i := range l.models {
		if l.models[i].ID == name {
			return true
		}
	}
	return false
}

// names lists a few of the models.
func (l *modelList) names() string {
	const limit = 5
	var names []string
	for i := range l.models {
		if i == limit {
			names = append(names, fmt.Sprintf("and %d more", len(l.models)-limit))
			break
		}
		names = append(names, outside.Word(l.models[i].ID))
	}
	return strings.Join(names, ", ")
}

func answered(err error) bool {
	var status *target.StatusError
	return errors.As(err, &status) && status.Code != http.StatusBadRequest
}

// explain says what an error of a server means for all requests, and what to do; nil
// for what may be of the moment, or of this one question.
func (s *Servers) explain(ctx context.Context, t *target.Target, err error, path, sent string) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	var status *target.StatusError
	if errors.As(err, &status) && status.Code != http.StatusBadRequest {
		return s.explainStatus(t, status, path, sent)
	}
	if words := explainConnection(t.Base, err); words != "" {
		return &connectionError{words, err}
	}
	if strings.HasPrefix(t.Base, "http://") && speaksTLS(ctx, t.Base) {
		return fmt.Errorf("%s speaks TLS: write https:// in --base-url (and --insecure if its certificate is its own)", t.Base)
	}
	return nil
}

func (s *Servers) explainStatus(t *target.Target, status *target.StatusError, path, sent string) error {
	words := s.values.Secrets.Scrub(status.Error())
	switch status.Code {
	case http.StatusUnauthorized, http.StatusForbidden:
		if s.values.Header.Get("Authorization") == "" {
			return fmt.Errorf("%s; give its key in the variable OPENAI_API_KEY, or a --header", words)
		}
		return fmt.Errorf("%s; it does not take the key that was sent: look at OPENAI_API_KEY, --header and a login in the URL", words)
	case http.StatusNotFound:
		list := &s.lists[slices.Index(s.Targets, t)]
		if len(list.models) > 0 && !list.has(sent) {
			return fmt.Errorf("%s; the server lists %s: name one of them with --model, or with --served-model-name", words, list.names())
		}
		return fmt.Errorf("%s; look at --model, the path (--endpoint) and the address (--base-url)", words)
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return fmt.Errorf("%s; nothing takes such requests at %s: look at --endpoint and --backend", words, path)
	}
	return nil
}

// connectionError says in our words why no server was reached.
type connectionError struct {
	words string
	cause error
}

func (e *connectionError) Error() string { return e.words }
func (e *connectionError) Unwrap() error { return e.cause }

// explainConnection is for what happened before a server answered; empty: no clear cause.
func explainConnection(base string, err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	const where = "--base-url (or --host and --port)"
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fmt.Sprintf("the proxy to %s does not answer (%v): check HTTP_PROXY and HTTPS_PROXY, or use --proxy none", base, op.Err)
	case errors.As(err, &dns):
		return fmt.Sprintf("host %s not found: check the name in %s", outside.Word(dns.Name), where)
	case errno.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing is listening at %s (connection refused): start the server, or give its address with %s; --ready-check-timeout-sec N waits for one that is starting", base, where)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Sprintf("can't connect to %s (%v): check the address in %s, and firewalls in between", base, op.Err, where)
	case errors.As(err, &certificate):
		return fmt.Sprintf("the certificate of %s is not trusted (%v): use --insecure for a self-signed one, or set SSL_CERT_FILE to the certificate of its CA", base, certificate.Err)
	case errors.As(err, &record), err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Sprintf("%s speaks plain HTTP, not TLS: write http:// in --base-url", base)
	}
	return ""
}

// speaksTLS tries a handshake, for a server that could not read a plain request.
func speaksTLS(ctx context.Context, base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // nothing is sent, the question is only whether it is TLS
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// choose finds the name that requests carry, and the one for the tokenizer.
func (s *Servers) choose(asked *spec.Spec) (Model, error) {
	api, list := asked.API(), &s.lists[0]
	m := Model{ID: asked.Model, Sent: asked.Model}
	switch {
	case asked.Model != "":
	case api.Model != "":
		m = Model{ID: api.Model, Sent: api.Model}
	case len(list.models) > 0 && list.err == nil:
		first := &list.models[0]
		m = Model{ID: cmp.Or(first.Root, first.ID), Sent: first.ID}
		s.note("model: %s, the first that the server lists", outside.Word(m.Sent))
	case api.NoModel:
		m = Model{ID: asked.Backend, Sent: asked.Backend}
	default:
		why := cmp.Or(list.err, errors.New("it lists no model"))
		return m, fmt.Errorf("ask %s for its models: %s; is the server up? Give its address with --base-url, or the model with --model",
			asked.URLs[0], s.values.Secrets.Scrub(why.Error()))
	}
	m.Sent = cmp.Or(asked.ServedModelName, m.Sent)
	return m, nil
}

// noteAdapters says which adapters no server lists. They may still be there: a server
// that loads them as they are asked for need not know them before.
func (s *Servers) noteAdapters(modules []string) {
	var missing []string
	for _, name := range modules {
		if !slices.ContainsFunc(s.lists, func(l modelList) bool { return l.err != nil || l.has(name) }) {
			missing = append(missing, outside.Word(name))
		}
	}
	if n := len(missing); n > 0 {
		s.note("note: %d of %d adapters are not among the models that the server lists (%s): requests for %s may fail",
			n, len(modules), s.lists[0].names(), few(missing))
	}
}

// few names the first of many.
func few(names []string) string {
	const limit = 5
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:limit], ", ") + ", …"
}
