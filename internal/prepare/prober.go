package prepare

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// Prober sends the warm-ups of a Spec by themselves to its server, which is up: for commands that time single requests.
type Prober struct {
	ready *Ready
	cfg   load.Config
}

// NewProber makes the requests ready. The error says what to do.
func NewProber(ctx context.Context, s *spec.Spec, h *Host) (*Prober, error) {
	r, err := ToSend(ctx, nil, s, h)
	if err != nil {
		return nil, err
	}
	return &Prober{r, r.configFor(0)}, nil
}

// Len is how many different requests there are.
func (p *Prober) Len() int { return len(p.ready.Warmups) }

// Close ends its connections.
func (p *Prober) Close() { p.ready.Close() }

// Probed is a request that was answered.
type Probed struct {
	Speed
	Sent   time.Time
	Whole  time.Duration
	Gaps   []float64        // between its tokens, in seconds
	Record *journal.Request // all that is known of it
}

// Send sends one of the requests. Several may be sent at once. The error is what the server answered.
func (p *Prober) Send(ctx context.Context, i int) (*Probed, error) {
	record, v, err := tryOne(ctx, p.cfg, p.ready.Warmups[i])
	if err != nil {
		return nil, err
	}
	out := &Probed{
		Speed: v, Sent: time.Now().Add(time.Duration(record.Sent - p.cfg.Clock.Now())), Whole: time.Duration(record.End - record.Sent), Record: &record,
	}
	begun := false
	for k, gap := range record.Events.At {
		if k >= len(record.Events.Kind) || record.Events.Kind[k]&(journal.EventText|journal.EventReasoning|journal.EventTool) == 0 {
			continue
		}
		if begun {
			out.Gaps = append(out.Gaps, float64(gap)/1e9)
		}
		begun = true
	}
	return out, nil
}
