package kept

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/inferometer/inferometer/internal/journal"
)

// folders are one of each kind, as the commands leave them.
func folders() fstest.MapFS {
	files := fstest.MapFS{}
	add := func(names ...string) {
		for _, name := range names {
			files[name] = &fstest.MapFile{Data: []byte("x")}
		}
	}
	run := func(at string) {
		add(at+"/"+journal.FileName, at+"/"+journal.SpecName, at+"/"+journal.ResultName, at+"/bench.log")
	}
	run("plain")
	run("went-on")
	run("went-on/earlier-1")
	run("fleet")
	add("fleet/fleet.json", "fleet/agents/a1/"+journal.FileName)
	add("leading/fleet.json", "leading/spec.json", "leading/agents/a1/"+journal.FileName)
	add("before/scenario.yaml", "before/table.md", "before/summary.json", "before/summary.csv", "before/report.html", "before/servers/one-1/server.log")
	for _, name := range []string{"one_concurrency-16_r1", "one_concurrency-8_r1", "one_concurrency-8_r2"} {
		run("before/points/" + name + "/run")
		files["before/points/"+name+"/point.json"] = &fstest.MapFile{Data: []byte(`{"values": {"concurrency": "8\u001b[2J"}, "state": "done"}`)}
	}
	run("before/points/one_concurrency-8_r1/eval")
	files["before/points/one_concurrency-32_r1/point.json"] = &fstest.MapFile{Data: []byte(`{"state": "failed", "error": "it died\u001b[31m"}`)}
	add("before/points/one_concurrency-64_r1/bench.log")
	run("before/points/one_concurrency-128_r1/run") // killed in the middle
	files["before/points/one_concurrency-128_r1/point.json"] = &fstest.MapFile{Data: []byte(`{"state": "interrupted"}`)}
	add("find/probes.jsonl", "find/find.json", "find/find.md")
	run("find/probes/001/run")
	run("find/probes/002/run")
	files["find/result.json"] = &fstest.MapFile{Data: []byte(`{"inferometer": {"run": "/elsewhere/find/probes/002/run"}}`)}
	add("map/probes.jsonl")
	run("map/probes/001/run")
	run("map/probes/002/run")
	add("ab/ab.json")
	for _, round := range []string{"round-01-a", "round-01-b", "round-02-b", "round-02-a"} {
		run("ab/" + round)
	}
	run("load/alone")
	run("load/loaded")
	add("load/under-load.json")
	add("sweep/summary.csv", "sweep/SERVE--x/run=0.json", "sweep/SERVE--x/run=1.json", "sweep/SERVE--x/run=1.log", "sweep/SERVE--x/summary.json", "sweep/logs/SERVE--x.log")
	add("notes/scenario.yaml", "notes/NOTES.md") // a user's file of the same name, and no result
	return files
}

func TestKinds(t *testing.T) {
	files := folders()
	for folder, want := range map[string]struct {
		kind Kind
		runs string
	}{
		"plain":   {Run, "plain"},
		"went-on": {Run, "went-on"},
		"fleet":   {Run, "fleet"},
		"leading": {Fleet, ""},
		"before":  {Scenario, "one_concurrency-8_r1 one_concurrency-8_r1/eval one_concurrency-8_r2 one_concurrency-16_r1 one_concurrency-128_r1"},
		"find":    {Search, "find"}, // the one that its answer is from
		"map":     {Search, "map/001 map/002"},
		"ab":      {Duel, "round-01-a round-01-b round-02-a round-02-b"},
		"load":    {UnderLoad, "alone loaded"},
		"sweep":   {Sweep, "SERVE--x/run=0 SERVE--x/run=1"},
		"notes":   {None, ""},
		".":       {None, ""},
		"nowhere": {None, ""},
	} {
		if got := Look(files, folder); got != want.kind {
			t.Errorf("%s is %q, not %q", folder, got, want.kind)
		}
		runs, lacking, err := Runs(files, folder)
		var names []string
		for _, r := range runs {
			names = append(names, strings.TrimRight(r.Name+"/"+r.Part, "/"))
		}
		if got := strings.Join(names, " "); err != nil || got != want.runs {
			t.Errorf("%s holds %q, %v; not %q", folder, got, err, want.runs)
		}
		if folder != "before" {
			continue
		}
		if runs[0].Point != "one_concurrency-8" || runs[0].Values["concurrency"] != "8" {
			t.Errorf("%+v", runs[0])
		}
		if runs[0].Why != "" || runs[4].Why != "interrupted" {
			t.Errorf("%+v", runs)
		}
		if len(lacking) != 2 || lacking[0].Name != "one_concurrency-32_r1" || lacking[0].Why != "failed: it died" || lacking[1].Why == "" {
			t.Errorf("%+v", lacking)
		}
	}
	for folder, want := range map[string]bool{"went-on/earlier-1": true, "fleet/agents": true, "leading/agents": true, "before/points": false, "ab/round-01-a": false} {
		if IsPart(files, folder) != want {
			t.Errorf("%s is a part: %v", folder, !want)
		}
	}
}

// A note of a point that is somebody else's can be anything: it is refused or bounded, and never a path.
func FuzzPoint(f *testing.F) {
	f.Add([]byte(`{"id": "../../x", "values": {"a": "b"}, "state": "done"}`))
	f.Add([]byte(`{"values": [], "error": 3}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		files := fstest.MapFS{"p_r1/point.json": {Data: b}, "p_r1/run/" + journal.FileName: {Data: []byte("x")}}
		runs, _, err := Runs(files, "p_r1")
		if err == nil && (len(runs) != 1 || runs[0].Path != "p_r1/run" || runs[0].Point != "p") {
			t.Errorf("%q: %+v", b, runs)
		}
	})
}

func TestNatural(t *testing.T) {
	names := []string{"c-16", "c-2", "c-02", "c-2-x", "b", "c", "c-100"}
	slices.SortStableFunc(names, natural)
	if got := strings.Join(names, " "); got != "b c c-2 c-02 c-2-x c-16 c-100" {
		t.Error(got)
	}
}
