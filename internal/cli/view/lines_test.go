package view

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/show/number"
)

var update = flag.Bool("update", false, "write the golden files")

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }

// course is a run of two minutes, seen up to a moment: it gets slower when its queue grows.
func course(m *Model, until float64) {
	for s := 0.0; s <= until; s += 0.5 {
		queue, cache := max(0, s-40)*0.8, min(s/60, 1)
		m.See(&live.State{
			Time: at(s).UnixNano(), At: s, Phase: live.Running, Name: "results/qwen-32b", Length: 120, Left: 120 - s,
			Sent: int64(20 * s), InFlight: 64, Completed: int64(17 * s), Failed: int64(s / 30), Tokens: int64(4300 * s),
			TokensPerS: 4300 + 400*math.Sin(s/7), RequestsPerS: 17.2,
			TTFT:       live.Window{Count: 170, P50: 112 + queue*10, P99: 231 + queue*40},
			ITL:        live.Window{Count: 43000, P50: 11.2, P99: 24.8 + queue},
			Lag:        live.Window{Count: 43000, P50: 0.021, P99: 0.34},
			Outcomes:   map[string]int64{"complete": int64(17 * s), "http_error": int64(s / 30), "timeout": 1},
			FirstError: "HTTP 503: the engine is overloaded, try again later",
			Servers: []live.Server{{
				Running: new(64.0), Waiting: new(queue), CacheUse: new(cache), Preempted: new(3.0), TokensPerS: new(4290.0),
			}},
			SLO: []live.Clause{
				{Text: "p99_ttft<=500ms", Value: new(231 + queue*40), Holds: new(queue*40 < 269)},
				{Text: "p99_itl<=60ms", Value: new(24.8 + queue), Holds: new(true)},
				{Text: "failed<0.1%", Value: new(0.0081), Holds: new(false)},
				{Text: "mean_tpot<=20ms"},
			},
		}, at(s))
	}
}

func plan(m *Model) {
	points := []Point{}
	for i := range 12 {
		p := Point{Name: fmt.Sprintf("target=tp%d,concurrency=%d", 1+i/4, 16<<(i%4))}
		switch {
		case i == 0:
			p.Phase, p.Text = Skipped, "of 2026-01-01"
		case i == 2:
			p.Phase, p.Text = Failed, "after 12 s: the server ended with exit status 1"
		case i < 5:
			p.Phase, p.Text = Done, "4,310 tokens/s · TTFT p99 231 ms"
		case i == 5:
			p.Phase, p.Since = Running, at(0)
		}
		points = append(points, p)
	}
	m.Plan(points, false)
}

var scenes = map[string]func(*Model){
	"run":   func(m *Model) { course(m, 75) },
	"begun": func(m *Model) { course(m, 1) },
	"plan": func(m *Model) {
		m.Title = "inferometer run long-scenario-name"
		course(m, 75)
		plan(m)
	},
	"fleet": func(m *Model) {
		course(m, 75)
		s := *m.state
		for i := range 8 {
			s.Agents = append(s.Agents, live.Agent{Name: fmt.Sprintf("agent-%d.rack.example", i), Phase: "running", Sent: 1234, Ended: 1200, Silent: i == 6})
		}
		m.See(&s, at(75))
	},
	"nothing": func(*Model) {},
	"zero":    func(m *Model) { m.See(&live.State{Time: begin.UnixNano(), Phase: live.Running}, begin) },
	"preparing": func(m *Model) {
		m.See(&live.State{Time: begin.UnixNano(), At: -3, Phase: live.WarmingUp, Total: 100}, begin)
	},
	"unknown": func(m *Model) {
		m.See(&live.State{
			Time: begin.UnixNano(), At: 3, Phase: "something", Completed: 3,
			Servers: []live.Server{{}, {Waiting: new(3.0)}}, SLO: []live.Clause{{Text: "p99_ttft<1s"}},
			Agents: []live.Agent{{Name: "a"}},
		}, begin)
	},
	"hostile": func(m *Model) {
		evil := "\x1b[2J\x1b]0;owned\x07\x1b[31mHTTP\r\n500\u202e \x9b31m\u200b日本語テキスト" + strings.Repeat("長い", 300)
		m.Title = evil
		m.See(&live.State{
			Time: begin.UnixNano(), At: math.NaN(), Left: math.Inf(1), Phase: live.Phase(evil), Name: evil, Total: 1, Sent: math.MaxInt64, InFlight: -5,
			Completed: math.MaxInt64, TokensPerS: math.Inf(1), RequestsPerS: math.NaN(), TTFT: live.Window{Count: 1, P50: math.NaN(), P99: 1e300},
			Outcomes: map[string]int64{evil: math.MaxInt64, "complete": math.MinInt64}, FirstError: evil, Note: evil,
			Servers: []live.Server{{Running: new(math.NaN()), Waiting: new(math.Inf(-1)), CacheUse: new(1e300)}},
			SLO:     []live.Clause{{Text: evil, Value: new(math.NaN()), Holds: new(false)}},
			Agents:  []live.Agent{{Name: evil, Phase: evil, Sent: -1, Silent: true}},
		}, begin)
		m.Plan([]Point{{Name: evil, Text: evil, Phase: Running}}, true)
		m.Say(evil)
	},
	"paused":   func(m *Model) { course(m, 75); s := *m.state; s.Phase = live.Paused; m.See(&s, at(75)) },
	"draining": func(m *Model) { course(m, 75); s := *m.state; s.Phase = live.Draining; m.See(&s, at(75)) },
	"help":     func(m *Model) { course(m, 75); m.Help = true },
	"notes": func(m *Model) {
		course(m, 75)
		for i := range 30 {
			m.Say(fmt.Sprintf("note: number %d of those that were said", i))
		}
	},
}

var sizes = [][2]int{{80, 24}, {60, 15}, {200, 50}}

func TestLines(t *testing.T) {
	for name, scene := range scenes {
		for _, size := range sizes {
			file := fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1])
			t.Run(file, func(t *testing.T) {
				m := &Model{Title: "inferometer bench serve http://127.0.0.1:8000"}
				scene(m)
				got := strings.Join(m.Lines(size[0], size[1], at(75)), "\n") + "\n"
				path := filepath.Join("testdata", file)
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// Whatever the size and whatever comes from outside: the lines fit, and nothing in them steers
// a terminal.
func TestLinesFit(t *testing.T) {
	for name, scene := range scenes {
		m, painted := &Model{Title: "bench"}, &Model{Title: "bench", Color: true}
		scene(m)
		scene(painted)
		for width := 0; width <= 210; width += 15 {
			for height := 0; height <= 60; height += 3 {
				lines := m.Lines(width, height, at(75))
				for i, line := range painted.Lines(width, height, at(75)) {
					if plain := strings.TrimRight(ansi.Strip(line), " "); plain != lines[i] {
						t.Fatalf("%s at %dx%d: colour changes what is shown: %q, %q", name, width, height, plain, lines[i])
					}
				}
				if len(lines) > height {
					t.Fatalf("%s at %dx%d has %d lines", name, width, height, len(lines))
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w > width {
						t.Fatalf("%s at %dx%d: %d wide: %q", name, width, height, w, line)
					}
					if strings.ContainsFunc(line, func(r rune) bool {
						return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar && name != "hostile"
					}) {
						t.Fatalf("%s: %q", name, line)
					}
				}
			}
		}
	}
}

func TestAnotherRunBeginsAnew(t *testing.T) {
	m := &Model{}
	course(m, 30)
	m.See(&live.State{Name: "another", Time: at(31).UnixNano(), Phase: live.Running}, at(31))
	if n := len(m.history.samples); n != 1 {
		t.Errorf("%d samples of two runs", n)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	m := &Model{}
	course(m, 3000)
	if n := len(m.history.samples); n > 1202 {
		t.Errorf("%d samples are kept", n)
	}
	if got := m.history.cells(tokensRate, 20, time.Second); math.IsNaN(got[0]) || math.IsNaN(got[19]) {
		t.Errorf("cells without a value: %v", got)
	}
}

func TestSpark(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		values []float64
		rows   int
		want   []string
	}{
		{[]float64{nan, 0, 1, 4, 8}, 1, []string{" ·▁▄█"}},
		{[]float64{nan, 0, 1, 4, 8}, 2, []string{"    █", " ·▂██"}},
		{[]float64{nan, nan}, 1, []string{"  "}},
		{[]float64{0, 0}, 1, []string{"··"}},
	} {
		if diff := cmp.Diff(tt.want, sparkOf(tt.values, tt.rows)); diff != "" {
			t.Error(diff)
		}
	}
}

func sparkOf(values []float64, rows int) []string {
	top := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			top = max(top, v)
		}
	}
	return spark(values, top, rows)
}

// A cell is the mean of its values; the highest is that of all of them, the current one among them.
func TestHighest(t *testing.T) {
	h := &history{}
	for i, v := range []float64{100, 900, 100, 300, 40, 900} {
		h.add(&live.State{Time: int64(i+1) * int64(300*time.Millisecond), Phase: live.Running, TokensPerS: v})
	}
	if cells := h.cells(tokensRate, 10, time.Second); slices.Max(cells[8:]) >= 900 {
		t.Fatalf("%v: no cell is a mean", cells)
	}
	if top, known := h.highest(tokensRate, 10, time.Second); top != 900 || !known {
		t.Errorf("%v, %v", top, known)
	}
	if top, known := h.highest(ttftP50, 10, time.Second); known {
		t.Errorf("%v of nothing", top)
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{count(0), "0"},
		{count(999), "999"},
		{count(1000), "1,000"},
		{count(-1234567), "-1,234,567"},
		{count(math.MinInt64), "-9,223,372,036,854,775,808"},
		{short(0), "0"},
		{short(0.021), "0.021"},
		{short(11.24), "11.2"},
		{short(4310.4), "4,310"},
		{short(math.NaN()), "–"},
		{short(1e300), "1e+300"},
		{milliseconds(9999), "9999 ms"},
		{milliseconds(61234), "61.2 s"},
		{number.Clock(59.6), "1:00"},
		{number.Clock(3600), "1:00:00"},
		{number.Clock(-5), "0:00"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
