package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"
)

// output is what a command wrote at once, and when.
type output struct {
	at    time.Duration // since it was started
	bytes []byte
}

// capture runs a command on a terminal of its own to its end, which must be a success.
func capture(cmd *exec.Cmd, columns, rows int) ([]output, error) {
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	began := time.Now()
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	if err != nil {
		return nil, err
	}
	defer master.Close()
	var outputs []output
	last := ""
	for buffer := make([]byte, 64<<10); ; {
		n, err := master.Read(buffer)
		if n > 0 {
			last = string(buffer[:n])
			outputs = append(outputs, output{time.Since(began), []byte(last)})
		}
		if err != nil { // on Linux its end is an error: the terminal has gone
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%w: it wrote %q last", err, last)
	}
	return outputs, nil
}
