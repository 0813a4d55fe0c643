package scenario

import (
	"os/exec"
	"strings"
	"testing"
)

// What --plan prints is read by a shell as the arguments that were meant, and shows no secret.
func TestPasted(t *testing.T) {
	environ := []string{"KEY=sk-0123456789", "LANG=C", "HOME=/root", "PW=pass word$1"}
	for _, c := range []struct {
		args, shown []string
		want        string
	}{
		{[]string{"--a=1", `{"b": 2}`, "it's", "", "x[1]", "~"}, nil, `--a=1 '{"b": 2}' 'it'"'"'s' '' 'x[1]' '~'`},
		{[]string{"--header", "Authorization=Bearer sk-0123456789"}, []string{"--header", "Authorization=<redacted>"}, `--header 'Authorization=Bearer '"$KEY"`},
		{[]string{"--header", "X-Team=blue-secret"}, []string{"--header", "X-Team=<redacted>"}, `--header X-Team="$SECRET"`},
		{[]string{"http://me:pass word$1@h:1/p"}, []string{"http://redacted@h:1/p"}, `http://"$SECRET"@h:1/p`},
	} {
		shown := c.shown
		if shown == nil {
			shown = c.args
		}
		got := pasted(c.args, shown, environ)
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.args, got, c.want)
		}
		cmd := exec.Command("sh", "-c", "printf '%s\\n' "+got)
		cmd.Env = append(environ, "SECRET=hidden")
		out, err := cmd.Output()
		if err != nil || strings.Count(string(out), "\n") != len(c.args) {
			t.Errorf("%s: %q, %v", got, out, err)
		}
	}
}
