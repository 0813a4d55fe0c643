package main

// ofWire breaks wire.
var ofWire = []mutation{
	{
		File: "internal/send/wire/http1.go", Breaks: "of two lengths the second is believed",
		Old: "err != nil || h.size && n != h.left",
		New: "err != nil",
	},
	{
		File: "internal/send/wire/http1.go", Breaks: "a connection of HTTP/1.0 is used again",
		Old: "h.status, h.close = status, h.old",
		New: "h.status, h.close = status, false",
	},
	{
		File: "internal/send/wire/http1.go", Breaks: "each chunk's end says that something came behind its data",
		Old: "behind = behind || h.state != atChunkEnd",
		New: "behind = true",
	},
	{
		File: "internal/send/wire/loop_conn_linux.go", Breaks: "reads without a stamp count for all later requests of the connection",
		Old: `	c.unstamped = 0
`,
		New: "",
	},
	{
		File: "internal/send/wire/loop_conn_linux.go", Breaks: "segments that were lost count for all later requests of the connection",
		Old: `	c.segments = now
`,
		New: "",
	},
	{
		File: "internal/send/wire/loop_conn_linux.go", Breaks: "a long request is written when its first part is",
		Old: `		if x := c.call.Load(); x != nil && x != broken {
			x.info.Written = c.reader.clock.Now()
		}
`,
		New: "",
	},
	{
		File: "internal/send/wire/loop_reader_linux.go", Breaks: "connections that are taken count as idle, until none is kept any more",
		Old: `	r.idle[addr] = list[:len(list)-1]
	r.pool.leave()
`,
		New: `	r.idle[addr] = list[:len(list)-1]
`,
	},
	{
		File: "internal/send/wire/loop_reader_linux.go", Breaks: "two requests may take one connection", Race: true,
		Old: `func (r *reader) take(addr string) *loopConn {
	r.mu.Lock()
	defer r.mu.Unlock()
`,
		New: `func (r *reader) take(addr string) *loopConn {
`,
	},
	{
		File: "internal/send/wire/clock.go", Breaks: "the second restart of a clock moves times by too much",
		Old: "return now - c.zero.Swap(now)",
		New: `c.zero.Store(now)
	return now`,
	},
	{
		File: "internal/send/wire/readends.go", Breaks: "the length of a TLS record is read backwards",
		Old: "int(e.head[3])<<8|int(e.head[4])",
		New: "int(e.head[4])<<8|int(e.head[3])",
	},
	{
		File: "internal/send/wire/transport.go", Breaks: "reordered segments of the requests before count too",
		Old: "s.reordered - before.reordered",
		New: "s.reordered",
	},
	{
		File: "internal/send/wire/stamp_linux.go", Breaks: "round trips are a thousand times too long",
		Old: "time.Duration(info.Min_rtt) * time.Microsecond",
		New: "time.Duration(info.Min_rtt) * time.Millisecond",
	},
}
