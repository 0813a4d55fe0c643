package spec

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// Reach is what a Spec of a file touches: it is shown before anything is sent.
type Reach struct {
	Hosts     []string // that are connected to, and for what
	Variables []string // names that are set, never values
	Reads     []string
	Writes    []string
	Commands  []string // that are run during the load
}

// Reach tells what the Spec touches on this machine and beyond.
func (s *Spec) Reach(lookup func(name string) (string, bool)) *Reach {
	r := &Reach{}
	servers := r.servers(s)
	r.others(s)
	for _, v := range s.variables() {
		if _, set := lookup(v.name); !set {
			continue // an error, or the API key that need not be there
		}
		text := outside.Word(v.name)
		switch {
		case v.free:
			text += " (the API key, to " + servers + ")"
		case !strings.HasPrefix(v.key, "the file"):
			text += " (" + v.key + ")"
		default:
			text += " (to " + servers + ")"
		}
		r.Variables = append(r.Variables, text)
	}
	for _, in := range s.inputs() {
		text := outside.Word(in.path)
		if _, err := os.Stat(in.path); err != nil && hub.IsRepo(in.path) {
			text += " (of Hugging Face's hub)"
		}
		r.Reads = append(r.Reads, text)
	}
	for _, out := range s.outputs() {
		if out.ours == oursResult {
			r.pictures(s, strings.TrimSuffix(out.path, out.ending))
			if !s.SaveResult && !s.AppendResult {
				continue
			}
		}
		text := outside.Word(out.path)
		if s.AppendResult && out.ours == oursResult || out.ours == oursNotes || out.ours == oursSummary {
			text += " (added to)"
		}
		r.Writes = append(r.Writes, text)
	}
	for _, f := range s.Faults {
		if f.Do == fault.Command {
			r.Commands = append(r.Commands, outside.Sentence(strings.Join(f.Args, " ")))
		}
	}
	return r
}

// pictures notes those beside a result.
func (r *Reach) pictures(s *Spec, name string) {
	if s.PlotTimeline {
		r.Writes = append(r.Writes, outside.Word(name+timelineEnding))
	}
	if s.PlotDatasetStats {
		r.Writes = append(r.Writes, outside.Word(name+datasetStatsEnding))
	}
}

// servers notes where the load goes.
func (r *Reach) servers(s *Spec) string {
	var names []string
	for _, u := range s.URLs {
		names = append(names, host(u))
	}
	text := strings.Join(names, ", ")
	if s.Insecure {
		text += " (without a look at certificates)"
	}
	r.Hosts = append(r.Hosts, text)
	return strings.Join(names, ", ")
}

// others notes what else is connected to.
func (r *Reach) others(s *Spec) {
	add := func(address, what string) {
		if text := host(address) + " (" + what + ")"; !slices.Contains(r.Hosts, text) {
			r.Hosts = append(r.Hosts, text)
		}
	}
	for _, u := range s.MetricsURLs {
		add(u, "metrics")
	}
	replicas, _ := s.GivenReplicas() // what is wrong with them is said by Validate
	for i := range replicas {
		add(replicas[i].URL, "metrics")
	}
	if s.Proxy != "" && s.Proxy != NoProxy {
		add(s.Proxy, "proxy")
	}
	if p, err := hardware.ParsePower(s.Power.Text); err == nil && p.Prometheus != nil {
		add(p.Prometheus.URL, "power")
	}
	if devices, err := hardware.Parse(s.Hardware.Text); err == nil {
		for _, u := range devices.URLs() {
			add(u, "hardware")
		}
	}
	if strings.Contains(s.NATS, "://") {
		add(s.NATS, "fleet")
	}
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return outside.Word(outside.RedactURL(address))
	}
	return outside.Word(u.Host)
}

// Write prints it, a line for each kind of which there is something.
func (r *Reach) Write(w io.Writer, name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "what %s asks for:\n", outside.Word(name))
	for _, line := range []struct {
		what string
		list []string
	}{{"sends to", r.Hosts}, {"variables", r.Variables}, {"reads", r.Reads}, {"writes", r.Writes}, {"runs", r.Commands}} {
		if len(line.list) > 0 {
			fmt.Fprintf(&b, "  %-9s  %s\n", line.what, strings.Join(line.list, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
