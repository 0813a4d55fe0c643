package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/page"
)

// drawPoints writes one page with the pictures of every point that has a result. A
// point that was a search has none of its own: its probes have.
func drawPoints(plan *scenario.Plan, records []*scenario.Record, folder scenario.Folder) error {
	var runs []page.Run
	for _, r := range records {
		if r == nil || r.State != run.Done {
			continue
		}
		at := folder.Run(r.ID)
		if _, err := os.Stat(filepath.Join(at, journal.FileName)); err != nil {
			continue
		}
		one, err := export.ReadRun(at, measure.Options{}, true, len(records))
		if err != nil {
			return err
		}
		one.Name = r.ID
		if d := r.SpecDecode; d != nil && one.Result.SpecDecode == nil {
			one.Result.SpecDecode = &measure.SpecDecode{AcceptanceRate: d.AcceptanceRate, AcceptanceLength: d.AcceptanceLength}
		}
		runs = append(runs, one)
	}
	if len(runs) == 0 {
		return nil
	}
	return atomicfile.Write(filepath.Join(folder.Path, scenario.Pictures), func(w io.Writer) error {
		return page.Write(w, runs, page.Options{SLO: plan.Scenario.SLO.SLO, Version: fullVersion()})
	})
}
