package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/send/trace"
)

// Rows wait for those that came before them, so that a file is in the order of time; but
// not for ever, nor without bound. Who replays sorts what is out of order.
const (
	holdTime  = 10 * time.Second
	holdRows  = 4096
	holdBytes = 64 << 20
	// sizeRows is how many rows with a known length are looked at to find how many tokens a
	// block of bytes has. It stays so for the whole recording.
	sizeRows = 32
)

// writer is the goroutine that makes rows of exchanges and writes them.
type writer struct {
	r     *Recorder
	files *files
	hash  hasher

	lineage *lineage

	held  []*row // by seq
	bytes int
	// Without a tokenizer: the tokens of a block, once they are known, and of what.
	block               int
	sized               int
	sumTokens, sumBytes float64

	asker       *asker // nil: the server is not asked
	saidUnasked bool
}

// row is one that waits.
type row struct {
	seq   uint64
	ended time.Time
	size  int
	chain *chain
	exact bool // its blocks are of the prompt's own token ids
	bytes int  // of the prompt, where its blocks are of bytes
	waits bool // for lengths that the server was asked for
	gone  bool // written; what is heard of it comes too late
	trace.Recorded
}

func (w *writer) run() {
	defer close(w.r.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case x, ok := <-w.r.queue:
			if !ok {
				w.hearRest()
				w.release(true)
				if err := w.files.Close(); err != nil {
					w.stop(err)
				}
				return
			}
			w.take(x)
		case q := <-w.asker.heard():
			w.answered(q)
		case <-tick.C:
		}
		w.release(false)
	}
}

// hearRest waits for what the server was asked; a question has its time.
func (w *writer) hearRest() {
	if w.asker == nil {
		return
	}
	close(w.asker.jobs)
	for w.asker.waiting > 0 {
		w.answered(<-w.asker.answers)
	}
	w.asker.group.Wait()
}

// take makes a row of an exchange.
func (w *writer) take(x *exchange) {
	w.r.mu.Lock()
	w.r.order.end(x.seq)
	w.r.mu.Unlock()
	body := x.request.take()
	if w.r.broken.Load() {
		w.r.lose(1, "its files can't be written any more")
		return
	}
	n := w.makeRow(x, body)
	at, _ := slices.BinarySearchFunc(w.held, n.seq, func(r *row, seq uint64) int {
		if r.seq < seq {
			return -1
		}
		return 1
	})
	w.held = slices.Insert(w.held, at, n)
	w.bytes += n.size
}

// release writes the rows that need not wait any more.
func (w *writer) release(all bool) {
	w.r.mu.Lock()
	low := w.r.order.low
	w.r.mu.Unlock()
	n := 0
	for _, r := range w.held {
		full := len(w.held)-n > holdRows || w.bytes > holdBytes
		old := full || clock.Since(r.ended) > holdTime
		if !full && r.waits || !all && !old && (r.seq >= low || !w.sizeKnown()) {
			break
		}
		w.write(r)
		w.bytes -= r.size
		n++
	}
	w.held = slices.Delete(w.held, 0, n)
}

func (w *writer) sizeKnown() bool { return w.r.opts.Tokenizer != nil || w.sized >= sizeRows }

// blockSize is the tokens of a block of bytes: as many as those seen so far had on average.
// The first row that is written fixes it.
func (w *writer) blockSize() int {
	if w.block == 0 {
		w.block = w.hash.block
		if w.r.opts.Tokenizer == nil && w.sumBytes > 0 {
			w.block = max(int(float64(w.hash.block*bytesPerToken)*w.sumTokens/w.sumBytes+0.5), 1)
		}
	}
	return w.block
}

func (w *writer) write(r *row) {
	r.gone = true
	if w.r.broken.Load() {
		w.r.lose(1, "its files can't be written any more")
		return
	}
	if r.Input != nil && r.chain != nil {
		r.Block = w.blockSize()
		if r.exact {
			r.Block = w.hash.block
		}
		r.IDs = r.chain.fit(*r.Input, r.Block)
	}
	if trace.IsReplayed(r.Outcome) && (r.Input == nil || r.Output == nil) {
		w.r.counts.unknown.Add(1)
	}
	line, err := json.Marshal(&r.Recorded)
	if err == nil {
		err = w.files.write(append(line, '\n'))
	}
	if err != nil {
		w.stop(err)
		w.r.lose(1, fmt.Sprintf("its files can't be written any more (%v)", err))
		return
	}
	w.r.counts.written.Add(1)
}

// stop ends the recording and not the traffic.
func (w *writer) stop(err error) {
	if !w.r.broken.Swap(true) {
		w.r.opts.Say("RECORDING HAS STOPPED: %v. Traffic passes as before; what was written until now is whole", err)
	}
}
