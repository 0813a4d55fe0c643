package machine

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// child is set in a process that this test starts.
const child = "INFEROMETER_TEST_CHILD"

func TestRealChildrenMemory(t *testing.T) {
	if os.Getenv(child) != "" {
		held := make([]byte, 64<<20)
		for i := range held {
			held[i] = 1
		}
		os.Stdout.WriteString("ready\n")
		_, _ = os.Stdin.Read(held)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRealChildrenMemory$")
	command.Env = append(os.Environ(), child+"=1")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	held, err := This().ChildrenMemory(os.Getpid())
	if err != nil || held < 64<<20 {
		t.Errorf("%d bytes, %v", held, err)
	}
	in.Close()
	_ = command.Wait()
	if _, err := This().ChildrenMemory(command.Process.Pid); err == nil {
		t.Error("a process that is not there has children")
	}
}
