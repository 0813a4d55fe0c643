package power

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

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

// prometheus takes the mean of what the query gives over the run.
type prometheus struct {
	query  *Query
	client *http.Client
	sum    float64
	count  int
}

func (p *prometheus) every() time.Duration { return time.Second }

func (p *prometheus) watts() (float64, bool) { return p.sum / float64(p.count), p.count > 0 }

func (p *prometheus) read(ctx context.Context, _ float64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.query.URL, nil)
	if err != nil {
		return err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask Prometheus: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("ask Prometheus: %w", err)
	}
	v, err := parseAnswer(b)
	if err != nil {
		return fmt.Errorf("ask Prometheus (HTTP %d): %w", resp.StatusCode, err)
	}
	p.sum += v
	p.count++
	return nil
}

// parseAnswer adds up the values of a vector, or takes a scalar's.
func parseAnswer(b []byte) (float64, error) {
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
	var vector []struct {
		Value [2]any `json:"value"`
	}
	switch a.Data.Type {
	case "scalar":
		vector = append(vector, struct {
			Value [2]any `json:"value"`
		}{})
		if err := json.Unmarshal(a.Data.Result, &vector[0].Value); err != nil {
			return 0, fmt.Errorf("its answer can't be read: %w", err)
		}
	case "vector":
		if err := json.Unmarshal(a.Data.Result, &vector); err != nil {
			return 0, fmt.Errorf("its answer can't be read: %w", err)
		}
	default:
		return 0, fmt.Errorf("the query gives a %q, not a number for each series", a.Data.Type)
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
