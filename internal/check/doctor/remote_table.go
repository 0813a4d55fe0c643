package doctor

// need is what must have been reached for an examination to be made.
type need int

const (
	needNothing need = iota
	needConnection
	needAnswer // any answer over HTTP
	needProbe  // a stream that was answered with 200
)

type remoteExamination struct {
	words
	group   Group
	need    need
	examine func(*facts) result
}

func remoteTable() []remoteExamination {
	return []remoteExamination{
		{words{
			"reach", "whether the server can be connected to",
			"Without a listening server nothing can be measured",
			"bad if not; all other findings are then unknown",
			"start the server, or give its address with --base-url",
		}, Network, needNothing, reach},
		{words{
			"dns", "how long the server's name takes to resolve",
			"Each new connection asks again, and its first token waits for the answer",
			"warn above 20 ms",
			"write the address instead of the name in --base-url, or run a caching resolver",
		}, Network, needConnection, dns},
		{words{
			"addresses", "the addresses behind the name, and which of them answer",
			"With an address that does not answer each new connection is tried twice; with several that do, load may go to one of them only",
			"warn if one does not answer; note if several do",
			"write the address that answers in --base-url",
		}, Network, needConnection, addressesAnswer},
		{words{
			"same_machine", "whether the server runs on this machine",
			"Client and server compete for processors, and more so with more streams",
			"note if it does; warn with fewer than 4 processors for both. A container with a network of its own counts as another machine",
			"run the client on another machine, or give each its own processors with taskset",
		}, Network, needConnection, sameMachine},
		{words{
			"rtt", "the round trip to the server, as the time of a TCP connect",
			"One round trip is in each TTFT, three or four in one with a new TLS connection; its changes are in all latencies",
			"median of 7 connects: note above 1 ms, warn above 20 ms",
			"run the client nearer to the server",
		}, Network, needConnection, roundTrip},
		{words{
			"tls", "TLS: version, handshake time, and the certificate",
			"A handshake in a measured request is a part of its TTFT; a certificate that is not accepted lets no request through",
			"bad if the certificate is not accepted; warn if it ends within 14 days; note with --insecure",
			"renew the certificate; --insecure accepts any",
		}, Network, needConnection, tlsState},
		{words{
			"http_version", "HTTP/2 on the way",
			"HTTP/2 puts all streams on one connection: they wait for each other, and event times are the process's own, not the kernel's",
			"note if the server offers HTTP/2; warn for HTTP/1.0",
			"nothing, unless you mean to measure HTTP/2: bench serve speaks HTTP/1.1 without --http2",
		}, Network, needAnswer, httpVersion},
		{words{
			"keep_alive", "whether a connection can be used again",
			"A new connection for each request adds a round trip (three or four with TLS) to each TTFT, and uses up ports",
			"warn if the second request needs a new connection; note for llama.cpp's server, which always does",
			"switch keep-alive on in the server or the proxy before it",
		}, Network, needProbe, keepAlive},
		{words{
			"compression", "compression of a stream",
			"A compressor holds events back until it has a block: tokens arrive in bursts",
			"bad if a stream is compressed without being asked; note if it is when asked",
			"switch compression off for text/event-stream (nginx: gzip off)",
		}, Network, needAnswer, compression},
		{words{
			"buffering", "events of a stream that arrive in bursts",
			"What holds events back decides the times between tokens and TTFT, not the server",
			"events that come together, on average: warn from 2, bad from 4. The best of up to four streams counts. Warn at most if the whole answer took less than 20 ms",
			"switch buffering off in the proxy (nginx: proxy_buffering off, or the header X-Accel-Buffering: no), or go around it",
		}, Network, needProbe, buffering},
		{words{
			"between", "headers that proxies, gateways and content networks leave",
			"Whatever is in between is measured along with the server",
			"note if there are any, such as Via, CF-Ray or X-Envoy-Upstream-Service-Time, or a Server that is no inference server",
			"measure the server itself, at its own address",
		}, Network, needAnswer, standsBetween},
		{words{
			"clock_skew", "the server's clock against this machine's, by its Date header (known to one second)",
			"Latencies are not affected by it, but times can't be joined with the server's logs",
			"warn if the clocks are certainly more than 2 s apart",
			"let NTP keep the clocks of both machines",
		}, Network, needAnswer, clockSkew},
		{words{
			"identity", "what the server is, and its version",
			"A number without the server's version can't be compared with another one",
			"note if kind or version is unknown. vLLM, llama.cpp, SGLang, TGI and Ollama are recognised",
			"write the server's version down with --metadata",
		}, Server, needAnswer, identity},
		{words{
			"model", "the models that the server lists, and the longest context",
			"A model that is not there answers each request with an error",
			"bad if --model is not listed; warn if there is no list",
			"give one of the listed names with --model",
		}, Server, needAnswer, model},
		{words{
			"stream", "a probe: one request with a stream of 32 tokens",
			"A request that does not end in good order is no success, and a run of them measures errors",
			"bad if it fails or breaks off",
			"read the server's words; check --model, --endpoint, --backend and the API key",
		}, Server, needAnswer, streamWorks},
		{words{
			"length", "whether the answer has as many tokens as were asked for",
			"Where lengths are the server's choice, two runs do different work, and throughput can't be compared",
			"bad if there are more; warn if there are fewer, or if ignore_eos is refused",
			"use a server that knows ignore_eos, or compare runs by tokens, not by requests",
		}, Server, needProbe, length},
		{words{
			"usage", "whether a stream ends with the server's count of tokens",
			"Without it tokens must be counted by a tokenizer or by events, and both may differ from the truth",
			"warn if not",
			"give a --tokenizer, so that answers are counted with it",
		}, Server, needProbe, usage},
		{words{
			"chunks", "tokens in an event",
			"With several tokens in an event the times between events are not the times between tokens",
			"note above 1.5",
			"compare TPOT instead of ITL, or set the server to send each token (vLLM: --stream-interval 1)",
		}, Server, needProbe, chunks},
		{words{
			"metrics", "the server's own counters at /metrics",
			"Without them a run can't be checked against what the server itself counted",
			"note if there are none",
			"start the server with its metrics on (llama-server: --metrics)",
		}, Server, needAnswer, serverMetrics},
	}
}
