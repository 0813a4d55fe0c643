package target

import "testing"

func TestUnderWay(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64
		told bool
	}{
		{"vllm:num_requests_running{engine=\"0\"} 3.0\nvllm:num_requests_waiting{engine=\"0\"} 2.0\nvllm:num_requests_running{engine=\"1\"} 1.0\n", 6, true},
		{"sglang:num_running_reqs 0\nsglang:num_queue_reqs 0\n", 0, true},
		{"llamacpp:requests_processing 1\n", 1, true},
		{"go_goroutines 12\n", 0, false},
		{"", 0, false},
	} {
		if got, told := ParseMetrics([]byte(tt.text)).UnderWay(); got != tt.want || told != tt.told {
			t.Errorf("%q: %v, %v", tt.text, got, told)
		}
	}
}
