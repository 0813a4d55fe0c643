//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"time"
)

//go:embed probe.py
var probeProgram string

// Open finds an interpreter (empty: python3) and tries the sandbox out: a small program
// does in it what a hostile one would. An error says what of it was not held back, or
// what the kernel lacks; nothing may be run then.
func Open(ctx context.Context, interpreter string, l Limits) (*Sandbox, error) {
	l.fill()
	p, err := findPython(ctx, interpreter)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	s := &Sandbox{python: p, limits: l}
	if err := s.probe(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Python is the interpreter, with its version.
func (s *Sandbox) Python() string { return s.python.path + " (" + s.python.version + ")" }

// probe proves that a program can't get out, and that its limits hold.
func (s *Sandbox) probe(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen, to see whether a sandbox can connect: %w", err)
	}
	defer listener.Close()
	secret, err := os.CreateTemp("", "inferometer-sandbox-*")
	if err != nil {
		return fmt.Errorf("write a file, to see whether a sandbox can read it: %w", err)
	}
	defer os.Remove(secret.Name())
	defer secret.Close()
	program := fmt.Sprintf("PORT = %d\nSECRET = %q\nMEMORY = %d\nPID = %d\n", listener.Addr().(*net.TCPAddr).Port, secret.Name(), s.limits.Memory, os.Getpid())
	r, err := s.Run(ctx, program+probeProgram)
	if err != nil {
		return err
	}
	if !r.Passed {
		return fmt.Errorf("%w: the check of it failed (%s: %s)", ErrMissing, r.How, r.Detail)
	}
	quick := *s
	quick.limits.Time = min(s.limits.Time, time.Second)
	switch r, err = quick.Run(ctx, "while True: pass"); {
	case err != nil:
		return err
	case r.How != Timeout:
		return fmt.Errorf("%w: an endless program was not ended in time", ErrMissing)
	}
	return nil
}
