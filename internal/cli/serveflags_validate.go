package cli

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// validate fills in what follows from other flags and checks that the flags make
// sense together. Every error is a *argv.UsageError.
func (o *serveOptions) validate(set *argv.Set) error {
	o.resolve(set)
	for _, check := range []func(*argv.Set) error{
		o.checkUsers, o.checkRanges, o.checkTargets, o.checkServer, o.checkHeaders, o.checkPace, o.checkRampUp, o.checkTimes, o.checkUntil,
		o.checkGiveUp, o.checkPrice, o.checkRequest, o.checkDataset, o.checkResult, o.checkIntegrity, o.checkSLO, o.checkFormat,
	} {
		if err := check(set); err != nil {
			return err
		}
	}
	return nil
}

// checkRanges looks at each number by itself.
func (o *serveOptions) checkRanges(*argv.Set) error {
	const most = math.MaxInt32 // of tokens and requests: more is a slip of the finger
	deref := func(p *int, unset int) int {
		if p == nil {
			return unset
		}
		return *p
	}
	for _, r := range []struct {
		name         string
		value        int
		least, upper int
	}{
		{"port", o.Port, 1, 65535},
		{"max-concurrency", deref(o.MaxConcurrency, 1), 1, most},
		{"num-warmups", o.NumWarmups, 0, most},
		{"ready-check-timeout-sec", o.ReadyCheckTimeoutSec, 0, most},
		{"seed", o.Seed, 0, math.MaxUint32}, // what NumPy takes as a seed
		{"keep-runs", o.KeepRuns, 0, most},
		{"logprobs", deref(o.Logprobs, 0), 0, most},
		{"input-len", deref(o.InputLen, 1), 1, most},
		{"output-len", deref(o.OutputLen, 1), o.leastOutput(), most},
		{"random-input-len", o.RandomInputLen, 0, most},
		{"random-output-len", o.RandomOutputLen, o.leastOutput(), most},
		{"random-prefix-len", o.RandomPrefixLen, 0, most},
		{"sharegpt-output-len", deref(o.SharegptOutputLen, 1), o.leastOutput(), most},
		{"custom-output-len", o.CustomOutputLen, -1, most},
		{"sonnet-input-len", o.SonnetInputLen, 1, most},
		{"sonnet-output-len", o.SonnetOutputLen, o.leastOutput(), most},
		{"sonnet-prefix-len", o.SonnetPrefixLen, 0, most},
		{"prefix-repetition-prefix-len", o.PrefixRepetitionPrefixLen, 0, most},
		{"prefix-repetition-suffix-len", o.PrefixRepetitionSuffixLen, 0, most},
		{"prefix-repetition-num-prefixes", o.PrefixRepetitionPrefixes, 1, most},
		{"prefix-repetition-output-len", o.PrefixRepetitionOutputLen, o.leastOutput(), most},
	} {
		if r.value < r.least {
			return argv.Errorf(r.name, "must be at least %d, not %d", r.least, r.value)
		}
		if r.value > r.upper {
			return argv.Errorf(r.name, "must be at most %d, not %d", r.upper, r.value)
		}
	}
	if o.NumPrompts < 1 && !o.Unbounded && o.DatasetName != "custom" {
		return argv.Errorf("num-prompts", "must be at least 1, not %d", o.NumPrompts)
	}
	if o.CustomOutputLen == 0 {
		return argv.Errorf("custom-output-len", "must be at least 1, or -1, not 0")
	}
	return nil
}

// leastOutput is the smallest output length: --output-len -1 is for custom rows that say it themselves.
func (o *serveOptions) leastOutput() int {
	if o.DatasetName == "custom" && o.OutputLen != nil && *o.OutputLen == -1 {
		return -1
	}
	return 1
}

func (o *serveOptions) checkServer(*argv.Set) error {
	if o.BaseURL != "" {
		if err := checkURL("base-url", o.BaseURL, "http", "https"); err != nil {
			return err
		}
	}
	if o.BaseURL == "" && (o.Host == "" || strings.ContainsAny(o.Host, "/ ")) {
		return argv.Errorf("host", "needs a name or an address, not %q", o.Host).WithHint("a URL goes to --base-url")
	}
	if o.HTTP2 && slices.ContainsFunc(o.baseURLs(), func(u string) bool { return !strings.HasPrefix(strings.ToLower(u), "https:") }) {
		return argv.Errorf("http2", "needs a server behind TLS").WithHint("give an https URL with --base-url")
	}
	if o.Proxy != "" && o.Proxy != "none" {
		if err := checkURL("proxy", o.Proxy, "http", "https", "socks5", "socks5h"); err != nil {
			return err
		}
	}
	isChat := strings.HasSuffix(o.Endpoint, "chat/completions")
	switch {
	case !strings.HasPrefix(o.Endpoint, "/"):
		return argv.Errorf("endpoint", "must begin with a slash, as in %s, not %q", completionsEndpoint, o.Endpoint)
	case o.Backend == backendChat && !isChat:
		return argv.Errorf("endpoint", "must end with chat/completions for --backend %s, not %q", o.Backend, o.Endpoint)
	case o.Backend != backendChat && !strings.HasSuffix(o.Endpoint, "completions"):
		return argv.Errorf("endpoint", "must end with completions for --backend %s, not %q", o.Backend, o.Endpoint)
	case o.Backend != backendChat && isChat:
		return argv.Errorf("endpoint", "is that of chat, and --backend %s sends completions", o.Backend).WithHint("use --backend %s", backendChat)
	}
	return nil
}

func checkURL(flag, text string, schemes ...string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains(schemes, strings.ToLower(u.Scheme)) || u.RawQuery != "" || u.Fragment != "" {
		// The text may hold a password, so it is not repeated as it is.
		return argv.Errorf(flag, "needs a URL such as %s://host:8000, not %q", schemes[0], argv.RedactURL(text))
	}
	return nil
}

// checkHeaders looks at all that goes into a request's head: a line break in it would
// be a header of its own.
func (o *serveOptions) checkHeaders(*argv.Set) error {
	for _, h := range o.Header {
		if err := wire.CheckHeader(h.Key, h.Value); err != nil {
			return argv.Errorf("header", "%v", err)
		}
	}
	if err := wire.CheckHeader("X-Request-Id", o.RequestIDPrefix); err != nil {
		return argv.Errorf("request-id-prefix", "%v", err)
	}
	if err := wire.CheckHeader("Authorization", apiKey()); err != nil {
		return &argv.UsageError{Text: "OPENAI_API_KEY " + err.Error()}
	}
	return nil
}

// checkPace looks at the ways to say when requests are sent; only one may be used.
func (o *serveOptions) checkPace(*argv.Set) error {
	if !(o.Burstiness > 0) {
		return argv.Errorf("burstiness", "must be above 0, not %g", o.Burstiness)
	}
	if !(o.RequestRate > 0) {
		return argv.Errorf("request-rate", "must be above 0, not %g", o.RequestRate)
	}
	var ways []string
	for _, way := range []struct {
		name  string
		given bool
	}{
		{"request-rate", !math.IsInf(o.RequestRate, 1)},
		{"ramp-up-strategy", o.RampUpStrategy != ""},
		{"ramp-rate", o.RampRate != nil},
		{"stages", o.Stages != nil},
	} {
		if way.given {
			ways = append(ways, way.name)
		}
	}
	if len(ways) > 1 {
		return argv.Errorf(ways[1], "can't be used together with --%s: both say when requests are sent", ways[0])
	}
	return nil
}

// checkRampUp looks at vLLM's ramp, which goes by the number of requests.
func (o *serveOptions) checkRampUp(set *argv.Set) error {
	start, end := o.RampUpStartRPS, o.RampUpEndRPS
	if o.RampUpStrategy == "" {
		for _, name := range []string{"ramp-up-start-rps", "ramp-up-end-rps"} {
			if set.Seen(name) {
				return argv.Errorf(name, "needs --ramp-up-strategy").WithHint("linear or exponential")
			}
		}
		return nil
	}
	switch {
	case start == nil || end == nil:
		return argv.Errorf("ramp-up-strategy", "needs --ramp-up-start-rps and --ramp-up-end-rps")
	case *start < 0:
		return argv.Errorf("ramp-up-start-rps", "can't be negative, as %d is", *start)
	case *end < 0:
		return argv.Errorf("ramp-up-end-rps", "can't be negative, as %d is", *end)
	case *start > *end:
		return argv.Errorf("ramp-up-start-rps", "must not be above --ramp-up-end-rps, as %d is above %d", *start, *end)
	case *start == 0:
		return argv.Errorf("ramp-up-start-rps", "must be above 0: the first request of a rate of 0 would never be sent").
			WithHint("a ramp from 0 in time is --ramp-rate 0..%d --ramp-duration 60s", *end)
	case o.Unbounded:
		return argv.Errorf("ramp-up-strategy", "goes by the number of requests and needs --num-prompts beside --duration").
			WithHint("a ramp in time is --ramp-rate %d..%d --ramp-duration %v", *start, *end, o.Duration)
	}
	return nil
}

// checkTimes looks at our bounds in time.
func (o *serveOptions) checkTimes(set *argv.Set) error {
	for _, d := range []struct {
		name string
		ok   bool
	}{
		{"duration", o.Duration > 0},
		{"ramp-duration", o.RampDuration > 0},
		{"request-timeout", o.RequestTimeout > 0},
		{"deadline", o.Deadline > 0},
	} {
		if set.Seen(d.name) && !d.ok {
			return argv.Errorf(d.name, "must be above 0")
		}
	}
	switch {
	case o.ScrapeEvery != 0 && o.ScrapeEvery < leastScrape:
		return argv.Errorf("scrape-every", "must be 0 or at least %v: asking more often would load the server", leastScrape)
	case (o.RampRate == nil) != (o.RampDuration == 0):
		return argv.Errorf("ramp-rate", "and --ramp-duration go together: one says how high, the other how long")
	case o.Duration > 0 && o.Stages != nil:
		return argv.Errorf("duration", "can't be used together with --stages: they say how long the run lasts")
	case o.Duration > 0 && o.RampRate != nil:
		return argv.Errorf("duration", "can't be used together with --ramp-rate: --ramp-duration says how long the run lasts").
			WithHint("use --stages to hold the rate after a ramp, as in 60s@5-50,5m@50")
	case o.Unbounded && o.Duration > 0 && math.IsInf(o.RequestRate, 1) && o.MaxConcurrency == nil:
		return argv.Errorf("duration", "needs a bound on what is sent").WithHint("give --max-concurrency, --request-rate or --num-prompts")
	}
	return nil
}

func (o *serveOptions) checkRequest(*argv.Set) error {
	for _, p := range []struct {
		name  string
		value *float64
	}{
		{"temperature", o.Temperature},
		{"top-p", o.TopP},
		{"min-p", o.MinP},
		{"frequency-penalty", o.FrequencyPenalty},
		{"presence-penalty", o.PresencePenalty},
		{"repetition-penalty", o.RepetitionPenalty},
	} {
		// The range is the server's business; what JSON can't say is ours.
		if p.value != nil && !allFinite(*p.value) {
			return argv.Errorf(p.name, "must be a finite number, not %g", *p.value)
		}
	}
	if o.Logprobs != nil && o.Backend == backendChat {
		return argv.Errorf("logprobs", "is not sent with --backend %s", backendChat).
			WithHint(`use --extra-body '{"logprobs": true, "top_logprobs": %d}'`, *o.Logprobs)
	}
	return nil
}

func (o *serveOptions) checkDataset(*argv.Set) error {
	generated := o.DatasetName == "random" || o.DatasetName == "prefix_repetition"
	switch {
	case generated && o.DatasetPath != "":
		return argv.Errorf("dataset-path", "can't be used with --dataset-name %s, which is made, not read", o.DatasetName).
			WithHint("name the file's kind with --dataset-name sharegpt, custom or sonnet")
	case !generated && o.DatasetPath == "":
		return argv.Errorf("dataset-path", "is needed for --dataset-name %s", o.DatasetName)
	case o.DatasetName == "random" && o.RandomInputLen+o.RandomPrefixLen == 0:
		return argv.Errorf("random-input-len", "and --random-prefix-len can't both be 0: the prompt would be empty")
	case o.DatasetName == "sonnet" && o.SonnetInputLen <= o.SonnetPrefixLen:
		return argv.Errorf("sonnet-input-len", "must be above --sonnet-prefix-len, and %d is not above %d", o.SonnetInputLen, o.SonnetPrefixLen)
	case o.DatasetName == "prefix_repetition" && !o.Unbounded && o.NumPrompts < o.PrefixRepetitionPrefixes:
		return argv.Errorf("num-prompts", "must be at least --prefix-repetition-num-prefixes, and %d is below %d", o.NumPrompts, o.PrefixRepetitionPrefixes)
	case o.DatasetName == "prefix_repetition" && o.PrefixRepetitionPrefixLen+o.PrefixRepetitionSuffixLen == 0:
		return argv.Errorf("prefix-repetition-suffix-len", "and --prefix-repetition-prefix-len can't both be 0: the prompt would be empty")
	}
	return nil
}

func (o *serveOptions) checkResult(*argv.Set) error {
	if o.DisableTQDM && o.Progress != "none" {
		return argv.Errorf("progress", "%s can't be used together with --disable-tqdm", o.Progress)
	}
	known := metric.ReportedNames()
	for _, m := range o.PercentileMetrics {
		if !slices.Contains(known, m) {
			return argv.Errorf("percentile-metrics", "knows %s, not %q", strings.Join(known, ", "), m)
		}
	}
	for _, p := range o.MetricPercentiles {
		if !(p >= 0 && p <= 100) {
			return argv.Errorf("metric-percentiles", "must be from 0 to 100, not %g", p)
		}
	}
	return o.setGoodput()
}
