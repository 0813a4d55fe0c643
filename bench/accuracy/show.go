package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
)

// show is one round for people.
func show(r *selftest.Errors) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests, %d events (%d share a read with the one before), stamps: %s\n", r.Requests, r.Events, r.Shared, r.Stamps)
	fmt.Fprintf(&b, "error of an event's time, ours minus the server's   min        median     p99        max\n")
	for _, row := range []struct {
		name string
		selftest.Spread
	}{{"by kernel stamps", r.At}, {"… of events that share no read with a later one", r.Alone}, {"by user time", r.User}} {
		fmt.Fprintf(&b, "%-51s%-11s%-11s%-11s%s\n", row.name, ms(row.Min), ms(row.Median), ms(row.P99), ms(row.Max))
	}
	if r.RSSBytes > 0 && r.PeakStreams > 0 {
		fmt.Fprintf(&b, "client memory: %.0f MB, %.1f KB a stream\n", float64(r.RSSBytes)/1e6, float64(r.RSSBytes)/1e3/float64(r.PeakStreams))
	}
	return b.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/1e6) }
