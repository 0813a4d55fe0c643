package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// writeIndented writes a value as Python's json.dump with indent does.
func writeIndented(w io.Writer, v any, spaces int) error {
	var compact, out bytes.Buffer
	b := bufio.NewWriter(&compact)
	(&encoder{b}).value(v)
	if err := b.Flush(); err != nil {
		return err
	}
	if err := json.Indent(&out, compact.Bytes(), "", strings.Repeat(" ", spaces)); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}
