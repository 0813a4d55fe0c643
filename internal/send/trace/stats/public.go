package stats

import "io"

// Counter counts whole numbers, for whoever shows them as the numbers of a trace are shown.
type Counter struct{ seen lengths }

// NewCounter is one that has seen nothing.
func NewCounter() *Counter { return &Counter{lengths{}} }

// Add counts a number.
func (c *Counter) Add(v int) { c.seen.add(v) }

// Lengths is the distribution of what was counted.
func (c *Counter) Lengths() Lengths { return c.seen.summary() }

// WriteLine prints a distribution as one line of a table: mean, deviation, least, three
// percentiles, most.
func (l *Lengths) WriteLine(w io.Writer, name string) { writeLengths(w, name, l) }

// Draw draws a bar per bucket, within a width.
func (l *Lengths) Draw(w io.Writer, title string, width int) { histogram(w, title, l.Buckets, width) }

// Thousands has a comma at each thousand.
func Thousands(n int) string { return thousands(n) }

// Count is a number of things, with a comma at each thousand.
func Count(n int, thing string) string { return count(n, thing) }

// Clock is a number of seconds in the largest units that it needs.
func Clock(seconds float64) string { return clock(seconds) }
