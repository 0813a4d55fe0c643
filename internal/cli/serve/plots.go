package serve

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/show/pictures"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/spec"
)

// plots is what is collected for them.
type plots struct {
	lanes   *chartdata.Lanes
	lengths *chartdata.Lengths
}

// newPlots is what the flags ask for, and what collects it.
func (o *Options) newPlots() (p plots, also []row.Collector) {
	if o.PlotTimeline {
		p.lanes = &chartdata.Lanes{Thresholds: spec.Thresholds(o.TimelineITLThresholds)}
		also = append(also, p.lanes)
	}
	if o.PlotDatasetStats {
		p.lengths = &chartdata.Lengths{}
		also = append(also, p.lengths)
	}
	return p, also
}

// draw writes the pictures beside the result, under vLLM's names.
func (r *serveRun) draw(p plots, res *measure.Result) error {
	beside := func(ending string) string {
		path := r.ResultPath(report.FileName(res))
		return strings.TrimSuffix(path, filepath.Ext(path)) + ending
	}
	write := func(what, path string, write func(io.Writer) error) error {
		if err := atomicfile.Write(path, write); err != nil {
			return fmt.Errorf("write the %s: %w", what, err)
		}
		r.host.Say("%s: %s", what, path)
		return nil
	}
	var errs []error
	if p.lanes != nil {
		errs = append(errs, write("timeline", beside(".timeline.html"), func(w io.Writer) error {
			return pictures.WriteTimeline(w, res.Run, p.lanes, command.Version())
		}))
	}
	if p.lengths != nil {
		errs = append(errs, write("dataset statistics", beside(".dataset_stats.png"), func(w io.Writer) error {
			return pictures.WriteDatasetStats(w, p.lengths, false)
		}))
	}
	return errors.Join(errs...)
}
