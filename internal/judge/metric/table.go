package metric

import "github.com/inferometer/inferometer/internal/judge/row"

// latencies are the rows with a distribution. Those of vLLM come first, in the order
// in which its result has them.
func latencies() []Metric {
	return []Metric{
		{
			Name: "ttft", Scope: PerRequest, Unit: "ms", Better: Lower,
			Doc:   "time from sending a request to its first token chunk",
			Math:  "*c₁ − s*",
			Short: "TTFT", Title: "Time to First Token", Always: true, NeedsTokenizer: true, OfStream: true,
			Usual: Usual{Compare: three, List: []string{"mean", "p99"}, Columns: []string{"median", "p99"}, Page: []string{"median", "p99"}, Index: []string{"median", "p99"}},
			Of:    func(r *row.Row) (float64, bool) { return r.TTFT(), !r.Whole },
		},
		{
			Name: "tpot", Scope: PerRequest, Unit: "ms", Better: Lower,
			Doc:   "(latency − ttft) / (output tokens − 1), one value per request; requests of one token have none",
			Math:  "*(cₙ − c₁) / (k − 1)*",
			Short: "TPOT", Title: "Time per Output Token (excl. 1st token)", Always: true, NeedsTokenizer: true, OfStream: true,
			Usual: Usual{Compare: three, List: []string{"mean", "p99"}, Columns: []string{"median", "p99"}},
			Of:    (*row.Row).TPOT,
		},
		{
			Name: "itl", Scope: PerGap, Unit: "ms", Better: Lower,
			Doc:   "time between consecutive token chunks, all gaps of all requests together; it is inter-chunk, whatever its name",
			Math:  "*cᵢ − cᵢ₋₁*",
			Short: "ITL", Title: "Inter-token Latency", Chart: "Time between token chunks (ITL)", Always: true, NeedsTokenizer: true, OfStream: true,
			Usual: Usual{Compare: three, List: []string{"p99"}, Columns: []string{"median", "p99"}, Page: []string{"median", "p99"}, Index: []string{"median"}},
			Gaps:  BetweenChunks,
		},
		{
			Name: "e2el", Scope: PerRequest, Unit: "ms", Better: Lower,
			Doc:   "time from sending a request to its last token chunk",
			Math:  "*cₙ − s*",
			Short: "E2EL", Title: "End-to-end Latency", Always: true,
			Usual: Usual{Compare: three, List: []string{"mean"}, Page: []string{"p99"}},
			Of:    func(r *row.Row) (float64, bool) { return r.Latency(), true },
		},
		{
			Name: "client_queue_time", Scope: PerRequest, Unit: "ms", Better: Lower,
			Doc:   "time that a request waited in the client for a slot of --max-concurrency",
			Math:  "closed loop: *s*; else *s − max(due, released)*",
			Short: "Client Queue Time", Title: "Client Queue Time",
			Of: func(r *row.Row) (float64, bool) { return r.QueueTime(), true },
		},
		{
			Name: "e2el_including_client_queue", Scope: PerRequest, Unit: "ms", Better: Lower,
			Doc:   "e2el + client_queue_time of the same request",
			Math:  "*cₙ − s* + queue",
			Short: "E2EL incl. Client Queue", Title: "End-to-end Latency incl. Client Queue", NoRequestColumn: true,
			Of: func(r *row.Row) (float64, bool) { return r.Latency() + r.QueueTime(), true },
		},
		ofTurns("ttft_first_turn", "ttft of the first turns of conversations", "TTFT, first turn", "Time to First Token, First Turn", func(turn int32) bool { return turn == 1 }),
		ofTurns("ttft_later_turns", "ttft of all turns of conversations but the first, which a prefix cache may help", "TTFT, later turns", "Time to First Token, Later Turns", func(turn int32) bool { return turn > 1 }),
		{
			Name: "job", Scope: PerJob, Unit: "ms", Better: Lower, OfJobs: true,
			Doc:   "time from when the first turn of a conversation was due to the end of its last answer, tools and pauses included; of the complete ones",
			Math:  "*end − due₁*",
			Short: "Job", Title: "Time of a Job",
			Usual: Usual{Compare: three, Columns: []string{"median"}},
		},
		{
			Name: "job_model", Scope: PerJob, Unit: "ms", Better: Lower, OfJobs: true,
			Doc:   "the part of job, along its critical path, in which the server had a request: from each send to the end of the answer",
			Math:  "*Σ end − s* along the path",
			Short: "Job, model", Title: "Time of a Job with the Model",
			Usual: Usual{Compare: three, Columns: []string{"median", "p99"}},
		},
		{
			Name: "tool_call", Scope: PerRequest, Unit: "ms", Better: Lower, NoRequestColumn: true,
			Doc:   "time from sending a request to the last event with a part of a tool call: the call is complete; answers without one have none",
			Math:  "*tₙ − s*",
			Short: "Tool call", Title: "Time to the Complete Tool Call",
			Of: func(r *row.Row) (float64, bool) { return row.Seconds(max(r.LastTool, 0)), r.LastTool >= 0 },
		},
		{
			Name: "batch", Scope: PerBatch, Unit: "ms", Better: Lower,
			Doc:   "time from the first send of a batch of bench latency or bench shapes to its last token",
			Short: "batch", Title: "Batch Latency",
			Usual: Usual{Compare: three},
		},
		fromEvent("ttft_due", "as ttft, from due", "*c₁ − due*", func(r *row.Row) int64 { return r.First }, true),
		fromEvent("first_token", "time from sending a request to its first event with text, reasoning or a tool call", "", func(r *row.Row) int64 { return r.FirstToken }, false),
		fromEvent("first_token_due", "as first_token, from due", "", func(r *row.Row) int64 { return r.FirstToken }, true),
		fromEvent("first_visible", "time from sending a request to its first event with text of the answer itself", "", func(r *row.Row) int64 { return r.FirstVisible }, false),
		fromEvent("first_visible_due", "as first_visible, from due", "", func(r *row.Row) int64 { return r.FirstVisible }, true),
		fromEvent("e2el_due", "as e2el, from due", "*cₙ − due*", func(r *row.Row) int64 { return r.Last }, true),
		{
			Name: "inter_chunk", Scope: PerGap, Unit: "ms", Better: Lower, Short: "Inter-chunk", LimitOnly: true, OfStream: true, Gaps: BetweenChunks,
			Doc: "as itl, under the name that says what it is", Math: "*cᵢ − cᵢ₋₁*",
		},
		{
			Name: "inter_token", Scope: PerGap, Unit: "ms", Better: Lower, Short: "Inter-token", LimitOnly: true, OfStream: true, Gaps: BetweenTokens,
			Doc: "time since the last event that carried tokens, divided by the tokens of this one", Math: "*(eⱼ − eⱼ₋₁) / tⱼ*",
		},
	}
}

// three are the statistics that compare shows.
var three = []string{"mean", "median", "p99"}

// ofTurns is the TTFT of some turns of conversations.
func ofTurns(name, doc, short, title string, these func(turn int32) bool) Metric {
	return Metric{
		Name: name, Scope: PerRequest, Unit: "ms", Better: Lower, Doc: doc, Math: "*c₁ − s*", Short: short, Title: title,
		OfJobs: true, OfStream: true, NoRequestColumn: true,
		Of: func(r *row.Row) (float64, bool) { return r.TTFT(), these(r.Turn) && !r.Whole },
	}
}

// fromEvent is the time to an event from when a request was sent or due. An event
// that never came was in time for nobody.
func fromEvent(name, doc, formula string, event func(*row.Row) int64, due bool) Metric {
	return Metric{
		Name: name, Scope: PerRequest, Unit: "ms", Better: Lower, Doc: doc, Math: formula, Short: name, LimitOnly: true, AbsentIsUnknown: true, OfStream: name != "e2el_due",
		Of: func(r *row.Row) (float64, bool) {
			at := event(r)
			if at < 0 {
				return 0, false
			}
			if due {
				at += r.Sent - r.Due
			}
			return row.Seconds(at), true
		},
	}
}
