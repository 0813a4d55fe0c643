package lmeval

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// The real lm_eval and we find the choices of the simulator equally likely.
func TestSameLikelihoods(t *testing.T) {
	command := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-lm-eval")[0]
	program, port := realserver.Build(t), realserver.FreePort(t)
	s := realserver.Start(t, port, time.Minute, nil, program, "sim", "--listen", "127.0.0.1:"+port, "--ttft", "1ms", "--itl", "1ms")
	realserver.SameLikelihoods(t, program, command, s.Base, "sim", "")
}
