package scrape

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/inferometer/inferometer/internal/outside"
)

// UsualPath is where most servers have their metrics.
const UsualPath = "/metrics"

// Address completes what a user gives as the address of metrics, or says what is wrong.
func Address(text string) (string, error) {
	const form = "give an address such as http://host:8002/metrics"
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "", errors.New("is empty: " + form)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q is no address: %s", outside.Word(outside.RedactURL(text)), form)
	case u.User != nil:
		return "", errors.New("has a login in it, which would be written down with the run: metrics that need one can't be read")
	case u.Fragment != "":
		return "", fmt.Errorf("%q has a # in it: %s", outside.Word(text), form)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = UsualPath
	}
	return u.String(), nil
}
