package journal

// Replica is a server behind an address that requests go to: a router there sends it some of them. Where several
// addresses are loaded by ourselves, each of them is a replica too.
type Replica struct {
	Name string `json:"name"`           // as Request.Replica names it, where answers tell; else its host and port
	URL  string `json:"url,omitempty"`  // its own address, where its metrics are read; empty: not known
	Role Role   `json:"role,omitempty"` // empty: it does both
	GPUs int    `json:"gpus,omitempty"` // that it runs on, as the user says; 0: not known
	// Devices are those GPUs by their indexes, as hardware lines have them; none: not known which.
	Devices []string `json:"devices,omitempty" max:"1024"`
	Target  int      `json:"target,omitempty"` // an index into Run.Targets: the address that it is behind
	Found   string   `json:"found,omitempty"`  // how it is known: given, or the router's path that lists it, such as /workers
}

// Role is the part of a request that a replica works on, where prefill and decode are apart.
type Role string

// The roles.
const (
	BothRoles Role = ""
	Prefill   Role = "prefill"
	Decode    Role = "decode"
)

// GivenReplica is how a replica is known that the user named.
const GivenReplica = "given"

// Router is a router that was recognised at an address: it sends requests on to replicas.
type Router struct {
	Target  int     `json:"target,omitempty"`  // an index into Run.Targets
	Kind    string  `json:"kind"`              // such as vllm-router
	Metrics Metrics `json:"metrics,omitempty"` // whose counters its own /metrics has
}

// Metrics says whose counters are at the path of a router's metrics.
type Metrics string

// Whose they are.
const (
	OwnMetrics    Metrics = "own"        // the router's
	WorkerMetrics Metrics = "one worker" // those of one of the servers behind it, whichever answers
	NoMetrics     Metrics = "none"
)

// RouterAt is the router at one of the addresses; nil: none was recognised there.
func (r *Run) RouterAt(target int) *Router {
	for i := range r.Routers {
		if r.Routers[i].Target == target {
			return &r.Routers[i]
		}
	}
	return nil
}
