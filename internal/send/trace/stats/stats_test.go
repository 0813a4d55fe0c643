package stats

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/testfiles"
)

func read(t *testing.T, path string) *Stats {
	t.Helper()
	tr, err := trace.Open("", path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(tr, true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The hits are those that others counted in the same files; percentiles are NumPy's.
func TestPublishedTraces(t *testing.T) {
	for _, c := range []struct {
		file                      string
		block, token              float64
		inP50, inP99, inMax       float64
		outP50, outP99, outMax    float64
		span                      float64
		sessions                  int
		sameTime, failed, minimum int
	}{
		{"mooncake_conversation_head3000.jsonl.gz", 0.3142, 0.3197, 0, 0, 123192, 0, 0, 0, 987, 0, 2670, 0, 0},
		{"mooncake_synthetic_trace.jsonl.gz", 0.6396, 0.6512, 0, 0, 191378, 0, 0, 0, 1022.025, 0, 0, 0, 13},
		{"mooncake_arxiv_head1000.jsonl.gz", 0.3799, 0.3907, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{"AzureLLMInferenceTrace_code_2023.csv.gz", 0, 0, 1469, 7436, 7437, 13, 252, 1899, 3435.948, 0, 0, 0, 0},
		{"AzureLLMInferenceTrace_conv_2023.csv.gz", 0, 0, 1020, 4142, 14050, 129, 601, 1000, 3501.722, 0, 0, 0, 0},
		{"BurstGPT_3_head400.csv.gz", 0, 0, 0, 0, 0, 0, 0, 0, 41453, 134, 0, 1, 0}, // of 135: the only row of one failed
	} {
		s := read(t, testfiles.Path(t, "traces", c.file))
		near := func(what string, got, want, within float64) {
			if want != 0 && math.Abs(got-want) > within {
				t.Errorf("%s: %s is %v, want %v", c.file, what, got, want)
			}
		}
		if c.block > 0 {
			near("share of blocks", s.Cache.BlockShare, c.block, 5e-5)
			near("share of tokens", s.Cache.TokenShare, c.token, 5e-5)
		}
		near("input p50", s.Input.P50, c.inP50, 0.5)
		near("input p99", s.Input.P99, c.inP99, 0.5)
		near("input max", float64(s.Input.Max), c.inMax, 0)
		near("input min", float64(s.Input.Min), float64(c.minimum), 0)
		near("output p50", s.Output.P50, c.outP50, 0.5)
		near("output p99", s.Output.P99, c.outP99, 1)
		near("output max", float64(s.Output.Max), c.outMax, 0)
		near("span", s.Arrivals.Length, c.span, 0.001)
		if c.sessions > 0 && s.Sessions.Count != c.sessions {
			t.Errorf("%s: %d sessions, want %d", c.file, s.Sessions.Count, c.sessions)
		}
		if s.Failed != c.failed {
			t.Errorf("%s: %d failed, want %d", c.file, s.Failed, c.failed)
		}
		in := 0
		for _, n := range s.Arrivals.Counts {
			in += n
		}
		if in != s.Rows || len(s.Arrivals.Counts) > shownSlots+1 {
			t.Errorf("%s: %d rows in %d slots, of %d", c.file, in, len(s.Arrivals.Counts), s.Rows)
		}
		all := 0
		for _, b := range s.Input.Buckets {
			all += b.N
		}
		if all != s.Input.N {
			t.Errorf("%s: %d inputs in buckets, of %d", c.file, all, s.Input.N)
		}
	}
}

func TestWithoutTimes(t *testing.T) {
	if s := read(t, testfiles.Path(t, "traces", "vidur_arxiv_summarization_head200.csv")); s.Arrivals != nil || s.Cache != nil || s.Sessions != nil || s.Input.N != 199 {
		t.Errorf("%+v", s)
	}
}

// A session's prompt begins with the one before it.
func TestSessionsGrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	text := `{"conversations": [[{"messages": [1], "prompt_tokens": 100}, {"messages": [1], "prompt_tokens": 300}], [{"messages": [1], "prompt_tokens": 100}]]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := read(t, path)
	if s.Cache == nil || !s.Cache.Assumed || s.Cache.TokenShare != 100.0/500 || s.Trees.Turns.Max != 2 {
		t.Errorf("%+v", s.Cache)
	}
}

// A million rows with more blocks than are kept: the memory has its bound, and the
// share of hits is still the right one. Each row has 8 blocks; half of them are those of
// the row before, which grows.
func TestAMillionRows(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	c := newCollector(&trace.Trace{Format: &trace.Format{Name: "x"}})
	ids := make([]uint64, 8)
	const rows = 1_000_000
	for i := range uint64(rows) {
		for k := range ids {
			if i%2 == 1 && k < 4 {
				continue // known from the row before
			}
			ids[k] = i*8 + uint64(k)
		}
		c.add(&trace.Row{At: 0, Input: 8 * 16, Output: 1 + int(i%100), IDs: ids, Block: 16})
	}
	s := c.stats()
	if len(c.blocks.seen) > mostBlocks || s.Cache.Sampled < 2 {
		t.Errorf("%d blocks are kept, sampled by %d", len(c.blocks.seen), s.Cache.Sampled)
	}
	if math.Abs(s.Cache.BlockShare-0.25) > 0.002 || math.Abs(s.Cache.TokenShare-0.25) > 0.002 {
		t.Errorf("shares %v and %v, want 0.25", s.Cache.BlockShare, s.Cache.TokenShare)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 200<<20 {
		t.Errorf("%d MB are held", m.HeapAlloc>>20)
	}
	runtime.KeepAlive(c)
}

// Lengths that nobody knows are not 0: they are in no number, and are told.
func TestUnknownLengths(t *testing.T) {
	row := func(more string) string {
		return `{"inferometer":1,"timestamp":0,"outcome":"complete","status":200,"stream":true,"e2el_ms":1` + more + "}\n"
	}
	for _, c := range []struct {
		rows string
		want []string
		not  string
	}{
		{
			row(`,"output_length":4,"output_by":"events"`) + row(`,"output_length":6,"output_by":"events"`),
			[]string{"input n/a n/a n/a n/a n/a n/a n/a", "output 5.0 ", "unknown the length of 2 prompts and 0 answers", "estimated 2 answers"},
			"input 0.0",
		},
		{
			row(``) + row(`,"input_length":10,"output_length":6,"output_by":"usage"`),
			[]string{"input 10.0 ", "output 6.0 ", "unknown the length of 1 prompts and 1 answers"},
			"estimated",
		},
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(c.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		s := read(t, path)
		var b strings.Builder
		if err := s.Write(&b, 80); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
		if strings.Contains(words, c.not) {
			t.Errorf("%q in\n%s", c.not, b.String())
		}
	}
}

func TestBuckets(t *testing.T) {
	l := lengths{}
	for _, v := range []int{0, 1, 1, 5, 9} {
		l.add(v)
	}
	want := "[{0 0 1} {1 1 2} {2 3 0} {4 7 1} {8 15 1}]"
	if got := fmt.Sprint(l.summary().Buckets); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := (lengths{}).summary(); s.N != 0 || strings.Contains(fmt.Sprint(s), "NaN") {
		t.Errorf("%+v", s)
	}
}
