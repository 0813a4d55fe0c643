package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// File is one that is put into a bucket.
type File struct {
	Path    string // on this machine
	Name    string // below the place, with slashes
	Replace bool   // another content of that name may be there
}

// Bucket is a place in a store.
type Bucket struct {
	Place
	host    string
	store   *store
	secrets *outside.Secrets
}

// Open makes ready for a bucket. Nothing is asked yet.
func Open(p Place, a Account) (*Bucket, error) {
	host, secure, err := a.address()
	if err != nil {
		return nil, err
	}
	if a.Key == "" || a.Secret == "" {
		return nil, errors.New("needs the keys of the store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return &Bucket{p, host, newStore(a, host, secure, p.Bucket), outside.NewSecrets(a.Secret, a.Token)}, nil
}

// Check finds out whether the bucket is there and takes these keys. Who may write to it
// but not list it is not refused.
func (b *Bucket) Check(ctx context.Context) error {
	list, err := b.store.do(ctx, http.MethodGet, "", url.Values{"list-type": {"2"}, "max-keys": {"1"}, "prefix": {b.Prefix}}, nil, nil)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.Code == "AccessDenied":
		return nil
	case err == nil && !strings.Contains(list.body, "<ListBucketResult"):
		return b.noStore()
	}
	return b.explain(err)
}

func (b *Bucket) noStore() error {
	return fmt.Errorf("the store %s does not answer as an S3 store does: see AWS_ENDPOINT_URL", outside.Word(b.host))
}

// Put puts files into the bucket, one after another, and tells their bytes. What is there
// already is left alone where it is the same; where it is not, it is kept, and that is an
// error.
func (b *Bucket) Put(ctx context.Context, files []File) (total int64, err error) {
	for _, f := range files {
		n, err := b.put(ctx, f)
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// partBytes is the size of the parts in which a larger file is sent.
const partBytes = 16 << 20

// digestHeader is the metadata that tells whether an object is the file.
const digestHeader = "X-Amz-Meta-Sha256"

func (b *Bucket) put(ctx context.Context, file File) (int64, error) {
	name := b.Below(file.Name).Prefix
	if err := checkName(name); err != nil {
		return 0, err
	}
	f, err := os.Open(file.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	sum, size, err := digest(f)
	if err != nil {
		return 0, err
	}
	header := http.Header{digestHeader: {sum}, "Content-Type": {contentType(name)}}
	if !file.Replace && size <= partBytes {
		header.Set("If-None-Match", "*") // only where nothing is
	}
	taken := fmt.Errorf("%s is there already, and is another one: give another prefix", outside.Word(Place{b.Bucket, name}.String()))
	if size > partBytes && !file.Replace {
		// The parts of a large file are put together without that condition.
		switch there, same := b.there(ctx, name, size, sum); {
		case same:
			return size, nil
		case there:
			return 0, taken
		}
	}
	var put answer
	if size > partBytes {
		put, err = b.store.putParts(ctx, name, header, f, size)
	} else {
		put, err = b.store.do(ctx, http.MethodPut, name, nil, header, f)
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusPreconditionFailed:
		if _, same := b.there(ctx, name, size, sum); same {
			return size, nil
		}
		return 0, taken
	case err != nil:
		return 0, b.explain(err)
	case put.header.Get("ETag") == "":
		return 0, b.noStore()
	}
	return size, nil
}

// there says whether an object of that name is known, and whether it is the file.
func (b *Bucket) there(ctx context.Context, name string, size int64, sum string) (there, same bool) {
	o, err := b.store.do(ctx, http.MethodHead, name, nil, nil, nil)
	return err == nil, err == nil && o.header.Get("Content-Length") == fmt.Sprint(size) && o.header.Get(digestHeader) == sum
}

// explain says what to do about an error of the store.
func (b *Bucket) explain(err error) error {
	var refused *refusal
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	host := outside.Word(b.host)
	if !errors.As(err, &refused) {
		return fmt.Errorf("the store %s: %s", host, b.secrets.Sentence(err.Error()))
	}
	switch refused.Code {
	case "NoSuchBucket":
		return fmt.Errorf("there is no bucket %s at %s: make it, or mend the address", b.Bucket, host)
	case "InvalidAccessKeyId":
		return fmt.Errorf("%s does not know the key in AWS_ACCESS_KEY_ID", host)
	case "SignatureDoesNotMatch":
		return fmt.Errorf("the secret in AWS_SECRET_ACCESS_KEY is not that of the key in AWS_ACCESS_KEY_ID, says %s", host)
	case "AccessDenied":
		return fmt.Errorf("the key in AWS_ACCESS_KEY_ID may not write to the bucket %s at %s", b.Bucket, host)
	}
	return fmt.Errorf("the store %s refuses it: %s (%s)", host, b.secrets.Sentence(refused.Message), outside.Word(refused.Code))
}

// contentType is what a browser makes of an object; journals and all else are bytes.
func contentType(name string) string {
	for ending, kind := range map[string]string{".json": "application/json", ".html": "text/html; charset=utf-8", ".csv": "text/csv", ".md": "text/markdown; charset=utf-8", ".zst": "application/zstd"} {
		if len(name) > len(ending) && name[len(name)-len(ending):] == ending {
			return kind
		}
	}
	return "application/octet-stream"
}
