package reference

import "testing"

func journalPage(t *testing.T) string {
	const head = `# The lines of a journal

Written from the types of ` + "`internal/journal`" + ` by ` + "`go test ./test/reference -update`" + `. What a journal is and how it is read: [journal.md](../journal.md).

Each line is an object with one key, which the headings name. Times are nanoseconds on the run's clock, whose zero is ` + "`run.start_unix_ns`" + `; warm-ups have negative times. What is
zero, empty or false is left out.
`
	return readTypes(t, "internal/journal").page(head, [][3]string{
		{"Run", "run", "The first line."},
		{"Options", "run.options", "What the Spec does not say. In journals of schema 1, which have no Spec, all of it."},
		{"Environment", "run.environment", "The client's machine."},
		{"Target", "run.targets", "The servers of a run against several, as far as each tells."},
		{"Served", "run.serves", "The models that the servers list, 20 of each at most."},
		{"Task", "run.task", "What an eval asks."},
		{"Proven", "run.proven", "What `inferometer selftest` has proven: up to so many `streams` at so many `tokens_per_s`, TTFT is right to `ttft_ms` and times between chunks to `itl_ms`."},
		{"Request", "request", "One for each request, when it has ended."},
		{"Events", "events", "The stream of a request, as columns of equal length. An event is one message of the stream; `[DONE]`, comments and error events are none."},
		{"Conversation", "conversation", "One for each conversation that was begun, when it is over. Requests that were never sent have no line and are counted here."},
		{"Answer", "answer", "What a question of an eval got. It is written together with its request."},
		{"Checked", "checked", "What became of an answer that is a program."},
		{"Sample", "sample", "The client and its machine, each second. Counters count from the start of the process or of the machine; -1: the system does not tell."},
		{"Scrape", "scrape", "The server's metrics, by its own names."},
		{"Hardware", "hardware", "What devices said at one moment."},
		{"Device", "hardware.devices", "What each device tells."},
		{"End", "end", "The last line. A run that was killed has none."},
		{"SpecDecode", "end.spec_decode", "Growth of the server's counters of speculative decoding."},
		{"Power", "end.power", "Only with `--power`."},
		{"Client", "end.client", "What this process used."},
		{"Fleet", "run.fleet", "Who sent a run of several agents."},
		{"FleetAgent", "run.fleet.agents", "Each agent, as it told and as its own journal says."},
		{"FleetEnd", "end.fleet", "Only of a fleet."},
		{"FleetAgentEnd", "end.fleet.agents", "What became of each agent."},
	})
}

func truthPage(t *testing.T) string {
	const head = `# The simulator's truth

Written from the types of ` + "`internal/sim`" + ` and ` + "`internal/sim/router`" + ` by ` + "`go test ./test/reference -update`" + `. What it is for: [sim.md](../sim.md#the-truth).
`
	return readTypes(t, "internal/sim").page(head, [][3]string{{"Record", "A line", "One JSON object for each request. Times are nanoseconds since 1970 by the realtime clock."}}) +
		readTypes(t, "internal/sim/router").page("", [][3]string{
			{"Record", "A line of a router", "One for each request of a client."},
			{"Try", "tries", "What was sent to a replica."},
		})
}

func recordingPage(t *testing.T) string {
	const head = `# The rows of a recording

Written from the type of ` + "`internal/send/trace`" + ` by ` + "`go test ./test/reference -update`" + `. How they are made: [traces.md](../traces.md#record-your-own).
`
	return readTypes(t, "internal/send/trace").page(head, [][3]string{{"Recorded", "A row", "One JSON object for each request, in the order of arrival. The keys of Mooncake's traces are among them."}})
}

func treePage(t *testing.T) string {
	const head = `# The lines of recorded jobs

Written from the types of ` + "`internal/send/trace/treefile`" + ` by ` + "`go test ./test/reference -update`" + `. How they are made: [traces.md](../traces.md#jobs).

JSON lines, one tree a line. What is zero, empty or false is left out.
`
	return readTypes(t, "internal/send/trace/treefile").page(head, [][3]string{
		{"Line", "A tree", "One job."},
		{"Branch", "branches", "One agent: a chain of turns."},
		{"Turn", "turns", "One request."},
		{"Parent", "turns.parents", "A turn that it waits for. It is sent when the pause of each of them is over."},
	})
}
