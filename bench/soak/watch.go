package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// samplesName has what was seen of the process from outside, a JSON object a line.
const samplesName = "samples.jsonl"

// An outsideSample is what the system tells of the process.
type outsideSample struct {
	UnixNs  int64 `json:"unix_ns"`
	RSS     int64 `json:"rss_bytes"`
	Files   int   `json:"files"`
	Threads int   `json:"threads"`
	Journal int64 `json:"journal_bytes"` // on disk, compressed
	Metrics int64 `json:"metrics_bytes"` // the servers' metrics beside it, likewise
}

// watch writes a sample again and again until the process has ended.
func (s *soak) watch(ctx context.Context, pid int) error {
	f, err := os.Create(filepath.Join(s.folder, samplesName))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := json.NewEncoder(f)
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		o, err := s.look(pid)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is at its very beginning or end
		}
		if err != nil {
			return err
		}
		if err := lines.Encode(o); err != nil {
			return err
		}
	}
}

func (s *soak) look(pid int) (outsideSample, error) {
	o := outsideSample{UnixNs: time.Now().UnixNano()}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	status, err := os.Open(filepath.Join(proc, "status"))
	if err != nil {
		return o, err
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		number, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			o.RSS = number << 10
		case "Threads":
			o.Threads = int(number)
		}
	}
	files, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return o, err
	}
	o.Files = len(files)
	if o.RSS == 0 {
		return o, fmt.Errorf("the system does not tell the memory of process %d: %w", pid, fs.ErrNotExist) // it has just ended
	}
	if i, err := os.Stat(filepath.Join(s.folder, "run", journal.FileName)); err == nil {
		o.Journal = i.Size()
	}
	if i, err := os.Stat(filepath.Join(s.folder, "run", "metrics.jsonl.zst")); err == nil {
		o.Metrics = i.Size()
	}
	return o, nil
}
