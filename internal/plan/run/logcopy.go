package run

import (
	"io"
	"os"
	"time"
)

// logCopy copies what is added to a log, while it is added. A process writes to a
// file and not to a pipe of ours, so that it outlives nothing and waits for nobody.
type logCopy struct {
	quit, done chan struct{}
}

// copyEvery is how late a line may be shown.
const copyEvery = 100 * time.Millisecond

// copyLog copies what comes to a log to the user, if asked for; nil otherwise. It is
// called before the process is started: an earlier run's lines are not shown.
func (r *Runner) copyLog(log string) (*logCopy, error) {
	if r.Output == nil {
		return nil, nil
	}
	file, err := os.OpenFile(log, os.O_RDONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	f := &logCopy{quit: make(chan struct{}), done: make(chan struct{})}
	go f.run(file, r.Output)
	return f, nil
}

func (f *logCopy) run(file *os.File, w io.Writer) {
	defer close(f.done)
	defer file.Close()
	every := time.NewTicker(copyEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			_, _ = io.Copy(w, file) // a reader who has gone is no reason to stop
		case <-f.quit:
			_, _ = io.Copy(w, file)
			return
		}
	}
}

// stop shows the rest.
func (f *logCopy) stop() {
	if f != nil {
		close(f.quit)
		<-f.done
	}
}
