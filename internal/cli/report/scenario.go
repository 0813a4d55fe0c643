package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/table"
)

// mostTable bounds the table of a scenario, which may be somebody else's.
const mostTable = 4 << 20

// scenarioTable shows the table that inferometer run has left. Without one each point is shown.
func scenarioTable(s command.Streams, set *judged.Set) (shown bool, err error) {
	path := filepath.Join(set.Folder, kept.TableName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		fmt.Fprintf(s.Err, "inferometer report: %s has no table yet: its run goes on or was killed; these are its points\n", set.Path)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostTable))
	if err != nil {
		return false, err
	}
	table := table.Screen(outside.Text(string(text), mostTable), command.Bold(s.Out))
	if _, err := io.WriteString(s.Out, strings.TrimRight(table, "\n")+"\n"); err != nil {
		return false, err
	}
	if n := newer(set, info.ModTime()); n > 0 {
		fmt.Fprintf(s.Err, "inferometer report: results that are newer than this table: %d; --format markdown has all of them, and so has inferometer run when it ends\n", n)
	}
	fmt.Fprintf(s.Err, "each point: inferometer report %s/POINT, as in %s; all of them with --format markdown, csv or html\n", strings.TrimRight(set.Path, "/"), set.Runs[0].Name)
	return true, nil
}

// newer is how many results were written after the table.
func newer(set *judged.Set, table time.Time) (n int) {
	for _, r := range set.Runs {
		if info, err := os.Stat(filepath.Join(r.Path, journal.ResultName)); err == nil && info.ModTime().After(table) {
			n++
		}
	}
	return n
}
