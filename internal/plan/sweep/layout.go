package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The files of an experiment. All but the logs are vLLM's.
//
//	DIR/SERVE--NAME-BENCH--NAME/run=K.json    a result, with what was set
//	DIR/SERVE--NAME-BENCH--NAME/summary.json  the results of one combination, an array
//	DIR/SERVE--NAME-BENCH--NAME/run=K.log     what the benchmark printed
//	DIR/summary.csv                           all results
//	DIR/logs/SERVE--NAME.log                  what the server printed
const (
	summaryFile = "summary.json"
	tableFile   = "summary.csv"
	logFolder   = "logs"
)

// combFolder is the folder of one combination. A command that was not changed has
// no part in the name.
func combFolder(dir, benchWord string, serve, bench Item, more ...string) string {
	var parts []string
	if len(serve) > 0 {
		parts = append(parts, "SERVE-", serve.Name())
	}
	if len(bench) > 0 {
		parts = append(parts, benchWord, bench.Name())
	}
	parts = append(parts, more...)
	return filepath.Join(dir, fileName(strings.Join(parts, "-")))
}

// fileName makes a name that stays in its folder, as vLLM does.
func fileName(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "/", "_"), "..", "__")
	return strings.Trim(strings.Trim(name, "'"), `"`)
}

func runFile(folder string, run int) string {
	return filepath.Join(folder, "run="+strconv.Itoa(run)+".json")
}

// beside is another file of a run, such as its log.
func beside(runFile, ending string) string { return strings.TrimSuffix(runFile, ".json") + ending }

// serverLog is what the server of a setting prints.
func serverLog(dir string, setting Item) string {
	name := "server"
	if len(setting) > 0 {
		name = fileName("SERVE--" + setting.Name())
	}
	return filepath.Join(dir, logFolder, name+".log")
}

// pidFiles are the notes of the processes under way, from an experiment's folder.
func pidFiles() []string {
	return []string{logFolder + "/*.pid.json", "run=*.pid.json", "*/run=*.pid.json"}
}

// makeFolder makes a combination's folder, and says what to do about a name that is
// made from too many parameters.
func makeFolder(path string) error {
	err := os.MkdirAll(path, 0o755)
	if err != nil && len(filepath.Base(path)) > 255 {
		return fmt.Errorf("%w; give the setting a short %s", err, nameKey)
	}
	return err
}

// ErrPlan means that a plan can't be run, whatever the server does.
var ErrPlan = errors.New("the sweep can't be run")

// Link says that a parameter of the server and one of the benchmark must be equal.
type Link struct{ Serve, Bench string }

// ParseLinks reads a=b,c=d.
func ParseLinks(text string) ([]Link, error) {
	if text == "" {
		return nil, nil
	}
	var links []Link
	for item := range strings.SplitSeq(text, ",") {
		serve, bench, ok := strings.Cut(item, "=")
		if !ok || strings.Contains(bench, "=") {
			return nil, fmt.Errorf("%q is no pair of parameters, as in max_num_seqs=max_concurrency", item)
		}
		links = append(links, Link{strings.TrimSpace(serve), strings.TrimSpace(bench)})
	}
	return links, nil
}

// linked says whether two settings belong together: all linked parameters are there
// and equal.
func linked(serve, bench Item, links []Link) bool {
	for _, l := range links {
		a, b := Object(serve), Object(bench)
		if !a.Has(l.Serve) || !b.Has(l.Bench) || !pyEqual(a.Get(l.Serve), b.Get(l.Bench)) {
			return false
		}
	}
	return true
}

// comb is one combination.
type comb struct {
	serve, bench Item
	folder       string
}

// combs are the combinations of each setting of the server. Two of them in one
// folder would share their results, so that is refused.
func (p *Plan) combs() ([][]comb, error) {
	out := make([][]comb, len(p.ServeParams))
	names := map[string]string{}
	for i, serve := range p.ServeParams {
		for _, bench := range p.BenchParams {
			if !linked(serve, bench, p.Links) {
				continue
			}
			c := comb{serve, bench, combFolder(p.Dir, p.benchWord(), serve, bench)}
			text := serve.String() + " with " + bench.String()
			if other, twice := names[c.folder]; twice {
				return nil, fmt.Errorf("%w: %s and %s have the same folder %s; give them a %s each", ErrPlan, other, text, filepath.Base(c.folder), nameKey)
			}
			names[c.folder] = text
			out[i] = append(out[i], c)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: --link-vars leaves no combination in which all linked parameters are there and equal", ErrPlan)
	}
	return out, nil
}

// CheckDir says whether an experiment may be written to a folder: a new one, or with
// resume one that is there.
func CheckDir(dir string, resume bool) error {
	_, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return fmt.Errorf("there is no experiment in %s to resume", dir)
	case err == nil && !resume:
		return fmt.Errorf("%s is there already; --resume goes on with it, --experiment-name gives another", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}
