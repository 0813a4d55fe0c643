package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// mostPlace bounds a file that says where NATS is.
const mostPlace = 256 << 10

// ReadPlace takes an address, or the name of a file that fleet init wrote.
func ReadPlace(text string) (Place, error) {
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		if err != nil {
			return Place{}, fmt.Errorf("%q is no address of NATS", outside.Word(outside.RedactURL(text)))
		}
		p := Place{}
		if u.User != nil {
			p.User = u.User.Username()
			p.Password, _ = u.User.Password()
			u.User = nil
		}
		p.URL = u.String()
		return p, p.check()
	}
	info, err := os.Stat(text)
	if err != nil {
		return Place{}, fmt.Errorf("%q is neither an address such as nats://127.0.0.1:4222 nor a file of inferometer fleet init: %w", outside.Word(text), err)
	}
	if info.IsDir() {
		return Place{}, fmt.Errorf("%s is a folder: give the file in it that is for the role, leader.json, agent.json or viewer.json", outside.Word(text))
	}
	if !info.Mode().IsRegular() || info.Size() > mostPlace {
		return Place{}, fmt.Errorf("%s is no file of inferometer fleet init", outside.Word(text))
	}
	b, err := os.ReadFile(text)
	if err != nil {
		return Place{}, err
	}
	var p Place
	if err := json.Unmarshal(b, &p); err != nil || p.URL == "" {
		return Place{}, fmt.Errorf("%s is no file of inferometer fleet init", outside.Word(text))
	}
	p.file = text
	return p, p.check()
}

// Written is how a user writes it: the file, or the address without its password.
func (p Place) Written() string {
	if p.file != "" {
		return p.file
	}
	return p.String()
}

// DecodePlace reads what such a file holds, and no further.
func DecodePlace(from io.Reader) (p Place, err error) {
	if err := json.NewDecoder(io.LimitReader(from, mostPlace)).Decode(&p); err != nil || p.URL == "" {
		return Place{}, errors.New("standard input holds no file of inferometer fleet init")
	}
	return p, p.check()
}

// String is the address alone.
func (p Place) String() string { return outside.RedactURL(p.URL) }
