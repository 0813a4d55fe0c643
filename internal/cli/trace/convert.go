package trace

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/stats"
	"github.com/inferometer/inferometer/internal/send/trace/treefile"
	"github.com/inferometer/inferometer/internal/usage"
)

// Convert is the command trace convert.
func Convert(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer trace convert",
		"Write recorded jobs in one form, whatever tool recorded them: JSON lines, each one tree of turns with the turns that they wait for. "+
			"A person can read and edit it, and bench serve --dataset-name trace replays it as it would the original. "+
			"Several files of one format are taken as one trace; a folder is all of its files. They may be gzip-compressed.")
	set.Example("A folder of Weka traces as one file", "inferometer trace convert traces/ -o jobs.jsonl.gz")
	set.Example("Spans of OpenTelemetry", "inferometer trace convert spans.json -o jobs.jsonl")
	set.Operands("FILE…", 1, math.MaxInt)
	set.CompleteOperands(argv.File)
	var from source
	var out string
	set.String(&out, "output", "", "The file to write; one that ends in .gz is compressed. An existing file is refused.", argv.Output(), argv.Metavar("FILE"), argv.Shown("none: it must be given"))
	from.flags(set)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if out == "" {
		return &usage.Error{Text: "-o must name the file to write"}
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: choose another name, or delete it", out)
	}
	t, err := trace.Open(from.format, set.Args()...)
	if err != nil {
		return err
	}
	trees, err := t.Trees(trace.TreeOptions{Split: from.split == nil || *from.split})
	if errors.Is(err, trace.ErrNoSessions) {
		return fmt.Errorf("%w: there are no jobs to write", err)
	}
	if err != nil {
		return err
	}
	defer trees.Close()
	written, turns := 0, 0
	err = atomicfile.Write(out, func(w io.Writer) error {
		written, turns, err = convert(ctx, w, trees, strings.HasSuffix(out, ".gz"))
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s: %s, %s\n", out, stats.Count(written, "tree"), stats.Count(turns, "turn"))
	if left := trees.Len() - written; left > 0 && err == nil {
		_, err = fmt.Fprintf(s.Out, "left out: %s without a request that can be sent\n", stats.Count(left, "tree"))
	}
	return err
}

// convert writes all trees.
func convert(ctx context.Context, w io.Writer, trees trace.Trees, packed bool) (written, turns int, err error) {
	to := io.Writer(w)
	var gz *gzip.Writer
	if packed {
		gz = gzip.NewWriter(w)
		to = gz
	}
	lines := bufio.NewWriter(to)
	for i := range trees.Len() {
		if err := ctx.Err(); err != nil {
			return written, turns, err
		}
		t, err := trees.Tree(i)
		if errors.Is(err, trace.ErrNoRequest) {
			continue
		}
		if err != nil {
			return written, turns, err
		}
		written++
		turns += len(t.Turns)
		if err := treefile.Write(lines, t); err != nil {
			return written, turns, err
		}
	}
	if err := lines.Flush(); err != nil || gz == nil {
		return written, turns, err
	}
	return written, turns, gz.Close()
}
