package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

// Every command gives its declarations before it touches anything.
func TestEveryCommandIsDescribed(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, home)
	}
	for _, e := range described() {
		var set *argv.Set
		var out, errs bytes.Buffer
		s := command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Describe: func(declared *argv.Set) { set = declared }}
		if err := e.Run(t.Context(), s, nil); err != nil || set == nil {
			t.Errorf("%s: no declarations, %v", e.Name, err)
			continue
		}
		if set.Name() != "inferometer "+e.Name {
			t.Errorf("%s declares itself as %s", e.Name, set.Name())
		}
		if out.Len()+errs.Len() > 0 {
			t.Errorf("%s prints %q %q", e.Name, &out, &errs)
		}
		if len(set.Examples()) == 0 {
			t.Errorf("%s has no example", e.Name)
		}
		listed, common := 0, 0
		for _, f := range set.Flags() {
			if f.Listed() {
				listed++
			}
			if f.Listed() && f.Common {
				common++
			}
		}
		if common > argv.MostCommon || listed > argv.MostCommon+1 && !set.Long() {
			t.Errorf("%s: %d of %d flags are common; the short help has from 1 to %d", e.Name, common, listed, argv.MostCommon)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("describing has left %v, %v", left, err)
	}
}

func TestShortHelp(t *testing.T) {
	ask := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := Main(t.Context(), args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &errs)
		}
		return out.String()
	}
	short, all := ask("bench", "serve", "--help"), ask("bench", "serve", "--help-all")
	if n := len(regexp.MustCompile(`(?m)^  (-o, )?--`).FindAllString(short, -1)); n != argv.MostCommon {
		t.Errorf("the short help has %d flags", n)
	}
	if !strings.Contains(short, "--help-all lists") || strings.Contains(short, "--ramp-up-strategy") {
		t.Errorf("the short help:\n%s", short)
	}
	if !strings.Contains(all, "--ramp-up-strategy") || !strings.Contains(all, "Known, but refused for now") || strings.Contains(all, "--help-all lists") {
		t.Error("--help-all does not show all")
	}
	if ask("bench", "serve", "--help=all") != all {
		t.Error("--help=all is not --help-all")
	}
	if ask("report", "--help") != ask("report", "--help-all") {
		t.Error("a command with few flags has two helps")
	}
}
