package message

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestDecode(t *testing.T) {
	if h, err := Decode[Hello]([]byte(`{"agent":"a-1","name":"x\u001b[31m","labels":{"region":"eu\n"}}`)); err != nil || strings.ContainsAny(h.Name+h.Labels["region"], "\x1b\n") {
		t.Errorf("%+v, %v", h, err)
	}
	for _, text := range []string{
		``, `{}`, `[]`, `{"agent":"a"}x`, `{"agent":"../a"}`, `{"agent":"a.b"}`, `{"agent":"a","run":"*"}`, `{"agent":"` + strings.Repeat("a", 65) + `"}`,
	} {
		if h, err := Decode[Hello]([]byte(text)); err == nil {
			t.Errorf("%s was taken as %+v", text, h)
		}
	}
	for _, text := range []string{
		`{"kind":"offer"}`, `{"kind":"offer","run":"r","files":[{"sha256":"../../etc","bytes":1,"for":"dataset","name":"x"}]}`,
		`{"kind":"start","run":">"}`,
	} {
		if a, err := Decode[Ask]([]byte(text)); err == nil {
			t.Errorf("%s was taken as %+v", text, a)
		}
	}
	if _, err := Decode[Ask]([]byte(`{"kind":"clock"}`)); err != nil {
		t.Error(err)
	}
	if _, err := Decode[Status]([]byte(`{"run":"r","agent":"a","sent":-1}`)); err == nil {
		t.Error("a status of -1 requests was taken")
	}
}

// What one side can make the other keep or do is bounded, and what would be refused is not sent.
func TestBounds(t *testing.T) {
	hello, ask, status := Hello{Agent: "a"}, Ask{Kind: Offer, Run: "r"}, Status{Run: "r", Agent: "a", Phase: Running}
	labels, live := map[string]string{}, map[string]json.RawMessage{}
	for i := range 100 {
		labels[fmt.Sprint("l", i)] = "x"
		live[fmt.Sprint("m", i)] = json.RawMessage("1")
	}
	file := File{SHA256: strings.Repeat("0", 64), Bytes: 1, For: "dataset", Name: "x"}
	for what, change := range map[string]func(*Hello, *Ask, *Status){
		"labels":       func(h *Hello, _ *Ask, _ *Status) { h.Labels = labels },
		"a long label": func(h *Hello, _ *Ask, _ *Status) { h.Labels = map[string]string{"x": strings.Repeat("y", mostHello)} },
		"hosts":        func(h *Hello, _ *Ask, _ *Status) { h.Allow = make([]string, 1000) },
		"points": func(h *Hello, _ *Ask, _ *Status) {
			h.Proven = &journal.Proven{Points: make([]journal.ProvenPoint, 1000)}
		},
		"a key":           func(h *Hello, _ *Ask, _ *Status) { h.Key = make([]byte, 1000) },
		"weight":          func(h *Hello, _ *Ask, _ *Status) { h.Weight = 1 << 40 },
		"cores":           func(h *Hello, _ *Ask, _ *Status) { h.CPUs = -1 },
		"memory":          func(h *Hello, _ *Ask, _ *Status) { h.Memory = -1 },
		"files":           func(_ *Hello, a *Ask, _ *Status) { a.Files = slices.Repeat([]File{file}, 5000) },
		"a large file":    func(_ *Hello, a *Ask, _ *Status) { f := file; f.Bytes = 1 << 50; a.Files = []File{f} },
		"a lease":         func(_ *Hello, a *Ask, _ *Status) { a.Lease = int64(1000 * time.Hour) },
		"a lease below 0": func(_ *Hello, a *Ask, _ *Status) { a.Lease = -1 },
		"a nonce":         func(_ *Hello, a *Ask, _ *Status) { a.Nonce = strings.Repeat("n", 1000) },
		"secrets":         func(_ *Hello, a *Ask, _ *Status) { a.Sealed = make([]byte, 1<<18) },
		"a Spec":          func(_ *Hello, a *Ask, _ *Status) { a.Spec = json.RawMessage(`"` + strings.Repeat("s", Most) + `"`) },
		"a phase":         func(_ *Hello, _ *Ask, s *Status) { s.Phase = "winning" },
		"a number":        func(_ *Hello, _ *Ask, s *Status) { s.Sent = math.MaxInt },
		"journal bytes":   func(_ *Hello, _ *Ask, s *Status) { s.Journal = -1 },
		"a digest":        func(_ *Hello, _ *Ask, s *Status) { s.SHA256 = "x" },
		"histograms":      func(_ *Hello, _ *Ask, s *Status) { s.Live = live },
		"a name": func(_ *Hello, _ *Ask, s *Status) {
			s.Live = map[string]json.RawMessage{"\x1b[31m": json.RawMessage("1")}
		},
		"a histogram": func(_ *Hello, _ *Ask, s *Status) {
			s.Live = map[string]json.RawMessage{"ttft": json.RawMessage(`"` + strings.Repeat("h", 2*MostStatus) + `"`)}
		},
	} {
		h, a, s := hello, ask, status
		change(&h, &a, &s)
		refused := 0
		for _, m := range []any{h, a, s} {
			plain, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			var sent, taken error
			switch m := m.(type) {
			case Hello:
				_, sent = Encode(&m)
				_, taken = Decode[Hello](plain)
			case Ask:
				_, sent = Encode(&m)
				_, taken = Decode[Ask](plain)
			case Status:
				_, sent = Encode(&m)
				_, taken = Decode[Status](plain)
				if _, err := Decode[Answer]([]byte(`{"status":` + string(plain) + `}`)); (err == nil) != (taken == nil) {
					t.Errorf("%s: in an answer: %v, by itself: %v", what, err, taken)
				}
			}
			if sent != nil && taken != nil {
				refused++
				if len(taken.Error()) > 200 {
					t.Errorf("%s: %d bytes of words", what, len(taken.Error()))
				}
			} else if sent != nil || taken != nil {
				t.Errorf("%s: sending says %v, reading %v", what, sent, taken)
			}
		}
		if refused != 1 {
			t.Errorf("%s: %d of the three were refused", what, refused)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"kind":"offer","run":"r1","spec":{"version":1},"files":[]}`))
	f.Add([]byte(`{"agent":"a","run":"r","phase":"running","sent":3,"live":{"ttft":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := Decode[Status](b); err == nil {
			if again, err := Encode(s); err != nil {
				t.Fatal(err)
			} else if _, err := Decode[Status](again); err != nil {
				t.Fatalf("%s: %v", again, err)
			}
		}
		_, _ = Decode[Hello](b)
		_, _ = Decode[Ask](b)
		_, _ = Decode[Answer](b)
	})
}
