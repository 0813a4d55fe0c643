package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim"
)

// A server that stalls for a second and a half in each answer, from its simulation to the report's line, in virtual
// time: on a busy machine events come late too, and then not every stall is ten times the median.
func TestStallsAreReported(t *testing.T) {
	dir := t.TempDir()
	server := sim.DefaultConfig()
	server.Stall = 1500 * time.Millisecond
	var err error
	if server.Faults, err = sim.ParseFaults("stall=1"); err != nil {
		t.Fatal(err)
	}
	// What a stall held back comes at once: answers are long, so that the median stays.
	virtualRun(t, dir, virtual{server: server, requests: 4, tokens: 400, concurrency: 4})
	for format, want := range map[string][]string{
		"table": {"\nStalls (gaps over 100.00 ms): 4 in 4 of 4 requests, longest 1510.00 ms, 6040.00 ms in all\n"},
		"json":  {`"stalls": {"threshold_ms": 100.0, "count": 4, "requests": 4, "share": 1.0, "longest_ms": 1510.0, "total_ms": 6040.0}`},
	} {
		var out, said bytes.Buffer
		if code := Main(t.Context(), []string{"report", dir, "--details", "--format", format}, strings.NewReader(""), &out, &said); code != 0 {
			t.Fatalf("exit code %d: %s", code, said.Bytes())
		}
		for _, want := range want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.Bytes())
			}
		}
	}
}
