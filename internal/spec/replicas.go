package spec

import (
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

const (
	// NoReplicas asks no router for the servers behind it.
	NoReplicas = "none"
	// MaxReplicas bounds the servers behind the addresses of a run: each is asked for its metrics every second.
	MaxReplicas = 256
)

// GivenReplicas are the servers that --replica names; none where a router is to be asked for them.
func (s *Spec) GivenReplicas() ([]journal.Replica, error) {
	if s.FindsReplicas() || len(s.Replicas) == 1 && s.Replicas[0] == NoReplicas {
		return nil, nil
	}
	if len(s.Replicas) > MaxReplicas {
		return nil, usage.Errorf("replica", "names %d servers: at most %d", len(s.Replicas), MaxReplicas)
	}
	var list []journal.Replica
	seen, prefill, decode := map[string]bool{}, false, false
	for _, text := range s.Replicas {
		if text == NoReplicas {
			return nil, usage.Errorf("replica", "%s stands for no server at all: leave it out, or the addresses", NoReplicas)
		}
		one, err := readReplica(text)
		if err != nil {
			return nil, err
		}
		if seen[one.URL] {
			return nil, usage.Errorf("replica", "has %s twice: its counters would count twice", one.URL)
		}
		seen[one.URL] = true
		prefill, decode = prefill || one.Role == journal.Prefill, decode || one.Role != journal.Prefill
		list = append(list, one)
	}
	if err := s.checkGPUs(list); err != nil {
		return nil, err
	}
	if prefill && !decode {
		return nil, usage.Errorf("replica", "names servers for prefill and none for decode: whoever generates the tokens is missing").WithHint("add decode=URL")
	}
	return list, nil
}

// checkGPUs holds the GPUs of each server against those of all.
func (s *Spec) checkGPUs(list []journal.Replica) error {
	sum := 0
	for _, one := range list {
		if one.GPUs == 0 {
			return nil
		}
		sum += one.GPUs
	}
	if all := s.GPUs; all != nil && *all != sum {
		return usage.Errorf("replica", "names servers on %d GPUs together, and %s says %d", sum, usage.Ref("gpus"), *all).WithHint("leave %s out: the sum is taken", usage.Ref("gpus"))
	}
	return nil
}

// FindsReplicas says that a router is asked for the servers behind it.
func (s *Spec) FindsReplicas() bool { return len(s.Replicas) == 0 }

// maxGPUs bounds what one server may run on.
const maxGPUs = 1 << 16

// readReplica understands [ROLE[:GPUS]=]URL, where GPUS is how many, or gpu0-3: which.
func readReplica(text string) (journal.Replica, error) {
	one := journal.Replica{Found: journal.GivenReplica}
	if role, address, ok := strings.Cut(text, "="); ok && !strings.Contains(role, "/") {
		role, gpus, counted := strings.Cut(role, ":")
		if counted {
			var ok bool
			if one.GPUs, one.Devices, ok = readGPUs(strings.TrimSpace(gpus)); !ok {
				return one, usage.Errorf("replica", "has %q for the GPUs of a server: a whole number from 1 to %d, or which ones", outside.Word(gpus), maxGPUs).WithHint("write prefill:4=http://host:8000 for a server on 4 GPUs, prefill:gpu0-3=… for those of which the energy is to be told")
			}
		}
		switch one.Role = journal.Role(strings.ToLower(strings.TrimSpace(role))); one.Role {
		case journal.Prefill, journal.Decode:
		case "both":
			one.Role = journal.BothRoles
		default:
			return one, usage.Errorf("replica", "has a role %q: a server's role is prefill, decode or both", outside.Word(role)).WithHint("write prefill=http://host:8000")
		}
		text = address
	}
	a, err := ReadAddress("replica", text)
	if err != nil {
		return one, err
	}
	if _, login := SplitLogin(a.Base); login != "" {
		return one, usage.Errorf("replica", "has a login in it, which would be written down with the run: metrics that need one can't be read")
	}
	one.URL = strings.TrimRight(a.Base, "/")
	one.Name = one.URL
	return one, nil
}

// maxDevices bounds the GPUs of one server that are named.
const maxDevices = 1024

// readGPUs understands 4, gpu0 and gpu0-3.
func readGPUs(text string) (n int, which []string, ok bool) {
	span, named := strings.CutPrefix(text, "gpu")
	if !named {
		n, err := strconv.Atoi(text)
		return n, nil, err == nil && n >= 1 && n <= maxGPUs
	}
	first, last, isSpan := strings.Cut(span, "-")
	if !isSpan {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 16)
	to, err2 := strconv.ParseUint(last, 10, 16)
	if err != nil || err2 != nil || to < from || to-from >= maxDevices {
		return 0, nil, false
	}
	for i := from; i <= to; i++ {
		which = append(which, strconv.FormatUint(i, 10))
	}
	return len(which), which, true
}

func (s *Spec) checkReplicas() error {
	_, err := s.GivenReplicas()
	return err
}
