package cli

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

// resolve fills in what follows from other flags.
func (o *serveOptions) resolve(set *argv.Set) {
	if o.Endpoint == "" {
		o.Endpoint = completionsEndpoint
		if o.Backend == backendChat {
			o.Endpoint = chatEndpoint
		}
	}
	if (o.timed() || o.Until != "") && !set.Seen("num-prompts") {
		o.NumPrompts, o.Unbounded = 0, true
	}
	// A length of a random prompt means nothing to a model that may stop at once.
	if o.DatasetName == "random" {
		o.IgnoreEOS = true
	}
	if o.Compat == "vllm" && !set.Seen("request-timeout") {
		o.RequestTimeout = vllmRequestTimeout
	}
	if (o.DisableTQDM || o.Quiet) && !set.Seen("progress") {
		o.Progress = "none"
	}
	o.takeV1()
	o.resolveUsers()
	o.fanOut()
}

// takeV1 takes /v1 off the end of the servers' addresses, as other tools want it
// there: it belongs to the endpoint, and to the paths of models and tokenizer.
func (o *serveOptions) takeV1() {
	take := func(base string) string {
		short, found := strings.CutSuffix(strings.TrimRight(base, "/"), "/v1")
		if !found || strings.HasSuffix(short, "/") {
			return base
		}
		o.tookV1 = true
		return strings.TrimRight(short, "/")
	}
	o.BaseURL = take(o.BaseURL)
	for i, t := range o.Targets {
		o.Targets[i] = take(t)
	}
	if o.tookV1 && !strings.HasPrefix(o.Endpoint, "/v1/") && strings.HasPrefix(o.Endpoint, "/") {
		o.Endpoint = "/v1" + o.Endpoint
	}
}

// timed reports whether the run ends after a time rather than after a number of requests.
func (o *serveOptions) timed() bool {
	return o.Duration > 0 || o.Stages != nil || o.RampRate != nil
}

// fanOut gives --input-len and --output-len to the datasets. As in vLLM they win
// over the datasets' own flags.
func (o *serveOptions) fanOut() {
	if o.InputLen != nil {
		o.RandomInputLen, o.SonnetInputLen = *o.InputLen, *o.InputLen
	}
	if n := o.OutputLen; n != nil {
		o.RandomOutputLen, o.SonnetOutputLen, o.CustomOutputLen, o.PrefixRepetitionOutputLen = *n, *n, *n, *n
		o.SharegptOutputLen = n
	}
}

// baseURL is the server without a path of the API. A slash at its end is dropped:
// the endpoint begins with one.
func (o *serveOptions) baseURL() string {
	if len(o.Targets) > 0 {
		return o.baseURLs()[0]
	}
	if o.BaseURL != "" {
		return strings.TrimRight(o.BaseURL, "/")
	}
	host := strings.TrimSuffix(strings.TrimPrefix(o.Host, "["), "]")
	return "http://" + net.JoinHostPort(host, strconv.Itoa(o.Port))
}

// apiURL is where requests go.
func (o *serveOptions) apiURL() string { return o.baseURL() + o.Endpoint }

// datasetFlags returns the flags that speak to some datasets only.
func datasetFlags() map[string][]string {
	return map[string][]string{
		"random":            {"input-len", "random-input-len", "random-output-len", "random-prefix-len", "random-range-ratio"},
		"sharegpt":          {"sharegpt-output-len", "no-oversample", "disable-shuffle"},
		"custom":            {"custom-output-len", "skip-chat-template", "no-oversample", "disable-shuffle"},
		"sonnet":            {"input-len", "sonnet-input-len", "sonnet-output-len", "sonnet-prefix-len"},
		"prefix_repetition": {"prefix-repetition-prefix-len", "prefix-repetition-suffix-len", "prefix-repetition-num-prefixes", "prefix-repetition-output-len", "disable-shuffle"},
	}
}

// notes are what the user should know of flags that are right and yet may not do
// what was meant. vLLM says nothing in these cases; the run goes on all the same.
func (o *serveOptions) notes(set *argv.Set) []string {
	var notes []string
	note := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	byDataset := datasetFlags()
	mine := byDataset[o.DatasetName]
	for _, f := range set.Flags() {
		speaksToSome := false
		for _, names := range byDataset {
			speaksToSome = speaksToSome || slices.Contains(names, f.Name)
		}
		note(speaksToSome && set.Seen(f.Name) && !slices.Contains(mine, f.Name), "--%s has no effect with --dataset-name %s", f.Name, o.DatasetName)
		for _, general := range []string{"input-len", "output-len"} {
			note(f.Name != general && strings.HasSuffix(f.Name, general) && slices.Contains(mine, f.Name) && set.Seen(f.Name) && set.Seen(general),
				"--%s wins over --%s", general, f.Name)
		}
	}
	note(o.SaveDetailed && !o.SaveResult && !o.AppendResult, "--save-detailed has no effect without --save-result or --append-result")
	note((set.Seen("result-dir") || set.Seen("result-filename")) && !o.SaveResult && !o.AppendResult,
		"no result is written without --save-result or --append-result")
	note(set.Seen("base-url") && (set.Seen("host") || set.Seen("port")), "--base-url wins over --host and --port")
	note(o.tookV1, "/v1 is the endpoint's and was taken off the address: requests go to %s", argv.RedactURL(o.apiURL()))
	note(set.Seen("balance") && !o.several(), "--balance has no effect with one server")
	note(o.several() && o.NumWarmups > 0 && o.NumWarmups < len(o.Targets), "%d warm-ups do not reach all %d targets", o.NumWarmups, len(o.Targets))
	note(o.SkipTokenizerInit && set.Seen("tokenizer"), "--tokenizer has no effect with --skip-tokenizer-init")
	note(set.Seen("keep-runs") && set.Seen("run-dir"), "--keep-runs has no effect with --run-dir")
	return notes
}
