//go:build linux

package routers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// startNginx starts nginx in front of the workers, with further lines for its location.
func startNginx(t testing.TB, settings string, workers ...*replica) *realserver.Server {
	t.Helper()
	command := realserver.Lines(t, "INFEROMETER_NGINX", 1, "make test-routers")[0]
	dir, port, upstream := t.TempDir(), realserver.FreePort(t), ""
	for _, w := range workers {
		upstream += "server " + w.Base[len("http://"):] + "; "
	}
	config := fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/pid;
events { worker_connections 1024; }
http {
	access_log off;
	client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
	upstream replicas { %[2]s}
	server { listen 127.0.0.1:%[3]s; location / { proxy_pass http://replicas; %[4]s } }
}
`, dir, upstream, port, settings)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return realserver.Start(t, port, time.Minute, nil, command, "-p", dir, "-e", "stderr", "-c", path)
}

// nginx as it comes collects 4 KB of a stream before it passes them on: the times of tokens are its own, and the verdict says so. Told not to, it
// says nothing of the kind.
func TestBufferingProxy(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		bad      bool
	}{
		"as it comes": {"", true},
		"off":         {`proxy_http_version 1.1; proxy_buffering off;`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := startReplica(t, "--name", "one"), startReplica(t, "--name", "two")
			through := startNginx(t, c.settings, one, two)
			got := bench(t, through.Base, 20, 0, "--request-rate", "10", "--custom-output-len", "120")
			if k := got.check(t, "bursts"); k.Level.Bad() != c.bad {
				t.Errorf("%s: %s", k.Level, k.Sentence)
			}
		})
	}
}
