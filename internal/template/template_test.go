package template

import (
	htmltemplate "html/template"
	"strings"
	"testing"
	texttemplate "text/template"
)

type inner struct {
	Name  string
	Link  string
	Value *float64
}

type outer struct {
	*inner
	Title  string
	List   []inner
	Lines  [][]inner
	Pair   [2]string
	Number int
	Empty  *inner
	Any    any
	Map    map[string]any
}

// data has words that would break out of each place.
func data() outer {
	half := 0.5
	evil := `<b>"'&+` + "\x00" + `</script> é`
	return outer{
		inner: &inner{Name: evil}, Title: evil, Number: 3, Pair: [2]string{"a", "b"}, Any: []string{evil}, Map: map[string]any{"Key": evil},
		List:  []inner{{evil, "javascript:alert(1)", &half}, {"two", "/a b?c=d&e=%41%zz#'(x)", nil}},
		Lines: [][]inner{{{Name: "a"}, {Name: "b"}}, {}},
	}
}

var pages = []string{
	`<h1 title="{{.Title}}">{{.Title}}</h1>{{.Name}} {{.Number}}`,
	`{{range .List}}<a href="{{.Link}}" class='x {{.Name}}'{{with .Value}} data-v="{{.}}"{{end}}>{{.Name}}</a>{{else}}none{{end}}`,
	`<script type="application/json">{{.Any}}</script><p>{{.Title}}</p>`,
	`{{define "cell"}}<td id="{{$.Name}}">{{.Name}}</td>{{end}}<table>{{range $i, $line := .Lines}}<tr>{{range $j, $c := $line}}{{if $j}}{{template "cell" $c}}{{else}}<th>{{$c.Name}}</th>{{end}}{{end}}</tr>{{end}}</table>`,
	`{{with .Empty}}{{.Name}}{{else}}nothing{{end}}{{$p := .Pair}}{{range $i, $n := .Pair}}{{index $p $i}}{{if eq $n "b"}}!{{end}}{{end}}{{.Map.Key}}`,
	`<style>{{.Style}}</style><a href="/x/{{.Title}}">{{.Markup}}</a><script>{{.Script}}</script>`,
}

// A page is what html/template makes of it.
func TestAsHTMLTemplate(t *testing.T) {
	for _, text := range pages {
		var ours, want strings.Builder
		page := struct {
			outer
			Style  CSS
			Markup HTML
			Script JS
		}{data(), "a > b {}", "<i>x</i>", "f('<')"}
		reference := struct {
			outer
			Style  htmltemplate.CSS
			Markup htmltemplate.HTML
			Script htmltemplate.JS
		}{data(), htmltemplate.CSS(page.Style), htmltemplate.HTML(page.Markup), htmltemplate.JS(page.Script)}
		if err := Page(text).Execute(&ours, page); err != nil {
			t.Fatal(err)
		}
		if err := htmltemplate.Must(htmltemplate.New("").Parse(text)).Execute(&want, reference); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(ours.String(), "#refused", "#ZgotmplZ"); got != want.String() {
			t.Errorf("%s\ngives %s\nwant  %s", text, got, &want)
		}
	}
}

func TestAsTextTemplate(t *testing.T) {
	for _, text := range pages[:5] {
		text = strings.ReplaceAll(text, "{{.}}", "x") // a pointer's address
		var ours, want strings.Builder
		if err := Text(text).Execute(&ours, data()); err != nil {
			t.Fatal(err)
		}
		if err := texttemplate.Must(texttemplate.New("").Parse(text)).Execute(&want, data()); err != nil || ours.String() != want.String() {
			t.Errorf("%v: %s\ngives %s\nwant  %s", err, text, &ours, &want)
		}
	}
}

// What can't be shown safely is an error, and nothing is written.
func TestRefused(t *testing.T) {
	for _, text := range []string{
		`<p {{.Title}}>`, `<p class={{.Title}}>`, `<style>{{.Title}}</style>`, `{{.Absent}}`, `{{.List.Name}}`, `{{template "absent"}}`,
		`{{index .Pair 2}}`, `{{range .Number}}{{end}}`, `{{.Title | eq "a"}}`, `{{.Empty}}`,
	} {
		var b strings.Builder
		if err := Page(text).Execute(&b, data()); err == nil || b.Len() > 0 {
			t.Errorf("%s: no error, %q", text, &b)
		}
	}
}
