// Package setup makes what a fleet's own nats-server needs: a certificate, a configuration
// with a user for each role, and the file that each role comes with.
package setup

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
)

// Options are what a fleet is made of.
type Options struct {
	Hosts []string // names and addresses of the server, the first as others reach it; none: this machine only
	Port  int
}

// Written is what was written.
type Written struct {
	Folder string
	URL    string
	Until  time.Time // the certificate is good
	Alone  bool      // the server listens on the loopback only
}

// The names in the folder.
const (
	Config = "nats.conf"
	store  = "store"
)

// File is the one that a role comes with.
func File(r bus.Role) string { return string(r) + ".json" }

// Write makes the folder, whole or not at all. An existing folder is left as it is.
func Write(folder string, o Options, now time.Time) (made Written, err error) {
	hosts, err := checkHosts(o.Hosts)
	if err != nil {
		return made, err
	}
	if err := vacant(folder); err != nil {
		return made, err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return made, err
	}
	draft, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+".") // 0700
	if err != nil {
		return made, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(draft))
		}
	}()
	made = Written{Folder: folder, Alone: len(hosts) == 0}
	if made.Alone {
		hosts = []string{"127.0.0.1"}
	}
	made.URL = "tls://" + net.JoinHostPort(hosts[0], strconv.Itoa(o.Port))
	files, err := contents(&made, hosts, o.Port, now)
	if err != nil {
		return made, err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(draft, name), content, 0o600); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(filepath.Join(draft, store), 0o700); err != nil {
		return made, err
	}
	_ = os.Remove(folder) // an empty one; any other stays, and the next line says so
	if err := os.Rename(draft, folder); err != nil {
		return made, fmt.Errorf("write %s: %w", folder, err)
	}
	return made, nil
}

// vacant says whether a folder can be made there.
func vacant(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	}
	for _, e := range entries {
		if e.Name() == Config {
			return fmt.Errorf("%s holds a fleet already, which agents may be using: start it with nats-server, or write another one with --output; to begin anew, remove the folder first", folder)
		}
	}
	return fmt.Errorf("%s is there and not empty: give another folder with --output", folder)
}

// contents are all files of the folder, by name.
func contents(made *Written, hosts []string, port int, now time.Time) (map[string][]byte, error) {
	pair, err := newPair(hosts, now)
	if err != nil {
		return nil, err
	}
	made.Until = pair.until
	files := map[string][]byte{"ca.pem": pair.authority, certificateFile: pair.certificate, keyFile: pair.key}
	var users []user
	for _, role := range []bus.Role{bus.Leader, bus.Agent, bus.Viewer} {
		password := rand.Text() + rand.Text() // 256 bits
		place := bus.Place{URL: made.URL, User: string(role), Password: password, CA: string(pair.authority), Inbox: role.Inbox()}
		text, err := json.MarshalIndent(place, "", "  ")
		if err != nil {
			return nil, err
		}
		files[File(role)] = append(text, '\n')
		u, err := newUser(role, password)
		if err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	listen := net.JoinHostPort("0.0.0.0", strconv.Itoa(port))
	switch {
	case made.Alone:
		listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	case strings.Contains(hosts[0], ":"):
		listen = net.JoinHostPort("::", strconv.Itoa(port))
	}
	files[Config] = config(listen, users)
	return files, nil
}
