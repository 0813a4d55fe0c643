package setup

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
)

// The folder is readable by its owner only, and holds no password but in the role's own file.
func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deep", "fleet")
	now := time.Now()
	made, err := Write(folder, Options{Hosts: []string{"NATS.example.", "10.0.0.7", "fd00::1", "nats.example"}, Port: 4300}, now)
	if err != nil {
		t.Fatal(err)
	}
	if made.URL != "tls://nats.example:4300" || made.Alone {
		t.Errorf("%+v", made)
	}
	passwords := map[string]string{}
	for _, role := range []bus.Role{bus.Leader, bus.Agent, bus.Viewer} {
		p, err := bus.ReadPlace(filepath.Join(folder, File(role)))
		if err != nil || p.URL != made.URL || p.User != string(role) || len(p.Password) < 40 || p.CA == "" || p.Inbox == "" {
			t.Errorf("%+v, %v", p, err)
		}
		passwords[File(role)] = p.Password
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", e.Name(), info.Mode())
		}
		if e.IsDir() {
			continue
		}
		content := read(t, filepath.Join(folder, e.Name()))
		for name, password := range passwords {
			if name != e.Name() && strings.Contains(content, password) {
				t.Errorf("%s holds the password of %s", e.Name(), name)
			}
		}
		if e.Name() != keyFile && strings.Contains(content, "PRIVATE KEY") {
			t.Errorf("%s holds a key", e.Name())
		}
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(read(t, filepath.Join(folder, "ca.pem"))))
	block, _ := pem.Decode([]byte(read(t, filepath.Join(folder, certificateFile))))
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nats.example", "10.0.0.7", "[fd00::1]", "localhost", "127.0.0.1", "[::1]"} {
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now.Add(goodFor - time.Hour)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: "other.example"}); err == nil {
		t.Error("the certificate is good for another host")
	}
}

// A folder that is there is left as it is, and the user is told what to do.
func TestWriteKeepsWhatIsThere(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "fleet")
	if err := os.Mkdir(folder, 0o755); err != nil { // empty: it can be used
		t.Fatal(err)
	}
	if _, err := Write(folder, Options{Port: 4222}, time.Now()); err != nil {
		t.Fatal(err)
	}
	before := read(t, filepath.Join(folder, Config))
	if _, err := Write(folder, Options{Port: 4222}, time.Now()); err == nil || !strings.Contains(err.Error(), "holds a fleet already") {
		t.Errorf("%v", err)
	}
	if read(t, filepath.Join(folder, Config)) != before {
		t.Error("the configuration was written over")
	}
	other := filepath.Join(parent, "notes")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(other, Options{Port: 4222}, time.Now()); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("%v", err)
	}
	if _, err := Write(filepath.Join(other, "x"), Options{Port: 4222}, time.Now()); err == nil {
		t.Error("a file was taken for a folder")
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestHosts(t *testing.T) {
	for text, want := range map[string]string{
		"gpu-7.lab": "gpu-7.lab", "GPU": "gpu", "10.1.2.3": "10.1.2.3", "[fd00::1]": "fd00::1", "::ffff:10.0.0.1": "10.0.0.1",
		"": "", "http://x": "", "x:4222": "", "*.x": "", "0.0.0.0": "", "::": "", "fe80::1%eth0": "", "10.1.2": "", "a b": "", "-x": "", "x\"\n}": "", "x..y": "",
		strings.Repeat("a", 64): "",
	} {
		hosts, err := checkHosts([]string{text})
		if want == "" && err == nil || want != "" && (err != nil || hosts[0] != want) {
			t.Errorf("%q: %v, %v", text, hosts, err)
		}
	}
	if _, err := checkHosts(strings.Split(strings.Repeat("a,", 30)+"b", ",")); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
