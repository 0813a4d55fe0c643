// Package journal is what happened in a run: one JSON line a request, appended
// as it happens and never rewritten. It is the only source of truth of a run;
// every number that is reported later is derived from it.
//
// A line is an object with one key that says what the line is:
//
//	{"run": …}      the first line: what was asked for, by whom, on what machine
//	{"request": …}  one request, written when it has ended
//	{"conversation": …}  one conversation, written when its last request has ended
//	{"answer": …}   what a question got, beside its request; {"checked": …} what became of an answer that is a program
//	{"sample": …}   the client itself and its machine, once a second
//	{"scrape": …}   the server's own counters, before the load and after it, on request during it
//	{"fault": …}    something that was done to the servers on purpose during the load
//	{"end": …}      the last line, absent when the run was killed
//
// All times are nanoseconds on the run's clock: monotonic, zero at Run.StartUnixNs.
package journal

import "encoding/json"

//go:generate go run ./generate

// Schema is the version of the line format. It grows when a reader must know. Since 2 the first line has the Spec.
const Schema = 2

// Line is one line of a journal; exactly one field is set.
type Line struct {
	Run      *Run      `json:"run,omitempty"`
	Request  *Request  `json:"request,omitempty"`
	Sample   *Sample   `json:"sample,omitempty"`
	Scrape   *Scrape   `json:"scrape,omitempty"`
	Hardware *Hardware `json:"hardware,omitempty"`
	End      *End      `json:"end,omitempty"`

	Conversation *Conversation `json:"conversation,omitempty"`
	Answer       *Answer       `json:"answer,omitempty"`
	Checked      *Checked      `json:"checked,omitempty"`
	Fault        *Fault        `json:"fault,omitempty"`
}

// Run is the first line: everything that a reader needs to turn requests into a result.
type Run struct {
	Schema      int    `json:"schema"`                  // of this format: 2, since the first line has the Spec; 1 is read as before
	Version     string `json:"version"`                 // of inferometer
	StartUnixNs int64  `json:"start_unix_ns" bound:"-"` // the moment of zero, in nanoseconds since 1970
	Zone        string `json:"zone"`                    // offset of local time, as in "+02:00"

	Command []string `json:"command"` // the command line, secrets replaced
	// Trace is the id of the trace that requests were sent under, 32 hex digits; the ids of their spans follow from it. Empty: none.
	Trace string `json:"trace,omitempty"`
	// Share is the part of the workload that this client sends, such as 2/8; empty: all of it.
	Share string `json:"share,omitempty"`
	// Fleet is who sent a run of several clients; its times are then on the leader's clock. Absent: one client sent it.
	Fleet *Fleet `json:"fleet,omitempty"`
	// Spec is what the run was asked to do, of this client's share, without secrets. Absent: the journal is of schema 1.
	Spec json.RawMessage `json:"spec,omitempty" max:"8388608"`
	// Options are what shapes the report (percentiles, goodput, label…), so that a report made later is the one that
	// was asked for. In a line with a Spec they are only what that does not say.
	Options Options `json:"options"`

	// Targets are the servers of a run against several at once; absent with one.
	Targets []Target `json:"targets,omitempty" max:"10000"`
	// Replicas are the servers behind the addresses, as far as they were known before the load; absent: nobody named any.
	Replicas []Replica `json:"replicas,omitempty" max:"10000"`
	// Routers are the routers that were recognised at the addresses; absent: none was.
	Routers []Router `json:"routers,omitempty" max:"10000"`
	// Serves are the models that the servers list; absent where none did.
	Serves []Served `json:"serves,omitempty"`

	// MetricNames are what --metrics-map says that names of the servers' metrics mean.
	MetricNames []MetricName `json:"metric_names,omitempty" max:"1000"`

	// Task is what is asked and how it is scored, where requests are questions. Absent: they are not.
	Task *Task `json:"task,omitempty"`

	Clock string `json:"clock"` // kernel or user: whose times the events carry
	// ReadEnds: Events.Open is kept. Absent in journals of older versions.
	ReadEnds bool `json:"read_ends,omitempty"`
	// Holds: Events.Held, Request.Written and Sample.Wakes are kept. Absent in journals of older versions.
	Holds       bool        `json:"holds,omitempty"`
	Environment Environment `json:"environment"` // the client's machine
	// Proven is what the newest self-test of this program proved for this machine; absent: nothing.
	Proven *Proven `json:"proven,omitempty"`
}

// Options are what measure and report need of a run: keys of its Spec, named by the tag spec, and what was found out.
type Options struct {
	Backend           string             `json:"backend" spec:"server.backend"`
	BaseURL           string             `json:"base_url"`
	Endpoint          string             `json:"endpoint"`
	Label             string             `json:"label,omitempty" spec:"keep.label"`
	ModelID           string             `json:"model_id"`
	Model             string             `json:"model,omitempty" spec:"server.model"` // as --model named it; empty: the server's first
	SentModel         string             `json:"sent_model,omitempty"`                // in each request
	TokenizerID       string             `json:"tokenizer_id,omitempty"`              // empty: none, counts are the server's
	TokenizerSource   string             `json:"tokenizer_source"`                    // file, server or none
	TokenizerRevision string             `json:"tokenizer_revision,omitempty"`        // the hub's commit, of one that came from there
	Dataset           string             `json:"dataset" spec:"dataset.name"`
	DatasetRevision   string             `json:"dataset_revision,omitempty"` // the hub's commit, of one that came from there
	DatasetSHA256     string             `json:"dataset_sha256,omitempty"`   // of the dataset's file, where the run is judged by rules
	NumPrompts        int                `json:"num_prompts" bound:"total"`
	Seed              int64              `json:"seed" spec:"load.seed" bound:"-"`
	RequestRate       float64            `json:"request_rate,omitempty" spec:"pace.rate"` // 0: infinite
	Burstiness        float64            `json:"burstiness"`                              // 0: infinite
	MaxConcurrency    int                `json:"max_concurrency,omitempty" spec:"load.max_concurrency"`
	Conversations     int                `json:"conversations,omitempty" bound:"index"`                     // planned; NumPrompts are then their turns
	MaxConversations  int                `json:"max_conversations,omitempty" spec:"load.max_conversations"` // open at a time
	History           string             `json:"history,omitempty" spec:"dataset.history"`                  // of conversations: live or recorded
	SpawnRate         float64            `json:"spawn_rate,omitempty" spec:"load.spawn_rate"`               // slots of MaxConcurrency a second, one after the other; 0: all at once
	Batch             int                `json:"batch,omitempty" spec:"load.batch_size"`                    // requests sent together; 0: each by itself
	RampUp            *RampUp            `json:"ramp_up,omitempty"`
	Asked             *Asked             `json:"asked,omitempty"` // where a time ends the pace: how many requests were to be due over so many nanoseconds
	Pace              string             `json:"pace"`            // closed, burst, constant, poisson, gamma, ramp, ramp-time, stages, trace, dataset
	IgnoreEOS         bool               `json:"ignore_eos,omitempty" spec:"request.ignore_eos"`
	Pooling           bool               `json:"pooling,omitempty"`                                           // answers are vectors or scores: there are no tokens in them
	Unstreamed        bool               `json:"unstreamed,omitempty"`                                        // answers are texts in one piece: there are no times of tokens
	IntegritySample   int                `json:"integrity_sample,omitempty" spec:"judge.integrity_sample"`    // prompts to be sent again after the load
	ProbeRate         float64            `json:"probe_request_rate,omitempty" spec:"load.probe_request_rate"` // small requests beside the load, so many a second at most
	Metadata          []Pair             `json:"metadata,omitempty" spec:"keep.metadata"`                     // in the order given
	PercentileMetrics []string           `json:"percentile_metrics,omitempty" spec:"judge.percentile_metrics"`
	MetricPercentiles []float64          `json:"metric_percentiles,omitempty" spec:"judge.metric_percentiles"`
	Goodput           map[string]float64 `json:"goodput,omitempty" spec:"judge.goodput"`                 // metric: milliseconds
	Compat            string             `json:"compat,omitempty" spec:"judge.compat"`                   // "vllm", or empty for ours
	Rules             string             `json:"rules,omitempty" spec:"judge.rules"`                     // of others, by which the run is judged
	RecoveryWithin    float64            `json:"recovery_within,omitempty" spec:"judge.recovery_within"` // of what was before a fault, in %
	Balance           string             `json:"balance,omitempty"`                                      // how one of several targets is chosen
	Until             string             `json:"until,omitempty" spec:"load.until"`                      // the goals of --until, as typed
	GPUs              int                `json:"gpus,omitempty" spec:"judge.gpus"`                       // of the servers together; 0: not known
	Traces            int                `json:"traces,omitempty" bound:"index"`                         // recordings that conversations are played from; 0: not known, or there are none
	Price             *Price             `json:"price,omitempty"`                                        // what the servers cost
	Workload          map[string]string  `json:"workload,omitempty"`                                     // settings that bytes and times depend on, with their values as JSON
}

// ReportedPercentiles are those that the run asked for, or vLLM's default.
func (o *Options) ReportedPercentiles() []float64 {
	if len(o.MetricPercentiles) == 0 {
		return []float64{99}
	}
	return o.MetricPercentiles
}

// DefaultMetrics are what vLLM reports where nothing else is asked for.
func DefaultMetrics() []string { return []string{"ttft", "tpot", "itl"} }

// WholeMetrics are what it reports of answers that are no streams.
func WholeMetrics() []string { return []string{"e2el"} }

// Whole says that answers came in one piece: vectors, scores or texts.
func (o *Options) Whole() bool { return o.Pooling || o.Unstreamed }

// ReportedMetrics are those that the run asked for, or the default.
func (o *Options) ReportedMetrics() []string {
	if len(o.PercentileMetrics) == 0 {
		if o.Whole() {
			return WholeMetrics()
		}
		return DefaultMetrics()
	}
	return o.PercentileMetrics
}

// Pair is a key and its value.
type Pair [2]string

// UnmarshalJSON implements json.Unmarshaler: a Spec has an object with both.
func (p *Pair) UnmarshalJSON(b []byte) error {
	var named struct{ Key, Value string }
	if json.Unmarshal(b, &named) == nil {
		*p = Pair{named.Key, named.Value}
		return nil
	}
	return json.Unmarshal(b, (*[2]string)(p))
}

// RampUp is a ramp by request index, as vLLM has it.
type RampUp struct {
	Strategy string `json:"strategy"` // linear or exponential
	StartRPS int    `json:"start_rps"`
	EndRPS   int    `json:"end_rps"`
}

// Asked is how many requests were to be due, and in what time.
type Asked struct {
	Requests float64 `json:"requests"`
	Over     int64   `json:"over" bound:"-"` // ns
}

// Environment is the client's machine.
type Environment struct {
	Host        string `json:"host,omitempty"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Kernel      string `json:"kernel,omitempty"`
	CPU         string `json:"cpu,omitempty"`
	CPUs        int    `json:"cpus"`
	GoMaxProcs  int    `json:"gomaxprocs"`
	Go          string `json:"go"`
	FDLimit     uint64 `json:"fd_limit,omitempty"`
	ClockSource string `json:"clock_source,omitempty"`
	MemoryBytes int64  `json:"memory_bytes,omitempty" bound:"sum"`
}

// Request is one request, written when it has ended. Its codec is generated from the tags: json is its key, bound and
// max are what a number and a list may be (see bounds), usual are the values that a text has as a rule.
type Request struct {
	Index  int    `json:"i" bound:"signed"` // index in the workload, from 0
	ID     string `json:"id,omitempty"`     // the x-request-id that was sent; absent with prefix_repetition, as in vLLM
	Warmup bool   `json:"warmup,omitempty"` // a warm-up, which is never measured
	// Sample: sent again after the load, with nothing else in flight, to compare the
	// text (--integrity-sample). Warmup is set too, so that it is never measured.
	Sample bool `json:"sample,omitempty"`
	// Probe: sent beside the load (--probe-request-rate). Warmup is set too, so that it is never measured.
	Probe bool `json:"probe,omitempty"`

	// Target is the server that it went to: an index into Run.Targets. The first one's is left out.
	Target int `json:"target,omitempty" bound:"-"`
	// Agent is the client that sent it: an index into Run.Fleet.Agents. The first one's is left out.
	Agent int `json:"agent,omitempty" bound:"-"`

	// Replica is the server behind the address that answered, as the answer itself says: --replica-key, or a sign that is known.
	// Prefiller is the one that computed the prompt, where that is another. Empty: not known.
	Replica   string `json:"replica,omitempty"`
	Prefiller string `json:"prefiller,omitempty"`
	// Retries is how often a gateway says that it had to send this request again.
	Retries int `json:"retries,omitempty"`

	// Conversation and Turn count from 1; 0: it is part of none.
	Conversation int `json:"conversation,omitempty" bound:"index"`
	Turn         int `json:"turn,omitempty"`
	// Model is the adapter that was named in place of the run's model.
	Model string `json:"model,omitempty"`
	// Branch is the agent of the conversation whose turn it is: an index into Conversation.Branches. The root's is left out.
	Branch int `json:"branch,omitempty"`
	// After are the requests, by their Index, whose answers it waited for. It is then due
	// Delay after the last of them had ended: a user thinks, a tool works.
	After []int `json:"after,omitempty" bound:"index" max:"1048576"`
	Delay int64 `json:"delay,omitempty" bound:"duration"`
	// Follows is a place in After, from 0: that is the one which Due is Delay after. FollowsSent: it is after that one was sent.
	// -1: it is after the begin of the conversation.
	Follows     int  `json:"follows,omitempty"`
	FollowsSent bool `json:"follows_sent,omitempty"`
	// Skipped is what was skipped of Delay, since nothing was in flight: Due is so much earlier.
	Skipped int64 `json:"skipped,omitempty" bound:"duration"`

	Due      int64 `json:"due"`                // when the pace wanted it sent; in a closed loop, when its slot was free; see After
	Released int64 `json:"released,omitempty"` // when the scheduler let it go; later than Due only if the client was late
	Sent     int64 `json:"sent"`               // just before the request is written; connecting comes after it
	// Connect is how long the opening of its connection took, TLS with it; 0: it was kept, or not known.
	Connect int64 `json:"connect,omitempty" bound:"duration"`
	// Written is how long after Sent the kernel had taken all of the request, a connection's opening with it; 0: not known.
	Written int64 `json:"written,omitempty" bound:"duration"`
	Headers int64 `json:"headers,omitempty"` // the response's headers had arrived
	End     int64 `json:"end" bound:"-"`     // the outcome was known

	Outcome Outcome `json:"outcome"`          // how it ended: docs/outcomes.md
	Status  int     `json:"status,omitempty"` // of HTTP
	Error   string  `json:"error,omitempty"`  // what went wrong, with up to 500 bytes of the server's words
	// Cut: the answer had begun and did not come to HTTP's own end: the connection
	// closed, or we gave up. A truncated stream without it ended by the rules of
	// HTTP, and other clients take it for whole.
	Cut      bool   `json:"cut,omitempty"`
	ServerID string `json:"server_id,omitempty"` // the header x-request-id, request-id or x-amzn-requestid, else the id in the answer
	NewConn  bool   `json:"new_conn,omitempty"`  // the connection was opened inside this request
	// Reconnects counts kept connections that the server had closed before a byte of
	// this request was sent, so that another one was taken: no retry is ever hidden.
	Reconnects int `json:"reconnects,omitempty"`
	// Retransmits counts segments of this request that the kernel had to send again; -1: not known.
	Retransmits int `json:"retransmits,omitempty"`
	// Reordered counts segments of the answer that came before an earlier one, which
	// was lost on its way to us, or overtaken; -1: not known.
	Reordered int `json:"reordered,omitempty"`
	// RTT is the shortest round trip that the kernel saw on a connection that was opened
	// inside this request: what opening it cost at least. 0: not known.
	RTT int64 `json:"rtt,omitempty"`

	Inputs  int   `json:"inputs,omitempty"`   // texts in the request, where it is no single one
	SoundNs int64 `json:"sound_ns,omitempty"` // length of the sound that it uploads; -1: not known
	Media   int   `json:"media,omitempty"`    // images, videos and sounds in its messages

	PromptTokens int `json:"prompt_tokens"`          // planned by us
	OutputTokens int `json:"output_tokens"`          // asked for
	UsagePrompt  int `json:"usage_prompt,omitempty"` // as the server counted
	UsageOutput  int `json:"usage_output,omitempty"` // as the server counted
	UsageCached  int `json:"usage_cached,omitempty"` // prompt tokens from its cache, as it says
	// CachedKnown: the server said how many it took from its cache, be it none.
	CachedKnown bool `json:"cached_known,omitempty"`
	// UsageReasoning are those of UsageOutput that are thinking, as the server counted.
	// ReasoningKnown: it did, be it none.
	UsageReasoning int  `json:"usage_reasoning,omitempty"`
	ReasoningKnown bool `json:"reasoning_known,omitempty"`
	// Planned of the PlannedOf tokens of the prompt were at the beginning of an earlier one, by the workload's plan; no PlannedOf: it has none.
	Planned   int `json:"planned,omitempty"`
	PlannedOf int `json:"planned_of,omitempty"`
	// Prefix is the one of the workload's shared prefixes that the prompt begins with, from 1; 0: with none.
	Prefix int `json:"prefix,omitempty" bound:"index"`
	// SentBefore of the SentOf tokens of the prompt were at the beginning of one that was sent earlier, in whole blocks of the
	// server's cache: what one without bounds would have had. No SentOf: not known.
	SentBefore int `json:"sent_before,omitempty"`
	SentOf     int `json:"sent_of,omitempty"`
	// The server's own times, where it gives them (llama.cpp): computing the prompt, and first token to last.
	ServerPromptNs int64 `json:"server_prompt_ns,omitempty"`
	ServerOutputNs int64 `json:"server_output_ns,omitempty"`

	// What Dynamo says of its parts: until the prefill began, until the first token was sent, and from the prefill's end to the
	// first decoded token, which is the transfer at most. Its prefill is ServerPromptNs.
	ServerQueueNs    int64 `json:"server_queue_ns,omitempty"`
	ServerTTFTNs     int64 `json:"server_ttft_ns,omitempty"`
	ServerTransferNs int64 `json:"server_transfer_ns,omitempty"`
	// Believed of the prompt's tokens were in the replica's cache by what its router believed when it chose. BelievedKnown: it said so.
	Believed      int  `json:"believed,omitempty"`
	BelievedKnown bool `json:"believed_known,omitempty"`
	// HangUpNs and HangUpTokens are when this client was to hang up on purpose: so long after Sent, or with so many tokens. 0: not.
	HangUpNs     int64 `json:"hang_up_ns,omitempty" bound:"duration"`
	HangUpTokens int   `json:"hang_up_tokens,omitempty"`

	TextTokens    int    `json:"text_tokens,omitempty"`                       // by our tokenizer, where the server gave no usage and the tokenizer is a file
	FinishReason  string `json:"finish_reason,omitempty" usual:"length,stop"` // of the first choice
	SharedReads   int    `json:"shared_reads,omitempty"`                      // events that lay in one read with the one before: they carry the same time
	UnstampedRead int    `json:"unstamped_read,omitempty"`                    // reads that the kernel gave no time for: their events carry ours

	Events Events `json:"events"` // the stream; {} if there was no event

	// Hashes (CRC-32C and CRC-32, 64 bits, hex) of the prompt and of the generated text, by
	// which repetitions are found without keeping either.
	PromptHash string `json:"prompt_hash,omitempty"`
	TextHash   string `json:"text_hash,omitempty"`

	Prompt *string `json:"prompt,omitempty"` // only with --journal-texts
	Text   *string `json:"text,omitempty"`   // only with --journal-texts or --save-detailed
}

// Events are the events of a stream, as columns of equal length. An event is one
// SSE message; [DONE] is not among them.
type Events struct {
	// At is when the bytes arrived, by the clock named in Run.Clock, as gaps:
	// the first from Request.Sent, each other one from the one before.
	At []int64 `json:"at,omitempty"`
	// Lag is how much later our code had them than the kernel; absent with user times.
	Lag []int64 `json:"lag,omitempty"`
	// Tokens are those in each event; -1 where it didn't say, absent when no event did. TokensBy is
	// who said: usage, token_ids, logprobs, or tokenizer (ours, where its counts add up to the total).
	Tokens   []int  `json:"tokens,omitempty"`
	TokensBy string `json:"tokens_by,omitempty"`
	// Kind is what each carried, as a sum: 1 a non-empty choices, 2 text, 4 reasoning, 8 a tool call, 16 a finish reason, 32 usage.
	Kind []EventKind `json:"kind,omitempty"`
	// Size is the bytes of text in each event, by which the tokens of the request are
	// spread over its events. Absent where nothing needs it: Tokens are known, or one in each.
	Size []int `json:"size,omitempty"`
	// Open are the events, by their index from 0, that came last of those in a read and
	// did not end it: [DONE] or a part of the next event lay behind. Their time may be that
	// of what lay behind. Only with Run.ReadEnds.
	Open []int `json:"open,omitempty"`
	// Held are the events, by their index from 0, before which this process was held up for a millisecond or more: a timer of its own,
	// each 5 ms, came late. HeldNs is for how long, since the event before or since Request.Sent. Only with Run.Holds.
	Held   []int   `json:"held,omitempty"`
	HeldNs []int64 `json:"held_ns,omitempty"`
}

// EventKind says what an event carried.
// (encoding/json writes a slice of an 8-bit type as base64, hence 16.)
type EventKind uint16

// The bits of an EventKind.
const (
	EventChoices   EventKind = 1 << iota // a non-empty choices list: what vLLM's client counts as a token chunk
	EventText                            // visible text
	EventReasoning                       // reasoning text
	EventTool                            // a tool call
	EventFinish                          // a finish reason
	EventUsage                           // usage counters
)

// Sample is the state of the client and of its machine at one moment. Counters
// count from the start of the process or of the machine: the difference of two
// samples tells. What the system does not tell is -1.
type Sample struct {
	At        int64 `json:"at"`                        // when
	Agent     int   `json:"agent,omitempty" bound:"-"` // whose machine it is: an index into Run.Fleet.Agents
	CPUNs     int64 `json:"cpu_ns" bound:"sum"`        // user and system time of this process
	WaitNs    int64 `json:"wait_ns" bound:"sum"`       // its threads were ready to run and had no processor
	GCPauseNs int64 `json:"gc_pause_ns" bound:"sum"`   // all goroutines stood still
	BusyNs    int64 `json:"busy_ns" bound:"sum"`       // of all processors, by anybody
	StealNs   int64 `json:"steal_ns" bound:"sum"`      // of all processors, taken by the hypervisor
	// WakeNs is how late a timer of this process was at worst since the sample before.
	WakeNs int64 `json:"wake_ns,omitempty" bound:"sum"`
	// Wakes are such timers so far, Late those late by 0.3 to 10 ms, and LateNs by how much together.
	// What is longer is no turn of another program any more, and in Events.Held.
	Wakes    int64 `json:"wakes,omitempty" bound:"sum"`
	Late     int64 `json:"late,omitempty" bound:"sum"`
	LateNs   int64 `json:"late_ns,omitempty" bound:"sum"`
	Files    int   `json:"files"`               // open descriptors of this process
	InFlight int   `json:"in_flight"`           // requests
	Sent     int   `json:"sent" bound:"index"`  // requests so far
	Ended    int   `json:"ended" bound:"index"` // requests so far
	// Goroutines and LiveBytes show a leak in this process itself: how many there are, and what the last
	// collection found in use. Absent: a journal of an earlier version, or no collection yet.
	Goroutines int   `json:"goroutines,omitempty"`
	LiveBytes  int64 `json:"live_bytes,omitempty" bound:"sum"`
}

// LongestTurn is for how long at most another program has the processor before it is our turn.
const LongestTurn = 10e6 // ns

// Why a run stopped early, where whoever led it wanted so: by hand, or by a bound of its plan.
const (
	Signal   = "signal"
	Deadline = "deadline"
)

// WorkloadRecipe is the version of the workload's hash: the model's name is not in it, nor what a
// server's dialect adds. Hashes of two versions say nothing about each other.
const WorkloadRecipe = 2

// End is the last line of a journal whose run came to its end.
type End struct {
	At          int64  `json:"at"`                    // the last request had ended
	Interrupted string `json:"interrupted,omitempty"` // why it stopped early: signal, deadline, or a sentence
	Stopped     string `json:"stopped,omitempty"`     // why it ended as planned before its workload did: until reached, bound reached, or why find left a probe
	Sent        int    `json:"sent" bound:"index"`    // requests measured (warm-ups not counted)
	WorkloadSHA string `json:"workload_sha256"`       // over the bodies in order and their due times (0 in a closed loop), without the model's name
	// Recipe is the version of what WorkloadSHA is over: 2. Absent in journals of earlier versions, whose hash has the model's name in it:
	// hashes of two recipes say nothing about each other.
	Recipe       int `json:"workload_recipe,omitempty"`
	PeakInFlight int `json:"peak_in_flight"` // the most requests at one moment; of a fleet the sum, an upper bound
	// Unwritten are requests that had ended and are not in this journal: the disk had no room.
	Unwritten int `json:"unwritten,omitempty" bound:"index"`
	// SeenPrompts are prompts that an earlier run from this machine sent to the same server, by their hashes; -1: not known.
	SeenPrompts int `json:"seen_prompts" bound:"total"`
	// RPSChanges are the moments at which a ramp first reached a whole rate: rps and unix_ns.
	RPSChanges []RPSChange `json:"rps_changes,omitempty"`
	SpecDecode *SpecDecode `json:"spec_decode,omitempty"` // growth of the server's counters of speculative decoding
	Power      *Power      `json:"power,omitempty"`       // only with --power
	Profile    *Profile    `json:"profile,omitempty"`     // only with --profile: whether the server's profiler was started and stopped, else the error
	Client     Client      `json:"client"`                // what this process used
	Fleet      *FleetEnd   `json:"fleet,omitempty"`       // what became of each client of several
	// Pauses are the times in which a user had stopped the pace.
	Pauses []Pause `json:"pauses,omitempty"`
	// Skips are times that were skipped, since nothing was in flight and all conversations only waited.
	Skips []Skip `json:"skips,omitempty" max:"1048576"`
}

// Skip is a moment at which all that waited became due so much earlier.
type Skip struct {
	At int64 `json:"at"`
	By int64 `json:"by" bound:"duration"`
}

// Pause is a time in which nothing new was sent.
type Pause struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// How a run with --until ends.
const (
	UntilReached = "until reached"
	BoundReached = "bound reached" // --num-prompts or --duration came first
)

// RPSChange is the moment at which a ramp first reached a whole rate.
type RPSChange struct {
	RPS    int   `json:"rps"`
	UnixNs int64 `json:"unix_ns" bound:"-"`
}

// SpecDecode is the change of the server's speculative decoding counters over the run.
type SpecDecode struct {
	Drafts      int64   `json:"drafts" bound:"sum"` // 0: the server does not count them
	DraftTokens int64   `json:"draft_tokens" bound:"sum"`
	Accepted    int64   `json:"accepted" bound:"sum"`
	Emitted     int64   `json:"emitted,omitempty" bound:"sum"` // tokens that the drafts' steps gave, where the server counts them
	PerPosition []int64 `json:"per_position,omitempty" bound:"sum"`
}

// Profile is what became of the server's own profiler, which was to run during the load.
type Profile struct {
	Started bool   `json:"started"`
	Stopped bool   `json:"stopped"`
	Error   string `json:"error,omitempty"` // why not
}

// Client is what the run cost the client.
type Client struct {
	UserCPUNs   int64 `json:"user_cpu_ns" bound:"sum"`
	SystemCPUNs int64 `json:"system_cpu_ns" bound:"sum"`
	MaxRSSBytes int64 `json:"max_rss_bytes" bound:"sum"`
	GCPauseNs   int64 `json:"gc_pause_ns" bound:"sum"`
	GCCount     int   `json:"gc_count"`
}
