package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// LockVersion is the version of the file's form. In version 1 the hash counted the model's name, which
// is why it is not read; what was written by a later program is refused.
const LockVersion = 2

const maxLock = 32 << 20 // bytes of a lock's file

// Lock is a workload that was written down: the Spec, and what its bytes and times are
// known by. docs/spec.md has its form.
type Lock struct {
	Version int    `json:"inferometer_lock"`
	MadeBy  string `json:"made_by"`
	// SHA256 is inferometer.workload.sha256 of a run that sends all of it.
	SHA256     string    `json:"workload_sha256"`
	Requests   int       `json:"requests"`
	All        bool      `json:"all"`
	FixedTimes bool      `json:"fixed_times"`
	Model      string    `json:"model"`
	Endpoint   string    `json:"endpoint"`
	Tokenizer  Tokenizer `json:"tokenizer"`
	Dataset    Dataset   `json:"dataset"`
	Prints
	Spec json.RawMessage `json:"spec"`
}

// Lock writes the rehearsal down.
func (r *Rehearsal) Lock(madeBy string) *Lock {
	return &Lock{
		Version: LockVersion, MadeBy: madeBy, SHA256: r.SHA, Requests: r.Requests, All: r.All, FixedTimes: r.FixedTimes,
		Model: r.Model, Endpoint: r.Endpoint, Tokenizer: r.Tokenizer, Dataset: r.Dataset, Prints: r.Prints, Spec: r.Spec,
	}
}

// Encode gives the lock as JSON: a key a line, and long lists in one.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		panic(err) // all its types marshal
	}
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(b.Bytes(), &keys) // it is JSON
	var out bytes.Buffer
	out.WriteString("{\n")
	for i, key := range []string{"inferometer_lock", "made_by", "workload_sha256", "requests", "all", "fixed_times", "model", "endpoint", "tokenizer", "dataset", "spec", "bodies", "due_ns", "blocks"} {
		value, ok := keys[key]
		if !ok {
			continue
		}
		if i > 0 {
			out.WriteString(",\n")
		}
		fmt.Fprintf(&out, "  %q: ", key)
		if key == "spec" {
			_ = json.Indent(&out, value, "  ", "  ") // it is JSON
		} else {
			out.Write(value)
		}
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

// IsLock reports whether a file's beginning is that of a lock.
func IsLock(b []byte) bool {
	var head struct {
		Version *int `json:"inferometer_lock"`
	}
	return json.Unmarshal(b, &head) == nil && head.Version != nil
}

// ReadLock reads a lock.
func ReadLock(from io.Reader) (*Lock, error) {
	b, err := io.ReadAll(io.LimitReader(from, maxLock+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxLock {
		return nil, fmt.Errorf("a lock has at most %d bytes", maxLock)
	}
	if !IsLock(b) {
		return nil, fmt.Errorf("it is not a lock: bench serve --lock FILE writes one")
	}
	var l Lock
	if err := json.Unmarshal(b, &l); err != nil {
		return nil, fmt.Errorf("it is not a lock: %s", outside.Sentence(err.Error()))
	}
	switch {
	case l.Version < 1 || l.Version > LockVersion:
		return nil, fmt.Errorf("it is a lock of version %d, and this program reads versions 1 to %d", l.Version, LockVersion)
	case l.Requests < 1 || len(l.Bodies) != min(l.Requests, firstPrints) || len(l.Due) != len(l.Bodies) || len(l.Blocks) != blocksOf(l.Requests):
		return nil, fmt.Errorf("it is an incomplete lock: requests are missing")
	}
	return &l, nil
}

// blocksOf is how many blocks the requests after the first make.
func blocksOf(requests int) int { return max(0, (requests-firstPrints+blockSize-1)/blockSize) }

// Differs says what stands between a lock and what this run would send; nothing: it is
// the same bytes at the same times.
func (l *Lock) Differs(now *Rehearsal) (reasons []string) {
	say := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	first := l.Prints.firstDiffering(&now.Prints)
	// The hash leaves the model's name out, and that of version 1 is of another recipe: the fingerprints have every byte.
	same := first == "" && (l.SHA256 == now.SHA || l.Version == 1) &&
		l.Requests == now.Requests && l.All == now.All && l.FixedTimes == now.FixedTimes
	keys := specDiffers(l.Spec, now.Spec)
	endpoint := l.Endpoint != now.Endpoint
	// The bytes are the proof. Where only the first requests were compared, what they are made from counts too.
	parts := !same || !l.All
	if same && len(keys) == 0 && !endpoint && (!parts || l.Tokenizer.SHA256 == now.Tokenizer.SHA256 && l.Dataset == now.Dataset) {
		return nil
	}
	reasons = append(reasons, keys...)
	if endpoint {
		say("endpoint: %s here, %s in the lock", outside.Word(now.Endpoint), outside.Word(l.Endpoint))
	}
	if l.Model != now.Model {
		say("model in the bodies: %q here, %q in the lock (--served-model-name says what is sent)", outside.Word(now.Model), outside.Word(l.Model))
	}
	if parts {
		reasons = append(reasons, l.Tokenizer.differs(&now.Tokenizer)...)
		if l.Dataset.SHA256 != now.Dataset.SHA256 {
			say("dataset's file: sha256 %s here, %s in the lock", orNone(now.Dataset.SHA256), orNone(l.Dataset.SHA256))
		}
		if l.Dataset.Revision != now.Dataset.Revision {
			say("dataset's commit: %s here, %s in the lock (--dataset-revision)", orNone(now.Dataset.Revision), orNone(l.Dataset.Revision))
		}
	}
	if l.Requests != now.Requests {
		say("requests: %d here, %d in the lock", now.Requests, l.Requests)
	}
	if first != "" {
		reasons = append(reasons, first)
	} else if !same && len(reasons) == 0 {
		say("the hash over all: %s here, %s in the lock", now.SHA, outside.Word(l.SHA256))
	}
	return reasons
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return outside.Word(text)
}

func (t *Tokenizer) differs(now *Tokenizer) (reasons []string) {
	if t.Source != now.Source {
		return []string{fmt.Sprintf("tokenizer: from %s here, from %s in the lock", orNone(now.Source), orNone(t.Source))}
	}
	if t.SHA256 != now.SHA256 {
		text := fmt.Sprintf("tokenizer's files: sha256 %s here, %s in the lock", orNone(now.SHA256), orNone(t.SHA256))
		if t.Revision != "" {
			text += fmt.Sprintf(" (%s at commit %s)", outside.Word(t.ID), outside.Word(t.Revision))
		}
		return []string{text}
	}
	return nil
}

// firstDiffering names the first request that is another one.
func (p *Prints) firstDiffering(now *Prints) string {
	for i := range min(len(p.Bodies), len(now.Bodies)) {
		body, at := p.Bodies[i] != now.Bodies[i], p.Due[i] != now.Due[i]
		switch {
		case body && at:
			return fmt.Sprintf("the first request that differs is number %d: in its bytes and its time (due at %s here, %s in the lock)", i, due(now.Due[i]), due(p.Due[i]))
		case body:
			return fmt.Sprintf("the first request that differs is number %d: in its bytes", i)
		case at:
			return fmt.Sprintf("the first request that differs is number %d: in its time (due at %s here, %s in the lock)", i, due(now.Due[i]), due(p.Due[i]))
		}
	}
	for i := range min(len(p.Blocks), len(now.Blocks)) {
		a, b := p.Blocks[i], now.Blocks[i]
		if a == b {
			continue
		}
		what := "bytes"
		if a.Bodies == b.Bodies {
			what = "times"
		}
		return fmt.Sprintf("the first request that differs is one of numbers %d to %d: in its %s", b.From, max(a.To, b.To)-1, what)
	}
	return ""
}

// specDiffers lists the keys of two Specs that differ and that bytes or times may hang on.
func specDiffers(locked, now json.RawMessage) (reasons []string) {
	a, b := journal.SpecKeys(locked), journal.SpecKeys(now)
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a[key] == b[key] || !journal.Binds(key) {
			continue
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s here, %s in the lock", outside.Word(key), orNone(b[key]), orNone(a[key])))
	}
	return reasons
}
