package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/prepare"
)

// fetch brings the files of an offer here, those that are not here yet, and gives where
// those of each kind lie: the file itself where it is the one that the Spec names, else a
// folder that holds them.
func (a *Agent) fetch(ctx context.Context, o *offered) (map[prepare.FileKind]string, error) {
	places := map[prepare.FileKind]string{}
	for kind, named := range map[prepare.FileKind]string{prepare.DatasetFile: o.spec.Path, prepare.TokenizerFile: o.spec.Tokenizer} {
		var files []message.File
		for _, f := range o.files {
			if f.For == string(kind) {
				files = append(files, f)
			}
		}
		if len(files) == 0 {
			continue
		}
		for _, f := range files {
			if err := a.fetchOne(ctx, f); err != nil {
				return nil, err
			}
		}
		folder, err := a.set(files)
		if err != nil {
			return nil, fmt.Errorf("keep the %s: %w", kind, err)
		}
		if len(files) == 1 && files[0].Name == filepath.Base(named) {
			folder = filepath.Join(folder, files[0].Name)
		}
		places[kind] = folder
	}
	return places, nil
}

// blob is where a file lies by its digest.
func (a *Agent) blob(f message.File) string { return filepath.Join(a.files(), f.SHA256, "file") }

func (a *Agent) fetchOne(ctx context.Context, f message.File) error {
	if info, err := os.Stat(a.blob(f)); err == nil && info.Size() == f.Bytes {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(a.blob(f)), 0o700); err != nil {
		return err
	}
	part := a.blob(f) + "." + random(8) // another agent may fetch it too
	defer os.Remove(part)
	if err := a.Bus.GetFile(ctx, f, part); err != nil {
		return err
	}
	return os.Rename(part, a.blob(f))
}

// set is a folder in which files have their names.
func (a *Agent) set(files []message.File) (string, error) {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %q\n", f.SHA256, f.Name)
	}
	folder := filepath.Join(a.files(), "set-"+hex.EncodeToString(h.Sum(nil)[:16]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	part, err := os.MkdirTemp(a.files(), "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	for _, f := range files {
		path := filepath.Join(part, filepath.FromSlash(f.Name)) // checkFiles has seen to it that it lies inside
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := link(a.blob(f), path); err != nil {
			return "", err
		}
	}
	if err := os.Rename(part, folder); err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Stat(folder); there != nil { // else another agent was faster
			return "", err
		}
	}
	return folder, nil
}

// link copies where the file system has no links.
func link(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
