package main

// ofJournal breaks journal.
var ofJournal = []mutation{
	{
		File: "internal/journal/decode.go", Breaks: "a number beyond 64 bits is read as another one",
		Old: "digits > 18",
		New: "digits > 19",
	},
	{
		File: "internal/journal/decode.go", Breaks: "a kind of event beyond 16 bits becomes another one",
		Old: "c.bad || int64(T(n)) != n || c.at == len(c.b)",
		New: "c.bad || c.at == len(c.b)",
	},
	{
		File: "internal/journal/writer.go", Breaks: "it is said that all is well again when requests are lost",
		Old: "if w.cfg.Trouble != nil && (failing || w.disk.lost == 0) {",
		New: "if w.cfg.Trouble != nil {",
	},
	{
		File: "internal/journal/writer.go", Breaks: "lines that are appended together are lost", Race: true,
		Old: `	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.pending = append(w.pending, lines...)
	full := w.cfg.Eager || len(w.pending) >= flushAt
	w.mu.Unlock()
`,
		New: `	if w.closed {
		return
	}
	w.pending = append(w.pending, lines...)
	full := w.cfg.Eager || len(w.pending) >= flushAt
`,
	},
	{
		File: "internal/journal/disk.go", Breaks: "what waits for room on the disk has no bound",
		Old: "d.held+len(f.b) > d.limit",
		New: "len(f.b) > d.limit",
	},
	{
		File: "internal/journal/disk.go", Breaks: "half a frame counts as written",
		Old: `	if err == nil && n < len(f.b) {
		err = io.ErrShortWrite
	}
`,
		New: `	_ = n
`,
	},
	{
		File: "internal/journal/disk.go", Breaks: "the frame that gave way to the end line is not counted",
		Old: "end(unwritten + last.requests)",
		New: "end(unwritten)",
	},
	{
		File: "internal/journal/disk.go", Breaks: "what was written counts as waiting, until all is lost",
		Old: `		d.held -= len(d.waiting[0].b)
`,
		New: "",
	},
	{
		File: "internal/journal/clean.go", Breaks: "a model's name from a journal reaches the screen as it is",
		Old: `	r.Model = outside.Word(r.Model)
`,
		New: "",
	},
	{
		File: "internal/journal/append.go", Breaks: "an answer without its events counts as complete",
		Old: "short.Events, short.Outcome = Events{}, Protocol",
		New: "short.Events = Events{}",
	},
}
