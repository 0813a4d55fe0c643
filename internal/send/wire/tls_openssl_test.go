package wire

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openssl is a server that does what Go's can't be made to do: it changes its keys and
// renegotiates when it is told to. What it is told is what it sends, beside some letters.
type openssl struct {
	url  string
	in   io.WriteCloser
	said chan string // its lines: what it was sent, and what it has done
}

func startOpenSSL(t *testing.T, flags ...string) *openssl {
	t.Helper()
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("there is no openssl here")
	}
	file := filepath.Join(t.TempDir(), "both.pem")
	c := certificate(t)
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := exec.CommandContext(ctx, program, append([]string{"s_server", "-accept", "127.0.0.1:0", "-cert", file, "-key", file, "-no_dhe"}, flags...)...)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &openssl{in: in, said: make(chan string, 1000)}
	go func() {
		defer close(s.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.said <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range s.said { //nolint:revive // up to its end
		}
		_ = cmd.Wait()
	})
	s.url = "https://" + strings.TrimPrefix(s.await(t, "ACCEPT "), "ACCEPT ")
	return s
}

// await reads up to a line that begins with some words.
func (s *openssl) await(t *testing.T, words string) string {
	t.Helper()
	for line := range s.said {
		if strings.HasPrefix(line, words) {
			return line
		}
	}
	t.Errorf("openssl ended without %q", words)
	return ""
}

func (s *openssl) tell(words string) { _, _ = io.WriteString(s.in, words) }

// A server may change its keys in the middle of an answer, and ask for new ones of
// ours; a later request goes out with them.
func TestRealKeyUpdate(t *testing.T) {
	eachSecure(t, true, func(t *testing.T, tr Transport) {
		s := startOpenSSL(t, "-tls1_3")
		for i := range 2 {
			answered := make(chan struct{}, 1)
			rec := recorder{then: func() { answered <- struct{}{} }}
			ended := make(chan error, 1)
			go func() {
				conn, err := tr.Do(context.Background(), &Request{URL: s.url, Body: []byte("hello\n"), Timeout: 5 * time.Minute}, &rec)
				if conn.New != (i == 0) {
					t.Errorf("request %d: new connection %v", i, conn.New)
				}
				ended <- err
			}()
			s.await(t, "hello")
			s.tell("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\none\n")
			<-answered
			s.tell("K\n") // new keys, and yours too
			s.await(t, "SSL_do_handshake -> 1")
			s.tell("two\n")
			if err := <-ended; err != nil || string(rec.body) != "one\ntwo\n" {
				t.Fatalf("request %d: %q, %v", i, rec.body, err)
			}
		}
	})
}

// A server that wants to begin anew in the middle of an answer is refused, by each
// transport: TLS 1.3 has no such thing.
func TestRealRenegotiation(t *testing.T) {
	eachSecure(t, true, func(t *testing.T, tr Transport) {
		s := startOpenSSL(t, "-tls1_2")
		answered := make(chan struct{}, 1)
		rec := recorder{then: func() { answered <- struct{}{} }}
		ended := make(chan error, 1)
		go func() {
			_, err := tr.Do(context.Background(), &Request{URL: s.url, Body: []byte("hello\n"), Timeout: 5 * time.Minute}, &rec)
			ended <- err
		}()
		s.await(t, "hello")
		s.tell("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\none\n")
		<-answered
		s.tell("r\n")
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "renegotiation") {
			t.Errorf("%v", err)
		}
	})
}
