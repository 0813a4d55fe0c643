package sweep

import (
	"context"
	"errors"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/plan/sweep"
)

// plotOptions are the flags of bench sweep plot that are not a sweep.Plot themselves.
type plotOptions struct {
	figDir, binBy, scaleX, scaleY string
	noErrorBars, dryRun           bool
	plot                          sweep.Plot
}

func plotFlags() (*argv.Set, *plotOptions) {
	set := argv.New("inferometer bench sweep plot", "Draw curves of what a sweep has measured, as PNG and SVG; a drop-in for vllm bench sweep plot.")
	set.Example("A curve for each setting of the server", "inferometer bench sweep plot results/tuning --curve-by max_num_seqs")
	set.Example("Latency against load, a column for each model", "inferometer bench sweep plot results/tuning --var-x max_concurrency --var-y p99_ttft_ms --col-by model --scale-y log")
	set.Operands("EXPERIMENT_DIR", 1, 1)
	set.CompleteOperands(argv.Folder)
	o := &plotOptions{}
	set.String(&o.figDir, "fig-dir", "", "Folder for the figures, inside the experiment's.", argv.Metavar("DIR"), argv.Shown("the experiment's own"))
	set.CSV(&o.plot.FigBy, "fig-by", nil, "A figure for each combination of these variables.")
	set.CSV(&o.plot.RowBy, "row-by", nil, "A row of panels for each.")
	set.CSV(&o.plot.ColBy, "col-by", nil, "A column of panels for each.")
	set.CSV(&o.plot.CurveBy, "curve-by", nil, "A curve for each.")
	set.String(&o.plot.X, "var-x", "total_token_throughput", "Variable from left to right.", argv.Metavar("VAR"))
	set.String(&o.plot.Y, "var-y", "median_ttft_ms", "Variable from bottom to top.", argv.Metavar("VAR"))
	set.String(&o.plot.FilterBy, "filter-by", "", "Only results that meet all of these, as in max_concurrency<1000,model==a (== != < <= > >=).", argv.Metavar("CONDITION,…"))
	set.String(&o.binBy, "bin-by", "", "Round variables down to a multiple, as in max_concurrency%8.", argv.Metavar("VAR%SIZE,…"))
	scales, others := []string{"", "linear", "log"}, []string{"sqrt", "symlog", "logit", "asinh"}
	const refused = "is a scale that is not drawn by this version; use log"
	set.Choice(&o.scaleX, "scale-x", "", scales, "Scale from left to right.", argv.Metavar("{linear|log}"), argv.Later(refused, others...))
	set.Choice(&o.scaleY, "scale-y", "", scales, "Scale from bottom to top.", argv.Metavar("{linear|log}"), argv.Later(refused, others...))
	set.String(&o.plot.Name, "fig-name", "FIGURE", "How the names of the files begin.", argv.Metavar("NAME"))
	set.Bool(&o.noErrorBars, "no-error-bars", "Leave out the bars of one standard deviation of the runs.")
	set.Float(&o.plot.Height, "fig-height", 6.4, "Height and width of a panel, in inches.", argv.Metavar("INCHES"))
	set.Int(&o.plot.DPI, "fig-dpi", 300, "Pixels an inch, of the PNG.")
	set.Bool(&o.dryRun, "dry-run", "Describe the figures without drawing them.")
	return set, o
}

func runPlot(_ context.Context, s command.Streams, args []string) error {
	set, o := plotFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.resolve(); err != nil {
		return err
	}
	return planError(o.plot.Draw(s.Out, set.Args()[0], o.figDir, o.dryRun))
}

func (o *plotOptions) resolve() (err error) {
	if o.plot.Filters, err = sweep.ParseFilters(o.plot.FilterBy); err != nil {
		return argv.Errorf("filter-by", "can't be read: %v", err)
	}
	if o.plot.Bins, err = sweep.ParseBins(o.binBy); err != nil {
		return argv.Errorf("bin-by", "can't be read: %v", err)
	}
	if !(o.plot.Height >= 2 && o.plot.Height <= 40) {
		return argv.Errorf("fig-height", "must be between 2 and 40 inches, not %v", o.plot.Height)
	}
	if o.plot.DPI < 50 || o.plot.DPI > 1200 {
		return argv.Errorf("fig-dpi", "must be between 50 and 1200, not %d", o.plot.DPI)
	}
	o.plot.LogX, o.plot.LogY = o.scaleX == "log", o.scaleY == "log"
	o.plot.ErrorBars = !o.noErrorBars
	return nil
}

// planError makes a usage error of what was asked for and can't be.
func planError(err error) error {
	if errors.Is(err, sweep.ErrPlan) {
		return command.Exit(command.ExitUsage, err)
	}
	return err
}

func runPareto(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer bench sweep plot_pareto",
		"Draw tokens/s for each user against tokens/s for each GPU, and the runs that no other beats in both; a drop-in for vllm bench sweep plot_pareto.")
	set.Example("By the concurrency that was set", "inferometer bench sweep plot_pareto results/tuning")
	set.Example("With the number of GPUs from a variable", "inferometer bench sweep plot_pareto results/tuning --gpu-count-var num_gpus --label-by max_concurrency,num_gpus")
	set.Operands("EXPERIMENT_DIR", 1, 1)
	set.CompleteOperands(argv.Folder)
	var p sweep.Pareto
	var dryRun bool
	set.String(&p.UserVar, "user-count-var", "max_concurrency", "Variable with the number of users at once; else request_rate, else the most that there were.", argv.Metavar("VAR"))
	set.String(&p.GPUVar, "gpu-count-var", "", "Variable with the number of GPUs.", argv.Metavar("VAR"), argv.Shown("tensor × pipeline × data parallel size"))
	set.CSV(&p.LabelBy, "label-by", []string{"max_concurrency", "gpu_count"}, "Variables that are written beside the best runs.")
	set.Bool(&dryRun, "dry-run", "Describe the figure without drawing it.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	return planError(p.Draw(s.Out, set.Args()[0], dryRun))
}
