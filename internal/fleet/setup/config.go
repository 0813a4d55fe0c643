package setup

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/inferometer/inferometer/internal/fleet/bus"
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
func config(listen string, users []user) []byte {
	var b strings.Builder
	fill := func(text string, pairs ...string) { b.WriteString(strings.NewReplacer(pairs...).Replace(text)) }
	fill(configHead, "{{config}}", Config, "{{listen}}", listen, "{{certificate}}", certificateFile, "{{key}}", keyFile, "{{store}}", store)
	for _, u := range users {
		respond := ""
		if u.Respond {
			respond = configRespond
		}
		fill(configUser, "{{name}}", u.Name, "{{hash}}", u.Hash, "{{publish}}", list(u.Publish), "{{subscribe}}", list(u.Subscribe), "{{respond}}", respond)
	}
	b.WriteString("\n    ]\n  }\n}\n")
	return []byte(b.String())
}

// list is subjects as the configuration writes them.
func list(subjects []string) string {
	lines := make([]string, len(subjects))
	for i, s := range subjects {
		lines[i] = "            " + strconv.Quote(s)
	}
	return "[\n" + strings.Join(lines, "\n") + "\n          ]"
}

// The parts of the configuration: before the users, each of them, and what one has who may answer.
const (
	configHead = `# The nats-server of a fleet, by inferometer fleet init.
# Start it in this folder: nats-server -c {{config}}

server_name: inferometer-fleet
listen: "{{listen}}"
max_payload: 2MB
max_connections: 10000
write_deadline: "10s"

tls {
  cert_file: "{{certificate}}"
  key_file: "{{key}}"
  min_version: "1.3"
  timeout: 10
}
authorization {
  timeout: 10
}

# Journals and datasets lie here until their run is over, or for a week.
jetstream {
  store_dir: "{{store}}"
  max_memory_store: 64MB
  max_file_store: 50GB
}

accounts {
  FLEET {
    jetstream: enabled
    users: [`
	configUser = `
      {
        user: "{{name}}"
        password: "{{hash}}"
        permissions {
          publish: {{publish}}
          subscribe: {{subscribe}}{{respond}}
        }
      }`
	configRespond = `
          allow_responses: { max: 1, expires: "1m" }`
)
