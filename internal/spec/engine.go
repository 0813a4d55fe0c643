package spec

// The values of server.engine.
const (
	EngineAuto    = "auto"
	EngineLoop    = "loop"    // an event loop, for HTTP/1.1 on Linux
	EngineNetHTTP = "nethttp" // Go's own client, for everything
)
