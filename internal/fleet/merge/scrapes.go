package merge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// scrapes are the servers' counters. Each agent asks for them, and they are the same: of a
// server the whole's are the first before the load of any agent and the last after it, so
// that what each of them sent lies between.
type scrapes struct {
	before, after map[server]*journal.Scrape
	during        []journal.Scrape
	from          int // the agent whose scrapes during the load are kept, plus one; 0: none so far
}

// server is whose counters they are: a target's, or those of a replica behind it. Agents list replicas in one order.
type server struct{ replica, target int }

// mostDuring bounds the scrapes during the load.
const mostDuring = 1 << 14

func (c *scrapes) add(s *source) func(*journal.Scrape) {
	return func(one *journal.Scrape) {
		if one.Move(s.shift) != nil {
			return
		}
		if c.before == nil {
			c.before, c.after = map[server]*journal.Scrape{}, map[server]*journal.Scrape{}
		}
		of := server{one.Replica, one.Target}
		switch was := c.before[of]; {
		case one.During:
			if c.from == 0 {
				c.from = s.agent + 1
			}
			if c.from == s.agent+1 && len(c.during) < mostDuring {
				c.during = append(c.during, *one)
			}
		case !one.After && (was == nil || one.At < was.At):
			c.before[of] = one
		case one.After && (c.after[of] == nil || one.At > c.after[of].At):
			c.after[of] = one
		}
	}
}

func (m *merger) writeScrapes() error {
	c := &m.scrapes
	order := func(a, b server) int {
		return cmp.Or(cmp.Compare(a.replica, b.replica), cmp.Compare(a.target, b.target))
	}
	told := map[server]*journal.Scrape{}
	maps.Copy(told, c.after)
	maps.Copy(told, c.before)
	for _, of := range slices.SortedFunc(maps.Keys(told), order) {
		for _, one := range []*journal.Scrape{c.before[of], c.after[of]} {
			if one == nil || !m.lists(one) {
				continue
			}
			if err := m.writer.Scrape(one); err != nil {
				return err
			}
		}
	}
	for i := range c.during {
		if !m.lists(&c.during[i]) {
			continue
		}
		if err := m.writer.Scrape(&c.during[i]); err != nil {
			return err
		}
	}
	return nil
}

// lists says that the whole run knows the server of a scrape.
func (m *merger) lists(one *journal.Scrape) bool {
	return one.Target < m.targetCount() && one.Replica <= m.replicas
}

// targetCount is the number of servers: a run against one lists none.
func (m *merger) targetCount() int { return max(m.targets, 1) }
