// Recording runs a command on a terminal and draws what it showed as one SVG that moves.
// The picture needs no script and no font, so a code host shows it in a page; scripts/recording.sh makes README's.
//
//	go run ./site/recording -o run.svg -- inferometer http://127.0.0.1:8000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

func main() {
	s := Session{Columns: 80, Rows: 24, Speed: 1}
	out := flag.String("o", "", "the picture to write")
	flag.IntVar(&s.Columns, "columns", s.Columns, "of the terminal")
	flag.IntVar(&s.Rows, "rows", s.Rows, "of the terminal")
	flag.StringVar(&s.Title, "title", "", "what stands above the terminal")
	flag.IntVar(&s.Speed, "speed", s.Speed, "how many times faster than it was; the title says so")
	typed := flag.String("typed", "", "the command as the picture shows it; the command itself if empty")
	limit := flag.Duration("limit", 2*time.Minute, "the longest that the command may take")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 || s.Speed < 1 {
		fmt.Fprintln(os.Stderr, "recording: give the picture with -o, and the command after --; a speed is 1 or more")
		os.Exit(2)
	}
	if *typed == "" {
		*typed = strings.Join(flag.Args(), " ")
	}
	if err := record(&s, *typed, *out, *limit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func record(s *Session, typed, out string, limit time.Duration, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outputs, err := capture(exec.CommandContext(ctx, args[0], args[1:]...), s.Columns, s.Rows)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], errors.Join(err, ctx.Err()))
	}
	s.play(typed, outputs)
	return os.WriteFile(out, []byte(s.SVG()), 0o644)
}
