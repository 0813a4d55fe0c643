//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"runtime"
)

// Sandbox is nothing here.
type Sandbox struct{}

// Open says that there is none: the namespaces and the filter are Linux's.
func Open(context.Context, string, Limits) (*Sandbox, error) {
	return nil, fmt.Errorf("%w: programs are run on Linux (amd64, arm64) alone, not on %s/%s", ErrMissing, runtime.GOOS, runtime.GOARCH)
}

// Run runs nothing.
func (*Sandbox) Run(context.Context, string) (Result, error) { return Result{}, ErrMissing }

// Python is empty.
func (*Sandbox) Python() string { return "" }

// Main does nothing.
func Main([]string) error { return ErrMissing }
