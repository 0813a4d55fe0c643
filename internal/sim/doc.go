// Package sim is a server that speaks OpenAI's API and knows the truth.
//
// It answers completions, chat, embeddings and the few other calls that a
// benchmark makes, with text that it makes up itself. What it is for: a client
// that measures latency can be wrong in ways that nobody sees, because no one
// knows the right figure. Here the right figure is known. The sim writes down
// when it handed each event to the kernel, how many tokens were in it and how
// the request ended, one line per request (Truth).
//
// A request takes this path:
//
//	handler (complete.go)   reads the body, picks the fault, plans the answer
//	engine                  decides when tokens are ready, on absolute times
//	stream (stream.go)      turns ready tokens into SSE events and writes them
//	truth (truth.go)        notes what was written, and when
//
// Below it: dialect has the protocols, vocab the tokens and texts, engine the two engines and their clock, socket
// what happens to connections below HTTP, random the draws, subprocess the simulator in a process of its own.
//
// The engine knows no HTTP, and the stream knows no schedule. A fault belongs to
// the stream, a delay to the engine.
//
// A streamed answer leaves net/http: the connection is hijacked, the events are
// written straight to the socket by the pump, and the connection goes back to
// the HTTP server when the client sends its next request (package socket). That is
// cheaper than a goroutine woken for each event, and the time stamp stands right
// before the system call.
package sim
