package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/truth"
)

// truths are those of all servers, by id. A server that was killed may have left half a line.
func (r *run) truths() (map[string][]truth.Request, error) {
	all := map[string][]truth.Request{}
	for i := range r.restarts + 1 {
		requests, err := truth.Read(filepath.Join(r.folder, fmt.Sprintf("truth-%d.jsonl", i)))
		// One that isn't there was killed before anybody asked.
		if err != nil && !errors.Is(err, truth.ErrCut) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, q := range requests {
			if strings.HasPrefix(q.ID, "restart-") {
				all[q.ID] = append(all[q.ID], q)
			}
		}
	}
	return all, nil
}

// A count is what became of the requests of a run.
type count struct {
	outcomes map[journal.Outcome]int
	requests int
	unproven int // complete, by a server that was killed before its truth was written
	wrong    []string
}

func (c *count) blame(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (r *run) judge() error {
	servers, err := r.truths()
	if err != nil {
		return err
	}
	j, err := journal.Open(filepath.Join(r.folder, "run", journal.FileName))
	if err != nil {
		text, _ := os.ReadFile(filepath.Join(r.folder, "output.txt"))
		return fmt.Errorf("%w: %s", err, text)
	}
	defer j.Close()
	c := &count{outcomes: map[journal.Outcome]int{}}
	seen := map[string]bool{}
	indices := map[int]bool{}
	for {
		q, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if q.Warmup {
			continue
		}
		c.one(q, servers[q.ID], seen, indices)
		if q.Outcome == journal.Complete && len(servers[q.ID]) == 0 && !r.killedNear(j.Run().StartUnixNs+q.Sent, j.Run().StartUnixNs+q.End) {
			c.blame("%s is complete, in no server's truth, and no server was killed then", q.ID)
		}
	}
	files := 0
	for _, s := range j.Samples() {
		files = max(files, s.Files)
	}
	c.whole(j, servers, seen, files, r)
	known := c.outcomes[journal.Complete] + c.outcomes[journal.Refused] + c.outcomes[journal.Reset] + c.outcomes[journal.Truncated]
	word := "as the servers say"
	if len(c.wrong) > 0 {
		word = "FAIL"
	}
	fmt.Printf("%-10s %-8s %9d %9d %9d %9d %9d %9d %9d %8d %9d  %s\n", r.engine, r.word(), r.restarts, c.requests, c.outcomes[journal.Complete], c.outcomes[journal.Refused],
		c.outcomes[journal.Reset], c.outcomes[journal.Truncated], c.requests-known, c.unproven, files, word)
	if len(c.wrong) > 0 {
		return errors.New(strings.Join(c.wrong[:min(len(c.wrong), 5)], "; "))
	}
	return nil
}

// stopping is what a simulator says to a request that comes while it ends.
const stopping = "the server is stopping"

// unwritten is how long before a kill an answer's end may lie that is not in the truth: a server writes a
// line right after the last bytes of an answer, if it gets a processor.
const unwritten = 100 * time.Millisecond

// killedNear says that a request was on its way to a server that was killed before it could write its line.
func (r *run) killedNear(sent, end int64) bool {
	return slices.ContainsFunc(r.kills, func(kill int64) bool { return sent < kill && end > kill-int64(unwritten) })
}

// one holds a request against what servers say of it.
func (c *count) one(q *journal.Request, servers []truth.Request, seen map[string]bool, indices map[int]bool) {
	c.requests++
	c.outcomes[q.Outcome]++
	if seen[q.ID] || indices[q.Index] {
		c.blame("request %d (%s) is in the journal twice", q.Index, q.ID)
	}
	seen[q.ID], indices[q.Index] = true, true
	if len(servers) > 1 {
		c.blame("%s came to %d servers", q.ID, len(servers))
	}
	switch q.Outcome {
	case journal.Complete:
		switch {
		case len(servers) == 0:
			c.unproven++
		case servers[0].Tokens != q.OutputTokens || servers[0].Finish == "" || servers[0].Finish == "abort" && !q.Cut:
			// A server that ends between the finish reason and [DONE] calls it an abort; the answer is whole, and
			// the journal must know that the connection broke after it.
			c.blame("%s is complete, and its server says %+v", q.ID, servers[0])
		}
	case journal.Refused:
		if len(servers) > 0 {
			c.blame("%s is called refused, and a server had it", q.ID)
		}
	case journal.Reset, journal.Truncated, journal.Cancelled:
	case journal.HTTP5xx:
		if q.Status != 503 || !strings.Contains(q.Error, stopping) {
			c.blame("%s is %s (%s), which no server did", q.ID, q.Outcome, q.Error)
		}
	default:
		c.blame("%s is %s (%s), which no server did", q.ID, q.Outcome, q.Error)
	}
}

// whole is what must hold of all of them.
func (c *count) whole(j *journal.Reader, servers map[string][]truth.Request, seen map[string]bool, files int, r *run) {
	if j.Damage() != nil {
		c.blame("the journal is damaged: %v", j.Damage())
	}
	if n, why := j.Skipped(); n > 0 {
		c.blame("%d lines can't be right: %v", n, why)
	}
	switch end := j.End(); {
	case end == nil:
		c.blame("the journal has no end")
	case end.Sent != c.requests:
		c.blame("%d requests were sent, and %d are in the journal", end.Sent, c.requests)
	}
	for id := range servers {
		if !seen[id] {
			c.blame("a server had %s, which is not in the journal", id)
			break
		}
	}
	if most := 3*r.streams + 50; files > most {
		c.blame("%d descriptors were open for %d streams", files, r.streams)
	}
	c.verdict(r)
}

// verdict holds the printed one against the journal: it must be INVALID and say how many requests failed.
func (c *count) verdict(r *run) {
	text, _ := os.ReadFile(filepath.Join(r.folder, "output.txt"))
	_, verdict, _ := strings.Cut(strings.Join(strings.Fields(string(text)), " "), " Verdict -") // its lines are broken at spaces
	verdict = strings.TrimLeft(verdict, "- ")
	failed := c.requests - c.outcomes[journal.Complete] - c.outcomes[journal.Cancelled]
	if words := fmt.Sprintf("%d of %d requests failed (", failed, c.requests); failed > 0 && !(strings.HasPrefix(verdict, "INVALID: ") && strings.Contains(verdict, words)) {
		c.blame("the verdict does not say that %d of %d requests failed: %.300s", failed, c.requests, verdict)
	}
}
