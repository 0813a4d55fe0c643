package bucket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// sign puts Amazon's signature, version 4, into a request. Sum is the SHA-256 of its body
// in hexadecimal digits. All headers that are there already are signed.
func sign(r *http.Request, a Account, region, sum string, now time.Time) {
	date := now.UTC().Format("20060102T150405Z")
	r.Header.Set("X-Amz-Date", date)
	r.Header.Set("X-Amz-Content-Sha256", sum)
	if a.Token != "" {
		r.Header.Set("X-Amz-Security-Token", a.Token)
	}
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.TrimSpace(strings.Join(values, ","))
	}
	names := slices.Sorted(maps.Keys(headers))
	signed := strings.Join(names, ";")
	canonical := []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery}
	for _, name := range names {
		canonical = append(canonical, name+":"+headers[name])
	}
	canonical = append(canonical, "", signed, sum)
	digest := sha256.Sum256([]byte(strings.Join(canonical, "\n")))
	scope := date[:8] + "/" + region + "/s3/aws4_request"
	key := []byte("AWS4" + a.Secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	signature := mac(key, "AWS4-HMAC-SHA256\n"+date+"\n"+scope+"\n"+hex.EncodeToString(digest[:]))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+a.Key+"/"+scope+",SignedHeaders="+signed+",Signature="+hex.EncodeToString(signature))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// escapePath writes the name of an object as the signature wants it: all but the
// unreserved characters and slashes in hexadecimal digits.
func escapePath(path string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(path))
}

// escapeQuery is the same of options, in the order of their names.
func escapeQuery(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }
