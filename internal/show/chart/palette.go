package chart

import (
	"fmt"
	"image/color"
)

// palette is told apart by people who do not see all colours (after Okabe and Ito),
// with enough contrast on white and on black.
var palette = [...]struct{ light, dark string }{
	{"#0072b2", "#56b4e9"},
	{"#d55e00", "#e69f00"},
	{"#007a5a", "#2dc9a0"},
	{"#a3457f", "#e08fbf"},
	{"#5b4b9a", "#a99be8"},
	{"#8a6d00", "#f0e442"},
	{"#444444", "#c8c8c8"},
	{"#a40000", "#ff8a80"},
}

// Colors is how many there are.
const Colors = len(palette)

func seriesClass(n int) string { return fmt.Sprintf("s%d", (n-1)%len(palette)+1) }

// inks are the colours of what is no series.
var inks = map[string]struct{ light, dark string }{
	"text":  {"#1a1a1a", "#ececec"},
	"muted": {"#595959", "#b4b4b4"},
	"axis":  {"#777777", "#8a8a8a"},
	"grid":  {"#e4e4e4", "#333333"},
	"heat":  {"#0072b2", "#56b4e9"},
	"paper": {"#ffffff", "#161616"},
	"event": {"#a40000", "#ff8a80"},
}

// ink is a class's colour.
func ink(class string, dark bool) color.NRGBA {
	pair, ok := inks[class]
	if !ok {
		var n int
		if _, err := fmt.Sscanf(class, "s%d", &n); err == nil && n >= 1 && n <= len(palette) {
			pair = palette[n-1]
		}
	}
	text := pair.light
	if dark {
		text = pair.dark
	}
	c := color.NRGBA{A: 255}
	_, _ = fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B) // the tables above are well formed
	return c
}

// Style is the style sheet that pictures in a page need, once. root is the selector
// under which dark is chosen, beside the reader's own preference.
func Style(darkRoot string) string {
	light, dark := "", ""
	add := func(class, l, d string) {
		rule := ".chart .%s{--c:%s}"
		light += fmt.Sprintf(rule, class, l)
		dark += fmt.Sprintf("%%s "+rule, class, d)
	}
	for i, p := range palette {
		add(seriesClass(i+1), p.light, p.dark)
	}
	for _, class := range []string{"text", "muted", "axis", "grid", "heat", "event"} {
		add(class, inks[class].light, inks[class].dark)
	}
	const shapes = ".chart{font:12px system-ui,sans-serif}.chart text{fill:var(--c)}.chart polyline{fill:none;stroke:var(--c);stroke-width:1.8}" +
		".chart .grid,.chart .axis,.chart .event{stroke-width:1}.chart text.event{stroke:none}.chart polygon,.chart rect,.chart circle,.chart .heat{fill:var(--c)}"
	return shapes + light + "@media(prefers-color-scheme:dark){" + prefixed(dark, ":root:not([data-theme=light])") + "}" + prefixed(dark, darkRoot)
}

func prefixed(rules, root string) string {
	out := ""
	for i := 0; i < len(rules); i++ {
		if rules[i] == '%' && i+1 < len(rules) && rules[i+1] == 's' {
			out += root
			i++
			continue
		}
		out += string(rules[i])
	}
	return out
}
