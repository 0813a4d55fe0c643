//go:build !linux

package wire

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Loop is a transport for Linux; here it can't be made.
type Loop struct{}

// LoopConfig is what the event loop needs to know.
type LoopConfig struct {
	Clock        *Clock
	Header       http.Header
	Connections  int
	NoKeepAlive  bool
	Insecure     bool
	KernelStamps bool
	DialTimeout  time.Duration
	Loops        int
}

var errNoLoop = errors.New("the event loop is for Linux: use --engine nethttp")

// NewLoop says that there is none.
func NewLoop(LoopConfig) (*Loop, error) { return nil, errNoLoop }

// Do says that there is none.
func (*Loop) Do(context.Context, *Request, Sink) (Conn, error) { return Conn{}, errNoLoop }

// Stamps is never asked.
func (*Loop) Stamps() string { return "user" }

// Threads is never asked.
func (*Loop) Threads() int { return 0 }

// Keep is never called.
func (*Loop) Keep(bool) {}

// Close does nothing.
func (*Loop) Close() {}
