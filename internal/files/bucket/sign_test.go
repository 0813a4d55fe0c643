package bucket

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The examples of Amazon's documentation of the signature, of its header form.
func TestSign(t *testing.T) {
	a := Account{Key: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1"}
	now := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		method, name, body string
		query              url.Values
		header             http.Header
		want               string
	}{
		{http.MethodGet, "test.txt", "", nil, http.Header{"Range": {"bytes=0-9"}}, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{
			http.MethodPut, "test$file.text", "Welcome to Amazon S3.", nil,
			http.Header{"Date": {"Fri, 24 May 2013 00:00:00 GMT"}, "X-Amz-Storage-Class": {"REDUCED_REDUNDANCY"}},
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
		},
		{http.MethodGet, "", "", url.Values{"lifecycle": {""}}, nil, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{http.MethodGet, "", "", url.Values{"prefix": {"J"}, "max-keys": {"2"}}, nil, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		u := url.URL{Scheme: "https", Host: "examplebucket.s3.amazonaws.com", Path: "/" + c.name, RawPath: "/" + escapePath(c.name), RawQuery: escapeQuery(c.query)}
		r, err := http.NewRequest(c.method, u.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.header != nil {
			r.Header = c.header
		}
		sum, _, _ := digest(strings.NewReader(c.body))
		sign(r, a, a.Region, sum, now)
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.name, got, c.want)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		account      Account
		bucket, want string
	}{
		{Account{}, "results", "https://results.s3.us-east-1.amazonaws.com/a%20b/%C3%BC%2B"},
		{Account{Region: "eu-west-1"}, "my.results", "https://s3.eu-west-1.amazonaws.com/my.results/a%20b/%C3%BC%2B"},
		{Account{Region: "cn-north-1"}, "results", "https://results.s3.cn-north-1.amazonaws.com.cn/a%20b/%C3%BC%2B"},
		{Account{Endpoint: "https://minio:9000"}, "results", "https://minio:9000/results/a%20b/%C3%BC%2B"},
	} {
		host, secure, err := c.account.address()
		if err != nil {
			t.Fatal(err)
		}
		if got := newStore(c.account, host, secure, c.bucket).address("a b/ü+").String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
