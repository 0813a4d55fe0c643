package target

// UnderWay is how many requests a server has in hand, running or waiting; told is
// false where its metrics don't say. The names are those of vLLM, SGLang and llama.cpp.
func (m Metrics) UnderWay() (requests float64, told bool) {
	for _, name := range []string{
		"vllm:num_requests_running", "vllm:num_requests_waiting",
		"sglang:num_running_reqs", "sglang:num_queue_reqs",
		"llamacpp:requests_processing", "llamacpp:requests_deferred",
	} {
		if v, ok := m.Sum(name); ok {
			requests, told = requests+v, true
		}
	}
	return requests, told
}
