package keys

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// The marks in docs/scenarios.md that the table of keys stands between.
const (
	manualBegin = "<!-- keys of datasets: go test ./internal/plan/keys -update writes them -->\n"
	manualEnd   = "<!-- end of the keys -->\n"
)

// Manual puts the workload's keys into the text of docs/scenarios.md.
func Manual(page []byte) ([]byte, error) {
	before, rest, begun := bytes.Cut(page, []byte(manualBegin))
	_, after, ended := bytes.Cut(rest, []byte(manualEnd))
	if !begun || !ended {
		return nil, errors.New("the page has not both marks")
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(manualBegin + "\n| key | what it is |\n|---|---|\n")
	for _, k := range Workload() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, strings.ReplaceAll(k.doc(), "|", `\|`))
	}
	b.WriteString("\n" + manualEnd)
	b.Write(after)
	return b.Bytes(), nil
}
