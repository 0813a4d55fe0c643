// Package replay makes requests of a trace: which of its rows are sent and when, what
// their prompts hold, and how much of them earlier ones had.
package replay

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace"
)

// Options choose rows and say when they are sent.
type Options struct {
	Speed    float64       // so many times as fast as it was
	From, To time.Duration // the slice of the trace; no To: to its end
	Loop     int           // passes
	MaxInput int           // longest prompt; 0: no limit
	Long     string        // what happens to longer ones: Refuse, Clip or Skip
	Output   bool          // the run says how long answers are, not the trace
}

// What happens to prompts above Options.MaxInput.
const (
	Refuse = "refuse"
	Clip   = "clip"
	Skip   = "skip"
)

// Rows are the rows of a trace that are sent, from the start of the run, in the
// order of their times. The file is read twice: once to look at all of it, and once to
// send it. Only rows that are not in order are held in memory.
type Rows struct {
	Count   int           // of one pass
	Span    time.Duration // from the trace's first request to its last
	First   trace.Row
	Longest int // prompt
	// What is not sent as it is in the trace.
	Failed, Empty, NoInput, NoOutput, Clipped, Skipped, Images, Unsorted int
	Estimated                                                            int // sent with a length that is a count of events

	trace *trace.Trace
	own   Options
	zero  time.Duration // the trace's first request

	reader *trace.Reader
	held   []trace.Row // sorted; nil: the file is in order
	at     int
	pass   int
}

// mostHeld bounds the block ids of rows that are not in order: some 500 MB.
const mostHeld = 1 << 26

// NewRows looks at all of a trace.
func NewRows(t *trace.Trace, own Options) (*Rows, error) {
	r := &Rows{trace: t, own: own}
	if err := r.look(); err != nil {
		return nil, err
	}
	if err := r.choose(); err != nil {
		return nil, err
	}
	if r.Count == 0 {
		return nil, fmt.Errorf("no row is left of %s: of its %v, %s", t.Files[0], r.Span, r.without())
	}
	return r, nil
}

// without says why no row is left.
func (r *Rows) without() string {
	text := fmt.Sprintf("--trace-from and --trace-to leave %d that failed, %d without a prompt or an answer, %d of unknown length, and %d that are too long", r.Failed, r.Empty, r.NoInput+r.NoOutput, r.Skipped)
	if r.NoInput+r.NoOutput > 0 {
		text += "; " + r.Mend()
	}
	return text
}

// Mend is what to do about lengths that are not known.
func (r *Rows) Mend() string {
	if r.NoInput == 0 {
		return "--output-len gives answers a length"
	}
	return "record with --tokenizer, or have clients ask for usage (stream_options.include_usage)"
}

// each reads all rows.
func (r *Rows) each(do func(*trace.Row) error) error {
	from := r.trace.Rows()
	defer from.Close()
	var row trace.Row
	for {
		err := from.Next(&row)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(&row)
		}
		if err != nil {
			return err
		}
	}
}

// look finds where the trace begins and ends, and whether it is in order.
func (r *Rows) look() error {
	low, high, last := time.Duration(math.MaxInt64), time.Duration(math.MinInt64), time.Duration(math.MinInt64)
	err := r.each(func(row *trace.Row) error {
		low, high = min(low, row.At), max(high, row.At)
		if row.At < last {
			r.Unsorted++
		}
		last = row.At
		return nil
	})
	if high >= low {
		r.zero, r.Span = low, high-low
	}
	return err
}

// choose counts the rows that are sent, and holds them where they must be sorted.
func (r *Rows) choose() error {
	ids := 0
	err := r.each(func(row *trace.Row) error {
		sent, err := r.fit(row, true)
		if err != nil || !sent {
			return err
		}
		if r.Count == 0 {
			r.First = *row
		}
		r.Count++
		r.Longest = max(r.Longest, row.Input)
		if r.Unsorted == 0 {
			return nil
		}
		if ids += len(row.IDs) + 16; ids > mostHeld {
			return fmt.Errorf("%d rows of the trace are earlier than the one before, and it is too long to be sorted here: sort it by time", r.Unsorted)
		}
		held := *row
		held.IDs = slices.Clone(row.IDs)
		r.held = append(r.held, held)
		return nil
	})
	slices.SortStableFunc(r.held, func(a, b trace.Row) int { return int(min(max(a.At-b.At, -1), 1)) })
	return err
}

// fit makes a row one of the run: its time is from the start of the slice. False: it is
// not sent. With count it is entered into what the notes tell.
func (r *Rows) fit(row *trace.Row, count bool) (sent bool, err error) {
	tell := func(n *int, by int) {
		if count {
			*n += by
		}
	}
	row.At -= r.zero
	if row.At < r.own.From || r.own.To > 0 && row.At >= r.own.To {
		return false, nil
	}
	row.At -= r.own.From
	switch {
	case row.Failed:
		tell(&r.Failed, 1)
		return false, nil
	case row.NoInput:
		tell(&r.NoInput, 1)
		return false, nil
	case row.NoOutput && !r.own.Output:
		tell(&r.NoOutput, 1)
		return false, nil
	case row.Input == 0 || row.Output == 0 && !row.NoOutput:
		tell(&r.Empty, 1)
		return false, nil
	}
	if most := r.own.MaxInput; most > 0 && row.Input > most {
		switch r.own.Long {
		case Skip:
			tell(&r.Skipped, 1)
			return false, nil
		case Clip:
			tell(&r.Clipped, 1)
			row.Input = most
			if row.Block > 0 {
				row.IDs = row.IDs[:min(len(row.IDs), (most+row.Block-1)/row.Block)]
			}
		default:
			return false, fmt.Errorf("row %d of the trace has a prompt of %d tokens, above --trace-max-input %d; --trace-long clip cuts such prompts, --trace-long skip leaves them out",
				row.Number, row.Input, most)
		}
	}
	tell(&r.Images, row.Images)
	if row.Estimated && !r.own.Output {
		tell(&r.Estimated, 1)
	}
	return true, nil
}

// length is how long a pass takes in the trace's time: to the end of the slice. Without
// one a mean gap follows the last row.
func (r *Rows) length() time.Duration {
	if r.own.To > 0 {
		return r.own.To - r.own.From
	}
	left := r.Span - r.own.From
	return left + left/time.Duration(max(r.Count-1, 1))
}

// Next reads the next row that is sent, and says in which pass; its time is the run's.
// io.EOF comes after the last.
func (r *Rows) Next(row *trace.Row) (pass int, err error) {
	for {
		if err := r.read(row); err == nil {
			break
		} else if !errors.Is(err, io.EOF) || r.pass+1 >= r.own.Loop {
			return 0, err
		}
		r.pass++
		r.at = 0
	}
	at := row.At + time.Duration(r.pass)*r.length()
	row.At = time.Duration(float64(at) / r.own.Speed)
	return r.pass, nil
}

// read gives the next row of a pass.
func (r *Rows) read(row *trace.Row) error {
	if r.Unsorted > 0 {
		if r.at == len(r.held) {
			return io.EOF
		}
		*row = r.held[r.at]
		r.at++
		return nil
	}
	if r.reader == nil {
		r.reader = r.trace.Rows()
	}
	for {
		if err := r.reader.Next(row); err != nil {
			return errors.Join(err, r.Close())
		}
		if sent, err := r.fit(row, false); err != nil || sent {
			return err
		}
	}
}

// Close lets go of the file.
func (r *Rows) Close() error {
	if r.reader == nil {
		return nil
	}
	err := r.reader.Close()
	r.reader = nil
	return err
}
