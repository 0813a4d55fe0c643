package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/site"
)

type serveReportOptions struct {
	listen, once string
	by           []string
	open         bool
	dir          string
}

func serveReport(ctx context.Context, s streams, args []string) error {
	set := argv.New("inferometer serve-report",
		"Show a folder of many runs in a browser: all series, each metric over time and over commits with its changes, each run, and two runs against each other. "+
			"It reads plain files: run folders, and results of any tool that compare reads. New runs are there when a page is loaded again.")
	set.Example("All runs that bench serve has kept", "inferometer serve-report ~/.local/state/inferometer/runs")
	set.Example("Runs of several machines are series of their own", "inferometer serve-report results --series-by gpu,label")
	set.Example("The pages as files, for CI to keep", "inferometer serve-report results --once public")
	set.Operands("DIR", 1, 1)
	var o serveReportOptions
	set.String(&o.listen, "listen", "127.0.0.1:0", "Address to listen on; port 0 takes a free one. There is no login.", argv.Metavar("HOST:PORT"))
	set.String(&o.once, "once", "", "Write the pages into this folder and end, in place of serving them.", argv.Metavar("OUTDIR"))
	set.CSV(&o.by, "series-by", nil, "What else tells series apart: label, or keys of --metadata.", argv.Shown("nothing else"))
	set.Bool(&o.open, "open", "Open the browser.")
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if o.once != "" && (o.open || set.Seen("listen")) {
		return argv.Errorf("once", "writes files and serves nothing: --listen and --open have no place beside it")
	}
	var err error
	if o.dir, err = filepath.Abs(set.Args()[0]); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.dir)
	if err != nil {
		return fmt.Errorf("%w; give a folder with runs or results", err)
	}
	defer root.Close()
	pages := o.site(root.FS())
	if o.once != "" {
		return o.write(ctx, s, pages)
	}
	return o.serve(ctx, s, pages)
}

func (o *serveReportOptions) site(files fs.FS) *site.Site {
	return site.New(files, site.Options{
		Name: filepath.Base(o.dir), By: o.by, Version: strings.TrimSpace(fullVersion()), Static: o.once != "", Measure: o.measure, Report: o.report,
	})
}

// measure is the result of a run that has only a journal.
func (o *serveReportOptions) measure(folder string) (_ []byte, err error) {
	defer oneRun(&err)
	folder = filepath.Join(o.dir, filepath.FromSlash(folder))
	r, err := judged.Read(folder, measure.Options{})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.JSON(&b, r.Result, report.Options{RunDir: folder, Verdict: r.Verdict})
	return b.Bytes(), err
}

// report is the page that report writes of one run.
func (o *serveReportOptions) report(w io.Writer, folder string, way []page.Link) (err error) {
	defer oneRun(&err)
	runs, err := (&reportOptions{format: "html"}).readRuns([]string{filepath.Join(o.dir, filepath.FromSlash(folder))})
	if err != nil {
		return err
	}
	return page.Write(w, runs, page.Options{Version: strings.TrimSpace(fullVersion()), Way: way})
}

// oneRun keeps a fault of ours in the run that shows it: the pages of all others must
// not go with it.
func oneRun(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("this run can't be measured, by a fault of ours (%v): please report it with its journal", fault)
	}
}

// write writes the pages as files.
func (o *serveReportOptions) write(ctx context.Context, s streams, pages *site.Site) error {
	out, err := filepath.Abs(o.once)
	if err != nil {
		return err
	}
	if within, err := filepath.Rel(o.dir, out); err == nil && filepath.IsLocal(within) {
		return argv.Errorf("once", "%s lies in the folder that is read: its copies of results would be taken for runs", o.once)
	}
	files := 0
	err = pages.Write(ctx, time.Now(), func(path string, data []byte) error {
		files++
		path = filepath.Join(out, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("write the pages: %w", err)
	}
	fmt.Fprintf(s.err, "inferometer serve-report: %d files, begin with %s\n", files, filepath.Join(o.once, "index.html"))
	return nil
}

const (
	headerTime = 10 * time.Second
	sendTime   = 10 * time.Minute // a large journal over a slow line
	stopTime   = time.Second
)

// serve answers until it is interrupted.
func (o *serveReportOptions) serve(ctx context.Context, s streams, pages *site.Site) error {
	ctx, stop := signal.NotifyContext(ctx, stopSignals()...)
	defer stop()
	runs, series, err := pages.Count(time.Now())
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", o.listen, err)
	}
	addr, err := netip.ParseAddrPort(l.Addr().String())
	local := err == nil && addr.Addr().IsLoopback()
	if !local {
		fmt.Fprintf(s.err, "inferometer serve-report: WARNING: %s can be reached from other machines, and there is no login: everyone there can read all of %s\n", l.Addr(), o.dir)
	}
	url := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(s.err, "inferometer serve-report: %d runs in %d series, at %s\n", runs, series, url)
	server := &http.Server{Handler: pages.Handler(local), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: sendTime, MaxHeaderBytes: 1 << 14}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	if o.open {
		if err := openBrowser(ctx, url); err != nil {
			fmt.Fprintf(s.err, "inferometer serve-report: note: the browser can't be opened: %v\n", err)
		}
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := server.Shutdown(wait); err != nil {
		_ = server.Close() // who still reads has had its time
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openBrowser opens a page as the desktop does it.
func openBrowser(ctx context.Context, url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	browser := exec.CommandContext(ctx, path, url)
	if err := browser.Start(); err != nil {
		return err
	}
	go func() { _ = browser.Wait() }() // it may stay as long as we do
	return nil
}
