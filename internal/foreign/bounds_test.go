package foreign

import (
	"fmt"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Bounds are kept where they hold the value; what can be none is left out.
func TestBoundsOfOurs(t *testing.T) {
	const file = `{"num_prompts": 9, "completed": 9, "request_throughput": 4, "mean_ttft_ms": 20, "median_ttft_ms": 19, "p99_ttft_ms": 30,
		"inferometer": {"bounds": {"known": %s, "stamps": %s, "metrics": {"ttft": {"bounds": {"mean_ms": %s, "p50_ms": [18, 19.5], "p90_ms": [1, 2], "p99_ms": [30, 30]}}}, "rates": {"request_throughput": [3.9, 4.1], "speed": [1, 2]}}}}`
	for _, tt := range []struct {
		known, stamps, mean string
		want                map[string]result.Bounds
	}{
		{"true", `"kernel"`, "[19, 22]", map[string]result.Bounds{"mean_ttft_ms": {Low: 19, High: 22}, "median_ttft_ms": {Low: 18, High: 19.5}, "p99_ttft_ms": {Low: 30, High: 30}, "request_throughput": {Low: 3.9, High: 4.1}}},
		{"true", `"kernel"`, "[21, 22]", map[string]result.Bounds{"median_ttft_ms": {Low: 18, High: 19.5}, "p99_ttft_ms": {Low: 30, High: 30}, "request_throughput": {Low: 3.9, High: 4.1}}},
		{"true", `"kernel"`, "[22, 19]", map[string]result.Bounds{"median_ttft_ms": {Low: 18, High: 19.5}, "p99_ttft_ms": {Low: 30, High: 30}, "request_throughput": {Low: 3.9, High: 4.1}}},
		{"true", `"kernel"`, "[-1, 22]", map[string]result.Bounds{"median_ttft_ms": {Low: 18, High: 19.5}, "p99_ttft_ms": {Low: 30, High: 30}, "request_throughput": {Low: 3.9, High: 4.1}}},
		{"true", `"kernel"`, "[19]", map[string]result.Bounds{"median_ttft_ms": {Low: 18, High: 19.5}, "p99_ttft_ms": {Low: 30, High: 30}, "request_throughput": {Low: 3.9, High: 4.1}}},
		{"true", `"user"`, "[19, 22]", map[string]result.Bounds{"request_throughput": {Low: 3.9, High: 4.1}}},
		{"false", `"kernel"`, "[19, 22]", nil},
	} {
		runs, err := Read("a.json", []byte(fmt.Sprintf(file, tt.known, tt.stamps, tt.mean)))
		if err != nil {
			t.Fatal(err)
		}
		if got := runs[0].Bounds; fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s, %s, %s: %v, want %v", tt.known, tt.stamps, tt.mean, got, tt.want)
		}
	}
}
