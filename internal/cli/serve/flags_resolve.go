package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// Check fills in what follows from other flags and checks that they make sense, by
// themselves and together. Every error is a *argv.UsageError.
func (o *Options) Check(set *argv.Set) error {
	if (o.DisableTQDM || o.Quiet) && !set.Seen("progress") {
		o.Progress = "none"
	}
	o.resolveUsers()
	for _, check := range []func(*argv.Set) error{o.checkUsers, o.resolveMultiTurn, o.checkEngine, o.checkGiven, o.SetServers, o.SetHeaders, o.SetProtocol, o.SetMetrics, o.setValues, o.setChoices, o.checkFleet, o.checkSSH} {
		if err := check(set); err != nil {
			return err
		}
	}
	if err := o.chooseBackend(); err != nil {
		return err
	}
	o.resolveNoStream(set)
	o.Resolve(set.Seen)
	o.May = &o.allowed
	if err := o.Spec.Validate(); err != nil {
		return err
	}
	if o.DisableTQDM && o.Progress != "none" {
		return argv.Errorf("progress", "%s can't be used together with --disable-tqdm", o.Progress)
	}
	if err := o.checkRehearsal(); err != nil {
		return err
	}
	return o.checkFormat()
}

// Asking lets Check ask the servers what they are, where --backend is auto.
func (o *Options) Asking(ctx context.Context, s command.Streams) {
	o.choose = func(asked *spec.Spec) error { return prepare.ChooseBackend(ctx, asked, &o.RunHost(s).Host) }
}

func (o *Options) chooseBackend() error {
	switch {
	case o.Backend != spec.BackendAuto:
		return nil
	case o.choose == nil:
		return o.AssumeBackend()
	}
	return o.choose(&o.Spec)
}

// checkGiven looks at what a Spec can't tell from what was not given.
func (o *Options) checkGiven(set *argv.Set) error {
	for name, d := range map[string]time.Duration{"duration": o.Duration, "deadline": o.Deadline} {
		if set.Seen(name) && d == 0 {
			return argv.Errorf(name, "must be above 0")
		}
	}
	if set.Seen("until") && o.Until == "" {
		_, err := condition.Parse(o.Until, condition.Width)
		return argv.Errorf("until", "%v", err)
	}
	if set.Lookup("run-dir") != nil && set.Seen("run-dir") {
		if err := checkRunDir(o.RunDir); err != nil {
			return err
		}
	}
	return o.checkLengths()
}

// checkRunDir refuses what is surely no folder: -o names a file in other commands, and a length
// in fw-ai/benchmark. A folder of such a name that is there is taken.
func checkRunDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if _, err := strconv.Atoi(dir); err == nil {
		return argv.Errorf("", "-o (--run-dir) names a folder, and %s is a number", dir).WithHint("the length of answers is --random-output-len %s; a folder of that name is ./%s", dir, dir)
	}
	switch filepath.Ext(dir) {
	case ".json", ".jsonl":
		return argv.Errorf("", "-o (--run-dir) names a folder, and %s is a file", dir).WithHint("type --save-result --result-filename %s", dir)
	case ".html", ".csv", ".md", ".svg", ".png", ".parquet":
		return argv.Errorf("", "-o (--run-dir) names a folder, and %s is a file", dir).WithHint("measure first, then type inferometer report RUN -o %s", dir)
	}
	return nil
}

// checkFleet looks at what a Spec can't tell from what was not given.
func (o *Options) checkFleet(set *argv.Set) error {
	if set.Seen("fleet") && o.NATS == "" {
		return argv.Errorf("fleet", "needs an address such as nats://127.0.0.1:4222, or a file of inferometer fleet init")
	}
	return nil
}

// notes are what the user should know of flags that are right and yet may not do
// what was meant. vLLM says nothing in these cases; the run goes on all the same.
func (o *Options) notes(set *argv.Set) []string {
	var notes []string
	note := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	o.datasetNotes(set, note)
	for _, name := range []string{"request-rate", "burstiness", "stages", "ramp-rate", "ramp-up-strategy"} {
		note(o.SelfTimed() && set.Seen(name), "--%s has no effect with --dataset-name %s, which is sent at its own times; --no-self-timed turns them off", name, o.DatasetName)
	}
	if own, ok := o.DatasetOptions.(*workload.RandomOptions); ok {
		for _, name := range []string{"random-input-len", inputLen} {
			note(own.InputDist != nil && set.Seen(name), "--input-len-dist wins over --%s", name)
		}
		for _, name := range []string{"random-output-len", outputLen} {
			note(own.OutputDist != nil && set.Seen(name), "--output-len-dist wins over --%s", name)
		}
		note(set.Seen("prefix-count") && own.PrefixShare == 0, "--prefix-count has no effect without --prefix-share")
	}
	note(o.SaveDetailed && !o.SaveResult && !o.AppendResult, "--save-detailed has no effect without --save-result or --append-result")
	note((set.Seen("result-dir") || set.Seen("result-filename")) && !o.SaveResult && !o.AppendResult && !o.PlotTimeline && !o.PlotDatasetStats,
		"no result is written without --save-result or --append-result")
	note(set.Seen("timeline-itl-thresholds") && !o.PlotTimeline, "--timeline-itl-thresholds has no effect without --plot-timeline")
	note(set.Seen("base-url") && (set.Seen("host") || set.Seen("port")), "--base-url wins over --host and --port")
	note(set.Seen("balance") && len(o.URLs) < 2, "--balance has no effect with one server")
	note(len(o.URLs) > 1 && o.NumWarmups > 0 && o.NumWarmups < len(o.URLs), "%d warm-ups do not reach all %d targets", o.NumWarmups, len(o.URLs))
	note(set.Seen("lora-assignment") && len(o.LoRAModules) == 0, "--lora-assignment has no effect without --lora-modules")
	note(o.SkipTokenizerInit && set.Seen("tokenizer"), "--tokenizer has no effect with --skip-tokenizer-init")
	note(o.Upload.To != "" && (o.JournalTexts || o.SaveDetailed || o.Asks()), "the journal holds prompts and answers, and is uploaded with them")
	note(set.Seen("keep-runs") && set.Seen("run-dir"), "--keep-runs has no effect with --run-dir")
	return notes
}
