// Package handoff is what happens between a simulated prefill server and a simulated decode server: what their requests
// carry, as vLLM and SGLang have it on the wire, the prompts that the one keeps ready, and the time that the other takes
// to get them.
//
// No KV exists, so none is sent. The decode server asks the prefill server over HTTP whether it has the prompt, which
// takes as long as that takes to be computed, and then waits as long as the bytes would need.
package handoff

import (
	"bytes"
	"encoding/json"
	"net"
	"strconv"
)

// Params are what a request says of a handoff.
type Params struct {
	Keep  bool   // this server computes the prompt and keeps it for another
	Fetch bool   // another server has computed it, or will have
	ID    string // under which it is kept
	Host  string // of the other server
	Port  int
	// Parallel says that the requests come at the same time (SGLang). The first token comes with the prompt.
	Parallel bool
}

// wire are the fields of both engines.
type wire struct {
	VLLM *vllmParams `json:"kv_transfer_params"`
	Host string      `json:"bootstrap_host"`
	Port *int        `json:"bootstrap_port"`
	Room *uint64     `json:"bootstrap_room"`
}

type vllmParams struct {
	RemoteDecode  bool   `json:"do_remote_decode"`
	RemotePrefill bool   `json:"do_remote_prefill"`
	Engine        string `json:"remote_engine_id"`
	Blocks        []int  `json:"remote_block_ids"`
	Host          string `json:"remote_host"`
	Port          int    `json:"remote_port"`
	Request       string `json:"remote_request_id"`
}

// The roles of a server.
const (
	Prefill = "prefill"
	Decode  = "decode"
)

// Read finds the params in a request's body, for a server of a role; nil: it has none for it.
func Read(body []byte, role string) *Params {
	var w wire
	if json.Unmarshal(body, &w) != nil {
		return nil
	}
	switch {
	case w.VLLM != nil && w.VLLM.RemoteDecode && role == Prefill:
		return &Params{Keep: true}
	case w.VLLM != nil && w.VLLM.RemotePrefill && role == Decode:
		return &Params{Fetch: true, ID: w.VLLM.Request, Host: w.VLLM.Host, Port: w.VLLM.Port}
	case w.Room != nil && w.Port != nil:
		return &Params{Keep: role == Prefill, Fetch: role == Decode, ID: strconv.FormatUint(*w.Room, 10), Host: w.Host, Port: *w.Port, Parallel: true}
	}
	return nil
}

// Tell adds to a prefill server's answer where its prompt is kept, as vLLM does.
func Tell(answer []byte, engine, id string, at net.Addr, blocks int) []byte {
	v := vllmParams{RemotePrefill: true, Engine: engine, Request: id, Blocks: []int{}}
	if host, port, err := net.SplitHostPort(at.String()); err == nil {
		v.Host = host
		v.Port, _ = strconv.Atoi(port)
	}
	for i := range blocks {
		v.Blocks = append(v.Blocks, i)
	}
	raw, err := json.Marshal(v)
	end := bytes.LastIndexByte(answer, '}')
	if err != nil || end < 0 {
		return answer
	}
	out := append(bytes.Clone(answer[:end]), `,"kv_transfer_params":`...)
	return append(append(out, raw...), answer[end:]...)
}
