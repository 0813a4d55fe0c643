package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/prepare/rehearsal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

const (
	dryRunHelp = "Make the requests, print what they are (lengths, shared prefixes, times, the first ones), and send none. No server is needed if --model and a tokenizer are given."
	lockHelp   = "Where FILE is absent: write down there what the run sends and when. Where it exists: send the same bytes at the same times, or refuse before anything is sent and say what differs; docs/spec.md."
)

func defineRehearsal(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.Bool(&o.DryRun, "dry-run", dryRunHelp, g, argv.WholeName())
	set.String(&o.Lock, "lock", "", lockHelp, g, argv.WholeName(), argv.Metavar("FILE"))
}

// checkRehearsal looks at flags that say two things.
func (o *Options) checkRehearsal() error {
	if o.DryRun && o.PrintSpec {
		return argv.Errorf("dry-run", "can't be used together with --print-spec: each prints its own")
	}
	if o.PrintSpec && len(o.agentHosts) > 0 {
		return argv.Errorf(flagAgents, "is no part of a Spec: start the agents yourself, and leave it out")
	}
	if o.PrintSpec && o.Upload.To != "" {
		return argv.Errorf("upload", "is no part of a Spec: give it to inferometer exec")
	}
	if o.DryRun && o.Format == formatVLLM {
		return argv.Errorf("format", "vllm is a block of results, and --dry-run has none").WithHint("use table or json")
	}
	return nil
}

// dryRun prints what the run would send.
func (r *serveRun) dryRun(ctx context.Context) error {
	ctx, drain, stop := command.Interrupts(ctx, r.Err)
	defer stop()
	ctx, undo := load.UntilDrain(ctx, drain, nil) // nothing is in flight
	defer undo()
	found, err := prepare.DryRun(ctx, &r.Spec, &r.host.Host)
	if errors.Is(err, context.Canceled) {
		return prepare.ErrStopped
	}
	if err == nil && r.host.Rehearsed != nil {
		err = r.host.Rehearsed(found)
	}
	if err != nil {
		return err
	}
	if r.Format == formatJSON {
		e := json.NewEncoder(r.Out)
		e.SetEscapeHTML(false)
		return e.Encode(found)
	}
	width := 0 // no pictures
	if command.IsTerminal(r.Out) {
		width = command.TerminalWidth(r.Out)
	}
	return found.Write(r.Out, width)
}

// useLock lets the run write its lock, or hold itself against one.
func (r *serveRun) useLock(path string) error {
	if path == "" {
		return nil
	}
	lock, err := readLock(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return argv.Errorf("lock", "%s can't be written: %v", path, err)
		}
		r.host.Rehearsed = func(now *rehearsal.Rehearsal) error {
			if err := atomicfile.WriteBytes(path, now.Lock(r.host.Version).Encode()); err != nil {
				return fmt.Errorf("write the lock: %w", err)
			}
			r.host.Say("locked in %s: %s", path, covered(now))
			return nil
		}
		return nil
	case err != nil:
		return argv.Errorf("lock", "%s: %v", path, err)
	}
	r.holdAgainst(lock, path)
	return nil
}

func readLock(path string) (*rehearsal.Lock, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return rehearsal.ReadLock(f)
}

// holdAgainst refuses a run that would send something else than the lock says.
func (r *serveRun) holdAgainst(lock *rehearsal.Lock, path string) {
	r.host.Rehearsed = func(now *rehearsal.Rehearsal) error {
		if reasons := lock.Differs(now); len(reasons) > 0 {
			return &argv.UsageError{Text: fmt.Sprintf("the lock %s is of another load; nothing was sent. What differs:\n  %s", path, strings.Join(reasons, "\n  "))}
		}
		r.host.Say("as in the lock %s: %s", path, covered(now))
		return nil
	}
}

// covered says what a lock holds.
func covered(now *rehearsal.Rehearsal) string {
	text := fmt.Sprintf("%d requests", now.Requests)
	if !now.All {
		text = fmt.Sprintf("the first %d requests, as the run has no number of them,", now.Requests)
	}
	if now.Waiting > 0 {
		return fmt.Sprintf("%s in %d conversations; of the %d that wait for answers what is planned, not the answers; sha256 %s", text, now.Conversations, now.Waiting, now.SHA)
	}
	if now.FixedTimes {
		return text + " and their times, sha256 " + now.SHA
	}
	return text + " in their order (when each is sent depends on the server), sha256 " + now.SHA
}

// specOfLock is the Spec that a lock holds, if a file is one.
func specOfLock(b []byte) (lock *rehearsal.Lock, asked *spec.Spec, err error) {
	if !rehearsal.IsLock(b) {
		return nil, nil, nil
	}
	if lock, err = rehearsal.ReadLock(bytes.NewReader(b)); err != nil {
		return nil, nil, err
	}
	asked, err = spec.Decode(bytes.NewReader(lock.Spec))
	return lock, asked, err
}
