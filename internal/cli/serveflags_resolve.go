package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/condition"
)

// validate fills in what follows from other flags and checks that they make sense, by
// themselves and together. Every error is a *argv.UsageError.
func (o *serveOptions) validate(set *argv.Set) error {
	if (o.DisableTQDM || o.Quiet) && !set.Seen("progress") {
		o.Progress = "none"
	}
	o.resolveUsers()
	for _, check := range []func(*argv.Set) error{o.checkUsers, o.checkGiven, o.setServers, o.setHeaders, o.setValues} {
		if err := check(set); err != nil {
			return err
		}
	}
	o.fanOut()
	o.tookV1 = o.Resolve(set.Seen) || o.tookV1
	if err := o.Spec.Validate(); err != nil {
		return err
	}
	if o.DisableTQDM && o.Progress != "none" {
		return argv.Errorf("progress", "%s can't be used together with --disable-tqdm", o.Progress)
	}
	return o.checkFormat()
}

// checkGiven looks at what a Spec can't tell from what was not given.
func (o *serveOptions) checkGiven(set *argv.Set) error {
	for name, d := range map[string]time.Duration{"duration": o.Duration, "ramp-duration": o.RampDuration, "deadline": o.Deadline} {
		if set.Seen(name) && d == 0 {
			return argv.Errorf(name, "must be above 0")
		}
	}
	if set.Seen("until") && o.Until == "" {
		_, err := condition.Parse(o.Until, condition.Width)
		return argv.Errorf("until", "%v", err)
	}
	for name, n := range map[string]*int{"input-len": o.InputLen, "output-len": o.OutputLen} {
		own := o.DatasetName == "custom" && name == "output-len" // -1: its rows say it themselves
		if n != nil && *n < 1 && !(own && *n == -1) {
			return argv.Errorf(name, "must be at least 1, not %d", *n)
		}
		if n != nil && *n > math.MaxInt32 {
			return argv.Errorf(name, "must be at most %d, not %d", math.MaxInt32, *n)
		}
	}
	return nil
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
	note(o.tookV1, "/v1 is the endpoint's and was taken off the address: requests go to %s", o.shownURL())
	note(set.Seen("balance") && len(o.URLs) < 2, "--balance has no effect with one server")
	note(len(o.URLs) > 1 && o.NumWarmups > 0 && o.NumWarmups < len(o.URLs), "%d warm-ups do not reach all %d targets", o.NumWarmups, len(o.URLs))
	note(o.SkipTokenizerInit && set.Seen("tokenizer"), "--tokenizer has no effect with --skip-tokenizer-init")
	note(set.Seen("keep-runs") && set.Seen("run-dir"), "--keep-runs has no effect with --run-dir")
	return notes
}
