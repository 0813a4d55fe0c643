// Package upload has the flags that put the files of a run into a bucket, and the command
// upload, which does so later.
package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/files/bucket"
	"github.com/inferometer/inferometer/internal/outside"
)

// Flags are --upload and --upload-plain.
type Flags struct {
	To     string // empty: nowhere
	plain  bool
	bucket *bucket.Bucket
}

const (
	flagTo    = "upload"
	flagPlain = "upload-plain"
)

// Define declares the flags.
func (f *Flags) Define(set *argv.Set, opts ...argv.Option) {
	set.String(&f.To, flagTo, "", "Put the run's journal, result and Spec into this bucket of an S3-compatible store afterwards, under the name of the run's folder. "+
		"Keys, region and endpoint are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.",
		append(opts, argv.WholeName(), argv.Metavar("s3://BUCKET/PREFIX"), argv.Redact(outside.RedactURL))...)
	f.definePlain(set, opts...)
}

func (f *Flags) definePlain(set *argv.Set, opts ...argv.Option) {
	set.Bool(&f.plain, flagPlain, "Upload without TLS even to a store on another machine.", append(opts, argv.WholeName())...)
}

// Check reads the flags and the environment; what is wrong with them is a usage error.
func (f *Flags) Check() error {
	if f.To == "" {
		if f.plain {
			return argv.Errorf(flagPlain, "has no effect without --upload")
		}
		return nil
	}
	return f.open(func(err error) error { return argv.Errorf(flagTo, "%v", err) })
}

func (f *Flags) open(wrong func(error) error) error {
	place, err := bucket.Parse(f.To)
	if err != nil {
		return wrong(err)
	}
	account := bucket.FromEnvironment(os.LookupEnv)
	account.Plain = f.plain
	if f.bucket, err = bucket.Open(place, account); err != nil {
		return wrong(err)
	}
	return nil
}

// Try asks the store before the load whether it would take the files: a wrong key is
// better known before an hour than after it.
func (f *Flags) Try(ctx context.Context) error {
	if f.bucket == nil {
		return nil
	}
	if err := f.bucket.Check(ctx); err != nil {
		return fmt.Errorf("--upload %s: %w; nothing was sent", f.bucket, err)
	}
	return nil
}

// Put uploads what a folder holds, and says so. An error says how to try again.
func (f *Flags) Put(ctx context.Context, w io.Writer, folder string) error {
	if f.bucket == nil {
		return nil
	}
	err := f.put(ctx, w, folder)
	if err == nil {
		return nil
	}
	again := []string{"inferometer", "upload", folder, f.bucket.String()}
	if f.plain {
		again = append(again, "--"+flagPlain)
	}
	return fmt.Errorf("the run was not uploaded: %w; it is whole in %s. Try again: %s", err, folder, shlex.Join(again))
}

func (f *Flags) put(ctx context.Context, w io.Writer, folder string) error {
	files, err := results(folder)
	if err != nil {
		return err
	}
	to := f.bucket.Below(filepath.Base(folder))
	total, err := f.bucket.Put(ctx, files)
	if errors.Is(err, context.Canceled) {
		return errors.New("it was cancelled")
	}
	if err == nil && w != nil {
		fmt.Fprintf(w, "uploaded: %s (%d files, %d bytes)\n", outside.Line(to.String(), len(to.String())), len(files), total)
	}
	return err
}

// Ending is the end of a command that ended in its own way, and of the upload after it.
func Ending(ending, upload error) error {
	if upload == nil {
		return ending
	}
	return command.Exit(command.ExitNothing, errors.Join(ending, upload))
}
