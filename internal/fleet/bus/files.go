package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// PutFile stores a file under its digest, unless the server has it already. what is
// message.File.For.
func (b *Bus) PutFile(ctx context.Context, path, what string) (file message.File, err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream, fileSubj)
	defer func() { err = explain(err) }()
	f, err := os.Open(path)
	if err != nil {
		return message.File{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return message.File{}, err
	}
	file = message.File{SHA256: hex.EncodeToString(h.Sum(nil)), Bytes: n, For: what, Name: filepath.Base(path)}
	store, err := b.js.ObjectStore(ctx, FilesBucket)
	if err != nil {
		return file, explainStore(err)
	}
	if info, err := store.GetInfo(ctx, file.SHA256); err == nil && info.Size == uint64(n) {
		return file, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return file, err
	}
	_, err = store.Put(ctx, jetstream.ObjectMeta{Name: file.SHA256}, f)
	return file, explainStore(err)
}

// GetFile writes a file of the store to a path that does not exist, if it is what its
// digest says.
func (b *Bus) GetFile(ctx context.Context, file message.File, path string) (err error) {
	ctx, explain := b.waiting.unless(ctx, jetStream)
	defer func() { err = explain(err) }()
	store, err := b.js.ObjectStore(ctx, FilesBucket)
	if err != nil {
		return explainStore(err)
	}
	object, err := store.Get(ctx, file.SHA256)
	if err != nil {
		return fmt.Errorf("fetch the %s %s: %w", file.For, file.Name, err)
	}
	defer object.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(path)
		}
	}()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(object, file.Bytes+1))
	if err != nil {
		return fmt.Errorf("fetch the %s %s: %w", file.For, file.Name, err)
	}
	if n != file.Bytes || hex.EncodeToString(h.Sum(nil)) != file.SHA256 {
		return fmt.Errorf("the %s %s came as another file than the leader's", file.For, file.Name)
	}
	return nil
}
