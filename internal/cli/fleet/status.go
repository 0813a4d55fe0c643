package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// mostAgents bounds how many agents are listed.
const mostAgents = 10_000

// Status is the command fleet status.
func Status(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer fleet status",
		"List the agents of a fleet, idle or busy, and the progress of the runs that NATS knows of.")
	set.Example("With the viewer's file, which may only look", "inferometer fleet status --nats fleet/viewer.json")
	set.Example("A nats-server on this machine", "inferometer fleet status --nats nats://127.0.0.1:4222 --json")
	var where string
	var wait time.Duration
	var asJSON bool
	set.String(&where, "nats", "", "The address of NATS, or a file of inferometer fleet init: that of the viewer or the leader.", argv.Metavar("URL|FILE"), argv.Redact(outside.RedactURL))
	set.Duration(&wait, "wait", time.Second, "How long agents may take to answer.")
	set.Bool(&asJSON, "json", "Print JSON.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	switch {
	case where == "":
		return argv.Errorf("nats", "is needed: the address of NATS, or a file of inferometer fleet init")
	case wait <= 0:
		return argv.Errorf("wait", "must be above 0")
	}
	place, err := bus.ReadPlace(where)
	if err != nil {
		return argv.Errorf("nats", "%v", err)
	}
	b, err := bus.Open(ctx, place, bus.Options{Name: "inferometer fleet status"})
	if err != nil {
		return err
	}
	defer b.Close()
	f, err := look(ctx, b, wait)
	if err != nil {
		return err
	}
	if asJSON {
		return f.writeJSON(s.Out)
	}
	return f.write(s.Out, command.TerminalWidth(s.Out))
}

// seen is a fleet at one moment.
type seen struct {
	Agents []message.Hello `json:"agents"`
	Runs   []seenRun       `json:"runs"`
}

type seenRun struct {
	Run    string           `json:"run"`
	Agents []message.Status `json:"agents"` // as each told last
	Here   int              `json:"here"`   // of them, are at it now
}

func look(ctx context.Context, b *bus.Bus, wait time.Duration) (*seen, error) {
	agents, err := b.Who(ctx, wait, mostAgents)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(agents, func(a, b message.Hello) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Agent, b.Agent))
	})
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	told, err := b.LastStatuses(ctx)
	if err != nil {
		return nil, err
	}
	f := &seen{Agents: append([]message.Hello{}, agents...), Runs: []seenRun{}}
	at := map[string]string{} // agent: run
	for _, a := range agents {
		at[a.Agent] = a.Run
	}
	for _, s := range told { // they come sorted by run
		if len(f.Runs) == 0 || f.Runs[len(f.Runs)-1].Run != s.Run {
			f.Runs = append(f.Runs, seenRun{Run: s.Run})
		}
		r := &f.Runs[len(f.Runs)-1]
		r.Agents = append(r.Agents, s)
		if at[s.Agent] == s.Run {
			r.Here++
		}
	}
	return f, nil
}

func (f *seen) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

func (f *seen) write(w io.Writer, width int) error {
	var b strings.Builder
	free := 0
	agents := table.Grid{Head: []string{"agent", "id", "state", "cores", "memory", "labels", "address", "proven", "version"}, Keys: 2}
	for _, a := range f.Agents {
		state := "free"
		if a.Run != "" {
			state = "in " + a.Run
		} else {
			free++
		}
		agents.Body = append(agents.Body, cells(a.Name, a.Agent, state, strconv.Itoa(a.CPUs), memory(a.Memory), labels(a.Labels), a.Address, proven(a.Proven), a.Version))
	}
	switch len(f.Agents) {
	case 0:
		b.WriteString("no agent answers: start some with inferometer agent --nats …\n")
	default:
		fmt.Fprintf(&b, "agents: %d, of which %d free\n\n", len(f.Agents), free)
		agents.Write(&b, width)
	}
	if len(f.Runs) > 0 {
		runs := table.Grid{Head: []string{"run", "agents", "at it now", "phase", "planned", "sent", "done", "failed", "in flight"}, Keys: 1}
		for _, r := range f.Runs {
			sum := r.sum()
			planned := strconv.Itoa(sum.Planned)
			if sum.Planned == 0 {
				planned = "unknown"
			}
			runs.Body = append(runs.Body, cells(r.Run, strconv.Itoa(len(r.Agents)), strconv.Itoa(r.Here), r.phases(), planned,
				strconv.Itoa(sum.Sent), strconv.Itoa(sum.Done), strconv.Itoa(sum.Failed), strconv.Itoa(sum.InFlight)))
		}
		b.WriteString("\nruns that NATS knows of:\n\n")
		runs.Write(&b, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sum adds up what the agents told last.
func (r *seenRun) sum() (all message.Status) {
	known := true
	for _, s := range r.Agents {
		all.Planned += s.Planned
		all.Sent += s.Sent
		all.Done += s.Done
		all.Failed += s.Failed
		all.InFlight += s.InFlight
		known = known && s.Planned > 0
	}
	if !known {
		all.Planned = 0
	}
	return all
}

// phases are those of the agents, with how many are in each.
func (r *seenRun) phases() string {
	count := map[message.Phase]int{}
	for _, s := range r.Agents {
		count[s.Phase]++
	}
	var words []string
	for _, p := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d %s", count[p], p))
	}
	return strings.Join(words, ", ")
}

// cells are made safe to show.
func cells(texts ...string) []string {
	for i, text := range texts {
		texts[i] = outside.Markdown(text)
	}
	return texts
}

func memory(bytes int64) string {
	if bytes <= 0 {
		return "unknown"
	}
	return number.Bytes(float64(bytes))
}

func labels(all map[string]string) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		words = append(words, k+"="+all[k])
	}
	return strings.Join(words, " ")
}

// proven is the highest claim of a self-test.
func proven(p *journal.Proven) string {
	if p == nil || len(p.Points) == 0 {
		return "nothing"
	}
	most := slices.MaxFunc(p.Points, func(a, b journal.ProvenPoint) int { return cmp.Compare(a.Streams, b.Streams) })
	return fmt.Sprintf("%d streams, %.0f tokens/s", most.Streams, most.TokensPerS)
}
