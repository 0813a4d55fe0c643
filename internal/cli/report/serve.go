// Package report has the commands that show runs again: report and serve-report.
package report

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/show/site"
)

// Serve is the command serve-report.
func Serve(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer serve-report",
		"Show a folder of many runs in a browser: all series, each metric over time and over commits with its changes, each run, and two runs against each other. "+
			"It reads plain files: run folders, and results of any tool that compare reads. Reload a page to see new runs.")
	set.Example("All runs that bench serve has kept", "inferometer serve-report ~/.local/state/inferometer/runs")
	set.Example("A separate series for each kind of machine", "inferometer serve-report results --series-by gpu,label")
	set.Example("The pages as files, for CI to keep", "inferometer serve-report results -o public")
	set.Operands("DIR", 1, 1)
	set.CompleteOperands(argv.Folder)
	var listen, once string
	var by []string
	var open bool
	set.String(&listen, "listen", "127.0.0.1:0", "Address to listen on; port 0 takes a free one. There is no login.", argv.Metavar("HOST:PORT"))
	set.String(&once, "output", "", "Write the pages into this folder and exit instead of serving them.", argv.Output(), argv.Metavar("DIR"))
	set.CSV(&by, "series-by", nil, "What else separates series: label, or keys of --metadata.", argv.Shown("nothing else"))
	set.Bool(&open, "open", "Open the browser.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if once != "" && (open || set.Seen("listen")) {
		return argv.Errorf("output", "writes files and serves nothing: --listen and --open have no place beside it")
	}
	dir, err := filepath.Abs(set.Args()[0])
	if err != nil {
		return err
	}
	pages, folder, err := site.Open(dir, site.Options{By: by, Version: command.Version(), Static: once != ""})
	if err != nil {
		return fmt.Errorf("%w; give a folder with runs or results", err)
	}
	defer folder.Close()
	if once != "" {
		return writePages(ctx, s, pages, dir, once)
	}
	return servePages(ctx, s, pages, dir, listen, open)
}

// writePages writes the pages as files.
func writePages(ctx context.Context, s command.Streams, pages *site.Site, dir, once string) error {
	out, err := filepath.Abs(once)
	if err != nil {
		return err
	}
	if within, err := filepath.Rel(dir, out); err == nil && filepath.IsLocal(within) {
		return argv.Errorf("output", "%s lies in the folder that is read: its copies of results would be taken for runs", once)
	}
	files, err := pages.WriteFolder(ctx, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "inferometer serve-report: %d files, begin with %s\n", files, filepath.Join(once, "index.html"))
	return nil
}

// servePages answers until it is interrupted.
func servePages(ctx context.Context, s command.Streams, pages *site.Site, dir, listen string, open bool) error {
	ctx, stop := signal.NotifyContext(ctx, command.StopSignals()...)
	defer stop()
	runs, series, err := pages.Count(time.Now())
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", listen, err)
	}
	if open := command.Reachable(l.Addr(), "read all of "+dir, "listen"); open != "" {
		fmt.Fprintf(s.Err, "inferometer serve-report: %s\n", open)
	}
	url := "http://" + l.Addr().String() + "/"
	soFar := ""
	if pages.Unread() > 0 {
		soFar = " so far"
	}
	fmt.Fprintf(s.Err, "inferometer serve-report: %d runs in %d series%s, at %s\n", runs, series, soFar, url)
	if open {
		if err := openBrowser(ctx, url); err != nil {
			fmt.Fprintf(s.Err, "inferometer serve-report: note: the browser can't be opened: %v\n", err)
		}
	}
	return pages.Serve(ctx, l)
}

// openBrowser opens a page as the desktop does it.
func openBrowser(ctx context.Context, url string) error {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32.exe", []string{"url.dll,FileProtocolHandler", url}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	browser := exec.CommandContext(ctx, path, args...)
	if err := browser.Start(); err != nil {
		return err
	}
	go func() { _ = browser.Wait() }() // it may stay as long as we do
	return nil
}
