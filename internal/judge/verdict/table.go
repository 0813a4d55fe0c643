package verdict

// entry is one line of the table of checks.
type entry struct {
	name, group string
	looks       string // what it looks for; docs/reference/checks.md is written from it
	limits      limits
	hint        string
	because     []string // checks that, being bad, make this one bad
	make        func(f *facts) check
}

// What a shown number may be off by before the run is suspect, and before it is invalid. What is smaller stands beside the
// number as its bounds, and as a note; from a quarter on a number says little.
const (
	mostOff = 0.25
	wayOff  = 0.50
)

// table is all checks, in the order in which they are shown.
func table() []entry {
	return []entry{
		// The client.
		{
			"bounds", "client", "how far a shown number can be off because of the client, its machine or the network",
			limits{mostOff, wayOff, "%", "of a mean, a median or a rate; never below 0.1 ms", ""},
			"read this number within its bounds; to narrow them, fix the cause",
			[]string{"steal", "cpu_wait", "cpu", "gc", "retransmits", "shared_reads", "unstamped", "lag", "proven_range"},
			atEnd(widest),
		},
		{
			"lag", "client", "time between the kernel receiving bytes and our code reading them",
			limits{0.10, wayOff, "%", "of the median TTFT (p99 of the lag) where times are the client's own; else noted above 2 % of a closed loop's mean latency", ""},
			"give the client more processors, or send fewer streams from it",
			[]string{"steal", "cpu_wait", "cpu", "retransmits"}, // what came out of order waits in the kernel
			byClient(func(*facts) check { return &lag{} }),
		},
		{
			"lateness", "client", "requests that the client sent later than they were due",
			limits{mostOff, wayOff, "%", "of both the mean gap between requests and the mean TTFT, on average; never below 1 ms", ""},
			"give the client more processors, or spread the rate over several clients",
			[]string{"steal", "cpu_wait", "cpu", "gc"},
			func(*facts) check { return &lateness{} },
		},
		{
			"cpu", "client", "share of its processors that the client used",
			cause(0.80, "%", ""),
			"give the client more processors, or send fewer streams from it", nil, byClient(func(*facts) check { return cpuShare() }),
		},
		{
			"cpu_wait", "client", "time that the client's threads waited for a processor",
			cause(0.10, "%", "of the run, per processor"),
			"stop other programs on the client's machine, or give the client its own processors", nil,
			byClient(func(*facts) check { return cpuWait() }),
		},
		{
			"steal", "client", "time that the hypervisor took from the client's machine",
			cause(0.02, "%", "of all processors; the first 20 ms do not count"),
			"use a machine that is not shared", nil, byClient(func(*facts) check { return stolen() }),
		},
		{
			"gc", "client", "time that the client was paused for garbage collection",
			cause(0.01, "%", "of the run"),
			"give the client more memory (GOGC, GOMEMLIMIT), or send fewer streams from it", nil, byClient(func(*facts) check { return gcPauses() }),
		},
		{
			"files", "client", "open file descriptors against the limit",
			limits{0.90, 0.99, "%", "of the limit; invalid if a request failed because of it", ""},
			"raise the limit: ulimit -n", nil, byClient(func(*facts) check { return &files{} }),
		},
		{
			"ports", "client", "connections opened within a minute against the ports available",
			limits{0.80, 1, "%", "of 28,232, Linux's usual range; invalid if a request failed because of it", ""},
			"keep connections open, widen net.ipv4.ip_local_port_range, or use several addresses", nil, byClient(func(*facts) check { return &ports{} }),
		},
		{
			"retransmits", "client", "requests with TCP segments that had to be sent again",
			cause(0.001, "%", "of the requests; at least three"),
			"look for packet loss between client and server: try another cable or route, or a client closer to the server", nil, func(*facts) check { return &retransmits{} },
		},
		{
			"connections", "client", "connections reopened during measured requests",
			limits{0.02, never, "%", "of the median TTFT, by what they add to the mean; and at least 5 % of the requests, and two", ""},
			"let the server and every proxy keep connections longer than the run's pauses",
			[]string{"restart"},
			func(*facts) check { return &connections{} },
		},
		{
			"shared_reads", "client", "events that arrived in one read with the event before, and so share its time",
			cause(0.05, "%", "of the chunks with text after the first, by three standard errors; from 30 % on, see bursts"),
			"give the client more processors, or send fewer streams from it", nil,
			func(*facts) check { return &sharedReads{} },
		},
		{
			"unstamped", "client", "reads without a kernel timestamp",
			cause(0.01, "%", "of the events, by three standard errors"),
			"check whether another program on the machine turns timestamps off", nil, func(*facts) check { return &unstamped{} },
		},
		{
			"proven_range", "client", "streams and token chunks per second, compared with what a self-test proved on this machine",
			cause(provenSlack, "×", "of the proven streams or rate, in the busiest second"),
			"use more clients, or run inferometer selftest to see how far this machine goes", nil, byClient(newProvenRange),
		},

		// The load.
		{
			"rate", "load", "the rate that was asked for, compared with the rate at which requests went out",
			limits{0.02, 0.10, "%", "less than asked", ""},
			"raise --max-concurrency if it held requests back; otherwise use more clients",
			[]string{"steal", "cpu_wait", "cpu"},
			func(*facts) check { return &rate{} },
		},
		{
			"little", "load", "requests in flight as the client counted them, compared with what the journal shows (Little's law)",
			limits{0.05, 0.20, "%", "beyond one request and twice the standard error", ""},
			"please report this with the journal: requests are missing from it, or their times are wrong",
			[]string{"lines"},
			atEnd(little),
		},
		{
			"lines", "load", "requests that were sent, compared with lines in the journal",
			limits{0, 0.01, "%", "of the requests", ""},
			"the file is damaged or was cut short: check the disk, and run again", nil, atEnd(lines),
		},
		{
			"drained", "load", "requests that we gave up when the run was stopped",
			limits{0, 0.01, "%", "of the requests; a run that was killed is at least suspect, and requests that the end of a run cut after its grace make none invalid", ""},
			"let the run finish: a longer --deadline, or fewer requests",
			[]string{"fleet_lost"},
			func(*facts) check { return &drained{} },
		},
		{
			"paused", "load", "time that a user paused the run",
			limits{0, never, "s", "", ""},
			"run again without a pause; or read only the latencies of single requests", nil, atEnd(paused),
		},
		{
			"ramp_drain", "load", "share of a closed loop's time below its concurrency",
			limits{0.20, 0.50, "%", "of the run below 95 % of --max-concurrency at its start and end; invalid only from ten requests per slot on", ""},
			"send more requests (at least ten times the concurrency), or use the numbers of the steady state",
			[]string{"paused"},
			atEnd(rampDrain),
		},
		{
			"growing", "load", "requests in flight that were still increasing at the end of an open loop",
			limits{0.20, 0.50, "%", "more in the last third than in the middle one, throughout, and by three standard errors", ""},
			"lower the rate below what the server can sustain; what latencies mean here depends on how long the run was",
			[]string{"paused", "restart", "foreign_requests"},
			atEnd(growing),
		},
		{
			"drift", "load", "a server that became slower or faster during the run",
			limits{0.10, 0.50, "%", "of TTFT, TPOT or, without a stream, the latency, from before the change to after it, beyond chance; not where TTFT or latency changes by less than 1 ms", ""},
			"check what happened on the server then: other users, heat, clocks, a cache that filled up; warm it up first (--num-warmups), and run again",
			[]string{"paused", "restart", "foreign_requests", "steal", "cpu_wait"},
			newDrift,
		},

		// The answers.
		{
			"outcomes", "answers", "requests that failed (short, empty and cancelled ones have checks of their own)",
			limits{0, 0.01, "%", "of the requests", ""},
			"read the error messages; docs/outcomes.md says what each outcome means",
			[]string{"restart", "files", "ports"},
			func(*facts) check { return &outcomes{} },
		},
		{
			"output_tokens", "answers", "answers of a different length than asked for, with --ignore-eos",
			limits{0, 0.01, "%", "of the answers", ""},
			"check the server's context length (--max-model-len) and whether it knows ignore_eos", nil, func(*facts) check { return &outputTokens{} },
		},
		{
			"usage", "answers", "tokens as the server counted them, compared with what its events show",
			limits{0.01, 0.10, "%", "of the tokens; one per request is allowed", ""},
			"find out which count is right before you use tokens per second", nil, func(*facts) check { return &usage{} },
		},
		{
			"finish_reasons", "answers", "finish reasons other than stop, length and tool calls",
			limits{0, 0.01, "%", "of the complete answers", ""},
			"check the server's log for what it did with these requests", nil, func(*facts) check { return &finishReasons{} },
		},
		{
			"empty", "answers", "answers without any text",
			limits{0, 0.01, "%", "of the answers of eight tokens or more", ""},
			"read some answers (--journal-texts) to see whether the server generates at all", nil, func(*facts) check { return &empty{} },
		},
		{
			"identical", "answers", "answers that are the same as another prompt's answer",
			limits{0.05, 0.50, "%", "of the answers of eight tokens or more; at least two", ""},
			"read some answers (--journal-texts): a broken model or a canned answer is fast", nil, func(f *facts) check { return &identical{texts: newSeen(f.opt.HashLimit)} },
		},
		{
			"integrity", "answers", "greedy answers that differ between load and no load, with --integrity-sample",
			limits{0, 0.10, "%", "of the prompts that were sent again", ""},
			"read some pairs (--journal-texts); a few may come from the arithmetic of larger batches, many are a bug in the server", nil, newIntegrity,
		},
		{
			"prompt_tokens", "answers", "prompt tokens planned, compared with those that the server counted",
			limits{0.02, 0.10, "%", "of the prompt, apart from a constant number that a template adds", ""},
			"use the model's own tokenizer (--tokenizer), and check whether the server cuts prompts", nil, func(*facts) check { return &promptTokens{} },
		},
		{
			"bursts", "answers", "tokens that came in bursts, as from a proxy that buffers",
			limits{0.30, 0.80, "%", "of the gaps being below a twentieth of their stream's mean gap", ""},
			"turn off buffering and compression between client and server (proxy_buffering off), or measure without the proxy",
			[]string{"retransmits", "steal", "cpu_wait", "cpu"},
			func(*facts) check { return &bursts{} },
		},

		// The cache.
		{
			"repeated_prompts", "cache", "prompts that the workload sent more than once",
			limits{0.001, 0.10, "%", "of the requests; ok if the server's counters or answers show that its cache was not used", ""},
			"use a larger dataset, or say in your report that the cache was warm", nil, func(*facts) check { return &repeatedPrompts{} },
		},
		{
			"seen_prompts", "cache", "prompts that an earlier run sent to the same server",
			limits{0.01, 0.10, "%", "of the requests; ok if the server's counters or answers show that its cache was not used; at most suspect if it reports no start time, or if the prompts are questions", ""},
			"use another --seed; or clear the cache (restart the server, or reset its cache) and say so with --forget-prompts", nil, atEnd(seenPrompts),
		},
		{
			"cached_tokens", "cache", "prompt tokens that the server took from its cache beyond what the workload shares",
			limits{0.01, 0.10, "%", "of the prompt tokens", ""},
			"use another --seed, reset the server's prefix cache, or restart the server",
			[]string{"repeated_prompts", "seen_prompts"},
			func(f *facts) check { return &cachedTokens{allowed: f.sharedPrefix()} },
		},

		// The server.
		{
			"model", "server", "a different model or quantisation than --model and --served-model-name say",
			limits{invalid: never, text: "suspect if a server does not list the model, or lists one of another size or quantisation; llama.cpp takes any name, so there only a contradicting size or quantisation counts"},
			"check which server is behind the address; pass the model that it serves as --model", nil, atEnd(servedModel),
		},
		{
			"restart", "server", "a server that restarted during the run",
			limits{text: "invalid if its start time changed or a counter fell"},
			"check the server's log for why it stopped; run again", nil, atEnd(restart),
		},
		{
			"foreign_requests", "server", "requests as the server counted them, compared with ours",
			limits{0, 0.05, "%", "of our requests", ""},
			"if it counted more, find out who else uses the server; if fewer, check whether another server is behind the address, and name all of them with --replica", nil, func(*facts) check { return &serverRequests{} },
		},
		{
			"repeated_work", "server", "requests that the servers behind a router got, compared with ours: what it sent again is work done twice",
			limits{0, mostOff, "%", "more than our requests", ""},
			"look for the server that fails (the router's log, its circuit breakers), or turn the router's retries off to see the failures", nil,
			func(*facts) check { return &repeatedWork{} },
		},
		{
			"server_prompt_tokens", "server", "prompt tokens as the server counted them over the run, compared with ours",
			limits{0, 0.05, "%", "of our prompt tokens", ""},
			"see foreign_requests",
			[]string{"foreign_requests"},
			func(*facts) check { return &serverTokens{of: promptSide()} },
		},
		{
			"server_output_tokens", "server", "generated tokens as the server counted them over the run, compared with ours",
			limits{0, 0.05, "%", "of our output tokens", ""},
			"see foreign_requests",
			[]string{"foreign_requests"},
			func(*facts) check { return &serverTokens{of: outputSide()} },
		},
		{
			"preemptions", "server", "sequences that the server had to evict from memory and recompute",
			limits{0, never, "", "", ""},
			"give the server more KV cache, or a lower limit on sequences", nil, atEnd(preemptions),
		},
		{
			"server_ttft", "server", "our mean TTFT minus the server's own: network, proxy and client",
			limits{0.10, 1, "%", "of the server's, and more than 5 ms (50 ms to be invalid)", ""},
			"measure closer to the server, without proxies, or use the server's own numbers",
			[]string{"bounds", "connections", "bursts", "retransmits", "steal", "cpu_wait", "cpu"},
			func(*facts) check { return &serverTTFT{} },
		},
		{
			"server_e2el", "server", "our mean time from first to last token minus the server's own",
			limits{0.10, 1, "%", "of the server's, and more than 10 ms (100 ms to be invalid)", ""},
			"look for a slow reader, or a proxy in between",
			[]string{"bounds", "bursts", "retransmits", "steal", "cpu_wait", "cpu"},
			func(*facts) check { return &serverE2EL{} },
		},
		{
			"throttled", "server", "a busy GPU that was slowed down by heat or by its machine's power supply",
			limits{0.10, never, "%", "of the measured time, as far as --hardware can tell; its own power limit does not count", ""},
			"cool the machine, let it rest between runs, or lower the power limit to what it can sustain", nil,
			atEnd(throttled),
		},
		{
			"slow_replica", "server", "one of several servers that is slower than the others",
			limits{1.25, never, "×", "the others' median TTFT or TPOT, by three standard errors, and by 1 ms (TTFT) or 0.2 ms (TPOT)", ""},
			"look at that server by itself (--base-url): its GPU's clock and heat, what else runs on it, its settings, its share of the requests",
			[]string{"restart", "foreign_requests"},
			func(f *facts) check { return newSlowReplica(f) },
		},

		// Faults on purpose.
		{
			"faults", faultsGroup, "faults that were to be made on purpose, and were not; what was made of them is left out of the other checks",
			limits{0, never, "", "of them", ""},
			"read why it was not done, and run again", nil, atEnd(faultsMade),
		},

		// The fleet.
		{
			"fleet_lost", fleetGroup, "requests of a fleet that were lost or never sent because an agent was lost",
			limits{0, 0.01, "%", "of the requests that were planned", ""},
			"find out why the agent is gone (its own output, its machine, its connection to NATS), and run again", nil, atEnd(fleetLost),
		},
		{
			"fleet_clock", fleetGroup, "how far the agents' clocks may be off where their times are compared",
			limits{0.05, 0.50, "%", "of the time that a request is open; never below 1 ms", ""},
			"move the leader closer to the agents, or don't read more than this from the charts over time", nil, atEnd(fleetClock),
		},
		{
			"fleet_start", fleetGroup, "agents that did not start at the same instant",
			limits{20, 1000, "ms", "from the first to the last", ""},
			"check what delayed the last one: its processors, or a clock that was set while the run started",
			[]string{"steal", "cpu_wait", "cpu"},
			atEnd(fleetStart),
		},
		{
			"fleet_duplicates", fleetGroup, "records of requests that arrived twice, or from the wrong agent",
			limits{0, 0.01, "%", "of the requests", ""},
			"please report this with the agents' journals: an agent sent what was not its own", nil, atEnd(fleetDuplicates),
		},

		// The jobs, which only a run of conversations has.
		{
			"cut_jobs", jobsGroup, "jobs that the end of the run cut off: the long ones are cut off more often, so that those that ended are the short ones",
			cause(0.10, "%", "of the median time of a job, by which it is longer with those that were cut off; also where that is not known"),
			"run for several times as long as a job takes, or give a number of jobs in place of --duration", nil, atEnd(cutJobs),
		},
		{
			"skipped_idle", jobsGroup, "waiting time that was skipped, since nothing was in flight",
			cause(0.01, "%", "of the run's time with it"),
			"read throughput and jobs per hour as those of a busier server than the recording had; --trace-idle-cap 0 keeps the time", nil, atEnd(skippedIdle),
		},

		// The statistics.
		{
			"samples", "statistics", "samples behind each percentile that was asked for",
			limits{text: "a percentile p that rests on fewer than 1/(1−p) samples (100 for p99, 1000 for p99.9) is left out of tables; invalid if nothing was measured"},
			"send more requests, or ask for a lower percentile", nil, func(*facts) check { return &samples{} },
		},
	}
}

// Manual is a check in words: what a verdict's reason means.
type Manual struct {
	Name, Group string
	Looks       string // what it looks for
	Threshold   string
	Hint        string // what to do
}

// Manuals are all checks, in the order in which they are shown.
func Manuals() (all []Manual) {
	for _, e := range table() {
		all = append(all, Manual{e.name, e.group, e.looks, e.limits.String(), e.hint})
	}
	return all
}
