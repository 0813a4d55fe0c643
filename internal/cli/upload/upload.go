package upload

import (
	"context"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/usage"
)

// Run is the command upload.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer upload",
		"Put the files of a run, or of a scenario's results, into a bucket of an S3-compatible store, under the name of the folder. "+
			"Files that are already there unchanged are skipped; a run never replaces another. "+
			"Keys, region and endpoint are the environment's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.")
	set.Example("A run, to Amazon", "AWS_REGION=eu-central-1 inferometer upload results/1 s3://bench-results/nightly")
	set.Example("The results of a scenario, to another store", "AWS_ENDPOINT_URL=https://minio.example:9000 inferometer upload results/my-scenario s3://bench-results")
	set.Operands("FOLDER s3://BUCKET/PREFIX", 2, 2)
	set.CompleteOperands(argv.Run, argv.Word)
	f := &Flags{}
	f.definePlain(set)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	f.To = set.Args()[1]
	if err := f.open(func(err error) error { return &usage.Error{Text: "the second argument " + err.Error()} }); err != nil {
		return err
	}
	folder, err := filepath.Abs(set.Args()[0])
	if err != nil {
		return err
	}
	return f.put(ctx, s.Out, folder)
}
