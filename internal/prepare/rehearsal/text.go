package rehearsal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/stats"
)

// Write prints the rehearsal for a person. With a width above 0 there are pictures too.
func (r *Rehearsal) Write(w io.Writer, width int) error {
	b := bufio.NewWriter(w)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("dry run", "nothing was sent")
	line("requests", "%s", r.requests())
	line("to", "%s, %s, model %q", outside.Sentence(r.Endpoint), r.Backend, outside.Word(r.Model))
	commit := ""
	if r.Dataset.Revision != "" {
		commit = ", commit " + r.Dataset.Revision
	}
	line("dataset", "%s, seed %d%s%s", r.Dataset.Name, r.Seed, commit, digest(r.Dataset.SHA256))
	line("tokenizer", "%s", r.tokenizer())
	if len(r.Files) > 0 {
		line("reads", "%s", r.files())
	}
	line("pace", "%s", r.pace())
	fmt.Fprintf(b, "%-12s %7s %9s %9s %9s %9s %9s %9s\n", "", "mean", "std", "min", "p50", "p90", "p99", "max")
	if r.PromptTokens != nil {
		r.PromptTokens.WriteLine(b, "prompt tok")
	}
	r.OutputTokens.WriteLine(b, "output tok")
	r.BodyBytes.WriteLine(b, "body bytes")
	line("tokens", "%s", r.tokens())
	line("prefix", "%s", r.prefix())
	line("hash", "%s", r.SHA)
	if width > 0 {
		if r.PromptTokens != nil {
			r.PromptTokens.Draw(b, "prompt tokens", width)
		}
		r.OutputTokens.Draw(b, "output tokens", width)
		fmt.Fprintln(b)
	}
	for _, s := range r.First {
		at := ""
		if r.FixedTimes {
			at = fmt.Sprintf(", due at %.3f s", s.Due)
		}
		fmt.Fprintf(b, "request %d%s, %s bytes:\n  %s\n", s.Index, at, stats.Thousands(s.Bytes), outside.Line(s.Body, 2*shownBytes))
	}
	return b.Flush()
}

// maxFiles is how many names of files are printed.
const maxFiles = 20

func (r *Rehearsal) files() string {
	names, more := r.Files, ""
	if n := len(names) - maxFiles; n > 0 {
		names, more = names[:maxFiles], fmt.Sprintf(" and %d more", n)
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = outside.Word(name)
	}
	return strings.Join(shown, ", ") + more
}

func (r *Rehearsal) requests() string {
	text := stats.Thousands(r.Requests)
	if !r.All {
		text = "the first " + text + " of a run without a number"
	}
	if r.Unmeasured > 0 {
		text += fmt.Sprintf(", %s of them not measured", stats.Thousands(r.Unmeasured))
	}
	if r.Conversations > 0 {
		text += fmt.Sprintf(" in %s conversations; %s wait for answers, and are shown as far as they are planned", stats.Thousands(r.Conversations), stats.Thousands(r.Waiting))
	}
	return text
}

func (r *Rehearsal) tokenizer() string {
	switch r.Tokenizer.Source {
	case "none":
		return "none: prompts have about the length asked for"
	case "server":
		return "the server's"
	}
	text := outside.Word(r.Tokenizer.ID)
	if r.Tokenizer.Revision != "" {
		text += ", commit " + r.Tokenizer.Revision
	}
	return text + digest(r.Tokenizer.SHA256)
}

func digest(sum string) string {
	if len(sum) < printDigits {
		return ""
	}
	return ", sha256 " + sum[:printDigits] + "…"
}

func (r *Rehearsal) pace() string {
	var text string
	switch {
	case r.Waiting > 0 && r.LastDue > 0:
		text = fmt.Sprintf("%s: conversations begin over %s; how long they take is up to the server", r.Pace, stats.Clock(r.LastDue))
	case !r.FixedTimes:
		text = r.Pace + ": each request is sent when one before it has ended; how long it takes is up to the server"
	case r.LastDue == 0:
		text = r.Pace + ": all at once; how long it takes is up to the server"
	default:
		text = fmt.Sprintf("%s: sent over %s, %.4g a second; then the last answers", r.Pace, stats.Clock(r.LastDue), float64(r.Requests)/r.LastDue)
	}
	if r.AtOnce > 0 {
		text += fmt.Sprintf("; at most %d at a time", r.AtOnce)
	}
	if r.Length > 0 {
		text += "; ends after " + stats.Clock(r.Length)
	}
	return text
}

// tokens are those of the whole run, and what they ask of a server each second.
func (r *Rehearsal) tokens() string {
	text := stats.Thousands(int(r.OutputTokens.Sum)) + " out"
	if r.PromptTokens != nil {
		text = stats.Thousands(int(r.PromptTokens.Sum)) + " in, " + text
	}
	if r.FixedTimes && r.LastDue > 0 {
		text += fmt.Sprintf("; %s a second out", rate(r.OutputTokens.Sum, r.LastDue))
		if r.PromptTokens != nil {
			text += fmt.Sprintf(", %s in", rate(r.PromptTokens.Sum, r.LastDue))
		}
	}
	return text
}

func rate(n int64, seconds float64) string {
	v := float64(n) / seconds
	if v < 1000 {
		return fmt.Sprintf("%.4g", v)
	}
	return stats.Thousands(int(v))
}

func (r *Rehearsal) prefix() string {
	p := &r.Prefix
	text := fmt.Sprintf("%.1f %% of the prompts' text was the beginning of an earlier one; %s prompts are repeated", 100*p.Share, stats.Thousands(p.Repeated))
	if p.Requests < r.Requests {
		text += fmt.Sprintf(" (of the first %s requests)", stats.Thousands(p.Requests))
	}
	return text
}

// shorten takes out the middle of a body that is too long to show.
func shorten(body []byte, most int) string {
	if len(body) <= most {
		return strings.ToValidUTF8(string(body), "\uFFFD")
	}
	head, tail := body[:most*2/3], body[len(body)-most/3:]
	for len(head) > 0 && !utf8.Valid(head) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s … %s bytes … %s", head, stats.Thousands(len(body)-len(head)-len(tail)), tail), "\uFFFD")
}
