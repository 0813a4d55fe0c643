package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// rehearsed is a workload of n requests; change may make each of them another one.
func rehearsed(n, most int, asked string, change func(*load.Planned)) *Rehearsal {
	c := NewCollector(Facts{Model: "m", Endpoint: "/v1/completions", Tokenizer: Tokenizer{Source: "file", SHA256: "t"}, Dataset: Dataset{Name: "random"}}, most, func(s string) string { return s })
	for i := range n {
		p := &load.Planned{
			Request: &workload.Request{Index: i, PromptTokens: 10 + i%3, OutputTokens: 5}, Due: time.Duration(i) * time.Second,
			Body: fmt.Appendf(nil, "body %d", i), Text: fmt.Appendf(nil, "text %d", i),
		}
		if change != nil {
			change(p)
		}
		if !c.Add(p) {
			break
		}
	}
	r := c.Done(fmt.Sprint(n, change != nil), true)
	r.Spec = json.RawMessage(asked)
	return r
}

const plain = `{"version":1,"server":{"urls":["http://a"]},"load":{"seed":1},"keep":{"label":"x"}}`

func TestDiffers(t *testing.T) {
	const many = firstPrints + 2*blockSize + 10
	at := func(index int, change func(*load.Planned)) func(*load.Planned) {
		return func(p *load.Planned) {
			if p.Request.Index == index {
				change(p)
			}
		}
	}
	bytesOf := func(p *load.Planned) { p.Body = []byte("other") }
	timeOf := func(p *load.Planned) { p.Due += time.Millisecond }
	lock := rehearsed(many, 0, plain, nil).Lock("v")
	for _, one := range []struct {
		name string
		now  *Rehearsal
		want []string
	}{
		{"the same", rehearsed(many, 0, plain, nil), nil},
		{"the same elsewhere", rehearsed(many, 0, `{"version":1,"server":{"urls":["http://b"],"headers":[]},"load":{"seed":1},"judge":{"slo":"x"}}`, nil), nil},
		{"a key that bytes may hang on", rehearsed(many, 0, `{"version":1,"load":{"seed":2,"batch_size":3}}`, nil), []string{"load.batch_size: 3 here, none in the lock", "load.seed: 2 here, 1 in the lock"}},
		{"bytes of the fifth", rehearsed(many, 0, plain, at(4, bytesOf)), []string{"number 4: in its bytes"}},
		{"its time", rehearsed(many, 0, plain, at(4, timeOf)), []string{"number 4: in its time (due at 4.001s here, 4s in the lock)"}},
		{"bytes of a block", rehearsed(many, 0, plain, at(2500, bytesOf)), []string{"one of numbers 2000 to 2999: in its bytes"}},
		{"times of the last block", rehearsed(many, 0, plain, at(3005, timeOf)), []string{"one of numbers 3000 to 3009: in its times"}},
		{"fewer", rehearsed(3005, 0, plain, nil), []string{"requests: 3005 here, 3010 in the lock", "3000 to 3009"}},
		{"bounded", rehearsed(many, 20, plain, nil), []string{"requests: 20 here"}},
	} {
		got := lock.Differs(one.now)
		if len(got) != len(one.want) {
			t.Errorf("%s: %q", one.name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], one.want[i]) {
				t.Errorf("%s: %q, not %q", one.name, got[i], one.want[i])
			}
		}
	}
	other := rehearsed(many, 0, plain, nil)
	other.Tokenizer.SHA256, other.Model = "u", "n"
	if got := lock.Differs(other); got != nil {
		t.Errorf("other files, and the same bytes: %q", got)
	}
	// A lock of version 1 has a hash that counts the model's name: its fingerprints hold, and nothing else is said of it.
	old := *lock
	old.Version, old.SHA256 = 1, "of another recipe"
	if got := old.Differs(rehearsed(many, 0, plain, nil)); got != nil {
		t.Errorf("an old lock, and the same bytes: %q", got)
	}
	if got := old.Differs(rehearsed(many, 0, plain, at(2500, bytesOf))); len(got) != 1 || !strings.Contains(got[0], "2000 to 2999") {
		t.Errorf("an old lock, and other bytes: %q", got)
	}
	// The same workload for another model has the same hash, and is not the same bytes.
	named := rehearsed(many, 0, plain, at(4, bytesOf))
	named.SHA, named.Model = lock.SHA256, "n"
	if got := lock.Differs(named); len(got) != 2 || !strings.HasPrefix(got[0], "model in the bodies") {
		t.Errorf("another model: %q", got)
	}
	part := rehearsed(many, 20, plain, nil).Lock("v")
	other = rehearsed(many, 20, plain, nil)
	if got := part.Differs(other); got != nil {
		t.Errorf("the first of many: %q", got)
	}
	other.Tokenizer.SHA256 = "u"
	if got := part.Differs(other); len(got) != 1 || !strings.HasPrefix(got[0], "tokenizer's files: sha256 u here") {
		t.Errorf("the first of many, and other files: %q", got)
	}
}

func TestLockFile(t *testing.T) {
	lock := rehearsed(firstPrints+5, 0, plain, nil).Lock("v")
	again, err := ReadLock(bytes.NewReader(lock.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Encode(), lock.Encode()) {
		t.Error("a lock that was read is another one")
	}
	if got := again.Differs(rehearsed(firstPrints+5, 0, plain, nil)); got != nil {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		"": "it is not a lock", "[]": "it is not a lock", `{"version":1}`: "it is not a lock", `{"inferometer_lock":3}`: "of version 3", `{"inferometer_lock":0}`: "of version 0", `{"inferometer_lock":1,"requests":5}`: "requests are missing",
		`{"inferometer_lock":1,"requests":"x"}`: "it is not a lock",
	} {
		if _, err := ReadLock(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzLock(f *testing.F) {
	f.Add(rehearsed(3, 0, plain, nil).Lock("v").Encode())
	f.Add([]byte(`{"inferometer_lock":1,"requests":1,"bodies":["x"],"due_ns":[1],"spec":{"load":3,"keep":[]}}`))
	now := rehearsed(3, 0, plain, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		lock, err := ReadLock(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, reason := range lock.Differs(now) {
			if strings.ContainsAny(reason, "\x1b\n") {
				t.Errorf("%q", reason)
			}
		}
	})
}

// Half of each prompt is the same: half of all but the first is known.
func TestPrefix(t *testing.T) {
	p := newPrefixes()
	common := strings.Repeat("c", 4*prefixBlock)
	const n = 10
	for i := range n {
		p.add([]byte(common + strings.Repeat(string(rune('0'+i)), 4*prefixBlock)))
	}
	if got, want := p.summary().Share, 0.5*(n-1)/n; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, not %v", got, want)
	}
	p.add([]byte(common + strings.Repeat("0", 4*prefixBlock)))
	if got := p.summary().Repeated; got != 1 {
		t.Errorf("%d repeated", got)
	}
	// The same text later in a prompt is no prefix.
	p = newPrefixes()
	p.add([]byte(common))
	p.add([]byte("x" + common))
	if got := p.summary().Share; got != 0 {
		t.Errorf("%v", got)
	}
}

func TestWrite(t *testing.T) {
	r := rehearsed(3, 0, plain, func(p *load.Planned) { p.Body = []byte(strings.Repeat("ä", 500) + "\x1b[2J") })
	for _, width := range []int{0, 80} {
		var b bytes.Buffer
		if err := r.Write(&b, width); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !utf8.ValidString(text) || strings.Contains(text, "\x1b") || !strings.Contains(text, "bytes …") || strings.Contains(text, "█") != (width > 0) {
			t.Errorf("%s", text)
		}
	}
}
