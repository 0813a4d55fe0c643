package serve

import "github.com/inferometer/inferometer/internal/cli/argv"

// defineBeside declares what a run does beside its load.
func defineBeside(set *argv.Set, o *Options) {
	g := argv.Group(groupLoad)
	set.Float(&o.ProbeRequestRate, "probe-request-rate", 0,
		"Beside the load send so many requests a second of one token each, outside of --max-concurrency, one at a time, and report their latency by itself.", g)
	defineProfile(set, o, g)
}

// defineProfile is for all commands of vLLM's that have it.
func defineProfile(set *argv.Set, o *Options, opts ...argv.Option) {
	set.Bool(&o.Profile, "profile", "Start vLLM's profiler before the load and stop it after: POST /start_profile and /stop_profile. The server needs --profiler-config.", opts...)
}
