package markup

import "testing"

func TestNothingBreaksOut(t *testing.T) {
	const evil = `"><script>alert('x')</script>`
	var h HTML
	h.Put(`<p class="%s">%s</p>`, evil, evil)
	h.Each("<li>%s</li>", []string{"a&b"})
	h.Link("one", "javascript:alert(1)")
	h.Link("two", "run/a.html")
	if err := h.JSON("data", []string{"</script>"}); err != nil {
		t.Fatal(err)
	}
	const safe = `&#34;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;`
	want := `<p class="` + safe + `">` + safe + `</p><li>a&amp;b</li>one<a href="run/a.html">two</a><script type="application/json" id="data">["\u003c/script\u003e"]</script>` + "\n"
	if h.String() != want {
		t.Errorf("%s\n%s", h.String(), want)
	}
}
