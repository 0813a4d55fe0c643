package sweep

// Kind is what an event tells.
type Kind int

// The kinds, in the order in which they happen.
const (
	ServerBegin    Kind = iota // Overrides, Command
	ServerReady                // Text: after how long; Path: its log
	BenchBegin                 // Overrides, Command, Run, Path: of the result
	BenchSkipped               // the result is there already
	BenchEnd                   //
	ServerEnd                  //
	WorkloadBegin              // Serve, Overrides; Run: levels
	WorkloadNote               // Text
	WorkloadEnd                //
	UnfinishedSeen             // Path: a result that was not finished, and is run again
	Warning                    // Text: at any time
)

// Event is one step of a sweep, for whoever shows it.
type Event struct {
	Kind      Kind
	Overrides Item
	Serve     Item // of a workload
	Command   []string
	Run       int
	Path      string
	Text      string
}
