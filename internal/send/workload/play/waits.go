package play

import (
	"time"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// waits says what a turn of the tree waits for. Turns that were over before the start are waited for no more: what is left of
// their pauses counts from the begin.
func (p *Play) waits(turn int) (list []talk.Wait) {
	t, o := &p.r.Turns[turn], p.player.Options
	joins, over := false, len(t.Parents) == 0
	for _, parent := range t.Parents {
		live := p.index[parent.Turn] >= 0
		joins = joins || parent.Edge == tree.Join && live
		over = over || !live && (parent.Edge == tree.Next || parent.Edge == tree.Spawn)
	}
	gap := lastPause(t)
	for _, parent := range t.Parents {
		k := p.index[parent.Turn]
		if k < 0 || parent.Edge == tree.Barrier && !o.Barriers {
			continue
		}
		w := talk.Wait{Turn: int(k), Sent: parent.Sent, Spawn: parent.Edge == tree.Spawn}
		switch parent.Edge {
		case tree.Spawn:
			w.Delay = parent.Pause
			if o.Spawns == AtOnce && !parent.Sent {
				w.Delay = t.At - p.r.Branches[t.Branch].Since
			}
		case tree.Next:
			w.Delay = parent.Pause
			if joins && o.Joins == AtOnce {
				w.IfLast = true
			} else if joins {
				w.Delay = gap
			}
		case tree.Join:
			if o.Joins == Pause {
				w.Delay = gap
			}
		}
		w.Delay = p.pause(w.Delay)
		list = append(list, w)
	}
	if over && !joins {
		if since := p.sinceBegin(t); since > 0 || len(list) == 0 {
			list = append(list, talk.Wait{Turn: talk.FromBegin, Delay: since})
		}
	}
	if len(list) == 1 && list[0] == (talk.Wait{Turn: talk.FromBegin}) {
		return nil
	}
	return list
}

// lastPause is the recorded time from the last of those to end that a turn goes on from: it thought from then on, and before
// that it waited for them.
func lastPause(t *tree.Turn) time.Duration {
	gap := time.Duration(-1)
	for _, parent := range t.Parents {
		if (parent.Edge == tree.Next || parent.Edge == tree.Join) && (gap < 0 || parent.Pause < gap) {
			gap = parent.Pause
		}
	}
	return gap
}

// sinceBegin is when a turn is due that waits for nothing that is still to come.
func (p *Play) sinceBegin(t *tree.Turn) time.Duration {
	if p.r.Untimed {
		for _, parent := range t.Parents {
			if parent.Edge == tree.Next {
				return p.pause(parent.Pause)
			}
		}
		return 0
	}
	return p.pause(t.At - p.start.at)
}

func (p *Play) pause(recorded time.Duration) time.Duration {
	return p.player.Options.pause(recorded, p.player.Speed)
}
