package bus

// The names on the bus. Permissions of leader, agent and viewer are made of them.
const (
	Prefix = "inferometer"

	whoSubject = Prefix + ".who" // agents answer it with a Hello

	RunsBucket    = "inferometer-runs"     // KV: what a leader knows of its run
	FilesBucket   = "inferometer-files"    // object store: datasets and tokenizers by digest
	JournalStream = "INFEROMETER_JOURNALS" // pieces of journals as they grow
	StatusStream  = "INFEROMETER_STATUS"   // the last status of each agent in each run
)

func askSubject(agent string) string { return Prefix + ".ask." + agent }

func statusSubject(run, agent string) string { return Prefix + ".status." + run + "." + agent }

func journalSubject(run, agent string) string { return Prefix + ".journal." + run + "." + agent }
