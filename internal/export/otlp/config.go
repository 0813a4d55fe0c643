// Package otlp tells an OpenTelemetry collector of a run while it goes on: a span for each
// request, under one for the run, and metrics, by OTLP over HTTP. Names and attributes are
// those of the semantic conventions for generative AI.
//
//	Ended ─▶ queue (bounded) ─▶ batches ─▶ POST /v1/traces, gzip, again after a pause if need be
//
// A collector that is slow or gone costs spans, which are counted, and never the run.
package otlp

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// FromEnvironment as an endpoint means the one of OTEL_EXPORTER_OTLP_ENDPOINT.
const FromEnvironment = "env"

// Config is where to, and as whom.
type Config struct {
	Endpoint string // without its login
	header   http.Header
	resource []attribute
}

// What a collector is told of us may be said by these, as in OpenTelemetry's own programs.
const (
	envEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	envResource = "OTEL_RESOURCE_ATTRIBUTES"
	envService  = "OTEL_SERVICE_NAME"
)

// NewConfig checks an endpoint, and reads the environment. No error repeats a secret.
func NewConfig(endpoint, version string, lookup func(string) (string, bool)) (*Config, error) {
	from := "needs an address"
	if endpoint == FromEnvironment {
		endpoint, _ = lookup(envEndpoint)
		if from = envEndpoint + " needs an address"; endpoint == "" {
			return nil, fmt.Errorf("is %s, and the variable %s is not set", FromEnvironment, envEndpoint)
		}
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s such as http://127.0.0.1:4318", from)
	}
	c := &Config{header: http.Header{"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"gzip"}, "User-Agent": {"inferometer/" + outside.Word(version)}}}
	if u.User != nil {
		password, _ := u.User.Password()
		r := http.Request{Header: c.header}
		r.SetBasicAuth(u.User.Username(), password)
		u.User = nil
	}
	c.Endpoint = strings.TrimRight(u.String(), "/")
	if err := c.readHeaders(lookup); err != nil {
		return nil, err
	}
	return c, c.readResource(version, lookup)
}

// readHeaders takes KEY=VALUE,KEY=VALUE, values escaped as in URLs.
func (c *Config) readHeaders(lookup func(string) (string, bool)) error {
	list, _ := lookup(envHeaders)
	return eachPair(envHeaders, list, func(name, value string) error {
		if err := wire.CheckHeader(name, value); err != nil {
			return fmt.Errorf("%s %w", envHeaders, err)
		}
		c.header.Set(name, value)
		return nil
	})
}

// readResource is what all spans and metrics come from.
func (c *Config) readResource(version string, lookup func(string) (string, bool)) error {
	own := map[string]string{"service.name": "inferometer", "service.version": version}
	list, _ := lookup(envResource)
	err := eachPair(envResource, list, func(name, value string) error {
		if own[name] = value; len(own) > maxAttributes {
			return fmt.Errorf("%s has more than %d attributes", envResource, maxAttributes)
		}
		return nil
	})
	if name, _ := lookup(envService); name != "" {
		own["service.name"] = name
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		c.resource = append(c.resource, text(outside.Word(name), outside.Word(own[name])))
	}
	return err
}

const maxAttributes = 100

func eachPair(variable, list string, see func(name, value string) error) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return fmt.Errorf("%s is no list such as KEY=VALUE,KEY=VALUE", variable)
		}
		if err := see(name, plain); err != nil {
			return err
		}
	}
	return nil
}
