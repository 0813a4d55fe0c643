// Package bucket puts files into a bucket of an S3-compatible store.
package bucket

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
)

// Place is where objects go: a bucket, and what their names begin with.
type Place struct{ Bucket, Prefix string }

// The bounds of S3.
const (
	mostAddress = 1024
	mostName    = 1024
)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// Parse reads an address such as s3://bucket/prefix. An error does not repeat what may be
// a login.
func Parse(text string) (Place, error) {
	rest, ok := strings.CutPrefix(text, "s3://")
	switch {
	case strings.Contains(rest, "@"):
		return Place{}, errors.New("holds an @: keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and stand in no address")
	case !ok || len(text) > mostAddress:
		return Place{}, fmt.Errorf("needs an address such as s3://bucket/prefix, not %q", outside.Word(text))
	case strings.ContainsAny(rest, "?#"):
		return Place{}, fmt.Errorf("%q has options, and there are none: the endpoint and the region are AWS_ENDPOINT_URL and AWS_REGION", outside.Word(text))
	}
	name, prefix, _ := strings.Cut(rest, "/")
	if !bucketName.MatchString(name) || strings.Contains(name, "..") {
		return Place{}, fmt.Errorf("%q is no name of a bucket: it has 3 to 63 small letters, digits, dots and hyphens", outside.Word(name))
	}
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix != "" {
		for part := range strings.SplitSeq(prefix, "/") {
			if part == "" || part == "." || part == ".." {
				return Place{}, fmt.Errorf("the prefix %q has an empty part, or one of dots", outside.Word(prefix))
			}
		}
	}
	if err := checkName(prefix); err != nil {
		return Place{}, err
	}
	return Place{name, prefix}, nil
}

// checkName refuses what a store, or a list of its objects, would not show as it is.
func checkName(name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || len(name) > mostName {
		return fmt.Errorf("%q can't be the name of an object: it must be UTF-8 without control characters, of at most %d bytes", outside.Word(name), mostName)
	}
	return nil
}

// String is the address again.
func (p Place) String() string {
	if p.Prefix == "" {
		return "s3://" + p.Bucket
	}
	return "s3://" + p.Bucket + "/" + p.Prefix
}

// Below is a place in this one.
func (p Place) Below(name string) Place {
	if p.Prefix != "" {
		name = p.Prefix + "/" + name
	}
	return Place{p.Bucket, name}
}

// Account is a store, and as whom to come.
type Account struct {
	Endpoint           string // a URL; empty: Amazon's
	Region             string // empty: the store is asked, or us-east-1
	Key, Secret, Token string
	Plain              bool // without TLS to another machine
}

// FromEnvironment makes an account from the variables that Amazon's tools read. lookup
// finds one.
func FromEnvironment(lookup func(name string) (string, bool)) Account {
	first := func(names ...string) string {
		for _, name := range names {
			if value, _ := lookup(name); value != "" {
				return strings.TrimSpace(value)
			}
		}
		return ""
	}
	return Account{
		Endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), Region: first("AWS_REGION", "AWS_DEFAULT_REGION"),
		Key: first("AWS_ACCESS_KEY_ID"), Secret: first("AWS_SECRET_ACCESS_KEY"), Token: first("AWS_SESSION_TOKEN"),
	}
}

// amazon is where a bucket is unless told.
const amazon = "https://s3.amazonaws.com"

// address is the endpoint's host, and whether TLS is spoken.
func (a Account) address() (host string, secure bool, err error) {
	text := a.Endpoint
	if text == "" {
		text = amazon
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return "", false, fmt.Errorf("AWS_ENDPOINT_URL must be such as https://s3.example:9000, not %q", outside.Word(outside.RedactURL(text)))
	case u.User != nil:
		return "", false, errors.New("AWS_ENDPOINT_URL holds a login: keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case strings.Trim(u.Path, "/") != "":
		return "", false, fmt.Errorf("AWS_ENDPOINT_URL has a path, %q: the bucket stands in the address s3://", outside.Word(u.Path))
	case u.Scheme == "http" && !a.Plain && !outside.Loopback(u.Hostname()):
		return "", false, fmt.Errorf("%s is not of this machine, and http shows results to the whole network: use https, or --upload-plain where that is wanted", outside.Word(u.Host))
	}
	return u.Host, u.Scheme == "https", nil
}
