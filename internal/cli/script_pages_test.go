package cli

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// page [-post] CODE PATH: asks what start has started, at the address that it said on
// stderr, for a page. PATH may be a regular expression between bars: the first place of
// the last page that it matches. stdout is then the page.
func cmdPage(ts *testscript.TestScript, neg bool, args []string) {
	method := http.MethodGet
	if len(args) == 3 && args[0] == "-post" {
		method, args = http.MethodPost, args[1:]
	}
	s := sessionOf(ts)
	usageOf(ts, !neg && len(args) == 2 && s.job != nil, "page [-post] CODE PATH, after start")
	cmdSays(ts, false, []string{`at http://\S+\n`})
	root := regexp.MustCompile(`at (http://\S+)/\n`).FindStringSubmatch(s.err.String())[1]
	path := args[1]
	if strings.HasPrefix(path, "|") {
		path = "/" + regexp.MustCompile(strings.Trim(path, "|")).FindString(ts.ReadFile("stdout"))
	}
	req, err := http.NewRequest(method, root, nil)
	ts.Check(err)
	req.URL.Opaque = path // as it is: no dots are taken out of it
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	begin := time.Now()
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, _ = ts.Stdout().Write(text)
	if got := resp.Status[:3]; got != args[0] {
		ts.Fatalf("%s is answered with %s after %v, want %s", path, resp.Status, time.Since(begin), args[0])
	}
}
