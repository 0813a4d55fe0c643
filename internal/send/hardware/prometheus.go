package hardware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Query is an instant query of a Prometheus server whose value is watts.
type Query struct {
	URL  string // of the API: …/api/v1/query?query=…
	Text string
}

// parseQuery reads http://host:9090?query=…. The query may be escaped or not.
func parseQuery(text string) (*Query, error) {
	const form = "give the address and the query, as in prometheus:http://host:9090?query=sum(DCGM_FI_DEV_POWER_USAGE)"
	base, query, ok := strings.Cut(text, "?query=")
	u, err := url.Parse(base)
	if !ok || err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q can't be read: %s", text, form)
	}
	if plain, err := url.QueryUnescape(strings.ReplaceAll(query, "+", "%2B")); err == nil {
		query = plain
	}
	if query == "" {
		return nil, fmt.Errorf("the query is empty: %s", form)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/v1/query") + "/api/v1/query"
	u.RawQuery = url.Values{"query": {query}}.Encode()
	return &Query{URL: u.String(), Text: query}, nil
}

// query is a source with one device, whose power is the query's value.
type query struct {
	client *http.Client
	url    string
}

func (q *query) read(ctx context.Context) ([]journal.Device, error) {
	b, status, err := get(ctx, q.client, q.url, "Prometheus")
	if err != nil {
		return nil, err
	}
	v, err := parseAnswer(b)
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus (HTTP %d): %w", status, err)
	}
	return []journal.Device{{ID: PowerPrometheus, PowerW: &v}}, nil
}

// parseAnswer adds up the values of a vector, or takes a scalar's.
func parseAnswer(b []byte) (float64, error) {
	type value [2]any // when, and a number as a text
	var a struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Type   string          `json:"resultType"`
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return 0, fmt.Errorf("its answer can't be read: %w", err)
	}
	if a.Status != "success" {
		return 0, fmt.Errorf("it refused the query: %s", outside.Word(a.Error))
	}
	var err error
	vector := make([]struct{ Value value }, 1)
	switch a.Data.Type {
	case "scalar":
		err = json.Unmarshal(a.Data.Result, &vector[0].Value)
	case "vector":
		err = json.Unmarshal(a.Data.Result, &vector)
	default:
		return 0, fmt.Errorf("the query gives a %q, not a number for each series", a.Data.Type)
	}
	if err != nil {
		return 0, fmt.Errorf("its answer can't be read: %w", err)
	}
	if len(vector) == 0 {
		return 0, errors.New("the query gives nothing")
	}
	sum := 0.0
	for _, s := range vector {
		text, _ := s.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("a value of the query is no number: %q", text)
		}
		sum += v
	}
	return sum, nil
}
