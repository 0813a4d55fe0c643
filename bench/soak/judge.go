package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// A point is one look at the process, from outside and by its own samples.
type point struct {
	Seconds           float64 // since the load began
	RSS, Live         float64 // bytes
	Files, Goroutines float64
	Ended, InFlight   float64 // requests
	Journal           float64 // bytes on disk
	JournalPerEach    float64 // its bytes since the look before, of each request that ended since
}

// A bound says how fast a series may grow.
type bound struct {
	name, unit string
	scale      float64 // of what is shown
	value      func(*point) float64
	// share is the growth an hour that is no leak, of the series' mean: what a sampled process does by itself.
	share float64
	// least is how many seconds must be judged: a heap comes to its size in minutes.
	least float64
}

// bounds are those of the issue: flat, within what chance does. Memory of 2 % an hour would be 50 % in a day.
var bounds = []bound{
	{"resident memory", "MB", 1e-6, func(p *point) float64 { return p.RSS }, 0.02, 600},
	{"live heap", "MB", 1e-6, func(p *point) float64 { return p.Live }, 0.02, 600},
	{"descriptors", "", 1, func(p *point) float64 { return p.Files }, 0.02, 0},
	{"goroutines", "", 1, func(p *point) float64 { return p.Goroutines }, 0.02, 0},
	{"journal bytes a request", "B", 1, func(p *point) float64 { return p.JournalPerEach }, 0.02, 0},
}

// warmup is the share of the run that is not judged: buffers and connections come to their size in it.
const warmup = 0.25

func judgeFolder(folder string) error {
	points, err := join(folder)
	if err != nil {
		return err
	}
	text, ok := verdict(points)
	fmt.Print(text)
	if !ok {
		return errors.New("not all is flat: something grows, or too little could be judged (memory needs 15 minutes)")
	}
	return nil
}

// join reads what was seen from outside, and adds what the process said of itself at that time.
func join(folder string) ([]point, error) {
	begin, samples, err := readJournal(filepath.Join(folder, "run", journal.FileName))
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(folder, samplesName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var points []point
	next := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var o outsideSample
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("read %s: %w", samplesName, err)
		}
		for next+1 < len(samples) && begin+samples[next+1].At <= o.UnixNs {
			next++
		}
		if next >= len(samples) || o.UnixNs > begin+samples[len(samples)-1].At {
			break // the report has begun
		}
		s := &samples[next]
		p := point{
			Seconds: time.Duration(o.UnixNs - begin).Seconds(), RSS: float64(o.RSS), Live: float64(s.LiveBytes), Files: float64(o.Files), Goroutines: float64(s.Goroutines),
			Ended: float64(s.Ended), InFlight: float64(s.InFlight), Journal: float64(o.Journal),
		}
		points = append(points, p)
	}
	if len(points) > 0 && points[len(points)-1].Goroutines == 0 {
		return nil, errors.New("the journal's samples tell no goroutines: it was written by another version")
	}
	return points, nil
}

func readJournal(path string) (begin int64, samples []journal.Sample, err error) {
	j, err := journal.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer j.Close()
	for {
		if _, err := j.Next(); err != nil {
			break // the end, or where it was cut off
		}
	}
	if err := j.Damage(); err != nil {
		return 0, nil, err
	}
	return j.Run().StartUnixNs, j.Samples(), nil
}
