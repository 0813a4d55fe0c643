package serve

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// show opens the live view of the run where --progress asks for it and the terminal can show
// it. stop closes it.
func (r *serveRun) show(ctx context.Context) (running context.Context, drain <-chan struct{}, stop func()) {
	var why string
	r.screen, why = view.New(&r.Streams, r.Progress, r.title())
	if r.screen == nil && r.Progress == view.Live {
		r.host.Say("note: no live view: %s", why)
	}
	running, drain, close := r.screen.Interrupts(ctx, r.Err)
	if r.screen == nil {
		return running, drain, close
	}
	if r.host.Live == nil {
		r.host.Live = &live.Feed{}
	}
	forget := r.host.Live.Listen(r.screen.See)
	if !r.InFleet() { // agents keep their own pace
		if r.host.Control == nil {
			r.host.Control = &load.Control{}
		}
		r.screen.Pauses(r.host.Control.Pause)
	}
	r.host.Observers = nil // the view has it all
	return running, drain, func() {
		forget()
		close()
	}
}

// title is what the view says of the run.
func (r *serveRun) title() string {
	words := []string{"inferometer"}
	for _, word := range r.Command { // the command without its flags
		if strings.HasPrefix(word, "-") {
			break
		}
		if word != words[0] {
			words = append(words, word)
		}
	}
	for _, url := range r.URLs {
		words = append(words, outside.RedactURL(url))
	}
	return strings.Join(words, " ")
}

// startProfile profiles this program into a file, if one is named, until the
// returned function is called.
func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create --cpu-profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}
