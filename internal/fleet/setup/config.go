package setup

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/template"
)

// user is one of the server's.
type user struct {
	Name, Hash string
	bus.Rights
}

// newUser hashes a password. It is random and long, so the hash need not be slow: a fleet
// whose agents all come back at once would wait for it.
func newUser(role bus.Role, password string) (user, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		return user{}, fmt.Errorf("hash a password: %w", err)
	}
	return user{string(role), string(hash), role.Rights()}, nil
}

// config is the server's configuration. Its paths are relative to the folder, which can be
// taken to another machine.
func config(listen string, users []user) ([]byte, error) {
	type permitted struct {
		Name, Hash, Publish, Subscribe string
		Respond                        bool
	}
	shown := make([]permitted, len(users))
	for i, u := range users {
		shown[i] = permitted{u.Name, u.Hash, list(u.Publish), list(u.Subscribe), u.Respond}
	}
	var b bytes.Buffer
	err := configText.Execute(&b, map[string]any{
		"Config": Config, "Listen": listen, "Certificate": certificateFile, "Key": keyFile, "Store": store, "Users": shown,
	})
	return b.Bytes(), err
}

// list is subjects as the configuration writes them.
func list(subjects []string) string {
	lines := make([]string, len(subjects))
	for i, s := range subjects {
		lines[i] = "            " + strconv.Quote(s)
	}
	return "[\n" + strings.Join(lines, "\n") + "\n          ]"
}

var configText = template.Text(`# The nats-server of a fleet, by inferometer fleet init.
# Start it in this folder: nats-server -c {{.Config}}

server_name: inferometer-fleet
listen: "{{.Listen}}"
max_payload: 2MB
max_connections: 10000
write_deadline: "10s"

tls {
  cert_file: "{{.Certificate}}"
  key_file: "{{.Key}}"
  min_version: "1.3"
  timeout: 10
}
authorization {
  timeout: 10
}

# Journals and datasets lie here until their run is over, or for a week.
jetstream {
  store_dir: "{{.Store}}"
  max_memory_store: 64MB
  max_file_store: 50GB
}

accounts {
  FLEET {
    jetstream: enabled
    users: [
{{- range .Users}}
      {
        user: "{{.Name}}"
        password: "{{.Hash}}"
        permissions {
          publish: {{.Publish}}
          subscribe: {{.Subscribe}}
{{- if .Respond}}
          allow_responses: { max: 1, expires: "1m" }
{{- end}}
        }
      }
{{- end}}
    ]
  }
}
`)
