package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

// Point is one run of bench serve.
type Point struct {
	ID          string            // its folder, from its values: it stays when others are added
	Values      map[string]string // of the matrix, by axis; always the target
	Repeat      int               // from 1
	Args        []string          // of bench serve, without what is known only when it runs
	Shown       []string          // the same, secrets replaced
	Selected    bool              // to be run if it has no result
	Fingerprint string            // of all that its result depends on

	target   *Target
	scenario *Scenario // the file with the values of this point
	server   string    // what must run for it: equal texts are the same servers
	files    []string  // that its result depends on, each with its size and date
	place    int       // in the matrix
	number   int       // in the matrix without targets: equal numbers are to be compared
}

// Target is the name of the point's target.
func (p *Point) Target() string { return p.Values[targetAxis] }

// Servers is how many stand behind the point's target.
func (p *Point) Servers() int { return p.target.count() }

// Concurrency is the point's, 0 where nothing bounds it.
func (p *Point) Concurrency() int {
	if c := p.scenario.Pace.Concurrency; c != nil {
		return *c
	}
	return 0
}

// repeatSuffix ends the ID of a repeat.
func repeatSuffix(repeat int) string { return fmt.Sprintf("_r%d", repeat) }

// serverKey is all that makes a server what it is.
func (p *Point) serverKey() string {
	t := p.target
	b, err := json.Marshal([]any{t.BaseURL, t.BaseURLs, t.Balance, t.Command, t.Env, t.Cwd, t.Port, t.count(), t.Devices})
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return p.Target() + " " + string(b)
}

// fingerprint changes with whatever would make the result another one. Of files
// the size and the time of their last change stand for their content.
func (p *Point) fingerprint() string {
	var files []string
	for _, name := range []string{string(p.scenario.Workload.Path), p.api().Tokenizer} {
		if info, err := os.Stat(name); name != "" && err == nil {
			files = append(files, fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	files = append(files, p.target.commandFiles()...)
	p.files = files
	b, err := json.Marshal([]any{p.server, p.Args, p.scenario.ResetCache, p.scenario.SLO.String(), files, p.scenario.Search})
	if err != nil {
		panic(err) // texts and numbers alone
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
