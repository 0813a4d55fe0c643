package ssh

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/fleet/bus"
)

func TestParseHosts(t *testing.T) {
	for text, want := range map[string]Host{
		"gpu-1":              {"", "gpu-1", 0},
		"bench@gpu-1.a_b.c":  {"bench", "gpu-1.a_b.c", 0},
		"10.0.0.1:2222":      {"", "10.0.0.1", 2222},
		"me@[::1]:22":        {"me", "::1", 22},
		"[2001:db8::1]":      {"", "2001:db8::1", 0},
		"a.b@host.example:1": {"a.b", "host.example", 1},
	} {
		got, err := ParseHosts([]string{text})
		if err != nil || got[0] != want || got[0].String() != text {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", " ", "-oProxyCommand=touch", "a b", "a;b", "a\nb", "a$(b)", "`a`", "a|b", "a&b", "a'b", `a"b`, "-a@b", "a@-b", "a@b@c", "@b", "a@", "a:", "a:0", "a:65536", "a:-1",
		"a:22x", "[::1", "[::1]x", "[::1]:", "[fe80::1%eth0]", "[a]", "::1", "ümlaut", "a/b", "a%b", "~a", "#a", "a\x00", strings.Repeat("a", 300),
	} {
		if h, err := ParseHosts([]string{text}); err == nil {
			t.Errorf("%q: %+v", text, h)
		}
	}
	if _, err := ParseHosts(nil); err == nil {
		t.Error("no host is taken")
	}
}

// FuzzParseHosts: what is taken is nothing that ssh takes for an option, or a shell for more than a word.
func FuzzParseHosts(f *testing.F) {
	for _, seed := range []string{"a", "u@h:22", "[::1]:1", "-o x", "a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseHosts([]string{text})
		if err != nil {
			return
		}
		h := all[0]
		if again, err := ParseHosts([]string{h.String()}); err != nil || again[0] != h {
			t.Errorf("%q: %+v, then %+v, %v", text, h, again, err)
		}
		for _, word := range []string{h.Name, h.User} {
			if strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \t\n;&|$`'\"\\<>(){}*?!#~%\x00") {
				t.Errorf("%q: %+v", text, h)
			}
		}
	})
}

// The password is in no argument, and words stay words on the other side.
func TestCommand(t *testing.T) {
	f := Fleet{
		Program: "/opt/my tools/inferometer", Args: []string{"--allow", "$(touch x)'; y"},
		Place: bus.Place{URL: "tls://nats.example:4222", User: "agent", Password: "swordfish", CA: "-----BEGIN"},
	}
	args, place, err := f.command(Host{"me", "h", 2222})
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(args, " ")
	if strings.Contains(line, "swordfish") || !strings.Contains(string(place), "swordfish") || !strings.Contains(line, "-l me -p 2222 -- h exec") || strings.Contains(line, "-R") {
		t.Errorf("%s\n%s", line, place)
	}
	words, err := shlex.Split(args[len(args)-1])
	want := []string{"exec", f.Program, "agent", "--nats", "-", "--once", "--name", "me@h:2222", "--allow", "$(touch x)'; y"}
	if err != nil || strings.Join(words, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, %v", words, err)
	}

	f.Place = bus.Place{URL: "nats://[::1]:4223"}
	args, place, err = f.command(Host{"", "h", 0})
	line = strings.Join(args, " ")
	if err != nil || !strings.Contains(line, ":[::1]:4223 -- h ") || !strings.Contains(string(place), `"url":"nats://127.0.0.1:2`) {
		t.Errorf("%s\n%s, %v", line, place, err)
	}
}
