package shell

import "strings"

// escapes are roff's names of characters that would be requests, or look like others: a
// hyphen that can't be searched for, a quote that can't be pasted. A list of values may be broken after each.
var escapes = strings.NewReplacer(
	`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`,
	"…", "...", "×", `\(mu`, "≤", `\(<=`, "≥", `\(>=`, "±", `\(+-`, "→", `\(->`, "µ", `\(mc`, "|", `|\:`,
)

// roffText escapes a text for a line of its own: nothing in it is a request or an escape.
func roffText(text string) string {
	text = escapes.Replace(strings.Join(strings.Fields(text), " "))
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// roffArgument is a text as one argument of a macro.
func roffArgument(text string) string { return `"` + roffText(text) + `"` }
