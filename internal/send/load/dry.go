package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload"
)

// Planned is a request as it would be sent. It is the visitor's only while it looks.
type Planned struct {
	Request *workload.Request
	Due     time.Duration // 0 in a closed loop, where it depends on the server
	Body    []byte
	Text    []byte // what the model reads: the prompt, or the messages as JSON
}

// Dry makes the requests of a run and sends nothing. visit sees each in its order, and
// ends it by false. The hash is that of a run which sends the same.
func Dry(cfg Config, visit func(*Planned) (more bool)) (sha string, err error) {
	r := newRun(context.Background(), nil, cfg)
	defer r.cancel(nil)
	sum := newWorkloadSum(sha256.New())
	defer func() { sha = sum.hex() }()
	for {
		due, ok := cfg.Pace.Next()
		if !ok {
			return "", nil
		}
		w, err := cfg.Source.Next()
		if isEnd(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("the workload: %w", err)
		}
		p := &Planned{Request: w, Due: due, Text: []byte(w.Prompt)}
		if w.Messages != nil {
			p.Text = w.Messages
		}
		j, err := r.prepare(w)
		if err != nil {
			return "", err
		}
		if p.Body = j.body; r.closed {
			p.Due = 0
		}
		if !visit(p) {
			return "", nil
		}
		sum.add(w.Index, int64(p.Due), p.Body)
	}
}
