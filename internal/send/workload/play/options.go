// Package play turns recorded jobs into conversations: which of a tree's turns are sent, what each waits for and for how
// long, where a play begins, what its prompts hold, and how much of them a cache could know. Nothing of a prompt is made
// before its turn is about to be sent: a play that waits holds the recording's block ids alone, which all its plays share.
package play

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/option"
)

// Options are the settings of a closed loop over recorded jobs.
type Options struct {
	Preset      string         `json:"trace_preset" flag:"trace-preset" whole:"true" default:"faithful" choices:"faithful,agentx,inferencex,mlperf-agentic" help:"what the other settings of the closed loop are unless they are given: faithful to the recording, or as another benchmark has them (docs/agents.md)."`
	StartMin    float64        `json:"trace_start_min" flag:"trace-start-min" whole:"true" default:"0" min:"0" max:"1" help:"closed loop: the first conversations begin inside their trace, at a point drawn from here to --trace-start-max, as shares of its recorded time."`
	StartMax    float64        `json:"trace_start_max" flag:"trace-start-max" whole:"true" default:"0" min:"0" max:"1" help:"closed loop: the latest such point. 0: all begin at the beginning."`
	Primers     string         `json:"trace_primers" flag:"trace-primers" whole:"true" default:"spread" choices:"spread,burst,none" help:"closed loop: one-token requests that fill the server's cache before the start for traces that begin inside: spread as they were recorded, in one burst, or none."`
	WarmTurns   int            `json:"trace_warm_turns" flag:"trace-warm-turns" whole:"true" default:"0" min:"0" max:"10000" help:"closed loop: after the primers, play so many further turns of each first conversation with one token and without pauses."`
	CacheBust   string         `json:"trace_cache_bust" flag:"trace-cache-bust" whole:"true" default:"words" choices:"words,marker,salt,none" help:"closed loop: what keeps one play of a trace from finding another in the server's cache: other words, a marker before the first user message, MLPerf's salts around the system prompt, or nothing."`
	BustID      string         `json:"trace_bust_id" flag:"trace-bust-id" whole:"true" metavar:"TEXT" shown:"the seed" help:"closed loop: what the marker is made of besides the play, its lane and the trace."`
	IdleCap     time.Duration  `json:"trace_idle_cap" flag:"trace-idle-cap" whole:"true" default:"0s" min:"0" shown:"none" help:"closed loop: while nothing is in flight, wait at most so long: all pauses are shortened together."`
	TreeIdleCap time.Duration  `json:"trace_tree_idle_cap" flag:"trace-tree-idle-cap" whole:"true" default:"0s" min:"0" shown:"none" help:"closed loop: the same for each conversation by itself."`
	History     string         `json:"history" flag:"history" whole:"true" default:"recorded" choices:"live,recorded" help:"what stands before a turn as the earlier answers: the recorded ones, which keep prompts equal on all servers, or the server's own."`
	Joins       string         `json:"trace_joins" flag:"trace-joins" whole:"true" default:"pause" choices:"pause,at-once" help:"closed loop: a turn that takes up what sub-agents found comes after the recorded pause, or at once when the last of them has ended."`
	Spawns      string         `json:"trace_spawns" flag:"trace-spawns" whole:"true" default:"pause" choices:"pause,at-once" help:"closed loop: a sub-agent begins after the recorded pause, or at once when its parent's turn has ended; one that began before the job's first turn is then left out."`
	Barriers    bool           `json:"trace_barriers" flag:"trace-barriers" whole:"true" default:"true" help:"closed loop: a turn also waits for turns of other agents that had ended before it in the recording."`
	Split       bool           `json:"trace_split" flag:"trace-split" whole:"true" default:"true" help:"closed loop: tell agents apart that a trace has in one list, by their prompts."`
	Failed      string         `json:"trace_failed" flag:"trace-failed" whole:"true" default:"end-conversation" choices:"go-on,end-branch,end-conversation" help:"closed loop: what a failed turn ends: nothing, its agent, or its conversation."`
	Overflow    string         `json:"trace_overflow" flag:"trace-overflow" whole:"true" default:"end-branch" choices:"end-branch,failed" help:"closed loop: a prompt that is too long for the server ends its agent and counts apart, or is a failed turn like others."`
	Abort       float64        `json:"trace_abort" flag:"trace-abort" whole:"true" default:"0" min:"0" max:"1" shown:"never" help:"closed loop: stop the run when more than this share of its requests has failed, once as many have ended as conversations may be open, and 10 at least."`
	Grace       time.Duration  `json:"trace_grace" flag:"trace-grace" whole:"true" default:"0s" min:"0" shown:"until they end" help:"closed loop: how long answers are waited for after --duration; then they are cancelled."`
	MaxContext  int            `json:"trace_max_context" flag:"trace-max-context" whole:"true" default:"0" min:"0" shown:"no limit" help:"closed loop: leave out traces with a prompt and answer of more tokens."`
	Trees       int            `json:"trace_trees" flag:"trace-trees" whole:"true" default:"0" min:"0" shown:"all" help:"closed loop: use the first so many traces of those that are left."`
	MaxPause    *time.Duration `json:"trace_max_pause,omitempty" flag:"trace-max-pause" whole:"true" min:"0" shown:"no limit" help:"closed loop: the longest pause between two turns, after --trace-speed. 0 leaves out all pauses."`
	Models      []string       `json:"trace_models,omitempty" flag:"trace-models" whole:"true" repeat:"true" metavar:"NAME,NAME,…" shown:"--model for all" help:"closed loop: models to ask for in place of the recorded ones, in the order in which those appear in each trace."`
	Counts      string         `json:"trace_counts" flag:"trace-counts" whole:"true" default:"prompt" choices:"prompt,messages" help:"closed loop: a recorded length is that of the whole prompt with the chat template, or of the messages alone, as AIPerf has it."`
	Sessions    string         `json:"trace_sessions" flag:"trace-sessions" whole:"true" default:"conversation" choices:"conversation,branch" help:"closed loop: whether all agents of a conversation send the same value in --session-header, or each its own."`
	Block       int            `json:"cache_block_size" flag:"cache-block-size" whole:"true" default:"16" min:"1" max:"65536" help:"closed loop: tokens of a block of the server's prefix cache, for the hit rate of what was sent."`
}

// The values of the options.
const (
	Faithful  = "faithful"
	AgentX    = "agentx"
	Inference = "inferencex"
	MLPerf    = "mlperf-agentic"

	Spread = "spread"
	Burst  = "burst"
	None   = "none"

	Words  = "words"
	Marker = "marker"
	Salt   = "salt"

	Pause  = "pause"
	AtOnce = "at-once"

	GoOn            = "go-on"
	EndBranch       = "end-branch"
	EndConversation = "end-conversation"

	Live     = "live"
	Recorded = "recorded"

	Messages  = "messages"
	PerBranch = "branch"
)

// preset is what the settings are unless they are given.
type preset struct {
	options  map[string]string // texts by key
	duration time.Duration     // of a run without another bound
	stops    bool              // the model ends its answers itself
}

// agentx are AIPerf 0.13's settings of its scenario inferencex-agentx-mvp.
var agentx = map[string]string{
	"trace_start_min": "0", "trace_start_max": "1", "trace_cache_bust": Marker, "trace_idle_cap": "10s", "trace_joins": AtOnce, "trace_spawns": AtOnce,
	"trace_failed": GoOn, "trace_counts": Messages, "trace_sessions": PerBranch, "trace_grace": "30s",
}

var presets = map[string]preset{
	Faithful: {},
	AgentX:   {options: agentx, duration: 30 * time.Minute},
	Inference: {options: with(agentx, map[string]string{
		"trace_start_min": "0.25", "trace_start_max": "0.75", "trace_tree_idle_cap": "5m", "trace_warm_turns": "10", "trace_abort": "0.1",
	}), duration: time.Hour},
	MLPerf: {options: map[string]string{"trace_cache_bust": Salt, "trace_failed": EndConversation, "trace_overflow": "failed", "trace_counts": Messages}, stops: true},
}

func with(base, more map[string]string) map[string]string {
	all := maps.Clone(base)
	maps.Copy(all, more)
	return all
}

// Apply sets what the preset says and the user did not.
func (o *Options) Apply(given func(flag string) bool) {
	said := presets[o.Preset].options // of a preset that is not known a check says so
	for _, f := range option.Fields(o) {
		if text, has := said[f.Key]; has && !given(f.Flag) {
			if err := f.SetText(o, text); err != nil {
				panic(err) // a test sets all presets
			}
		}
	}
}

// Duration is how long the preset plays where nothing else ends the run; 0: it says nothing.
func (o *Options) Duration() time.Duration { return presets[o.Preset].duration }

// Stops says that in the preset the model ends its answers itself.
func (o *Options) Stops() bool { return presets[o.Preset].stops }

// Deviations are the keys whose values are not the preset's, in the order of the options.
func (o *Options) Deviations() (keys []string) {
	want := option.New[Options]()
	want.Preset = o.Preset
	want.Apply(func(string) bool { return false })
	for _, f := range option.Fields(o) {
		is, _ := f.Text(o)
		was, _ := f.Text(want)
		if is != was {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Check implements [option.Checker].
func (o *Options) Check() error {
	if o.StartMin > o.StartMax {
		return option.Errorf("trace_start_min", "of %g is above %s of %g", o.StartMin, option.Ref("trace_start_max"), o.StartMax)
	}
	if o.WarmTurns > 0 && (o.StartMax == 0 || o.Primers == None) {
		return option.Errorf("trace_warm_turns", "follow the primers: it needs %s above 0 and %s", option.Ref("trace_start_max"), option.Ref("trace_primers"))
	}
	if slices.Contains(o.Models, "") {
		return option.Errorf("trace_models", "has an empty name")
	}
	return nil
}

// inside says that the first conversations begin inside their traces.
func (o *Options) inside() bool { return o.StartMax > 0 }

// pause is how long a recorded pause is played.
func (o *Options) pause(recorded time.Duration, speed float64) time.Duration {
	d := time.Duration(float64(max(recorded, 0)) / cmp.Or(speed, 1))
	if o.MaxPause != nil {
		d = min(d, *o.MaxPause)
	}
	return d
}
