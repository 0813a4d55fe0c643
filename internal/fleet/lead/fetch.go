package lead

import (
	"context"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
)

// filesName is the folder of what a leader that took over fetched.
const filesName = "files"

// fetchFiles brings the files of the run here, as an agent does: the leader before may have
// had them elsewhere.
func (l *leader) fetchFiles(ctx context.Context, s *spec.Spec) (map[bench.FileKind]string, error) {
	places := map[bench.FileKind]string{}
	count, named := map[string]int{}, map[string]string{string(bench.DatasetFile): s.Path, string(bench.TokenizerFile): s.Tokenizer}
	for _, f := range l.kept.Files {
		count[f.For]++
	}
	for _, f := range l.kept.Files {
		folder := filepath.Join(l.folder.path, filesName, filepath.Base(f.For))
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			continue // no leader of ours wrote it
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		_ = os.Remove(path) // of an attempt before
		err := l.bus.GetFile(ctx, f, path)
		if err != nil && l.putAgain(ctx, named[f.For], f) { // NATS has lost it
			err = l.bus.GetFile(ctx, f, path)
		}
		if err != nil {
			return nil, err
		}
		places[bench.FileKind(f.For)] = folder
		if count[f.For] == 1 && f.Name == filepath.Base(named[f.For]) {
			places[bench.FileKind(f.For)] = path // the file itself, as the Spec names it
		}
	}
	return places, nil
}

// putAgain gives NATS a file as the Spec names it, where it lies on this machine and is the same.
func (l *leader) putAgain(ctx context.Context, named string, f message.File) bool {
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		named = filepath.Join(named, filepath.FromSlash(f.Name))
	}
	sum, err := journal.Digest(named)
	if err != nil || sum != f.SHA256 {
		return false
	}
	_, err = l.bus.PutFile(ctx, named, f.For)
	return err == nil
}
