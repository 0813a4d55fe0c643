package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// store speaks S3 with the store of one bucket.
type store struct {
	account Account
	scheme  string
	host    string // of the endpoint
	bucket  string
	region  string
	client  *http.Client
}

// tries is how often a request is sent to a store that does not answer, some seconds in all.
const tries = 4

// maxAnswer is more than any answer that is read.
const maxAnswer = 1 << 20

// answer is what the store says.
type answer struct {
	header http.Header
	body   string
}

// refusal is an answer that is an error.
type refusal struct {
	Status        int
	Code, Message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("status %d, %s: %s", r.Status, r.Code, r.Message)
}

func newStore(a Account, host string, secure bool, bucket string) *store {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	s := &store{account: a, scheme: "http", host: host, bucket: bucket, region: a.Region, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it would need another signature
	}}
	if secure {
		s.scheme = "https"
	}
	if s.region == "" {
		s.region = "us-east-1" // what stores other than Amazon's take; Amazon's tell where the bucket is
	}
	return s
}

// address is that of an object. Amazon has a host for each region, and one for each bucket,
// whose certificate is good for names without dots.
func (s *store) address(name string) *url.URL {
	host, path := s.host, "/"+s.bucket
	if s.account.Endpoint == "" {
		host = "s3." + s.region + ".amazonaws.com"
		if strings.HasPrefix(s.region, "cn-") {
			host += ".cn"
		}
		if !strings.Contains(s.bucket, ".") {
			host, path = s.bucket+"."+host, ""
		}
	}
	path += "/" + name
	return &url.URL{Scheme: s.scheme, Host: host, Path: path, RawPath: escapePath(path)}
}

// do sends a request until it is answered, to the region that the store names.
func (s *store) do(ctx context.Context, method, name string, query url.Values, header http.Header, body io.ReadSeeker) (answer, error) {
	sum, size, err := digest(body)
	if err != nil {
		return answer{}, err
	}
	for try := 1; ; try++ {
		a, status, err := s.once(ctx, method, name, query, header, body, sum, size)
		refused := &refusal{status, a.element("Code"), a.element("Message")}
		region := a.header.Get("X-Amz-Bucket-Region")
		if region == "" && status >= 300 {
			region = a.element("Region")
		}
		switch {
		case err == nil && status < 300 && refused.Code == "":
			return a, nil
		case err == nil && status >= 300 && region != "" && region != s.region && try < tries:
			s.region = region
			continue
		case err == nil && !passing(refused):
			return a, refused
		case try == tries || ctx.Err() != nil || errors.As(err, new(x509.UnknownAuthorityError)):
			if err == nil {
				err = refused
			}
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(time.Duration(100+rand.IntN(100)) * time.Millisecond << try):
		}
	}
}

// digest is the sum of a body in hexadecimal digits, and its length.
func digest(body io.ReadSeeker) (sum string, size int64, err error) {
	h := sha256.New()
	if body != nil {
		if _, err = body.Seek(0, io.SeekStart); err == nil {
			size, err = io.Copy(h, body)
		}
	}
	if err != nil {
		return "", 0, fmt.Errorf("read what is uploaded: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

func (s *store) once(ctx context.Context, method, name string, query url.Values, header http.Header, body io.ReadSeeker, sum string, size int64) (answer, int, error) {
	u := s.address(name)
	u.RawQuery = escapeQuery(query)
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return answer{}, 0, err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	if size > 0 {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return answer{}, 0, err
		}
		r.Body, r.ContentLength = io.NopCloser(body), size
	}
	sign(r, s.account, s.region, sum, time.Now())
	response, err := s.client.Do(r)
	if err != nil {
		return answer{}, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return answer{response.Header, string(text)}, response.StatusCode, err
}

// passing says whether a refusal may be over in a moment.
func passing(r *refusal) bool {
	return slices.Contains([]int{408, 429, 499, 500, 502, 503, 504, 520}, r.Status) ||
		slices.Contains([]string{"RequestTimeout", "Throttling", "InternalError", "SlowDown"}, r.Code)
}

// element is the text of an XML element without others in it; empty: there is none.
func (a *answer) element(name string) string {
	_, rest, _ := strings.Cut(a.body, "<"+name+">")
	text, _, found := strings.Cut(rest, "</"+name+">")
	if !found {
		return ""
	}
	return html.UnescapeString(text)
}

// maxParts is S3's.
const maxParts = 10000

// putParts puts a large file, part after part. One that fails leaves nothing behind.
func (s *store) putParts(ctx context.Context, name string, header http.Header, file io.ReaderAt, size int64) (answer, error) {
	begun, err := s.do(ctx, http.MethodPost, name, url.Values{"uploads": {""}}, header, nil)
	if err != nil {
		return begun, err
	}
	id := begun.element("UploadId")
	if id == "" {
		return answer{}, nil // no store: it gives no ETag
	}
	put, err := s.parts(ctx, name, id, file, size)
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_, _ = s.do(ctx, http.MethodDelete, name, url.Values{"uploadId": {id}}, nil, nil) // what failed is told already
	}
	return put, err
}

func (s *store) parts(ctx context.Context, name, id string, file io.ReaderAt, size int64) (answer, error) {
	list, part := "<CompleteMultipartUpload>", max(partBytes, (size+maxParts-1)/maxParts)
	for number, at := 1, int64(0); at < size; number, at = number+1, at+part {
		query := url.Values{"partNumber": {fmt.Sprint(number)}, "uploadId": {id}}
		sent, err := s.do(ctx, http.MethodPut, name, query, nil, io.NewSectionReader(file, at, min(part, size-at)))
		if err != nil {
			return sent, err
		}
		list += fmt.Sprintf("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", number, html.EscapeString(sent.header.Get("ETag")))
	}
	whole, err := s.do(ctx, http.MethodPost, name, url.Values{"uploadId": {id}}, nil, bytes.NewReader([]byte(list+"</CompleteMultipartUpload>")))
	if err == nil {
		whole.header.Set("ETag", whole.element("ETag"))
	}
	return whole, err
}
