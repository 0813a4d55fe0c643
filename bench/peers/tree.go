package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// tree watches all processes of a session: a client and whatever it starts.
type tree struct {
	session int
	cpu     map[int]float64 // seconds of each process, as last seen
	peak    float64         // bytes of all at once
	stop    chan struct{}
	done    chan struct{}
}

// watchEvery is often enough for a peak that lasts, and costs a few per mille of a processor.
const watchEvery = 250 * time.Millisecond

func watch(session int) *tree {
	t := &tree{session: session, cpu: map[int]float64{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			t.look()
			select {
			case <-tick.C:
			case <-t.stop:
				return
			}
		}
	}()
	return t
}

// end gives the CPU time of processes that the system did not add to the client's own, and the peak.
func (t *tree) end() (cpuSeconds, peakMB float64) {
	close(t.stop)
	<-t.done
	for _, s := range t.cpu {
		cpuSeconds += s
	}
	return cpuSeconds, t.peak / 1e6
}

// ticks are those of /proc's times in a second, on every Linux that Go runs on.
const ticks = 100

// look adds up what is there. Pages that processes share are counted once, by the process that shares most.
func (t *tree) look() {
	private, shared := 0.0, 0.0
	this := machine.This()
	for _, path := range this.Glob("proc/[0-9]*/stat") {
		b, err := this.Read(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, ok := bytes.Cut(b[bytes.IndexByte(b, '(')+1:], []byte(") "))
		fields := strings.Fields(string(rest))
		if !ok || len(fields) < 13 || fields[3] != strconv.Itoa(t.session) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		t.cpu[pid] = (user + system) / ticks
		var size, resident, files float64
		if b, err := this.Read(filepath.Join(filepath.Dir(path), "statm")); err == nil {
			if f := strings.Fields(string(b)); len(f) > 2 {
				size, _ = strconv.ParseFloat(f[0], 64)
				resident, _ = strconv.ParseFloat(f[1], 64)
				files, _ = strconv.ParseFloat(f[2], 64)
			}
		}
		if size > 0 {
			private += resident - files
			shared = max(shared, files)
		}
	}
	t.peak = max(t.peak, (private+shared)*float64(os.Getpagesize()))
}
