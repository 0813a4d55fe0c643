package scenario

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/option"
)

// Shell is what a plan needs to be written as commands of our own program.
type Shell struct {
	// Command is the whole command of a point with these settings of bench serve, and the same as
	// it may be shown.
	Command func(option.Settings) (words, shown []string)
	Environ []string // where secrets may come from: KEY=VALUE
}

// Script writes the points in their order as a script of a shell: each command can
// be pasted. Secrets are variables in it.
func (p *Plan) Script(w io.Writer, sh Shell) error {
	var b strings.Builder
	for i, p := range p.Selected() {
		load, eval, target := p.Planned()
		fmt.Fprintf(&b, "# %3d  %s", i+1, p.ID)
		address := ""
		if target != "" {
			fmt.Fprintf(&b, "; BASE_URL is the address of %s, which run starts", target)
			address = ` --base-url "$BASE_URL"`
		}
		if len(p.scenario.Faults) > 0 {
			b.WriteString("; its faults are not in the command")
		}
		b.WriteByte('\n')
		for _, settings := range []option.Settings{load, eval} {
			if len(settings) > 0 {
				words, shown := sh.Command(settings)
				fmt.Fprintf(&b, "inferometer %s%s\n", pasted(words, shown, sh.Environ), address)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pasted are arguments as a shell reads them. What shown hides of them is a variable:
// the one of the environment that holds it, or else one to be set.
func pasted(args, shown, environ []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		if i < len(shown) && shown[i] != arg {
			words[i] = withVariable(arg, shown[i], environ)
		} else {
			words[i] = shlex.Quote(arg)
		}
	}
	return strings.Join(words, " ")
}

// leastHidden is the length from which a value of the environment is taken for the
// secret in an argument: shorter ones are in it by chance.
const leastHidden = 4

func withVariable(arg, shown string, environ []string) string {
	best, name := "", ""
	for _, pair := range environ {
		key, value, _ := strings.Cut(pair, "=")
		if len(value) >= max(leastHidden, len(best)+1) && strings.Contains(arg, value) && !strings.Contains(shown, value) {
			best, name = value, key
		}
	}
	if before, after, ok := strings.Cut(arg, best); ok && best != "" && hiddenBy(before+after, arg, shown) {
		return quotePart(before) + `"$` + name + `"` + quotePart(after)
	}
	// What the two have in common at both ends is no secret.
	from := 0
	for from < min(len(arg), len(shown)) && arg[from] == shown[from] {
		from++
	}
	to := 0
	for to < min(len(arg), len(shown))-from && arg[len(arg)-1-to] == shown[len(shown)-1-to] {
		to++
	}
	return quotePart(shown[:from]) + `"$SECRET"` + quotePart(shown[len(shown)-to:])
}

// hiddenBy says that what is left of an argument without the variable's value is no
// more of a secret: a word such as Bearer.
func hiddenBy(left, arg, shown string) bool {
	for _, word := range strings.FieldsFunc(left, func(r rune) bool { return strings.ContainsRune(" =:/@,", r) }) {
		if !strings.Contains(shown, word) && !slices.Contains([]string{"Bearer", "Basic", "Token"}, word) {
			return false
		}
	}
	return arg != left
}

// quotePart quotes a part of an argument, which may be empty.
func quotePart(part string) string {
	if part == "" {
		return ""
	}
	return shlex.Quote(part)
}
