package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Interrupts gives Ctrl-C its two meanings: once, send no more and wait for what
// is in flight (drain is closed); twice, cancel that too (the context ends). A
// third one kills, as the system does without us. SIGTERM, and SIGHUP from a terminal
// that was closed, are the same; so is each value of asks, where there is such a channel.
func Interrupts(parent context.Context, w io.Writer, asks ...<-chan struct{}) (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, StopSignals()...)
	var asked <-chan struct{} // a nil channel never has anything to say
	if len(asks) > 0 {
		asked = asks[0]
	}
	soft := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-signals:
		case <-asked:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(w, "\nstopping: no more requests are sent; Ctrl-C once more cancels those in flight")
		close(soft)
		select {
		case <-signals:
		case <-asked:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(w, "\ncancelling the requests in flight")
		signal.Stop(signals)
		cancel()
	}()
	return ctx, soft, func() {
		signal.Stop(signals)
		cancel()
		<-done
	}
}

// StopSignals are those that ask us to stop. Whoever started us with nohup wants
// SIGHUP to be ignored, and that stays so.
func StopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
