package scrape

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	write := func(text string, flags int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flags, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write("of before\nhalf a li", os.O_APPEND)
	l, err := Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	expect := func(what string, want ...string) {
		t.Helper()
		var got []string
		if err := l.Read(func(line string) { got = append(got, line) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %.100q, want %q", what, got, want)
		}
	}
	expect("nothing new")
	write("ne\none\ntwo\r\nthr", os.O_APPEND)
	expect("the rest of a line of before is passed over", "one", "two")
	write("ee\n", os.O_APPEND)
	expect("a line in two parts", "three")
	write(strings.Repeat("x", 10<<20), os.O_APPEND)
	expect("a line without end")
	write("yyy\nfour\n", os.O_APPEND)
	expect("its end", "four")
	write(strings.Repeat("z\n", maxLogRead)+"last\n", os.O_APPEND)
	var got []string
	if err := l.Read(func(line string) { got = append(got, line) }); err != nil {
		t.Fatal(err)
	}
	if len(got) > maxLogRead/2 || got[len(got)-1] != "last" {
		t.Errorf("a flood: %d lines, the last %q", len(got), got[len(got)-1])
	}
	write("five\n", os.O_TRUNC)
	expect("made shorter", "five")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	expect("moved away")
	write("six\n", os.O_APPEND)
	expect("another one in its place", "six")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("removed")
}

func TestFollowRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "absent"), "/dev/zero"} {
		if _, err := Follow(path); err == nil {
			t.Errorf("%s is followed", path)
		}
	}
}
