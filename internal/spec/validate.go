package spec

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/usage"
)

// Validate says what is wrong with a resolved Spec. Every error is a *usage.Error
// that names the flag; Decode names the key of a file.
func (s *Spec) Validate() error {
	for _, check := range []func() error{
		s.checkChoices, s.checkRanges, s.checkServer, s.checkHeaders, s.checkPace, s.checkTimes, s.checkUntil,
		s.checkBatches, s.checkGiveUp, s.checkPrice, s.checkHardware, s.checkRequest, s.CheckDataset, s.checkEval, s.checkConversations, s.checkShare, s.CheckFleet, s.checkResult, s.checkIntegrity, s.checkProbe, s.checkMetrics, s.checkReplicas, s.checkFaults, s.checkHangUp, s.checkThresholds, s.checkSLO,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkChoices looks at what must be one of a few words.
func (s *Spec) checkChoices() error {
	if s.Backend == BackendAuto {
		return usage.Errorf("backend", "must be one of %s, not %q", strings.Join(protocol.Backends(), ", "), s.Backend)
	}
	for _, f := range Fields() {
		if text, _ := f.Text(s); len(f.Choices) > 0 && !(text == BatchesName && f.Flag == "dataset-name") {
			if err := f.SetText(s, text); err != nil {
				return flagError(err, Fields())
			}
		}
	}
	if (s.DatasetName == BatchesName) != (s.Batches != nil) {
		return usage.Errorf("dataset-name", "%s and the shape of the batches go together", BatchesName)
	}
	return nil
}

func Deref(p *int, unset int) int {
	if p == nil {
		return unset
	}
	return *p
}

// checkRanges looks at each number by itself.
func (s *Spec) checkRanges() error {
	for _, f := range Fields() {
		if err := f.Check(s); err != nil {
			return flagError(err, Fields())
		}
	}
	return nil
}

// serverFlag is the flag that names the servers.
func (s *Spec) serverFlag() string {
	if len(s.URLs) > 1 {
		return "targets"
	}
	return "base-url"
}

func (s *Spec) checkServer() error {
	if len(s.URLs) == 0 {
		return usage.Errorf("targets", "needs at least one URL, as in http://host:8000,http://host:8001")
	}
	for i, u := range s.URLs {
		if err := CheckURL(s.serverFlag(), u, "http", "https"); err != nil {
			return err
		}
		if _, login := SplitLogin(u); login != "" {
			return usage.Errorf(s.serverFlag(), "has a login in it, which a Spec must not hold").WithHint("name the variable that holds user:password in server.login")
		}
		if slices.Contains(s.URLs[:i], u) {
			return usage.Errorf("targets", "names %s twice", u)
		}
	}
	if s.HTTP2 && slices.ContainsFunc(s.URLs, func(u string) bool { return !strings.HasPrefix(strings.ToLower(u), "https:") }) {
		return usage.Errorf("http2", "needs a server behind TLS").WithHint("give an https URL with %s", usage.Ref("base-url"))
	}
	if s.Proxy != "" && s.Proxy != NoProxy {
		if err := CheckURL("proxy", s.Proxy, "http", "https", "socks5", "socks5h"); err != nil {
			return err
		}
	}
	return s.checkEndpoint()
}

// checkEndpoint holds the path against what the backend speaks.
func (s *Spec) checkEndpoint() error {
	backend, err := s.ResolveBackend()
	if err != nil {
		return err
	}
	isChat := s.Protocol == nil && strings.HasSuffix(s.Endpoint, "chat/completions")
	switch {
	case !strings.HasPrefix(s.Endpoint, "/"):
		return usage.Errorf("endpoint", "must begin with a slash, as in %s, not %q", CompletionsEndpoint, s.Endpoint)
	case !backend.Takes(s.Endpoint):
		return usage.Errorf("endpoint", "must end with %s for %s %s, not %q", backend.Suffixes(), usage.Ref("backend"), s.Backend, s.Endpoint)
	case strings.Contains(s.Endpoint, protocol.ModelInPath) && len(s.LoRAModules) > 0:
		return usage.Errorf("lora-modules", "can't be used where the model's name is part of the path: all requests go to %s", s.Endpoint)
	case !backend.Chat && isChat:
		return usage.Errorf("endpoint", "is that of chat, and %s %s sends %s", usage.Ref("backend"), s.Backend, backend.Doc).WithHint("use %s %s", usage.Ref("backend"), BackendChat)
	}
	return nil
}

// CheckURL says what is wrong with an address that a flag gives.
func CheckURL(flag, text string, schemes ...string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains(schemes, strings.ToLower(u.Scheme)) || u.RawQuery != "" || u.Fragment != "" {
		// The text may hold a password, so it is not repeated as it is.
		return usage.Errorf(flag, "needs a URL such as %s://host:8000, not %q", schemes[0], outside.RedactURL(text))
	}
	return nil
}

// checkHeaders looks at all that goes into a request's head: a line break in it would
// be a header of its own. Values of variables are looked at when they are known.
func (s *Spec) checkHeaders() error {
	for _, h := range s.Headers {
		if err := wire.CheckHeader(h.Name, h.Value.Text); err != nil {
			return usage.Errorf("header", "%v", err)
		}
		if h.Value.Env == "" && (outside.SecretName(h.Name) || strings.EqualFold(h.Name, "cookie")) {
			return usage.Errorf("header", "%s is a secret, which a Spec must not hold", h.Name).WithHint(`name the variable that holds it, as in {"env": "NAME", "prefix": "Bearer "}`)
		}
	}
	if _, err := stream.ParseSigns(s.ReplicaKey); err != nil {
		return usage.Errorf("replica-key", "%v", err)
	}
	for key, v := range map[string]Value{"api_key": s.APIKey, "login": s.Login, "proxy_login": s.ProxyLogin} {
		if v.Text != "" {
			return &usage.Error{Text: "server." + key + " is a secret, which a Spec must not hold", Hint: `name the variable that holds it, as in {"env": "NAME"}`}
		}
	}
	if len(outside.JSONSecrets(s.ExtraBody)) > 0 {
		return usage.Errorf("extra-body", "has a field that is named like a secret, which a Spec must not hold").
			WithHint(`name the variable that holds it, as in {"api_key": {"$env": "NAME"}}`)
	}
	if err := s.checkTrace(); err != nil {
		return err
	}
	if err := wire.CheckHeader("X-Request-Id", s.RequestIDPrefix); err != nil {
		return usage.Errorf("request-id-prefix", "%v", err)
	}
	return nil
}

// leastScrape is how often a server may be asked: more would be a load of its own.
const leastScrape = 100 * time.Millisecond

// checkTimes looks at the bounds in time.
func (s *Spec) checkTimes() error {
	switch {
	case s.ScrapeEvery != 0 && s.ScrapeEvery < leastScrape:
		return usage.Errorf("scrape-every", "must be 0 or at least %v: asking more often would load the server", leastScrape)
	case s.Duration > 0 && s.paceKind().Timed:
		return s.twoLengths()
	case s.Unbounded && s.Duration > 0 && math.IsInf(s.Rate(), 1) && !s.concurrent() && !s.SelfTimed():
		return usage.Errorf("duration", "needs a bound on what is sent").WithHint("give %s, %s or %s", usage.Ref("max-concurrency"), usage.Ref("request-rate"), usage.Ref("num-prompts"))
	case s.Unbounded && !s.Timed() && s.Until == "":
		return usage.Errorf("duration", "is needed where the number of requests has no bound")
	}
	return nil
}

func (s *Spec) checkPrice() error {
	if s.Power.Text == "" {
		return nil
	}
	if _, err := hardware.ParsePower(s.Power.Text); err != nil {
		return usage.Errorf("power", "%v", err)
	}
	return nil
}

func (s *Spec) checkRequest() error {
	if err := s.CheckUnstreamed(); err != nil {
		return err
	}
	if err := s.checkSampling(); err != nil {
		return err
	}
	if s.Logprobs != nil && s.Chat() {
		return usage.Errorf("logprobs", "is not sent with %s %s", usage.Ref("backend"), s.Backend).
			WithHint(`use --extra-body '{"logprobs": true, "top_logprobs": %d}'`, *s.Logprobs)
	}
	for flag, body := range map[string][]byte{"extra-body": s.ExtraBody, "default-body": s.DefaultBody} {
		if len(body) > 0 && (body[0] != '{' || ObjectKeys(body) == nil && string(body) != "{}") {
			return usage.Errorf(flag, `needs a JSON object such as {"key": 1}`)
		}
	}
	return nil
}

func (s *Spec) checkResult() error {
	known := metric.ReportedNames()
	for _, m := range s.PercentileMetrics {
		if !slices.Contains(known, m) {
			return usage.Errorf("percentile-metrics", "knows %s, not %q", strings.Join(known, ", "), m)
		}
	}
	for _, p := range s.MetricPercentiles {
		if !(p >= 0 && p <= 100) {
			return usage.Errorf("metric-percentiles", "must be from 0 to 100, not %g", p)
		}
	}
	_, err := parseLimits(s.Goodput.Texts())
	if err != nil {
		return usage.Errorf("goodput", "%v", err)
	}
	return nil
}

// parseLimits reads limits of good requests in ms, such as ttft:200; nil: there are none.
func parseLimits(clauses []string) (Limits, error) {
	if len(clauses) == 0 {
		return nil, nil
	}
	parsed, err := condition.Parse(strings.Join(clauses, " and "), condition.PerRequest)
	if err != nil {
		return nil, err
	}
	limits := Limits{}
	for _, c := range parsed {
		if _, twice := limits[c.Metric]; twice {
			return nil, fmt.Errorf("has two limits for %s", c.Metric)
		}
		limits[c.Metric] = c.Limit
	}
	return limits, nil
}

// checkIntegrity: only greedy texts can be compared.
func (s *Spec) checkIntegrity() error {
	if s.IntegritySample > 0 && (s.Temperature == nil || *s.Temperature != 0) {
		return usage.Errorf("integrity-sample", "needs %s 0: texts that are drawn at random differ by themselves", usage.Ref("temperature"))
	}
	return nil
}

func (s *Spec) checkSLO() error {
	_, err := ParseSLO(s.SLO)
	return err
}

// ParseSLO reads an SLO of a whole run; an empty text is none.
func ParseSLO(text string) (slo.SLO, error) {
	if text == "" {
		return nil, nil
	}
	objective, err := slo.Parse(text)
	if err != nil {
		return nil, usage.Errorf("slo", "%v", err)
	}
	return objective, nil
}
