package serve

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
)

// redactURLs hides logins in several URLs.
func redactURLs(text string) string {
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = outside.RedactURL(w)
	}
	return strings.Join(words, ",")
}

// redactPower hides a login in Prometheus' address.
func redactPower(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil || text == hardware.PowerRAPL {
		return text
	}
	return hardware.PowerPrometheus + ":***"
}

// Given are the servers' addresses, logins included, once SetServers has read them.
func (o *Options) Given() []string { return o.given }

// typed are the servers as the flags name them.
func (o *Options) typed() []string {
	switch {
	case len(o.Targets) > 0:
		return slices.Clone(o.Targets)
	case o.BaseURL != "":
		return []string{o.BaseURL}
	}
	host := strings.TrimSuffix(strings.TrimPrefix(o.Host, "["), "]")
	return []string{"http://" + net.JoinHostPort(host, strconv.Itoa(o.Port))}
}

// SetServers reads where requests go: --targets, or --base-url, or --host and --port.
func (o *Options) SetServers(set *argv.Set) error {
	given := func(flag string) bool { return set.Lookup(flag) != nil && set.Seen(flag) } // doctor has not all of them
	flag := "base-url"
	if given("targets") {
		flag = "targets"
		for _, one := range []string{"base-url", "host", "port"} {
			if given(one) {
				return argv.Errorf(flag, "can't be used together with --%s: both say where requests go", one)
			}
		}
		if len(o.Targets) == 0 {
			return argv.Errorf(flag, "needs at least one URL, as in http://host:8000,http://host:8001")
		}
	}
	switch {
	case o.Port < 1:
		return argv.Errorf("port", "must be at least 1, not %d", o.Port)
	case o.Port > 65535:
		return argv.Errorf("port", "must be at most 65535, not %d", o.Port)
	case flag == "base-url" && o.BaseURL == "" && (o.Host == "" || strings.ContainsAny(o.Host, "/ ")):
		return argv.Errorf("host", "needs a name or an address, not %q", o.Host).WithHint("a URL goes to --base-url")
	}
	o.URLs = o.typed()
	if err := o.TakeAddresses(given); err != nil {
		return err
	}
	o.given = slices.Clone(o.URLs)
	var login string
	for i, text := range o.given {
		server, one := spec.SplitLogin(text)
		if i > 0 && one != login {
			return argv.Errorf(flag, "must have the same user and password, or none").
				WithHint("measure servers of different logins one by one")
		}
		o.URLs[i], login = server, one
	}
	o.Login = o.secret("LOGIN", login)
	if o.Proxy == "" || o.Proxy == spec.NoProxy {
		return nil
	}
	if err := spec.CheckURL("proxy", o.Proxy, "http", "https", "socks5", "socks5h"); err != nil {
		return err
	}
	o.Proxy, login = spec.SplitLogin(o.Proxy)
	o.ProxyLogin = o.secret("PROXY_LOGIN", login)
	return nil
}

// SetHeaders takes in --header. All values count as secrets.
func (o *Options) SetHeaders(*argv.Set) error {
	o.Headers = nil
	for _, h := range o.Header {
		if err := wire.CheckHeader(h.Key, h.Value); err != nil {
			return argv.Errorf("header", "%v", err)
		}
		name := "HEADER_" + strings.ToUpper(strings.ReplaceAll(h.Key, "-", "_"))
		o.Headers = append(o.Headers, spec.Header{Name: h.Key, Value: o.secret(name, h.Value)})
	}
	if err := wire.CheckHeader("Authorization", APIKey()); err != nil {
		return &argv.UsageError{Text: "OPENAI_API_KEY " + err.Error()}
	}
	return nil
}

// setValues puts variables in the place of secrets in what the flags gave to the Spec.
func (o *Options) setValues(*argv.Set) error {
	n := 0
	o.ExtraBody = spec.HideSecrets(o.ExtraBody, func(text string) string {
		n++
		return o.secret("BODY_"+strconv.Itoa(n), text).Env
	})
	if text := o.Power.Text; text != "" && redactPower(text) != text {
		if _, err := hardware.ParsePower(text); err != nil {
			return argv.Errorf("power", "%v", err)
		}
		o.Power = o.secret("POWER", text)
	}
	if text := o.Hardware.Text; hardware.Redact(text) != text {
		if _, err := hardware.Parse(text); err != nil {
			return argv.Errorf("hardware", "%v", err)
		}
		o.Hardware = o.secret("HARDWARE", text)
	}
	return nil
}

// leastSecret is the length from which a value of the environment is taken for the
// secret of a flag: shorter ones are the same by chance.
const leastSecret = 8

// secret names the variable that stands for a secret in the Spec: the one of the
// environment that holds it, or else one of our own.
func (o *Options) secret(name, value string) spec.Value {
	if value == "" {
		return spec.Value{}
	}
	for _, prefix := range []string{"", "Bearer "} {
		bare, ok := strings.CutPrefix(value, prefix)
		if !ok || len(bare) < leastSecret || strings.HasPrefix(name, "BODY_") && prefix != "" {
			continue
		}
		for _, pair := range os.Environ() {
			if variable, held, _ := strings.Cut(pair, "="); held == bare {
				return spec.Value{Env: variable, Prefix: prefix}
			}
		}
	}
	name = "INFEROMETER_" + name
	if o.secrets == nil {
		o.secrets = map[string]string{}
	}
	o.secrets[name] = value
	return spec.Value{Env: name}
}
