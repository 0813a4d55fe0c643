package row

import "github.com/inferometer/inferometer/internal/journal"

// Within is what is known of when a request's events came, in nanoseconds since its send:
// not before Low, not after At. Where the two are equal the time is that of the event itself.
//
// A read of a socket has one stamp: that of the last bytes in it. An event that ends its read
// lies at its stamp. Another one of the same read came after the last stamp of the read before
// (the kernel's stamps follow the order of the bytes), and not after its own.
type Within struct {
	At, Low []int64
}

// Read takes in a request. kernel: stamps are the kernel's; else each is the moment at which
// our code got to the bytes, and no event is known to lie at its own.
func (w *Within) Read(req *journal.Request, kernel bool) {
	ev := &req.Events
	w.At, w.Low = w.At[:0], w.Low[:0]
	at, open := int64(0), ev.Open
	floor := int64(0)
	if kernel && req.Headers > req.Sent && len(ev.At) > 0 && req.Headers-req.Sent < ev.At[0] {
		floor = req.Headers - req.Sent
	}
	for i, gap := range ev.At {
		at += gap
		last := i+1 == len(ev.At) || ev.At[i+1] != 0
		isOpen := len(open) > 0 && open[0] == i
		if isOpen {
			open = open[1:]
		}
		low := at
		if !last || isOpen || !kernel || !stamped(req, i) {
			low = min(floor, at)
		}
		w.At, w.Low = append(w.At, at), append(w.Low, low)
		if last && !isOpen {
			floor = at
			if !kernel && ev.Lag != nil { // when the round began in which it was read
				floor = at - max(ev.Lag[i], 0)
			}
		}
	}
}

// stamped says whether the kernel gave the time of an event's read. One of ours has no lag.
func stamped(req *journal.Request, i int) bool {
	return req.UnstampedRead == 0 || req.Events.Lag != nil && req.Events.Lag[i] != 0
}

// Exact says whether an event lies at its stamp.
func (w *Within) Exact(i int) bool { return w.Low[i] == w.At[i] }

// Stretch is a run of gaps between two events: that before the first gap and that after
// the last. Where each lies inside is not known, but for a stretch of one gap between events
// whose times are known.
type Stretch struct {
	Gaps      int
	Values    int   // as many as its gaps, or as the tokens in them, where a gap is shared by several
	Low, High int64 // bounds of its length
	Exact     bool
}

// eachStretch cuts the events with a weight into stretches, at those whose times are known. Each gap
// has as many values as the weight of the event that ends it. gap is called for each
// gap before its stretch is.
func (w *Within) eachStretch(weight func(i int) int, gap func(ns int64, values int), f func(Stretch)) {
	from, before := -1, -1
	var s Stretch
	end := func(i int) {
		if s.Gaps == 0 {
			return
		}
		s.High = max(w.At[i]-w.Low[from], 0)
		s.Low = min(max(w.Low[i]-w.At[from], 0), s.High)
		s.Exact = s.Gaps == 1 && w.Exact(from) && w.Exact(i)
		f(s)
		from, s = i, Stretch{}
	}
	for i := range w.At {
		n := weight(i)
		if n <= 0 {
			continue
		}
		if from < 0 {
			from, before = i, i
			continue
		}
		s.Gaps++
		s.Values += n
		gap(w.At[i]-w.At[before], n)
		if before = i; w.Exact(i) {
			end(i)
		}
	}
	if before >= 0 {
		end(before)
	}
}

// Chunks cuts the times between token chunks into stretches.
func (w *Within) Chunks(r *Request, gap func(ns int64, values int), f func(Stretch)) {
	w.eachStretch(func(i int) int { return int(r.Events.Kind[i] & journal.EventChoices) }, gap, f)
}

// Tokens does so with the times between tokens, where they are known.
func (w *Within) Tokens(r *Request, gap func(ns int64, values int), f func(Stretch)) {
	if r.TokensBy != TokensUnknown {
		w.eachStretch(func(i int) int { return tokensAt(&r.Events, i, r.tokens, r.mask) }, gap, f)
	}
}

// Early is by how much an event that a row tells the time of may have come earlier, in nanoseconds.
type Early struct {
	First, FirstToken, FirstVisible, Last int64
}

// Early finds the events of r.Row.
func (w *Within) Early(r *Request) (e Early) {
	first, token, visible, last := -1, -1, -1, -1
	for i, kind := range r.Events.Kind {
		if kind&journal.EventChoices == 0 {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
		if token < 0 && kind&CarriesText != 0 {
			token = i
		}
		if visible < 0 && kind&journal.EventText != 0 {
			visible = i
		}
	}
	early := func(i int) int64 {
		if i < 0 {
			return 0
		}
		return w.At[i] - w.Low[i]
	}
	return Early{early(first), early(token), early(visible), early(last)}
}
