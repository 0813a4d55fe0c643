package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/page"
)

// Open makes the site of a folder of this machine; its runs are measured here.
func Open(dir string, opt Options) (*Site, io.Closer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	opt.Name = filepath.Base(dir)
	opt.Measure = func(folder string) (result.Result, error) {
		return measureRun(filepath.Join(dir, filepath.FromSlash(folder)))
	}
	opt.Report = func(w io.Writer, folder string, way []page.Link) error {
		return reportRun(w, filepath.Join(dir, filepath.FromSlash(folder)), page.Options{Version: opt.Version, Way: way})
	}
	return New(root.FS(), opt), root, nil
}

// measureRun is the result of a run that has only a journal.
func measureRun(folder string) (_ result.Result, err error) {
	defer contain(&err)
	return judged.Result(folder)
}

// reportRun writes the page that report writes of one run.
func reportRun(w io.Writer, folder string, opt page.Options) (err error) {
	defer contain(&err)
	runs, err := export.ReadRuns([]string{folder}, measure.Options{}, true)
	if err != nil {
		return err
	}
	return page.Write(w, runs, opt)
}

// contain keeps a fault of ours in the run that shows it: the pages of all others must
// not go with it.
func contain(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("this run can't be measured, by a fault of ours (%v): please report it with its journal", fault)
	}
}

// WriteFolder writes the pages as files, and returns how many there are.
func (s *Site) WriteFolder(ctx context.Context, out string) (files int, err error) {
	err = s.Write(ctx, time.Now(), func(path string, data []byte) error {
		files++
		path = filepath.Join(out, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return atomicfile.WriteBytes(path, data)
	})
	if err != nil {
		return files, fmt.Errorf("write the pages: %w", err)
	}
	return files, nil
}

const (
	headerTime = 10 * time.Second
	sendTime   = 10 * time.Minute // a large journal over a slow line
	stopTime   = time.Second
)

// isLoopback reports whether only this machine can reach a listener.
func isLoopback(l net.Listener) bool {
	addr, err := netip.ParseAddrPort(l.Addr().String())
	return err == nil && addr.Addr().IsLoopback()
}

// Serve answers until the context ends.
func (s *Site) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(isLoopback(l)), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: sendTime, MaxHeaderBytes: 1 << 14,
	}
	reading, enough := context.WithCancel(ctx)
	var rest sync.WaitGroup
	rest.Go(func() { s.readOn(reading) })
	defer rest.Wait() // it uses the folder, which is closed after this
	defer enough()
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
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
