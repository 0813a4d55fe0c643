package report

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/show/summary"
)

// Schema is the version of what lies under the key "inferometer". It grows when
// a reader must know; new keys alone do not make it grow.
const Schema = 1

// inferometer is what is ours in a result.
func inferometer(r *measure.Result, opt Options) object {
	o := object{
		{"schema", Schema},
		{"version", r.Run.Version},
		{"partial", r.Partial},
		{"interrupted", orNull(r.Interrupted)},
		{"compat", orNull(r.Compat)},
		{"run", orNull(opt.RunDir)},
		{"summary", summary.Of(opt.run(r), opt.SLO)},
		{"verdict", verdictObject(opt.Verdict)},
		{"outcomes", outcomesObject(r.Outcomes)},
		{"confidence", confidence(&r.Confidence)},
		{"early_stopping_percentiles", earlyStopping(&r.Confidence)},
		{"until", r.Until},
		{"latency", r.Latency},
		{"inter_chunk", r.InterChunk},
		{"inter_token", r.InterToken},
		{"tpot", r.TPOT},
		{"stalls", r.Stalls},
		{"goodput", r.Limits},
		{"tokens_per_event", r.TokensPerEvent},
		{"tokens_in_time", r.TokensInTime},
		{"tokens", r.Tokens},
		{"client", r.Client},
		{"workload", workload(r)},
		{"peak_concurrency", r.PeakConcurrency},
		{"steady_state", r.SteadyState},
		{"environment", r.Run.Environment},
		{"command", r.Run.Command},
		{"window", window(r)},
		{"errors", r.Errors},
		{"warnings", r.Warnings},
	}
	if len(r.Run.Serves) > 0 {
		o.Set("serves", r.Run.Serves)
	}
	if r.Probe != nil {
		o.Set("probe", r.Probe)
	}
	if r.End != nil && r.End.Profile != nil {
		o.Set("profile", r.End.Profile)
	}
	if r.Server != nil {
		o.Set("server", r.Server)
	}
	if r.HangUps != nil {
		o.Set("hang_ups", r.HangUps)
	}
	setBounds(&o, r)
	setReplicas(&o, r.Replicas)
	if r.Roles != nil {
		o.Set("roles", r.Roles)
	}
	setAgents(&o, r.Agents)
	setGroups(&o, "by_turn", r.ByTurn)
	setGroups(&o, "by_adapter", r.ByAdapter)
	setJobs(&o, r.Jobs)
	setRollouts(&o, r.Rollouts)
	if r.Recovery != nil {
		o.Set("recovery", r.Recovery)
	}
	setSLO(&o, opt.SLO)
	if r.Rules != nil {
		o.Set("rules", r.Rules)
	}
	if why := r.GaveUp(); why != "" {
		o.Set("gave_up", why)
	}
	if r.Economy != nil {
		o.Set("cost", r.Economy)
	}
	if r.Hardware != nil {
		o.Set("hardware", r.Hardware)
	}
	if r.Eval != nil {
		o.Set("eval", r.Eval)
	}
	setMore(&o, r)
	return o
}

// window is the time that rates and energy are over, in seconds since 1970.
func window(r *measure.Result) object {
	start := float64(r.Run.StartUnixNs) / 1e9
	return object{{"benchmark_start_time_unix", start}, {"benchmark_end_time_unix", start + r.Duration}}
}

func outcomesObject(counts []measure.OutcomeCount) object {
	outcomes := object{}
	for _, c := range counts {
		outcomes.Set(string(c.Outcome), c.Count)
	}
	return outcomes
}

// workload is what was sent. Two runs with the same hash sent the same bytes at
// the same times; a run that was killed has none.
func workload(r *measure.Result) object {
	o := &r.Run.Options
	sha, sent := any(nil), r.Requests
	if r.End != nil {
		sha, sent = orNull(r.End.WorkloadSHA), r.End.Sent
	}
	w := object{
		{"sha256", sha},
		{"dataset", o.Dataset},
		{"seed", o.Seed},
		{"pace", o.Pace},
		{"requests_planned", o.NumPrompts},
		{"requests_sent", sent},
		{"ignore_eos", o.IgnoreEOS},
		{"tokenizer", orNull(o.TokenizerID)},
		{"tokenizer_source", o.TokenizerSource},
	}
	if r.End != nil && r.End.Recipe > 0 {
		w = append(w, ordered.Member{"recipe", r.End.Recipe})
	}
	if len(o.Workload) > 0 {
		keys := object{}
		for _, key := range slices.Sorted(maps.Keys(o.Workload)) {
			keys.Set(key, o.Workload[key])
		}
		w = append(w, ordered.Member{"keys", keys})
	}
	if o.TokenizerRevision != "" {
		w = append(w, ordered.Member{"tokenizer_revision", o.TokenizerRevision})
	}
	if o.DatasetRevision != "" {
		w = append(w, ordered.Member{"dataset_revision", o.DatasetRevision})
	}
	return w
}
