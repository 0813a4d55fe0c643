package cli

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// splitLogin takes user and password out of a URL. They go into a header: as part
// of the URL they would stand in error messages.
func splitLogin(base string) (server string, login *url.Userinfo) {
	u, err := url.Parse(base)
	if err != nil || u.User == nil {
		return base, nil // checkServer has seen to it that it is a URL
	}
	login, u.User = u.User, nil
	return u.String(), login
}

// headers are sent with each request: the API key, over it the URL's user and
// password, and over both what --header says.
func (r *serveRun) headers(login *url.Userinfo) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	h.Set("User-Agent", "inferometer/"+Version)
	if key := apiKey(); key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	if login != nil {
		password, _ := login.Password()
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(login.Username()+":"+password)))
	}
	for _, p := range r.Header {
		h.Set(p.Key, p.Value)
	}
	return h
}

// proxyFunc chooses the proxy: --proxy, none, or what the environment says.
func (r *serveRun) proxyFunc() (func(*http.Request) (*url.URL, error), error) {
	switch r.Proxy {
	case "":
		return http.ProxyFromEnvironment, nil
	case "none":
		return nil, nil
	}
	u, err := url.Parse(r.Proxy)
	if err != nil {
		return nil, argv.Errorf("proxy", "is no URL: %v", err)
	}
	return http.ProxyURL(u), nil
}

// client is for questions beside the load: models, metrics, tokenize.
func (r *serveRun) client(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	return &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:           proxy,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: r.Insecure}, //nolint:gosec // the user's --insecure
			IdleConnTimeout: 10 * time.Second,
		},
	}
}

// extraFields are what the flags add to each body, in vLLM's order: sampling
// first, --extra-body over all.
func (r *serveRun) extraFields() []wire.Field {
	var fields []wire.Field
	number := func(name string, v *float64) {
		if v != nil {
			fields = append(fields, wire.Field{Name: name, Value: json.RawMessage(pyjson.Float(*v))})
		}
	}
	number("top_p", r.TopP)
	if r.TopK != nil {
		b, _ := json.Marshal(*r.TopK) // an int always marshals
		fields = append(fields, wire.Field{Name: "top_k", Value: b})
	}
	number("min_p", r.MinP)
	number("temperature", r.Temperature)
	number("frequency_penalty", r.FrequencyPenalty)
	number("presence_penalty", r.PresencePenalty)
	number("repetition_penalty", r.RepetitionPenalty)
	if r.ContinuousUsage {
		fields = append(fields, wire.Field{Name: "stream_options", Value: json.RawMessage(`{"include_usage": true, "continuous_usage_stats": true}`)})
	}
	return append(fields, objectFields(r.ExtraBody)...)
}

// objectFields lists the fields of a JSON object in its own order.
func objectFields(object json.RawMessage) []wire.Field {
	var values map[string]json.RawMessage
	if len(object) == 0 || json.Unmarshal(object, &values) != nil {
		return nil // the flag's parser has made sure that it is an object
	}
	var fields []wire.Field
	for _, name := range objectKeys(object) {
		fields = append(fields, wire.Field{Name: name, Value: values[name]})
	}
	return fields
}
