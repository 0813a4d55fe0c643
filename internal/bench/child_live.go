package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
)

// parentVariable is the variable by which a child finds the two pipes to its parent: one
// that it writes its states to, and one that it reads pauses from.
const parentVariable = "INFEROMETER_PARENT"

// Parent gives a child its pipes; nil: it has none. The variable is taken away: what this process
// starts has not the pipes.
func Parent() (states, commands *os.File) {
	said, ok := os.LookupEnv(parentVariable)
	if !ok {
		return nil, nil
	}
	_ = os.Unsetenv(parentVariable)
	var to, from int
	if _, err := fmt.Sscanf(said, "%d,%d", &to, &from); err != nil || to < 3 || from < 3 {
		return nil, nil
	}
	if states, commands = pipe(to, "states"), pipe(from, "commands"); states == nil || commands == nil {
		return nil, nil
	}
	return states, commands
}

// parentLine is a parent's side of the two pipes. A nil one has none.
type parentLine struct {
	states   *os.File // read
	commands *os.File // written
	theirs   []*os.File
	control  *load.Control
	stop     func()
	over     sync.WaitGroup
	desk     *faultDesk
	saying   sync.Mutex // one line at a time
}

// listen gives a child the pipes, if anybody wants to know how it goes, or does faults for it.
func (c *Child) listen(command *target.Command) (*parentLine, error) {
	if c.Live == nil && c.Do == nil {
		return nil, nil
	}
	l := &parentLine{control: c.Control, stop: func() {}}
	states, theirStates, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirCommands, commands, err := os.Pipe()
	if err != nil {
		_, _ = states.Close(), theirStates.Close()
		return nil, err
	}
	l.states, l.commands, l.theirs = states, commands, []*os.File{theirStates, theirCommands}
	command.Files, command.FilesIn = l.theirs, parentVariable
	l.desk = newFaultDesk(c.Do, l.say)
	l.over.Go(func() {
		readLines(l.states, func(line []byte) {
			if s := stateOf(line); s != nil && c.Live != nil {
				c.Live.Tell(s)
			} else if s == nil {
				l.desk.take(line)
			}
		})
	})
	return l, nil
}

// say tells the child something. It may be stopped, and then it misses it.
func (l *parentLine) say(line []byte) {
	l.saying.Lock()
	defer l.saying.Unlock()
	_ = l.commands.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = l.commands.Write(append(line, '\n'))
}

// started: the child has its own copies of its ends, and may be told to pause.
func (l *parentLine) started() {
	if l == nil {
		return
	}
	l.closeTheirs()
	l.stop = l.control.Listen(func(on bool) { l.say([]byte(commandWord(on))) })
}

func (l *parentLine) closeTheirs() {
	for _, f := range l.theirs {
		_ = f.Close()
	}
	l.theirs = nil
}

// Close waits until the last state was read.
func (l *parentLine) Close() {
	if l == nil {
		return
	}
	l.closeTheirs()
	l.stop()
	l.desk.end()
	_ = l.commands.Close()
	_ = l.states.SetReadDeadline(time.Now().Add(time.Second)) // something of the child's may still have it open
	l.over.Wait()
	_ = l.states.Close()
}

// maxState bounds the line of a state.
const maxState = 1 << 20

func readLines(r io.Reader, see func(line []byte)) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), maxState)
	for lines.Scan() {
		see(lines.Bytes())
	}
}

// stateOf is the state that a line holds; nil: it holds none.
func stateOf(line []byte) *live.State {
	s := &live.State{}
	if json.Unmarshal(line, s) != nil || s.Phase == "" {
		return nil
	}
	return s
}

func commandWord(on bool) string {
	if on {
		return "pause"
	}
	return "resume"
}

// ReadCommands pauses the pace as a parent says, and takes its answers about faults (nil: there are none), until it is gone.
func ReadCommands(r io.Reader, c *load.Control, faults *Faults) {
	readLines(r, func(line []byte) {
		switch string(bytes.TrimSpace(line)) {
		case commandWord(true):
			c.Pause(true)
		case commandWord(false):
			c.Pause(false)
		default:
			if faults != nil {
				faults.Answer(line)
			}
		}
	})
}
