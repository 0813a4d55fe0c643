package merge

import "github.com/inferometer/inferometer/internal/journal"

// scrapes are the servers' counters. Each agent asks for them, and they are the same: of a
// server the whole's are the first before the load of any agent and the last after it, so
// that what each of them sent lies between.
type scrapes struct {
	before, after map[int]*journal.Scrape // by target
	during        []journal.Scrape
	from          int // the agent whose scrapes during the load are kept, plus one; 0: none so far
}

// mostDuring bounds the scrapes during the load.
const mostDuring = 1 << 14

func (c *scrapes) add(s *source) func(*journal.Scrape) {
	return func(one *journal.Scrape) {
		if one.Move(s.shift) != nil {
			return
		}
		if c.before == nil {
			c.before, c.after = map[int]*journal.Scrape{}, map[int]*journal.Scrape{}
		}
		switch was := c.before[one.Target]; {
		case one.During:
			if c.from == 0 {
				c.from = s.agent + 1
			}
			if c.from == s.agent+1 && len(c.during) < mostDuring {
				c.during = append(c.during, *one)
			}
		case !one.After && (was == nil || one.At < was.At):
			c.before[one.Target] = one
		case one.After && (c.after[one.Target] == nil || one.At > c.after[one.Target].At):
			c.after[one.Target] = one
		}
	}
}

func (m *merger) writeScrapes() error {
	c := &m.scrapes
	for target := range m.targetCount() {
		for _, one := range []*journal.Scrape{c.before[target], c.after[target]} {
			if one == nil {
				continue
			}
			if err := m.writer.Scrape(one); err != nil {
				return err
			}
		}
	}
	for i := range c.during {
		if c.during[i].Target >= m.targetCount() {
			continue
		}
		if err := m.writer.Scrape(&c.during[i]); err != nil {
			return err
		}
	}
	return nil
}

// targetCount is the number of servers: a run against one lists none.
func (m *merger) targetCount() int { return max(m.targets, 1) }
