package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/plan/scenario"
)

// printPlan writes the points in their order as a script of a shell: each command can
// be pasted. Secrets are variables in it.
func printPlan(w io.Writer, plan *scenario.Plan) error {
	var b strings.Builder
	for i, p := range plan.Selected() {
		args, target := p.Planned()
		args = pointCommand(plan.Scenario, args)
		command := pasted(args, redactOwn(args), os.Environ())
		fmt.Fprintf(&b, "# %3d  %s", i+1, p.ID)
		if target != "" {
			fmt.Fprintf(&b, "; BASE_URL is the address of %s, which run starts", target)
			command += ` --base-url "$BASE_URL"`
		}
		fmt.Fprintf(&b, "\ninferometer %s\n", command)
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
			words[i] = quoteArg(arg)
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
		if len(value) >= max(leastHidden, len(best)+1) && strings.Contains(arg, value) && !strings.Contains(shown, value) && key != argsVariable {
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
	return quoteArg(part)
}

// quoteArg writes an argument so that a shell reads it as one word.
func quoteArg(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\r\n'\"\\$&|;<>(){}[]*?!#~^`") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
