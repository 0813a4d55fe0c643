package jinja_test

import (
	"fmt"
	"log"

	"github.com/inferometer/inferometer/tokenizer/jinja"
)

func ExampleTemplate_Render() {
	template, err := jinja.Parse(`{% for m in messages %}{{ m.role|upper }}: {{ m.content|trim }}
{% endfor %}{{ tools|tojson }}`)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := jinja.FromJSON([]byte(`[{"name": "search", "arguments": {"query": "string", "limit": 5}}]`))
	if err != nil {
		log.Fatal(err)
	}
	text, err := template.Render(map[string]any{
		"messages": jinja.NewList(
			jinja.NewDict("role", "user", "content", " Hello! "),
			jinja.NewDict("role", "assistant", "content", "Hi."),
		),
		"tools": tools,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// USER: Hello!
	// ASSISTANT: Hi.
	// [{"name": "search", "arguments": {"query": "string", "limit": 5}}]
}

func ExampleParse_error() {
	_, err := jinja.Parse("Hello\n{% include 'secrets' %}")
	fmt.Println(err)
	// Output: line 2: the tag 'include' is not known
}
