//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// errHeld ends a program that holds more than its limit.
var errHeld = errors.New("it holds more memory than its limit")

const weighedEvery = 100 * time.Millisecond

// weigh looks from outside at what a sandbox's program holds, and ends it above its limit. The limit of
// address space has stopped most of them long before; the tables of pages that lie far apart, which
// can be twice as large as the pages, it does not count.
func weigh(ctx context.Context, first int, most int64, end context.CancelCauseFunc) {
	tick := time.NewTicker(weighedEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if held, err := machine.This().ChildrenMemory(first); err == nil && held > most {
			end(errHeld)
			return
		}
	}
}
