package bucket

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Place{
		"s3://bucket":            {"bucket", ""},
		"s3://bucket/":           {"bucket", ""},
		"s3://my.bucket-1/a/b/":  {"my.bucket-1", "a/b"},
		"s3://bucket/ümlaut +%&": {"bucket", "ümlaut +%&"},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                       "needs an address",
		"bucket/x":               "needs an address",
		"https://bucket/x":       "needs an address",
		"s3:/bucket":             "needs an address",
		"s3://":                  "no name of a bucket",
		"s3://ab":                "no name of a bucket",
		"s3://Bucket":            "no name of a bucket",
		"s3://a..b":              "no name of a bucket",
		"s3://-ab":               "no name of a bucket",
		"s3://bucket:9000/x":     "no name of a bucket",
		"s3://bucket//x":         "empty part",
		"s3://bucket/a/../b":     "one of dots",
		"s3://bucket/x?region=a": "has options",
		"s3://bucket/a\x1b[31m":  "control characters",
		"s3://bucket/\xff":       "UTF-8",
		"s3://u:swordfish@b":     "holds an @",
		"s3://bucket/" + strings.Repeat("x", 2000): "needs an address",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "swordfish") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: what is taken is an address again, and names nothing outside its prefix.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"s3://bucket/a/b", "s3://bucket/../x", "s3://b@c/d", "s3://bucket/ü ?", "s3://bucket///"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil || again != p {
			t.Errorf("%q: %+v, then %+v, %v", text, p, again, err)
		}
		if strings.Contains("/"+p.Prefix+"/", "/../") || strings.HasPrefix(p.Prefix, "/") {
			t.Errorf("%q: %+v", text, p)
		}
	})
}

func TestAccount(t *testing.T) {
	for _, c := range []struct {
		a    Account
		want string // an error; empty: none
	}{
		{Account{}, ""},
		{Account{Endpoint: "http://127.0.0.1:9000"}, ""},
		{Account{Endpoint: "http://[::1]:9000/"}, ""},
		{Account{Endpoint: "http://localhost:9000"}, ""},
		{Account{Endpoint: "http://minio:9000"}, "use https"},
		{Account{Endpoint: "http://localhost.example:9000"}, "use https"},
		{Account{Endpoint: "http://minio:9000", Plain: true}, ""},
		{Account{Endpoint: "https://minio:9000"}, ""},
		{Account{Endpoint: "minio:9000"}, "must be such as"},
		{Account{Endpoint: "ftp://minio"}, "must be such as"},
		{Account{Endpoint: "https://minio/bucket"}, "has a path"},
		{Account{Endpoint: "https://u:swordfish@minio"}, "holds a login"},
	} {
		_, _, err := c.a.address()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "swordfish")) {
			t.Errorf("%+v: %v, want %q", c.a, err, c.want)
		}
		c.a.Key, c.a.Secret = "k", "s"
		if _, err := Open(Place{"bucket", ""}, c.a); (err == nil) != (c.want == "") {
			t.Errorf("%+v: %v", c.a, err)
		}
	}
	env := map[string]string{"AWS_ENDPOINT_URL": "https://a", "AWS_ENDPOINT_URL_S3": "https://b", "AWS_DEFAULT_REGION": "r", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s\n"}
	a := FromEnvironment(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if a != (Account{Endpoint: "https://b", Region: "r", Key: "k", Secret: "s"}) {
		t.Errorf("%+v", a)
	}
}
