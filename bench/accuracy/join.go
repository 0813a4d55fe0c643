package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// truth is what the simulator wrote down of one request.
type truth struct {
	ID     string  `json:"id"`
	Events []int64 `json:"events"` // unix ns, just before each was handed to the kernel
}

// spread is a distribution of errors: ours minus the server's.
type spread struct {
	n                     int
	min, median, p99, max time.Duration
}

func spreadOf(values []int64) spread {
	if len(values) == 0 {
		return spread{}
	}
	slices.Sort(values)
	at := func(share float64) time.Duration { return time.Duration(values[int(share*float64(len(values)-1))]) }
	return spread{len(values), at(0), at(0.5), at(0.99), at(1)}
}

// result is one round.
type result struct {
	requests            int
	stamps              string
	kernel, alone, user spread
	shared              int
	streams             int
	rssBytes            int64
}

func (r result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests, %d events (%d share a read with the one before), stamps: %s\n", r.requests, r.user.n, r.shared, r.stamps)
	fmt.Fprintf(&b, "error of an event's time, ours minus the server's   min        median     p99        max\n")
	for _, row := range []struct {
		name string
		spread
	}{{"by kernel stamps", r.kernel}, {"… of events that share no read with a later one", r.alone}, {"by user time", r.user}} {
		fmt.Fprintf(&b, "%-51s%-11s%-11s%-11s%s\n", row.name, us(row.min), us(row.median), us(row.p99), us(row.max))
	}
	if r.rssBytes > 0 && r.streams > 0 {
		fmt.Fprintf(&b, "client memory: %.0f MB, %.1f KB a stream\n", float64(r.rssBytes)/1e6, float64(r.rssBytes)/1e3/float64(r.streams))
	}
	return b.String()
}

func us(d time.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/1e6) }

// join compares a journal with the truth, event by event.
func join(journalPath, truthPath string) (result, error) {
	known, err := readTruth(truthPath)
	if err != nil {
		return result{}, err
	}
	j, err := journal.Open(journalPath)
	if err != nil {
		return result{}, err
	}
	defer j.Close()
	res := result{stamps: j.Run().Clock}
	var kernel, alone, user []int64
	for {
		q, err := j.Next()
		if errors.Is(err, io.EOF) {
			if end := j.End(); end != nil {
				res.streams, res.rssBytes = end.PeakInFlight, end.Client.MaxRSSBytes
			}
			break
		}
		if err != nil {
			return result{}, err
		}
		t, ok := known[q.ID]
		if !ok {
			return result{}, fmt.Errorf("request %s is not in the truth", q.ID)
		}
		if len(t) != len(q.Events.At) {
			return result{}, fmt.Errorf("request %s (%s): we saw %d events, the server sent %d", q.ID, q.Outcome, len(q.Events.At), len(t))
		}
		res.requests++
		res.shared += q.SharedReads
		at := j.Run().StartUnixNs + q.Sent
		for i, gap := range q.Events.At {
			at += gap
			lag := int64(0)
			if q.Events.Lag != nil {
				lag = q.Events.Lag[i]
			}
			kernel = append(kernel, at-t[i])
			if i+1 == len(t) || q.Events.At[i+1] != 0 { // one read has one stamp: that of its last bytes
				alone = append(alone, at-t[i])
			}
			user = append(user, at+lag-t[i])
		}
	}
	res.kernel, res.alone, res.user = spreadOf(kernel), spreadOf(alone), spreadOf(user)
	return res, nil
}

func readTruth(path string) (map[string][]int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known := map[string][]int64{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var t truth
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		known[t.ID] = t.Events
	}
	return known, lines.Err()
}
