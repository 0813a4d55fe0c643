// Package shell makes the program at home in a shell: completion for bash, zsh and fish,
// and man pages, all read from the declarations of the commands.
package shell

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

// Hidden is the name of the command that the scripts of the shells ask.
const Hidden = "__complete"

// Reply is what can stand where the cursor is.
type Reply struct {
	Words []Candidate
	// Files and Folders ask the shell to offer its own, which it quotes as it does for any
	// other program.
	Files, Folders bool
	// Names says that the words are names of files, and that a shell must quote them.
	Names bool
	// More says that a word may go on: no space follows it.
	More bool
}

// Candidate is one word, with what it means.
type Candidate struct{ Word, About string }

// Completer knows the commands.
type Completer struct {
	Commands []command.Entry
	// Helped are further words that help has something to say about.
	Helped func() []Candidate
}

// Complete says what the last of words can become; the others stand before it.
func (c *Completer) Complete(words []string) Reply {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	if len(before) > 0 && (before[0] == "help" || before[0] == "man") {
		return c.help(before[1:], current, before[0] == "help")
	}
	entry, rest := c.find(before)
	if entry == nil {
		return c.names(before, current)
	}
	set := entry.Describe()
	if set == nil {
		return Reply{}
	}
	return inside(set, rest, current)
}

// find is the command that words begin with, and what follows its name.
func (c *Completer) find(words []string) (*command.Entry, []string) {
	for i := range c.Commands {
		name := strings.Fields(c.Commands[i].Name)
		if len(words) >= len(name) && slices.Equal(words[:len(name)], name) {
			return &c.Commands[i], words[len(name):]
		}
	}
	return nil, nil
}

// names offers the next word of the commands that begin as typed.
func (c *Completer) names(before []string, current string) (r Reply) {
	for _, e := range c.Commands {
		name := strings.Fields(e.Name)
		if len(name) <= len(before) || !slices.Equal(name[:len(before)], before) {
			continue
		}
		about := e.Summary
		if len(name) > len(before)+1 {
			about = "commands: " + c.members(name[:len(before)+1])
		}
		r.add(current, name[len(before)], about)
	}
	if len(before) == 0 {
		r.add(current, "help", "what a command, a flag or a word of the results means")
	}
	return r
}

// members are the words that can follow the beginning of a command.
func (c *Completer) members(begin []string) string {
	var words []string
	for _, e := range c.Commands {
		name := strings.Fields(e.Name)
		if len(name) > len(begin) && slices.Equal(name[:len(begin)], begin) && !slices.Contains(words, name[len(begin)]) {
			words = append(words, name[len(begin)])
		}
	}
	return strings.Join(words, ", ")
}

func (c *Completer) help(before []string, current string, words bool) Reply {
	r := c.names(before, current)
	if words && len(before) == 0 && c.Helped != nil && current != "" {
		for _, w := range c.Helped() {
			r.add(current, w.Word, w.About)
		}
	}
	return r
}

// add adds a word that begins as typed, once.
func (r *Reply) add(typed, word, about string) {
	if strings.HasPrefix(word, typed) && !slices.ContainsFunc(r.Words, func(c Candidate) bool { return c.Word == word }) {
		r.Words = append(r.Words, Candidate{word, about})
	}
}

// inside completes a word after a command's name.
func inside(set *argv.Set, before []string, current string) Reply {
	f, operands, flags := set.Pending(before)
	if flags && strings.HasPrefix(current, "-") {
		if name, value, ok := strings.Cut(current, "="); ok {
			return inline(set, name, value)
		}
		return flagNames(set, current)
	}
	if f != nil {
		return value(f, current)
	}
	var r Reply
	for _, word := range set.OperandChoices() {
		r.add(current, word, "")
	}
	if len(r.Words) > 0 {
		return r
	}
	return place(set.OperandTakes(operands), current)
}

// flagNames offers flags, those first that people use.
func flagNames(set *argv.Set, current string) (r Reply) {
	for _, common := range []bool{true, false} {
		for _, f := range set.Flags() {
			if f.Common != common || !f.Listed() {
				continue
			}
			for _, name := range f.Spellings() {
				if !strings.HasPrefix(name, "--") && current != name {
					continue // a letter is typed sooner than chosen
				}
				if strings.Contains(current, "_") { // as vLLM's users may write it
					name = "--" + strings.ReplaceAll(name[2:], "-", "_")
				}
				r.add(current, name, f.Help)
			}
		}
	}
	if set.Long() {
		r.add(current, argv.HelpAll, "Show all flags.")
	}
	return r
}

// inline completes the value of --flag=value.
func inline(set *argv.Set, name, typed string) Reply {
	f := set.Resolve(name)
	if f == nil || f.Value() == "" {
		return Reply{}
	}
	r := value(f, typed)
	for i := range r.Words {
		r.Words[i].Word = name + "=" + r.Words[i].Word
	}
	return r
}

// value completes the value of a flag: its choices, or what lies on this machine.
func value(f *argv.Flag, current string) Reply {
	var r Reply
	head, last := "", current
	if f.Commas() {
		i := strings.LastIndex(current, ",") + 1
		head, last = current[:i], current[i:]
		r.More = true
	}
	for _, word := range f.Choices {
		if !slices.Contains(strings.Split(head, ","), word) {
			r.add(last, word, "")
		}
	}
	for i := range r.Words {
		r.Words[i].Word = head + r.Words[i].Word
	}
	if len(r.Words) > 0 || f.Takes == argv.Word {
		return r
	}
	return place(f.Takes, current)
}
