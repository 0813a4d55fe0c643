package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/setup"
)

// Init is the command fleet init.
func Init(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer fleet init",
		"Write what the nats-server of a fleet needs: a certificate from its own authority, a configuration with users for leader, agent and viewer, and a file for each of the three. "+
			"Then say what to type.")
	set.Example("On this machine only, to try it", "inferometer fleet init")
	set.Example("For agents on other machines, which reach this one by name or address", "inferometer fleet init --host gpu-lab-1.example --host 10.0.0.7")
	var dir string
	var o setup.Options
	set.String(&dir, "output", "fleet", "The folder to write. An existing folder is left as it is.", argv.Output(), argv.Metavar("DIR"))
	set.Custom("host", "", "A name or address at which other machines reach the server. It may be given several times; agents are told the first. Without it the server listens on this machine only.",
		func(text string) error {
			o.Hosts = append(o.Hosts, strings.Split(text, ",")...)
			return nil
		}, argv.Metavar("NAME_OR_IP"))
	set.Int(&o.Port, "port", 4222, "The port that the server listens on.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if o.Port < 1 || o.Port > 65535 {
		return argv.Errorf("port", "must be between 1 and 65535")
	}
	if err := setup.CheckHosts(o.Hosts); err != nil {
		return argv.Errorf("host", "%v", err)
	}
	made, err := setup.Write(filepath.Clean(dir), o, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.Out, next(made))
	return err
}

// next is what to type.
func next(m setup.Written) string {
	var b strings.Builder
	file := func(r bus.Role) string { return filepath.Join(m.Folder, setup.File(r)) }
	fmt.Fprintf(&b, "wrote %s: NATS at %s, with TLS until %s. Its files are secret: each lets its holder in.\n", m.Folder, m.URL, m.Until.Format(time.DateOnly))
	if m.Alone {
		b.WriteString("The server will listen on this machine only; for others, give --host with its name or address.\n")
	}
	fmt.Fprintf(&b, `
1. The server:
     cd %s && nats-server -c %s
2. On each machine that sends, with %s copied to it, and the servers that it may load:
     inferometer agent --nats %s --allow TARGET_HOST:8000
3. The run:
     inferometer bench serve --fleet %s --base-url http://TARGET_HOST:8000 …

Who is there: inferometer fleet status --nats %s
`, quoted(m.Folder), setup.Config, file(bus.Agent), quoted(setup.File(bus.Agent)), quoted(file(bus.Leader)), quoted(file(bus.Viewer)))
	return b.String()
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" && !strings.HasPrefix(path, "-") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
