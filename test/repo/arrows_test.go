// Package repo checks what holds for the whole repository.
package repo

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inferometer/inferometer/"

// arrows say which packages of ours a package may import, by room (the first folder
// below internal) and, inside a room, by package. ARCHITECTURE.md draws them. What
// is not listed may import nothing of ours.
var arrows = map[string][]string{
	"cli":     {"*"},
	"spec":    {"compat", "files", "hub", "journal", "judge", "send"},
	"bench":   {"client", "eval/programs", "eval/resume", "files", "journal", "judge", "observe", "prepare", "send", "spec"},
	"client":  {"journal", "machine", "send"},
	"observe": {"client", "files", "foreign", "journal", "judge", "prepare", "send", "spec"},
	"prepare": {"client", "eval/ask", "eval/resume", "files", "hub", "journal", "judge/rules", "machine", "send", "spec"},
	"send":    {"compat", "eval/task", "files", "journal", "jsonscan", "machine", "tokenizer"},
	"journal": {"files"},
	"judge":   {"compat", "eval/score", "journal", "stats"},
	"plan":    {"bench", "compat", "files", "foreign", "journal", "judge", "relay", "send", "show", "spec", "stats"},
	"show":    {"compat", "eval/score", "files", "foreign", "journal", "judge", "stats"},
	"check":   {"bench", "files", "journal", "machine", "send", "show", "sim/subprocess", "sim/truth", "spec"}, // and not sim itself: its truth comes in a file
	"eval":    {"compat", "files", "journal", "machine", "observe", "prepare", "send", "spec", "stats", "tokenizer"},
	"hub":     {"files"},
	"export":  {"journal", "judge", "send"},
	"fleet":   {"bench", "client", "compat", "files", "journal", "judge", "observe", "prepare", "send", "spec"},
	"record":  {"journal", "jsonscan", "send", "tokenizer"},
	"machine": {},
	"relay":   {},
	"foreign": {"compat", "eval", "judge"},
	"compat":  {},
	"files":   {},
	"simtest": {"memnet", "sim"}, // of tests
	"sim":     {},                // an error in the wire must not be repeated in the truth
}

// inside are the arrows between the packages of a room.
var inside = map[string][]string{
	"sim/vocab":            {"sim/random"},
	"sim/dialect":          {"sim/answers", "sim/random", "sim/vocab"},
	"send/protocol/stream": {"send/protocol/framing", "send/wire"},
	"cli/serve/batches":    {"cli/argv", "cli/command", "cli/serve"},
	"eval/ask":             {"eval/score"},
	"eval/programs":        {"eval/sandbox"},
	"cli/check":            {"cli/argv", "cli/command", "cli/serve"},
	"cli/command":          {"cli/argv"},
	"cli/compare":          {"cli/argv", "cli/command"},
	"cli/door":             {"cli/argv", "cli/command", "cli/serve"},
	"cli/eval":             {"cli/argv", "cli/command", "cli/report", "cli/serve"},
	"cli/fleet":            {"cli/argv", "cli/command", "cli/serve"},
	"cli/handoff":          {"cli/argv", "cli/command", "cli/serve"},
	"cli/startup":          {"cli/argv", "cli/command", "cli/serve"},
	"cli/find":             {"cli/argv", "cli/command", "cli/serve", "cli/view"},
	"cli/multiturn":        {"cli/argv", "cli/command", "cli/serve"},
	"cli/peers":            {"cli/argv"},
	"cli/record":           {"cli/argv", "cli/command"},
	"cli/report":           {"cli/argv", "cli/command", "cli/serve"},
	"cli/run":              {"cli/argv", "cli/command", "cli/find", "cli/serve", "cli/upload", "cli/view"},
	"cli/serve":            {"cli/argv", "cli/command", "cli/peers", "cli/upload", "cli/view"},
	"cli/shell":            {"cli/argv", "cli/command"},
	"cli/sweep":            {"cli/argv", "cli/command", "cli/serve", "cli/view"},
	"cli/tokenize":         {"cli/argv", "cli/command", "cli/serve"},
	"cli/trace":            {"cli/argv", "cli/command"},
	"cli/upload":           {"cli/argv", "cli/command"},
	"send/trace/stats":     {"send/trace", "send/trace/tree"},
	"send/trace/treefile":  {"send/trace/tree"},
	"files/table":          {"files/spool"},
	"fleet/agent":          {"fleet/bus", "fleet/message"},
	"fleet/bus":            {"fleet/message"},
	"fleet/membus":         {"fleet/bus", "fleet/message"},
	"fleet/seal":           {"fleet/message"},
	"fleet/merge":          {"fleet/message"},
	"fleet/setup":          {"fleet/bus"},
	"fleet/ssh":            {"fleet/bus"},
	"fleet/lead":           {"fleet/bus", "fleet/clock", "fleet/merge", "fleet/message", "fleet/seal"},
	"send/load":            {"send/hangup", "send/live", "send/pace", "send/protocol", "send/protocol/stream", "send/target", "send/wire", "send/workload", "send/workload/talk"},
	"send/protocol":        {"send/wire"},
	"journal/kept":         {"journal"},
	"judge/judged":         {"judge/explain", "judge/measure", "judge/metric", "judge/result", "judge/row", "judge/slo", "judge/verdict"},
	"judge/result":         {"judge/bounds", "judge/measure", "judge/metric", "judge/sample", "judge/verdict"},

	"judge/metric":    {"judge/row"},
	"judge/batch":     {"judge/row"},
	"judge/condition": {"judge/metric"},
	"judge/slo":       {"judge/condition", "judge/metric", "judge/row"},
	"judge/sample":    {"judge/hist", "judge/metric"},
	"judge/bounds":    {"judge/hist", "judge/metric", "judge/row", "judge/sample"},
	"judge/hangups":   {"judge/row", "judge/serving"},
	"judge/measure":   {"judge/bounds", "judge/condition", "judge/hangups", "judge/hardware", "judge/hist", "judge/job", "judge/metric", "judge/price", "judge/recovery", "judge/replica", "judge/roles", "judge/row", "judge/rules", "judge/sample", "judge/serving", "judge/slots"},
	"judge/fireworks": {"judge/row"},
	"judge/job":       {"judge/row"},
	"judge/roles":     {"judge/handoff", "judge/hardware", "judge/row", "judge/serving"},
	"judge/recovery":  {"judge/row", "judge/slots"},
	"judge/routing":   {"judge/compare", "judge/result"},
	"eval/changes":    {"eval/score"},
	"judge/compare":   {"judge/condition", "judge/metric", "judge/result"},
	"judge/history":   {"judge/result"},
	"judge/verdict":   {"judge/bounds", "judge/hardware", "judge/hist", "judge/measure", "judge/recovery", "judge/replica", "judge/row", "judge/slots"},

	"judge/chartdata": {"judge/hist", "judge/job", "judge/metric", "judge/replica", "judge/row", "judge/serving", "judge/slots"},
	"plan/draft":      {"plan/scenario"},
	"plan/find":       {"plan/search"},
	"plan/scenario":   {"plan/find", "plan/keys", "plan/routers", "plan/run"},
	"plan/sweep":      {"plan/run"},
	"sim/answers":     {"sim/random"},
	"sim/engine":      {"sim/random"},
	"sim/router":      {"sim/dialect", "sim/engine", "sim/random", "sim/vocab"},
	"show/export":     {"show/agentic", "show/number", "show/page", "show/parquet", "show/pictures", "show/report", "show/section", "show/table"},
	"show/front":      {"show/chart", "show/number", "show/table"},
	"show/page":       {"show/chart", "show/markup", "show/number", "show/plot", "show/section", "show/table"},
	"show/pictures":   {"show/chart", "show/markup", "show/number", "show/page"},
	"show/report":     {"show/section", "show/summary", "show/table"},
	"show/site":       {"show/chart", "show/comparison", "show/export", "show/number", "show/page", "show/table"},
	"show/table":      {"show/markup", "show/number"},

	"show/section":      {"show/number", "show/table"},
	"show/summary":      {"show/number", "show/section"},
	"show/comparison":   {"show/chart", "show/front", "show/number", "show/page", "show/table"},
	"export/otlp":       {"export/tally"},
	"export/prometheus": {"export/tally"},
	"cli/view":          {"cli/argv", "cli/command"},
	"cli/explain":       {"cli/argv", "cli/command"},
	"judge/explain":     {"judge/bounds", "judge/hist", "judge/replica", "judge/row", "judge/serving", "judge/slots", "judge/verdict"},

	"tokenizer/internal/split":  {"tokenizer/internal/bytelevel", "tokenizer/internal/spec", "tokenizer/internal/uni"},
	"tokenizer/internal/normal": {"tokenizer/internal/bytelevel", "tokenizer/internal/spec", "tokenizer/internal/split", "tokenizer/internal/uni"},
	"tokenizer/internal/model":  {"tokenizer/internal/bytelevel", "tokenizer/internal/spec", "tokenizer/internal/split"},
	"tokenizer/internal/source": {"tokenizer/internal/bytelevel", "tokenizer/internal/spec"},
	"tokenizer/internal/decode": {"tokenizer/internal/bytelevel", "tokenizer/internal/normal", "tokenizer/internal/spec"},

	"send/workload":         {"send/trace"},
	"send/workload/batches": {"send/workload", "send/workload/prompts"},
	"send/workload/lengths": {"send/trace"},
	"send/workload/play":    {"send/trace", "send/trace/tree", "send/workload/prompts", "send/workload/replay", "send/workload/talk"},
	"send/workload/replay":  {"send/trace"},
}

// everywhere are packages of no job but their own, which any other may import.
var everywhere = []string{"clock", "errno", "exposition", "option", "ordered", "outside", "process", "template", "usage"}

// An arrow is an import of one of our packages by another.
type arrow struct{ file, from, to string }

// importArrows are the imports of our packages in files that are not tests. Names
// are paths below internal, or below the module where a package is public.
func importArrows(t *testing.T) []arrow {
	t.Helper()
	var found []arrow
	for _, top := range []string{"internal", "tokenizer"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			from := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
			for _, spec := range f.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if to, ours := strings.CutPrefix(name, module); ours {
					found = append(found, arrow{path, from, strings.TrimPrefix(to, "internal/")})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 100 {
		t.Fatalf("only %d imports were found: is the walk broken?", len(found))
	}
	return found
}

func room(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

func TestImportArrows(t *testing.T) {
	used := map[[2]string]bool{}
	for _, a := range importArrows(t) {
		allowed, from, to := arrows, room(a.from), room(a.to)
		if from == to {
			if strings.HasPrefix(a.to, a.from+"/") {
				continue // a package may use what lies in its own folder
			}
			allowed, from, to = inside, a.from, a.to
		}
		if slices.Contains(allowed[from], a.to) {
			to = a.to // one package of a room
		}
		used[[2]string{from, to}] = true
		if slices.Contains(everywhere, to) || slices.Contains(allowed[from], to) || slices.Contains(allowed[from], "*") {
			continue
		}
		t.Errorf("%s: %s may not import %s", a.file, from, to)
	}
	for _, table := range []map[string][]string{arrows, inside} {
		for from, allowed := range table {
			for _, to := range allowed {
				if to != "*" && !used[[2]string{from, to}] {
					t.Errorf("%s may import %s, and does not: take the arrow out", from, to)
				}
			}
		}
	}
}

// Only cli talks to the user: no other package prints, exits or reads flags and
// the environment.
func TestOnlyCLITalksToTheUser(t *testing.T) {
	forbidden := []string{"os.Exit(", "fmt.Print(", "fmt.Printf(", "fmt.Println(", "os.Stdout", "os.Stderr", "os.Getenv(", "\t\"flag\"\n", "log.Print"}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(filepath.ToSlash(path), "internal/cli/") || strings.HasPrefix(filepath.ToSlash(path), "internal/testfiles/") || strings.HasPrefix(filepath.ToSlash(path), "internal/fleet/fleettest/") { // only tests use it
			return err
		}
		source := readFile(t, path)
		if strings.Contains(source, "\npackage main\n") {
			return nil // a program of its own, which writes code
		}
		for _, word := range forbidden {
			if strings.Contains(source, word) {
				t.Errorf("%s holds %s", path, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The tokenizer is a package for other projects too: neither its code nor its tests use anything of internal.
func TestTokenizerStandsAlone(t *testing.T) {
	err := filepath.WalkDir("tokenizer", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && strings.Contains(readFile(t, path), module+"internal/") {
			t.Errorf("%s imports a package of internal", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
