package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden picture")

// small is a command that says something, draws on a screen of its own, and ends with an answer.
var small = []output{
	{100 * time.Millisecond, []byte("starting\r\n")},
	{900 * time.Millisecond, []byte("\x1b[?1049h\x1b[H\x1b[2J\x1b[1mbench\x1b[m\x1b[3;1H\x1b[36m▁▃█\x1b[m      50 %")},
	{1000 * time.Millisecond, []byte("\x1b[3;10H51 %")}, // within the same frame
	{1400 * time.Millisecond, []byte("\x1b[3;10H99 %")},
	{2 * time.Second, []byte("\x1b[?1049l\x1b[7m VALID \x1b[m \x1b[38;5;208mall\x1b[m \x1b[38;2;1;2;250mchecks\x1b[m <passed> & done\r\n")},
}

func played(rows int, outputs []output) *Session {
	s := &Session{Title: `a "small" <run>`, Columns: 40, Rows: rows, Speed: 1}
	s.play("inferometer URL", outputs)
	return s
}

func TestSVG(t *testing.T) {
	got := played(5, small).SVG()
	file := filepath.Join("testdata", "small.svg")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run go test ./site/recording -update, and look at %s:\n%s", file, diff)
	}
}

// A frame holds what was on the screen at its end; the screen before the view comes back after it.
func TestFrames(t *testing.T) {
	s := played(5, small)
	var got []string
	for _, f := range s.Frames {
		line := f.At.String()
		for _, row := range f.Rows {
			for _, span := range row {
				line += "|" + span.Text
			}
		}
		got = append(got, line)
	}
	want := []string{
		"0s|$|inferometer URL",
		"1.5s|$|inferometer URL|starting",
		"2.3s|bench|▁▃█|51 %",
		"2.7s|bench|▁▃█|99 %",
		"3.5s|$|inferometer URL|starting| VALID |all|checks|<passed> & done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Length != 3500*time.Millisecond+after {
		t.Errorf("it is %s long", s.Length)
	}
	s.Speed = 2
	s.play("inferometer URL", small)
	if last := s.Frames[len(s.Frames)-1].At; last != before+800*time.Millisecond || !strings.Contains(s.SVG(), "shown at 2× the speed") {
		t.Errorf("twice as fast, the last screen comes at %s", last)
	}
}

// What a server may have put into the output stays text: no markup, no control character, nothing that turns a line around.
func TestHostileOutput(t *testing.T) {
	s := played(12, []output{{0, []byte("\x1b]0;a title\x07\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x1bPq#0;2\x1b\\ \x1b[99999;99999Hx\x1b[31\x00;1mred\x1b[m\r\n" +
		"\u202egnp.exe\u2066 \u200b\ufffe \x9b31m \xff\xfe \x1b[9999999999999999999999m\x1b[38;5;999mq\r\n" +
		"</text><script>alert(1)</script>")}})
	svg := s.SVG()
	for _, bad := range []string{"<script", "evil.example", "a title", "\x1b", "\x07", "\x00", "\u202e", "\u2066", "\u200b", "\ufffe", "\u009b"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q is in the picture:\n%s", bad, svg)
		}
	}
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, svg)
		}
	}
	if !strings.Contains(svg, "&lt;script&gt;") {
		t.Errorf("the text is gone:\n%s", svg)
	}
}

func TestRealCapture(t *testing.T) {
	outputs, err := capture(exec.CommandContext(t.Context(), "sh", "-c", "test -t 1 && stty size && printf one"), 33, 7)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Columns: 33, Rows: 7, Speed: 1}
	s.play("x", outputs)
	last := s.Frames[len(s.Frames)-1].Rows
	if len(last[1]) != 1 || last[1][0].Text != "7 33" || len(last[2]) != 1 || last[2][0].Text != "one" {
		t.Errorf("%+v", last)
	}
	if _, err := capture(exec.CommandContext(t.Context(), "sh", "-c", "echo it broke; exit 3"), 33, 7); err == nil || !strings.Contains(err.Error(), "it broke") {
		t.Errorf("a command that fails gives %v", err)
	}
}
