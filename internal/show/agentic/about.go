package agentic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/ordered"
)

// id is the same whenever the same run is written.
func (r *Run) id() string {
	run := r.Result.Run
	sum := sha256.Sum256([]byte(fmt.Sprint(run.StartUnixNs, run.Environment.Host, run.Command)))
	return hex.EncodeToString(sum[:6])
}

// text is a key of the run's Spec that is a text; empty: there is none.
func text(run *journal.Run, key string) (v string) {
	_ = json.Unmarshal([]byte(journal.SpecKeys(run.Spec)[key]), &v) // what is no text is none
	return v
}

// duration is how long the run was to send; 0: it had no such bound.
func duration(run *journal.Run) time.Duration {
	d, err := time.ParseDuration(text(run, "load.duration"))
	if err != nil {
		return 0
	}
	return d
}

// scenarios are AIPerf's names for rules.
var scenarios = map[string]string{rules.AgentX: "inferencex-agentx-mvp", rules.InferenceX: "inferencex-agentx-mvp"}

// metadata says by which rules the run was judged, what was replayed, and every setting that bytes or times depend on,
// which an aggregate of InferenceX does not hold.
func (r *Run) metadata() ordered.Object {
	run := r.Result.Run
	m := ordered.Object{}
	if j := r.Result.Rules; j != nil {
		scenario := scenarios[j.Rules]
		if scenario == "" {
			scenario = j.Rules
		}
		m.Set("scenario", scenario)
		m.Set("submission_valid", j.Valid)
		if len(j.Reasons) > 0 {
			m.Set("submission_invalid_reasons", j.Reasons)
		}
	}
	m.Set("dataset", r.dataset())
	m.Set("requests_cut_by_the_end", r.cut)
	keys := ordered.Object{}
	for _, key := range slices.Sorted(maps.Keys(run.Options.Workload)) {
		keys.Set(key, json.RawMessage(quoted(run.Options.Workload[key])))
	}
	m.Set("settings", keys)
	return m
}

// quoted is a value of the Spec as JSON; one that was cut for its length is a text.
func quoted(value string) []byte {
	if json.Valid([]byte(value)) {
		return []byte(value)
	}
	b, _ := json.Marshal(value) // a text always is
	return b
}

// dataset says where the requests came from.
func (r *Run) dataset() ordered.Object {
	run := r.Result.Run
	d := ordered.Object{{"source_type", "file"}, {"loader", run.Options.Dataset}}
	if name, ok := rules.Corpus(run.Options.DatasetSHA256); ok {
		d = ordered.Object{{"source_type", "public_dataset"}, {"loader", run.Options.Dataset}, {"hf_dataset_name", name}}
	}
	if run.Options.DatasetSHA256 != "" {
		d.Set("sha256", run.Options.DatasetSHA256)
	}
	return d
}

// labels are the run's --metadata, by key.
func labels(run *journal.Run) map[string]string {
	m := map[string]string{}
	for _, pair := range run.Options.Metadata {
		m[strings.ToLower(pair[0])] = pair[1]
	}
	return m
}
