package peers

import (
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

// Declare tells a command which flags are other programs'. Its own flags win.
func Declare(set *argv.Set) {
	for name, all := range byName(Tools()) {
		if !cut[name] {
			all.declare(set, name)
		}
	}
}

// cut are names that vLLM's flags can be cut to: a drop-in has to take them for those.
var cut = map[string]bool{"--output": true, "--chat": true}

// DeclareOnly reads a command line that was written for some tools: their names win.
func DeclareOnly(set *argv.Set, tools []*Tool) {
	theirs := byName(tools)
	for name, all := range theirs {
		all.declare(set, name)
	}
	set.ForeignFirst(slices.Collect(maps.Keys(theirs))...)
}

func (m meanings) declare(set *argv.Set, name string) {
	set.ForeignBy(name, func(rest []string) argv.Foreign { return m.advise(set, rest) })
}

// meaning is a flag in the sense of one tool.
type meaning struct {
	tool *Tool
	flag *Flag
}

type meanings []meaning

func byName(tools []*Tool) map[string]meanings {
	all := map[string]meanings{}
	for _, t := range tools {
		for i := range t.Flags {
			for _, name := range t.Flags[i].Spellings() {
				all[name] = append(all[name], meaning{t, &t.Flags[i]})
			}
		}
	}
	return all
}

// advise says what a flag means that stands before these arguments, and what to type.
func (m meanings) advise(set *argv.Set, rest []string) argv.Foreign {
	if len(rest) > 0 {
		fits := slices.DeleteFunc(slices.Clone(m), func(one meaning) bool { return one.flag.metavar() != "" && !one.flag.fits(rest[0]) })
		if len(fits) > 0 {
			m = fits
		}
	}
	var said []string
	for _, same := range m.grouped() {
		said = append(said, same.sentence(set))
	}
	told := argv.Foreign{Advice: strings.ReplaceAll("is "+strings.Join(said, "; or "), "`", "")}
	if len(said) > 1 {
		return told
	}
	for _, one := range m { // of two tools with the same name for a flag, each has its own names of values
		if has(set, one.flag.flag()) && !told.Mended {
			told.Values = one.flag.takes(rest)
			told.Instead, told.Mended = one.flag.instead(rest[:told.Values])
		}
	}
	return told
}

// has says that a command has a flag, or that none is named.
func has(set *argv.Set, flag string) bool {
	return flag == "" || set.Lookup(strings.TrimPrefix(flag, "--")) != nil
}

// grouped puts those together that mean the same here.
func (m meanings) grouped() (all []meanings) {
	for _, one := range m {
		i := slices.IndexFunc(all, func(same meanings) bool {
			return same[0].flag.Here == one.flag.Here && (one.flag.Here != "" || same[0].flag.Remark == one.flag.Remark)
		})
		if i < 0 {
			all = append(all, meanings{one})
		} else {
			all[i] = append(all[i], one)
		}
	}
	return all
}

// sentence reads on from the flag's name and "is".
func (m meanings) sentence(set *argv.Set) string {
	f := m[0].flag
	whose := possessive(m)
	switch {
	case f.Here == LeaveOut:
		return whose + ": leave it out, " + f.Remark
	case f.Here == "":
		return whose + ": " + f.Remark
	}
	said := whose + " name: here it is called " + f.called()
	if !has(set, f.flag()) {
		said = whose + " name: inferometer bench serve calls it " + f.called() + ", and this command has no such flag"
	}
	if f.Remark != "" {
		said += " (" + f.Remark + ")"
	}
	return said
}

func possessive(m meanings) string {
	var names []string
	for _, one := range m {
		names = append(names, one.tool.Name+"'s")
	}
	return Enumerate(names)
}

// Enumerate is words with commas, and an "and" before the last.
func Enumerate(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Find is the command of other tools that a command line begins with, the longest one, and how
// many of the words it is.
func Find(args []string) (owners []*Tool, found Command, words int) {
	for _, t := range Tools() {
		for _, c := range t.Commands {
			n := len(strings.Fields(c.Words))
			if n < words || n > len(args) || !strings.EqualFold(strings.Join(args[:n], " "), c.Words) {
				continue
			}
			if n > words {
				owners, words = nil, n
			}
			owners, found = append(owners, t), c
		}
	}
	return owners, found, words
}

// Names are those of tools, for a sentence.
func Names(tools []*Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return Enumerate(names)
}
