// Command history measures how long serve-report needs to show a folder of 10,000 runs: the first time, a second
// time, and when one run has been added; with what a folder collects beside runs: junk, links, what can't be read.
//
//	make bench-history
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	binary := harness.Binary()
	runs := flag.Int("runs", 10_000, "runs in the folder")
	limit := flag.Duration("max", 2*time.Second, "longest time to the first page, cold or warm")
	keep := flag.String("folder", "", "make the runs here and keep them; a folder that is there already is used as it is")
	harness.Main("bench-history", func() error { return measure(*binary, *keep, *runs, *limit) })
}

func measure(binary, folder string, runs int, limit time.Duration) error {
	state, err := os.MkdirTemp("", "bench-history")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	if folder == "" {
		folder = filepath.Join(state, "runs")
	}
	if _, err := os.Stat(folder); err != nil {
		if err := makeRuns(binary, folder, runs); err != nil {
			return err
		}
	}
	fmt.Printf("%d runs, %d files of junk, %d links\n%-28s %12s %12s %12s %10s\n", runs, junk, links, "", "listening, s", "page, s", "all shown, s", "peak, MB")
	worst := time.Duration(0)
	for _, name := range []string{"first start", "second start", "with one run more"} {
		if name == "with one run more" {
			if err := writeRun(folder, filepath.Join(folder, "run-00000"), "one-more", runs+1); err != nil {
				return err
			}
		}
		o, err := open(binary, folder, state, name)
		if err != nil {
			return err
		}
		fmt.Printf("%-28s %12.2f %12.2f %12.2f %10.0f\n", name, o.listening.Seconds(), o.page.Seconds(), o.whole.Seconds(), o.peak)
		worst = max(worst, o.page)
	}
	_ = os.RemoveAll(filepath.Join(folder, "one-more"))
	if worst > limit {
		return fmt.Errorf("FAIL: the first page took %v, and may take %v", worst.Round(10*time.Millisecond), limit)
	}
	return nil
}

// An opening is one start of serve-report, up to its first page and to the page that shows all.
type opening struct {
	listening, page, whole time.Duration
	peak                   float64 // MB
}

func open(binary, folder, state, name string) (o opening, err error) {
	begin := time.Now()
	cmd := exec.Command(binary, "serve-report", folder)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+state, "XDG_STATE_HOME="+state)
	said, err := cmd.StderrPipe()
	if err != nil {
		return o, err
	}
	if err := cmd.Start(); err != nil {
		return o, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			o.peak = float64(usage.Maxrss) / 1024
		}
	}()
	url := ""
	for lines := bufio.NewScanner(said); url == "" && lines.Scan(); {
		if _, after, ok := strings.Cut(lines.Text(), " at http"); ok {
			url = "http" + strings.TrimSpace(after)
		}
	}
	if url == "" {
		return o, fmt.Errorf("%s: serve-report did not start", name)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	o.listening = time.Since(begin)
	for {
		text, err := get(url)
		if err != nil {
			return o, err
		}
		if o.page == 0 {
			o.page = time.Since(begin)
		}
		if !strings.Contains(text, "still being read") {
			break
		}
		time.Sleep(time.Second) // as the page loads itself again: more would take its time from the reading
	}
	o.whole = time.Since(begin)
	return o, nil
}

func get(url string) (string, error) {
	r, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d: %s", r.StatusCode, b)
	}
	return string(b), err
}
