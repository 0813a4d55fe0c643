package spec

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/usage"
)

// Value is a text that may be a secret. As JSON it is either the text itself or the
// name of the environment variable that holds it: {"env": "NAME"}, and
// {"env": "NAME", "prefix": "Bearer "} where something stands before it.
type Value struct {
	Text   string
	Env    string
	Prefix string
}

// IsZero says that nothing was given.
func (v Value) IsZero() bool { return v == Value{} }

// named is the form of a Value that is in a variable.
type named struct {
	Env    string `json:"env"`
	Prefix string `json:"prefix,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Env == "" {
		return json.Marshal(v.Text)
	}
	return json.Marshal(named{v.Env, v.Prefix})
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &v.Text) == nil {
		v.Env, v.Prefix = "", ""
		return nil
	}
	var n named
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&n); err != nil || n.Env == "" || strings.ContainsAny(n.Env, "=\x00") {
		return errors.New(`needs a text, or {"env": "NAME"} with the variable that holds it`)
	}
	*v = Value{Env: n.Env, Prefix: n.Prefix}
	return nil
}

// UnmarshalText takes a text as it is.
func (v *Value) UnmarshalText(text []byte) error {
	*v = Value{Text: string(text)}
	return nil
}

// MarshalText has no text for what is in a variable.
func (v Value) MarshalText() ([]byte, error) {
	if v.Env != "" {
		return nil, errors.New("it is in a variable")
	}
	return []byte(v.Text), nil
}

// get is the text. A variable that is not set is an error.
func (v Value) get(e *Environment) (string, error) {
	if v.Env == "" {
		return v.Text, nil
	}
	text, ok := e.Lookup(v.Env)
	if !ok {
		return "", fmt.Errorf("the variable %s is not set, and the Spec names it: set it to the value that it stands for", v.Env)
	}
	return v.Prefix + text, nil
}

// Header is a line of each request's head. All values are hidden where a run is shown.
type Header struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// Environment is what the process has around it that a Spec's values are found in.
type Environment struct {
	Release string // for the header User-Agent
	// Lookup finds a variable of the environment.
	Lookup func(name string) (value string, ok bool)
	// Proxy is what the environment says of proxies.
	Proxy func(*http.Request) (*url.URL, error)
}

// Wire is how the servers of a Spec are spoken to, secrets included.
type Wire struct {
	Header  http.Header
	Proxy   func(*http.Request) (*url.URL, error) // nil: none
	Secrets *outside.Secrets
	Extra   json.RawMessage // request.extra_body
	Power   string
	Devices string // keep.hardware
}

// Wire finds the values that the Spec names.
func (s *Spec) Wire(e *Environment) (*Wire, error) {
	key, err := s.apiKey(e)
	if err != nil {
		return nil, err
	}
	login, err := s.Login.get(e)
	if err != nil {
		return nil, err
	}
	w := &Wire{}
	if w.Header, err = s.headers(e, key, login); err != nil {
		return nil, err
	}
	proxy, err := s.proxyURL(e)
	if err != nil {
		return nil, err
	}
	switch {
	case proxy != nil:
		w.Proxy = http.ProxyURL(proxy)
	case s.Proxy == "":
		w.Proxy = e.Proxy
	}
	if w.Extra, err = fillIn(s.ExtraBody, e); err != nil {
		return nil, err
	}
	if w.Power, err = s.Power.get(e); err != nil {
		return nil, err
	}
	if w.Devices, err = s.Hardware.get(e); err != nil {
		return nil, err
	}
	words := append(outside.HeaderSecrets(w.Header), key)
	words = append(words, outside.LoginSecrets(proxy)...)
	for _, quoted := range outside.JSONSecrets(w.Extra) {
		var word string
		_ = json.Unmarshal(quoted, &word) // it is a text
		words = append(words, word)
	}
	w.Secrets = outside.NewSecrets(words...)
	return w, nil
}

// apiKey is the key of the variable; the usual one need not be set.
func (s *Spec) apiKey(e *Environment) (string, error) {
	if s.APIKey == (Value{Env: keyVariable}) {
		key, _ := e.Lookup(keyVariable)
		return key, nil
	}
	return s.APIKey.get(e)
}

// headers are sent with each request: the API key, over it the user and password,
// and over both the Spec's own headers.
func (s *Spec) headers(e *Environment, key, login string) (http.Header, error) {
	p := s.API()
	all := http.Header{"Content-Type": {protocol.ContentType(p.Protocol)}, "Accept": {p.Accepts()}}
	for name, value := range p.Header {
		all.Set(name, value)
	}
	all.Set("User-Agent", "inferometer/"+e.Release)
	if key != "" {
		if err := wire.CheckHeader("Authorization", key); err != nil {
			return nil, &usage.Error{Text: s.APIKey.Env + " " + err.Error()}
		}
		all.Set("Authorization", "Bearer "+key)
		if p.KeyHeader != "" {
			all.Set(p.KeyHeader, key)
		}
	}
	if login != "" {
		all.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(login)))
	}
	for _, line := range s.Headers {
		value, err := line.Value.get(e)
		if err != nil {
			return nil, err
		}
		if err := wire.CheckHeader(line.Name, value); err != nil {
			return nil, usage.Errorf("header", "%v", err)
		}
		all.Set(line.Name, value)
	}
	return all, nil
}

// proxyURL is the proxy that the Spec names; nil: it names none.
func (s *Spec) proxyURL(e *Environment) (*url.URL, error) {
	if s.Proxy == "" || s.Proxy == NoProxy {
		return nil, nil
	}
	u, err := url.Parse(s.Proxy)
	if err != nil {
		return nil, usage.Errorf("proxy", "is no URL: %v", err)
	}
	login, err := s.ProxyLogin.get(e)
	if err != nil {
		return nil, err
	}
	if user, password, ok := strings.Cut(login, ":"); ok {
		u.User = url.UserPassword(user, password)
	} else if user != "" {
		u.User = url.User(user)
	}
	return u, nil
}

// NoProxy stands for no proxy at all, whatever the environment says.
const NoProxy = "none"

// SplitLogin takes user and password out of a URL, as user:password. They go into a
// header: as part of the URL they would stand in error messages.
func SplitLogin(base string) (server, login string) {
	u, err := url.Parse(base)
	if err != nil || u.User == nil {
		return base, ""
	}
	password, _ := u.User.Password()
	login, u.User = u.User.Username()+":"+password, nil
	return u.String(), login
}
