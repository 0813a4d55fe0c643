package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// wekaBlock is the size of a block where a file does not say it.
const wekaBlock = 64

var weka = &Format{
	Name: "weka", Doc: "Weka's kv-cache-tester and AgentX: jobs of coding agents, one JSON object each; times are seconds, blocks have 64 tokens.", Timed: true,
	looks: func(head []byte) bool {
		return hasKeys(head, "block_size", "requests") || hasKeys(head, "hash_id_scope")
	},
	tree: readWeka,
}

// maxTreeIDs bounds the block ids of one tree: some 500 MB.
const maxTreeIDs = 1 << 26

// wekaReader reads one job.
type wekaReader struct {
	*walker
	job     tree.Recording
	numbers int // requests so far
	ids     int // of all requests
	tools   int
	system  int
}

func readWeka(in *input, o TreeOptions) (*tree.Tree, error) {
	w := &wekaReader{walker: newWalker(in), job: tree.Recording{Block: wekaBlock}}
	if err := w.fields(w.field); err != nil {
		return nil, err
	}
	var err error
	if w.job.System, err = w.prefix(w.tools, w.system); err != nil {
		return nil, err
	}
	return tree.Build(w.job, o.Split)
}

func (w *wekaReader) field(key string) error {
	switch key {
	case "id":
		return w.word(&w.job.ID)
	case "block_size":
		if err := w.Decode(&w.job.Block); err != nil {
			return err
		}
		if w.job.Block < 1 || w.job.Block > mostTokens {
			return fmt.Errorf("block_size can't be %d", w.job.Block)
		}
	case "hash_id_scope":
		var scope string
		if err := w.word(&scope); err != nil {
			return err
		}
		if scope != "local" && scope != "global" {
			return fmt.Errorf("hash_id_scope must be local or global, not %q", scope)
		}
		w.job.Shared = scope == "global"
	case "tool_tokens":
		return w.Decode(&w.tools)
	case "system_tokens":
		return w.Decode(&w.system)
	case "requests":
		return w.elements(w.entry)
	default:
		return w.skip()
	}
	return nil
}

// word reads a name.
func (w *wekaReader) word(to *string) error {
	if err := w.Decode(to); err != nil {
		return err
	}
	*to = outside.Word(*to)
	return nil
}

// prefix is the length of tools and system prompt together.
func (w *wekaReader) prefix(tools, system int) (int, error) {
	if tools < 0 || system < 0 || tools > mostTokens || system > mostTokens {
		return 0, fmt.Errorf("tool_tokens of %d and system_tokens of %d are not within 0 and %d", tools, system, mostTokens)
	}
	return tools + system, nil
}

// wekaEntry is a request or a sub-agent as it is written.
type wekaEntry struct {
	tree.Request
	kind          string
	t             *float64
	in, out       *int
	sub           tree.Sub
	took          *float64
	tools, system int
	nested        bool // it has requests
}

// entry reads one of the job itself.
func (w *wekaReader) entry() error {
	if len(w.job.Entries) == tree.MaxTurns {
		return fmt.Errorf("it has more than %d requests and sub-agents", tree.MaxTurns)
	}
	e, err := w.read(true)
	if err != nil {
		return err
	}
	if e.kind != wekaSubagent {
		if err := w.fill(&e); err != nil {
			return err
		}
		w.job.Entries = append(w.job.Entries, tree.Entry{Request: e.Request})
		return nil
	}
	if e.t == nil {
		return rowError(w.numbers+1, errors.New("a sub-agent needs t"))
	}
	at, err := seconds(*e.t)
	if err != nil {
		return rowError(w.numbers+1, err)
	}
	if e.sub.System, err = w.prefix(e.tools, e.system); err != nil {
		return rowError(w.numbers+1, err)
	}
	e.sub.Took = -1
	if e.took != nil {
		took, err := seconds(*e.took / 1000)
		if err != nil {
			return rowError(w.numbers+1, err)
		}
		e.sub.Took = max(took, 0)
	}
	for i := range e.sub.Requests {
		// Some recordings count the time of inner requests from the sub-agent's begin.
		if q := &e.sub.Requests[i]; q.At+time.Microsecond < at {
			q.At += at
		}
	}
	w.job.Entries = append(w.job.Entries, tree.Entry{Request: tree.Request{At: at}, Sub: &e.sub})
	return nil
}

const wekaSubagent = "subagent"

// read reads the fields of an entry; those of the job itself may have requests of their own.
func (w *wekaReader) read(outer bool) (e wekaEntry, err error) {
	err = w.fields(func(key string) error {
		switch key {
		case "t":
			return w.Decode(&e.t)
		case "type":
			return w.Decode(&e.kind)
		case "in":
			return w.Decode(&e.in)
		case "out":
			return w.Decode(&e.out)
		case "hash_ids":
			return w.Decode(&e.IDs)
		case "model":
			return w.word(&e.Model)
		case "api_time":
			return w.took(&e.Took)
		case "agent_id":
			return w.word(&e.sub.Name)
		case "subagent_type":
			return w.word(&e.sub.Kind)
		case "duration_ms":
			return w.Decode(&e.took)
		case "tool_tokens":
			return w.Decode(&e.tools)
		case "system_tokens":
			return w.Decode(&e.system)
		case "requests":
			if !outer {
				return errors.New("a sub-agent can't have sub-agents of its own")
			}
			e.nested = true
			return w.elements(func() error { return w.inner(&e.sub) })
		}
		return w.skip()
	})
	return e, err
}

// inner reads a request of a sub-agent.
func (w *wekaReader) inner(s *tree.Sub) error {
	e, err := w.read(false)
	if err != nil {
		return err
	}
	if e.kind == wekaSubagent {
		return rowError(w.numbers+1, errors.New("a sub-agent can't have sub-agents of its own"))
	}
	if err := w.fill(&e); err != nil {
		return err
	}
	s.Requests = append(s.Requests, e.Request)
	return nil
}

// took reads a duration in seconds; one that is absent or negative is 0.
func (w *wekaReader) took(to *time.Duration) error {
	var s *float64
	if err := w.Decode(&s); err != nil || s == nil {
		return err
	}
	d, err := seconds(*s)
	*to = max(d, 0)
	return err
}

// fill checks a request.
func (w *wekaReader) fill(e *wekaEntry) (err error) {
	w.numbers++
	w.ids += len(e.IDs)
	switch {
	case e.t == nil || e.in == nil || e.out == nil || e.nested:
		err = errors.New("a request needs t, in and out, and has no requests of its own")
	case w.numbers > tree.MaxTurns:
		err = fmt.Errorf("%d requests are more than %d", w.numbers, tree.MaxTurns)
	case w.ids > maxTreeIDs:
		err = fmt.Errorf("all block ids of a job are more than %d", maxTreeIDs)
	default:
		if e.At, err = seconds(*e.t); err == nil {
			e.Input, e.Output = *e.in, *e.out
			r := Row{Input: e.Input, Output: e.Output, IDs: e.IDs}
			err = r.check()
		}
	}
	if err != nil {
		return rowError(w.numbers, err)
	}
	return nil
}
