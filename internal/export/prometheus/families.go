package prometheus

// Family is one of the metrics that the endpoint has.
type Family struct {
	Name, Type, Help string
	Labels           []string // beside those that all have
}

// The labels that all metrics of a run have.
var runLabels = []string{"run", "model", "backend"}

const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// The names, each used in one place.
const (
	nBuild      = "inferometer_build_info"
	nRequests   = "inferometer_requests_total"
	nPrompt     = "inferometer_prompt_tokens_total"
	nOutput     = "inferometer_output_tokens_total"
	nInFlight   = "inferometer_requests_in_flight"
	nPlanned    = "inferometer_requests_planned"
	nTokenRate  = "inferometer_output_tokens_per_second"
	nRate       = "inferometer_requests_per_second"
	nTTFTWindow = "inferometer_time_to_first_token_window_seconds"
	nGapWindow  = "inferometer_inter_token_latency_window_seconds"
	nLagWindow  = "inferometer_client_lag_window_seconds"
	nPhase      = "inferometer_run_phase"
	nPaused     = "inferometer_run_paused"
	nElapsed    = "inferometer_run_seconds"
	nSLO        = "inferometer_slo_holds"
	nRunning    = "inferometer_server_requests_running"
	nWaiting    = "inferometer_server_requests_waiting"
	nCache      = "inferometer_server_cache_use_ratio"
	nAgents     = "inferometer_fleet_agents"
	nTTFT       = "inferometer_time_to_first_token_seconds"
	nGap        = "inferometer_inter_token_latency_seconds"
	nDuration   = "inferometer_request_duration_seconds"
)

// Families are all metrics, in the order of the documentation.
func Families() []Family {
	percentile, server := []string{"percentile"}, []string{"server"}
	return []Family{
		{nRequests, counter, "Measured requests that have ended, by outcome.", []string{"outcome"}},
		{nPrompt, counter, "Prompt tokens of the requests that were a success.", nil},
		{nOutput, counter, "Output tokens of the requests that were a success.", nil},
		{nTTFT, histogram, "Time to the first token chunk, of the requests that were a success.", nil},
		{nGap, histogram, "Time between token chunks, of the requests that were a success.", nil},
		{nDuration, histogram, "Time to the last token chunk, of the requests that were a success.", nil},
		{nInFlight, gauge, "Requests on their way now.", nil},
		{nPlanned, gauge, "Requests that the run sends in all, where that is known.", nil},
		{nTokenRate, gauge, "Output tokens a second, of the last ten seconds, counted as they arrive.", nil},
		{nRate, gauge, "Requests a second that ended as a success, of the last ten seconds.", nil},
		{nTTFTWindow, gauge, "Time to the first token chunk, of the last ten seconds.", percentile},
		{nGapWindow, gauge, "Time between token chunks, of the last ten seconds.", percentile},
		{nLagWindow, gauge, "From the kernel's receipt of bytes to this program's code, of the last ten seconds.", percentile},
		{nPhase, gauge, "1 for what the run does now, 0 for the other phases.", []string{"phase"}},
		{nPaused, gauge, "1 while the pace is paused.", nil},
		{nElapsed, gauge, "Seconds since the load began.", nil},
		{nSLO, gauge, "1 while a clause of the SLO holds so far, 0 while it does not.", []string{"clause"}},
		{nRunning, gauge, "Requests that a server computes, by its own metrics.", server},
		{nWaiting, gauge, "Requests in a server's queue, by its own metrics.", server},
		{nCache, gauge, "Share of a server's cache that is in use, by its own metrics.", server},
		{nAgents, gauge, "Agents of the fleet, by what they do.", []string{"phase"}},
		{nBuild, gauge, "1; the version of inferometer is its label.", []string{"version"}},
	}
}
