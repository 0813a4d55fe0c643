package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// prometheus is a real one that scrapes an address each second.
type prometheus struct{ *realserver.Server }

func startPrometheus(t *testing.T, program, target string) prometheus {
	t.Helper()
	config := write(t, "prometheus.yml", fmt.Sprintf(
		"global: {scrape_interval: 1s}\nscrape_configs: [{job_name: inferometer, static_configs: [{targets: [%q]}]}]\n", target))
	port := realserver.FreePort(t)
	return prometheus{realserver.StartAs(t, port, "/-/ready", patience, nil, program,
		"--config.file="+config, "--storage.tsdb.path="+t.TempDir(), "--web.listen-address=127.0.0.1:"+port)}
}

type series struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
	Values [][2]any          `json:"values"`
}

func (s *series) number(t *testing.T) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s.Value[1].(string), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ask gives what a query finds.
func (p prometheus) ask(t *testing.T, path string, form url.Values) []series {
	t.Helper()
	answer, err := http.PostForm(p.Base+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	var all struct {
		Status, Error string
		Data          struct{ Result []series }
	}
	if err := json.Unmarshal(body, &all); err != nil || all.Status != "success" {
		t.Fatalf("%v: %v %s", form, err, body)
	}
	return all.Data.Result
}

// last is the last value of a metric that may be gone; there must be one series.
func (p prometheus) last(t *testing.T, metric string) float64 {
	t.Helper()
	found := p.ask(t, "/api/v1/query", url.Values{"query": {"last_over_time(" + metric + "[10m])"}})
	if len(found) != 1 {
		t.Fatalf("%s: %d series", metric, len(found))
	}
	return found[0].number(t)
}

func TestRealPrometheusHasTheResult(t *testing.T) {
	programs := realserver.Lines(t, "INFEROMETER_PROMETHEUS", 2, how)
	program := realserver.Build(t)
	address := "127.0.0.1:" + realserver.FreePort(t)
	p := startPrometheus(t, programs[0], address)
	began := time.Now()
	b := realserver.StartBench(t, nil, program, flags(simulated(t, program), "--prometheus", address, "--prometheus-linger", "30s")...)
	checkPage(t, programs[1], "http://"+address+"/metrics")
	result := b.Wait(t, 0, patience)
	ended := time.Now()
	if !strings.Contains(result.Stderr, "prometheus: http://"+address+"/metrics") || strings.Contains(result.Stderr, "nobody came") {
		t.Errorf("it said:\n%s", result.Stderr)
	}
	sum := 0
	for _, s := range p.ask(t, "/api/v1/query", url.Values{"query": {"last_over_time(inferometer_requests_total[10m])"}}) {
		got, want := int(s.number(t)), result.Inferometer.Outcomes[s.Metric["outcome"]]
		if sum += got; got != want {
			t.Errorf("%s: Prometheus has %d, the result %d", s.Metric["outcome"], got, want)
		}
		if s.Metric["run"] != "run" || s.Metric["model"] != "sim" || s.Metric["backend"] != "openai" {
			t.Errorf("%v", s.Metric)
		}
	}
	if sum != requests || result.Failed == 0 {
		t.Errorf("%d requests, %d of which failed", sum, result.Failed)
	}
	run := readRun(t, b)
	for metric, want := range map[string]int{
		"inferometer_prompt_tokens_total": result.TotalInputTokens, "inferometer_output_tokens_total": result.TotalOutputTokens,
		"inferometer_time_to_first_token_seconds_count": result.Completed, "inferometer_request_duration_seconds_count": result.Completed,
		"inferometer_inter_token_latency_seconds_count":                   run.gaps,
		`inferometer_time_to_first_token_seconds_bucket{le="+Inf"}`:       result.Completed,
		`inferometer_run_phase{phase="ended"}`:                            1,
		"inferometer_requests_in_flight":                                  0,
		`inferometer_time_to_first_token_seconds_bucket{le="0.025"} == 0`: 0, // the server takes 30 ms
	} {
		if got := p.last(t, strings.TrimSuffix(metric, " == 0")); int(got) != want {
			t.Errorf("%s: Prometheus has %g, the result %d", metric, got, want)
		}
	}
	mean := p.last(t, "inferometer_time_to_first_token_seconds_sum") / float64(result.Completed) * 1e3
	if d := mean - result.MeanTTFTms; d > 1e-6 || d < -1e-6 {
		t.Errorf("the mean of TTFT is %.9g ms by Prometheus, %.9g by the result", mean, result.MeanTTFTms)
	}
	t.Run("dashboard", func(t *testing.T) { checkQueries(t, p, began, ended) })
}

// checkPage has promtool look at what the run shows when it is under way.
func checkPage(t *testing.T, promtool, address string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get(address)
		if err != nil {
			continue // it does not listen yet
		}
		page, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if !bytes.Contains(page, []byte("inferometer_time_to_first_token_window_seconds{")) {
			continue
		}
		check := exec.Command(promtool, "check", "metrics")
		check.Stdin = bytes.NewReader(page)
		if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("promtool: %v\n%s", err, said)
		}
		return
	}
	t.Error("the run never showed a latency")
}
