package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/plan/plantest"
	"github.com/inferometer/inferometer/internal/plan/scenario"
)

// played SCENARIO OUT TTFT MODEL [KEY=VALUE…]: the folder that run would leave, of a server with this
// TTFT and this model. Nothing is sent and no process is started: its numbers, and what is said of
// them, are the same on every machine.
func cmdPlayed(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) >= 4, "played SCENARIO OUT TTFT MODEL [KEY=VALUE…]")
	ttft, err := time.ParseDuration(args[2])
	ts.Check(err)
	doc, err := scenario.Load(scenario.Source{File: ts.MkAbs(args[0]), Set: args[4:], Lookup: os.LookupEnv})
	ts.Check(err)
	plan, err := doc.Plan(scenario.PlanOptions{Program: "inferometer"})
	ts.Check(err)
	source, err := doc.Text()
	ts.Check(err)
	server := &plantest.Server{TTFT: ttft, ITL: time.Millisecond, Spread: 0.05, Model: args[3], Noise: uint64(ttft)}
	folder := scenario.Folder{Path: ts.MkAbs(args[1])}
	r := &scenario.Runner{Plan: plan, Folder: folder, Source: source, Client: http.DefaultClient, Spec: serve.SpecOf, Instead: server.Run}
	records, err := r.Run(context.Background(), nil)
	ts.Check(err)
	sum := scenario.Summarize(plan, records, folder)
	ts.Check(sum.Write(folder))
	ts.Check(sum.Draw(folder, "played"))
	if sum.Done != len(plan.Points) {
		ts.Fatalf("%d of %d points are done", sum.Done, len(plan.Points))
	}
	fmt.Fprintln(ts.Stdout(), filepath.Base(folder.Path), strings.Join(args[4:], " "))
}
