package setup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// fleet is a real nats-server with the configuration that Write made.
type fleet struct {
	t      *testing.T
	folder string
	server *fleettest.Server
}

func start(t *testing.T) *fleet {
	t.Helper()
	return startAt(t, time.Now())
}

// startAt is one that was made at another time.
func startAt(t *testing.T, made time.Time) *fleet {
	t.Helper()
	port := fleettest.FreePort(t)
	folder := filepath.Join(t.TempDir(), "fleet")
	if _, err := Write(folder, Options{Port: port}, made); err != nil {
		t.Fatal(err)
	}
	return &fleet{t, folder, fleettest.StartConfig(t, folder, Config, fmt.Sprintf("127.0.0.1:%d", port))}
}

func (f *fleet) place(role bus.Role) bus.Place {
	f.t.Helper()
	p, err := bus.ReadPlace(filepath.Join(f.folder, File(role)))
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

// open connects as a role. What the server refuses comes to the channel.
func (f *fleet) open(role bus.Role) (*bus.Bus, chan error) {
	f.t.Helper()
	trouble := make(chan error, 1000)
	b, err := bus.Open(f.t.Context(), f.place(role), bus.Options{Name: string(role), Trouble: func(err error) { trouble <- err }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(b.Close)
	return b, trouble
}

// raw is a connection of a role without our own manners.
func (f *fleet) raw(role bus.Role) (*nats.Conn, chan error) {
	f.t.Helper()
	p := f.place(role)
	ca := filepath.Join(f.folder, "ca.pem")
	refused := make(chan error, 1000)
	c, err := nats.Connect(p.URL, nats.UserInfo(p.User, p.Password), nats.RootCAs(ca), nats.CustomInboxPrefix(p.Inbox),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c, refused
}

// Each role can do all of its work, and nothing of it is refused.
func TestRealRolesCanWork(t *testing.T) {
	t.Parallel()
	f := start(t)
	leader, refusedLeader := f.open(bus.Leader)
	agent, refusedAgent := f.open(bus.Agent)
	viewer, refusedViewer := f.open(bus.Viewer)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if all, err := viewer.LastStatuses(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("before the first run: %v, %v", all, err)
	}
	must(leader.Prepare(t.Context()))
	must(leader.Prepare(t.Context())) // another leader
	stop, err := agent.Serve("a-1", func() message.Hello { return message.Hello{Protocol: message.Protocol, Agent: "a-1"} },
		func(*message.Ask, time.Time) *message.Answer { return &message.Answer{Nonce: "n"} })
	must(err)
	defer stop()
	for _, b := range []*bus.Bus{leader, viewer} {
		if all, err := b.Who(t.Context(), time.Minute, 1); err != nil || len(all) != 1 {
			t.Errorf("%v, %v", all, err)
		}
	}
	for range 3 { // an answer each
		if answer, err := leader.Ask(t.Context(), "a-1", &message.Ask{Kind: message.Offer, Run: "r"}); err != nil || answer.Nonce != "n" {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if _, err := leader.Ask(t.Context(), "a-2", &message.Ask{Kind: message.Clock}); err != bus.ErrGone {
		t.Errorf("%v", err)
	}
	seen, shown := make(chan *message.Status, 10), make(chan *message.Status, 10)
	for b, c := range map[*bus.Bus]chan *message.Status{leader: seen, viewer: shown} {
		stop, err := b.Statuses("r", func(s *message.Status) { c <- s })
		must(err)
		defer stop()
		_, _ = b.Who(t.Context(), time.Minute, 1) // the server has the subscription
	}
	pieces := make(chan []byte, 10)
	stopJournals, err := leader.Journals(t.Context(), "r", func(_ string, _ int64, piece []byte) { pieces <- bytes.Clone(piece) })
	must(err)
	defer stopJournals()
	must(agent.Tell(&message.Status{Run: "r", Agent: "a-1", Number: 1, Phase: message.Running, Sent: 7}))
	must(agent.AppendJournal(t.Context(), "r", "a-1", 0, []byte("piece")))
	if s := <-seen; s.Sent != 7 {
		t.Errorf("%+v", s)
	}
	if s := <-shown; s.Sent != 7 {
		t.Errorf("%+v", s)
	}
	if p := <-pieces; string(p) != "piece" {
		t.Errorf("%q", p)
	}
	storing, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	kept, err := leader.LastStatus(storing, "r", "a-1")
	for err == nil && kept == nil { // the server may pass a status on before it stores it
		kept, err = leader.LastStatus(storing, "r", "a-1")
	}
	if err != nil || kept.Sent != 7 {
		t.Errorf("%+v, %v", kept, err)
	}
	if all, err := viewer.LastStatuses(t.Context()); err != nil || len(all) != 1 || all[0].Sent != 7 {
		t.Errorf("%+v, %v", all, err)
	}
	must(leader.Keep(t.Context(), "r", []byte("plan")))
	if runs, err := leader.Runs(t.Context()); err != nil || len(runs) != 1 || runs[0] != "r" {
		t.Errorf("%v, %v", runs, err)
	}
	if plan, err := leader.Kept(t.Context(), "r"); err != nil || string(plan) != "plan" {
		t.Errorf("%q, %v", plan, err)
	}
	path := filepath.Join(t.TempDir(), "data.jsonl")
	must(os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o600))
	file, err := leader.PutFile(t.Context(), path, "dataset")
	must(err)
	_, err = leader.PutFile(t.Context(), path, "dataset") // it is there already
	must(err)
	must(agent.GetFile(t.Context(), file, path+".copy"))
	must(leader.Drop(t.Context(), "r"))
	if runs, err := leader.Runs(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
	for role, refused := range map[bus.Role]chan error{bus.Leader: refusedLeader, bus.Agent: refusedAgent, bus.Viewer: refusedViewer} {
		for len(refused) > 0 {
			t.Errorf("%s: %v", role, <-refused)
		}
	}
}

// Who has no right to come in is told why.
func TestRealStrangersAreRefused(t *testing.T) {
	t.Parallel()
	f := start(t)
	other := filepath.Join(t.TempDir(), "fleet")
	if _, err := Write(other, Options{Port: 4222}, time.Now()); err != nil {
		t.Fatal(err)
	}
	right := f.place(bus.Leader)
	for said, change := range map[string]func(*bus.Place){
		"does not know this user or password": func(p *bus.Place) { p.Password += "x" },
		"does not know this user":             func(p *bus.Place) { p.User = "root" },
		"does not know this user or":          func(p *bus.Place) { p.User, p.Password = "", "" },
		"authority that is not known here":    func(p *bus.Place) { p.CA = read(t, filepath.Join(other, "ca.pem")) },
		"authority that is not known":         func(p *bus.Place) { p.CA = "" },
		"an authority that is not known":      func(p *bus.Place) { p.CA, p.URL = "", strings.Replace(p.URL, "tls:", "nats:", 1) },
	} {
		p := right
		change(&p)
		b, err := bus.Open(t.Context(), p, bus.Options{})
		if err == nil {
			b.Close()
			t.Errorf("somebody came in who should hear: %s", said)
		} else if !strings.Contains(err.Error(), said) || strings.Contains(err.Error(), right.Password) {
			t.Errorf("%v, want: %s", err, said)
		}
	}
}

// A fleet that is too old says so.
func TestExpiredCertificate(t *testing.T) {
	f := startAt(t, time.Now().Add(-goodFor-time.Hour))
	if b, err := bus.Open(t.Context(), f.place(bus.Agent), bus.Options{}); err == nil {
		b.Close()
		t.Error("a certificate of years ago was taken")
	} else if !strings.Contains(err.Error(), "not good today") {
		t.Error(err)
	}
}

// A client that speaks without TLS gets the server's greeting, and nothing else.
func TestRealPlainConnectionIsRefused(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.place(bus.Leader)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "tls://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	greeting, err := r.ReadString('\n')
	if err != nil || !strings.Contains(greeting, `"tls_required":true`) {
		t.Errorf("%q, %v", greeting, err)
	}
	if _, err := fmt.Fprintf(conn, "CONNECT {\"user\":%q,\"pass\":%q,\"verbose\":true}\r\nPING\r\n", p.User, p.Password); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(r) // it ends, with an error or without
	if strings.Contains(string(rest), "OK") || strings.Contains(string(rest), "PONG") {
		t.Errorf("%q", rest)
	}
}

// What a role may not do does not happen, and it hears so.
func TestRealRolesKeepToTheirRights(t *testing.T) {
	t.Parallel()
	f := start(t)
	leader, _ := f.open(bus.Leader)
	if err := leader.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	agent, _ := f.open(bus.Agent)
	asked := make(chan *message.Ask, 100)
	stop, err := agent.Serve("a-1", func() message.Hello { return message.Hello{Agent: "a-1"} },
		func(a *message.Ask, _ time.Time) *message.Answer { asked <- a; return &message.Answer{} })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := leader.Keep(t.Context(), "r", []byte("plan")); err != nil {
		t.Fatal(err)
	}
	if err := agent.AppendJournal(t.Context(), "r", "a-1", 0, []byte("piece")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := leader.PutFile(t.Context(), path, "dataset")
	if err != nil {
		t.Fatal(err)
	}

	// By our own functions: an error that says what to do, at once.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, role := range []bus.Role{bus.Agent, bus.Viewer} {
		b, trouble := f.open(role)
		calls := map[string]func() error{
			"ask":     func() error { _, err := b.Ask(ctx, "a-1", &message.Ask{Kind: message.Start, Run: "r"}); return err },
			"prepare": func() error { return b.Prepare(ctx) },
			"keep":    func() error { return b.Keep(ctx, "r", []byte("other plan")) },
			"kept":    func() error { _, err := b.Kept(ctx, "r"); return err },
			"runs":    func() error { _, err := b.Runs(ctx); return err },
			"drop":    func() error { return b.Drop(ctx, "r") },
			"serve": func() error {
				b, _ := f.open(role) // what is refused by the side comes when it comes
				_, err := b.Serve("a-9", func() message.Hello { return message.Hello{Agent: "a-9"} }, nil)
				return err
			},
			"put": func() error { _, err := b.PutFile(ctx, path, "dataset"); return err },
		}
		if role == bus.Agent {
			delete(calls, "put") // the file is there: see below
			delete(calls, "serve")
		} else {
			calls["journal"] = func() error { return b.AppendJournal(ctx, "r", "a-1", 0, []byte("forged")) }
			calls["get"] = func() error { return b.GetFile(ctx, file, path+".2") }
			calls["tell"] = func() error {
				if err := b.Tell(&message.Status{Run: "r", Agent: "a-1", Phase: message.Ended}); err != nil {
					return err
				}
				return <-trouble // nobody waits for it, so it comes here
			}
		}
		for what, call := range calls {
			var refused *bus.RefusedError
			if err := call(); !errors.As(err, &refused) || !strings.Contains(err.Error(), "fleet init wrote for the role") {
				t.Errorf("%s: %s: %v", role, what, err)
			}
			if len(trouble) > 0 { // it is said once
				t.Errorf("%s: %s: %v", role, what, <-trouble)
			}
			for len(trouble) > 0 {
				<-trouble
			}
		}
	}

	// And without them.
	for _, c := range []struct {
		role               bus.Role
		publish, subscribe string
	}{
		{bus.Agent, "inferometer.ask.a-1", ""},
		{bus.Agent, "$JS.API.STREAM.PURGE.INFEROMETER_JOURNALS", ""},
		{bus.Agent, "$JS.API.STREAM.DELETE.INFEROMETER_STATUS", ""},
		{bus.Agent, "$JS.API.STREAM.DELETE.OBJ_inferometer-files", ""},
		{bus.Agent, "$JS.API.STREAM.CREATE.MINE", ""},
		{bus.Agent, "$JS.API.STREAM.MSG.DELETE.INFEROMETER_JOURNALS", ""},
		{bus.Agent, "$JS.API.CONSUMER.CREATE.INFEROMETER_JOURNALS.x", ""},
		{bus.Agent, "$JS.API.CONSUMER.CREATE.INFEROMETER_STATUS.x.>", ""},
		{bus.Agent, "$JS.API.CONSUMER.DURABLE.CREATE.OBJ_inferometer-files.x", ""},
		{bus.Agent, "$KV.inferometer-runs.r", ""},
		{bus.Agent, "$O.inferometer-files.M.x", ""},
		{bus.Agent, "_INBOX_leader.x", ""},
		{bus.Agent, "anything", ""},
		{bus.Agent, "", "_INBOX_leader.>"},
		{bus.Agent, "", "inferometer.journal.>"},
		{bus.Agent, "", "inferometer.status.>"},
		{bus.Agent, "", ">"},
		{bus.Agent, "", "$KV.>"},
		{bus.Viewer, "inferometer.ask.a-1", ""},
		{bus.Viewer, "inferometer.status.r.a-1", ""},
		{bus.Viewer, "inferometer.journal.r.a-1", ""},
		{bus.Viewer, "$JS.API.CONSUMER.CREATE.INFEROMETER_STATUS.x", ""},
		{bus.Viewer, "$JS.API.STREAM.PURGE.INFEROMETER_STATUS", ""},
		{bus.Viewer, "$JS.API.DIRECT.GET.KV_inferometer-runs.$KV.inferometer-runs.r", ""},
		{bus.Viewer, "", "inferometer.ask.a-1"},
		{bus.Viewer, "", "inferometer.journal.>"},
		{bus.Viewer, "", "_INBOX_leader.>"},
		{bus.Viewer, "", ">"},
		{bus.Leader, "inferometer.journal.r.a-1", ""},
		{bus.Leader, "$JS.API.STREAM.CREATE.MINE", ""},
		{bus.Leader, "", ">"},
		{bus.Leader, "", "$SYS.>"},
	} {
		conn, refused := f.raw(c.role)
		var err error
		if c.publish != "" {
			err = conn.Publish(c.publish, []byte(`{"protocol":2,"kind":"cancel","agent":"a-1","run":"r"}`))
		} else {
			_, err = conn.SubscribeSync(c.subscribe)
		}
		if err = errors.Join(err, conn.Flush()); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%+v: %v", c, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%+v: was not refused", c)
		}
		conn.Close()
	}
	if len(asked) > 0 {
		t.Errorf("the agent was asked: %+v", <-asked)
	}
	if plan, err := leader.Kept(t.Context(), "r"); err != nil || string(plan) != "plan" {
		t.Errorf("%q, %v", plan, err)
	}
	if s, err := leader.LastStatus(t.Context(), "r", "a-1"); err != nil || s != nil {
		t.Errorf("%+v, %v", s, err)
	}
	got := make(chan string, 10)
	stopJournals, err := leader.Journals(t.Context(), "r", func(_ string, _ int64, piece []byte) { got <- string(piece) })
	if err != nil {
		t.Fatal(err)
	}
	defer stopJournals()
	if piece := <-got; piece != "piece" {
		t.Errorf("%q", piece)
	}
}
