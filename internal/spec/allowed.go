package spec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/files/within"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// A Spec in a file may be somebody else's. What it may do on this machine is here, and only
// here: where it may write and read, which variables it may send, whether programs are run.
// What the user typed is bound by none of it.

// Allowed is what the user lets files do. It is typed, and no part of a file.
type Allowed struct {
	Stranger bool     // the Spec is a file's; else flags made it
	Read     []string // folders and files beyond the current folder, and beyond that of a task
	Write    []string // folders beyond the current one
	Env      []string // variables beside the API key's
	Code     bool     // programs that are answers are run
	Commands bool     // commands of faults are run

	// Set says whether a variable has a value here; nil: all have.
	Set func(name string) bool

	closed bool // while a Spec is read: no file that it names is opened
}

// The flags by which the user allows more.
const (
	FlagAllowWrite = "allow-write"
	FlagAllowEnv   = "allow-env"
	FlagAllowCode  = "allow-code"
	FlagAllowFault = "allow-fault"
	FlagOwnSpec    = "own-spec" // of our children: the process that starts them wrote the Spec
)

// Hold refuses a Spec of a file that asks for more than is allowed, and holds it to that when
// it is run. It comes before what the user typed is put into the Spec.
func (s *Spec) Hold(may Allowed) error {
	may.Stranger = true
	s.May = &may
	if s.KeepRuns > 0 { // a file must not have older runs of the user removed
		s.KeepRuns = max(s.KeepRuns, Default().KeepRuns)
	}
	if s.AllowCode && !may.Code {
		return usage.Errorf("", "judge.allow_code: a Spec from a file can't allow itself to run programs that a server answers").WithHint("give --%s to let it (docs/code.md)", FlagAllowCode)
	}
	if s.Faults.Commands() && !may.Commands {
		return usage.Errorf("", "load.faults: a Spec from a file can't allow itself to run commands on this machine").WithHint("read them, and give --%s to let it (docs/faults.md)", FlagAllowFault)
	}
	for _, v := range s.variables() {
		unset := v.name == keyVariable && may.Set != nil && !may.Set(v.name) // it need not be there
		if !v.free && !unset && !slices.Contains(may.Env, v.name) {
			return usage.Errorf("", "%s asks for the variable %s: a Spec from a file may send none but %s, and that only to its servers", v.key, outside.Word(v.name), keyVariable).
				WithHint("give --%s %s to let it have that one too", FlagAllowEnv, outside.Word(v.name))
		}
	}
	for _, in := range s.inputs() {
		if err := may.reads(in); err != nil {
			return err
		}
	}
	for _, out := range s.outputs() {
		if err := may.writes(out); err != nil {
			return err
		}
	}
	return nil
}

// SameOutputs says that another Spec writes to the same places, beside its run's folder.
func (s *Spec) SameOutputs(o *Spec) bool {
	files := func(s *Spec) []output {
		return slices.DeleteFunc(s.outputs(), func(o output) bool { return o.folder })
	}
	return slices.Equal(files(s), files(o))
}

// DropOutputs takes out of a Spec of somebody else what may not be written, and says what that
// was: of a run that is over, whose folder has all of it.
func (s *Spec) DropOutputs(may Allowed) (dropped []error) {
	s.KeepRuns = 0
	for _, out := range s.outputs() {
		err := may.writes(out)
		if out.folder || err == nil {
			continue
		}
		switch dropped = append(dropped, err); out.key {
		case "keep.save_conversations":
			s.SaveConversations = ""
		case "keep.append_markdown":
			s.AppendMarkdown = ""
		case "keep.summary_file":
			s.SummaryFile = ""
		default:
			s.SaveResult, s.AppendResult, s.PlotTimeline, s.PlotDatasetStats = false, false, false, false
		}
	}
	return dropped
}

// variable is one that the Spec names.
type variable struct {
	key, name string
	free      bool // the API key, which goes to the servers of the Spec and to nobody between
}

// variables are all that the Spec names: what Wire asks for, asked by a host that has all.
func (s *Spec) variables() (list []variable) {
	direct, usual := !s.InFleet() && (s.Proxy == "" || s.Proxy == NoProxy), "the file"
	switch {
	case s.InFleet():
		usual = "the file, whose fleet.nats gets it to others,"
	case !direct:
		usual = "the file, whose server.proxy may read it,"
	}
	elsewhere := map[string]Value{"judge.power": s.Power, "keep.hardware": s.Hardware, "server.proxy_login": s.ProxyLogin}
	for key, v := range elsewhere {
		if v.Env != "" {
			list = append(list, variable{key, v.Env, false})
		}
	}
	note := func(name string) (string, bool) {
		if !slices.ContainsFunc(list, func(v variable) bool { return v.name == name }) {
			list = append(list, variable{usual, name, direct && name == keyVariable})
		}
		return "x", true
	}
	_, _ = s.Wire(&Environment{Lookup: note}) // what is wrong with the rest is told where it is checked
	slices.SortFunc(list, func(a, b variable) int { return strings.Compare(a.key+a.name, b.key+b.name) })
	return list
}

// input is a path that is read, where something is there.
type input struct{ key, path string }

// inputs are all paths that the Spec names to be read.
func (s *Spec) inputs() (list []input) {
	add := func(key, path string) {
		if path != "" {
			list = append(list, input{key, path})
		}
	}
	add("dataset.path", s.Path)
	if own, ok := s.DatasetOptions.(*workload.EvalOptions); ok {
		if !own.BuiltIn() {
			add("dataset.task", own.Task)
		}
		add("dataset.examples", own.Examples)
	}
	for _, f := range workload.LengthFiles(s.DatasetOptions) {
		add("dataset."+f.Key, f.Path)
	}
	if !s.SkipTokenizerInit {
		add("server.tokenizer", s.Tokenizer)
		if place, _ := LocalTokenizer(s.Model); s.Tokenizer == "" {
			add("server.model", place) // one that is a folder here has its tokenizer read
		}
	}
	for _, path := range s.ServerLogs {
		add("keep.server_logs", path)
	}
	if !strings.Contains(s.NATS, "://") {
		add("fleet.nats", s.NATS)
	}
	return list
}

// reads refuses a path outside of the current folder. One at which nothing is may be a name
// of the hub's.
func (a *Allowed) reads(in input) error {
	if slices.Contains(a.Read, in.path) {
		return nil // the user typed it
	}
	if err := shown(in.key, in.path); err != nil {
		return err
	}
	folders := within.Folders{Base: ".", Allowed: a.Read}
	_, err := folders.Find(in.path)
	var elsewhere *within.OutsideError
	switch {
	case err == nil || os.IsNotExist(err):
		return nil
	case !errors.As(err, &elsewhere):
		return usage.Errorf("", "%s: %v", in.key, err)
	}
	return usage.Errorf("", "%s is %s: a Spec from a file may only read below the current folder, and nothing there that is hidden or a link that leads out of it", in.key, outside.Word(in.path)).
		WithHint("give --%s DIR to let it read there", within.Flag)
}

// shown refuses a path that can't be shown as it is: nobody could tell what is touched.
func shown(key, path string) error {
	if outside.Word(path) == path {
		return nil
	}
	return usage.Errorf("", "%s is %q, which is too long, or has characters that can't be shown", key, outside.Word(path))
}

// output is a path that is written.
type output struct {
	key, path string
	folder    bool
	ending    string
	ours      *regexp.Regexp // the beginning of a file of ours, which may be replaced or added to
}

// What files of ours begin with.
var (
	oursResult        = regexp.MustCompile(`^\{"date": "[0-9]{8}-[0-9]{6}", "endpoint_type": "`)
	oursNotes         = regexp.MustCompile(`^## [^\n]*\n\n[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} [+-][0-9:]{5}, `)
	oursSummary       = regexp.MustCompile(`^Provider,Model,Prompt Tokens,Generation Tokens,`)
	oursConversations = regexp.MustCompile(`^\[\n(\]\n$|\{"id": "[^\n]*", "messages": \[)`)
)

// outputs are all paths that the Spec names to be written.
func (s *Spec) outputs() (list []output) {
	if s.RunDir != "" {
		list = append(list, output{key: "keep.run_dir", path: s.RunDir, folder: true})
	}
	if s.SaveResult || s.AppendResult || s.PlotTimeline || s.PlotDatasetStats {
		key := "keep.result_filename"
		if s.ResultFilename == "" {
			key = "keep.result_dir"
		}
		list = append(list, output{key: key, path: s.ResultPath("result.json"), ending: ".json", ours: oursResult})
	}
	for _, o := range []output{
		{key: "keep.save_conversations", path: s.SaveConversations, ending: ".json", ours: oursConversations},
		{key: "keep.append_markdown", path: s.AppendMarkdown, ending: ".md", ours: oursNotes},
		{key: "keep.summary_file", path: s.SummaryFile, ending: ".csv", ours: oursSummary},
	} {
		if o.path != "" {
			list = append(list, o)
		}
	}
	return list
}

// writes refuses a path that is not below the current folder, and what would harm a file
// that is no result.
func (a *Allowed) writes(out output) error {
	if err := shown(out.key, out.path); err != nil {
		return err
	}
	place := filepath.IsLocal(out.path) && !within.Hidden(out.path) && plain(".", out.path)
	if !place && !slices.ContainsFunc(a.Write, func(folder string) bool { return plain(folder, out.path) }) {
		return usage.Errorf("", "%s is %s: a Spec from a file may only write below the current folder, by a relative path that is not hidden and has no link in it", out.key, outside.Word(out.path)).
			WithHint("give --%s DIR to let it write there", FlagAllowWrite)
	}
	if out.folder {
		return freeFolder(out)
	}
	if !strings.HasSuffix(out.path, out.ending) {
		return usage.Errorf("", "%s is %s: a Spec from a file may only name a file there that ends with %s", out.key, outside.Word(out.path), out.ending)
	}
	if err := recognise(out.path, out.ours); err != nil {
		return usage.Errorf("", "%s is %s, which %v: a Spec from a file may not change it", out.key, outside.Word(out.path), err).WithHint("move it away, or name another in the file")
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(out.path), journal.FileName)); err == nil {
		return usage.Errorf("", "%s is %s, in the folder of a run: a Spec from a file may not change that", out.key, outside.Word(out.path)).WithHint("name another in the file")
	}
	if out.ours == oursResult {
		return picturesFit(out)
	}
	return nil
}

// What pictures beside a result are called, after its name.
const (
	timelineEnding     = ".timeline.html"
	datasetStatsEnding = ".dataset_stats.png"
)

// picturesFit refuses pictures in the place of files that don't belong to a result of ours.
func picturesFit(out output) error {
	if _, err := os.Lstat(out.path); err == nil {
		return nil // ours, and so are those beside it
	}
	for _, ending := range []string{timelineEnding, datasetStatsEnding} {
		path := strings.TrimSuffix(out.path, out.ending) + ending
		if _, err := os.Lstat(path); err == nil {
			return usage.Errorf("", "%s would replace %s, which a Spec from a file may not", out.key, outside.Word(path)).WithHint("move it away, or name another in the file")
		}
	}
	return nil
}

// plain says that a path lies below a folder, and that no part of it that exists is a link.
func plain(folder, path string) bool {
	base, err := within.Real(folder)
	if os.IsNotExist(err) {
		base, err = filepath.Abs(folder) // it is made when something is written
	}
	here, e := within.Real(".")
	if err != nil || e != nil || backward(path) {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(here, path)
	}
	inside, err := filepath.Rel(base, path)
	if typed, e := filepath.Abs(folder); e == nil && (err != nil || !filepath.IsLocal(inside)) {
		inside, err = filepath.Rel(typed, path) // by the name that the user knows it
	}
	if err != nil || !filepath.IsLocal(inside) {
		return false
	}
	at := base
	for part := range strings.SplitSeq(filepath.ToSlash(inside), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return os.IsNotExist(err)
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return false
		}
	}
	return true
}

// backward says that a path goes up after it has gone down: behind a link that is elsewhere
// than it looks.
func backward(path string) bool {
	down := filepath.IsAbs(path)
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == ".." && down {
			return true
		}
		down = down || part != "" && part != "." && part != ".."
	}
	return false
}

// freeFolder refuses a run's folder that holds anything but a run, which is told of later.
func freeFolder(out output) error {
	entries, err := os.ReadDir(out.path)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == journal.FileName }) {
		return nil
	}
	return usage.Errorf("", "%s is %s, which is there and is no empty folder: a Spec from a file may not change it", out.key, outside.Word(out.path)).WithHint("give another with %s", usage.Ref("run-dir"))
}

// mostHead is how much of a file is looked at to tell whether it is ours.
const mostHead = 64 << 10

// recognise says why what is at a path is none of ours; nil: it is, or nothing is there.
func recognise(path string, ours *regexp.Regexp) error {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return nil
	case err != nil:
		return fmt.Errorf("can't be looked at (%v)", err)
	case !info.Mode().IsRegular():
		return errors.New("is no file")
	case info.Size() == 0:
		return errors.New("is an empty file that something else may use")
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("can't be read (%v)", err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, mostHead))
	if err != nil {
		return fmt.Errorf("can't be read (%v)", err)
	}
	if !ours.Match(head) {
		return errors.New("is there and is no result of inferometer")
	}
	return nil
}
