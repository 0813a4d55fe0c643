package view

import "slices"

var helpText = []string{
	" Keys",
	"   q        stop: nothing more is sent, what is in flight",
	"            ends; once more: that is cancelled",
	"   Ctrl-C   the same",
	"   p        pause the pace: nothing is sent until p is",
	"            pressed again; the result says so",
	"   ?        this help",
	"",
	" Numbers are those of the last ten seconds.",
	" TTFT: until the first token. ITL: between tokens.",
	" our lag: from the kernel's receipt to our code.",
	" p99: one of a hundred is slower.",
	" The result comes from the journal, not from here.",
}

func (m *Model) help(width, height int) []string {
	lines := slices.Clone(helpText)
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:min(len(lines), height-1)], m.paint(dim, m.keys()))
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return lines
}
