package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// sumsTask writes a task of n questions.
func sumsTask(t *testing.T, dir string, n int) (file string) {
	t.Helper()
	var rows bytes.Buffer
	for i := range n {
		fmt.Fprintf(&rows, "{\"q\": \"What is %d and %d?\", \"a\": \"%d\"}\n", i, i+1, 2*i+1)
	}
	writeFile(t, filepath.Join(dir, "sums.jsonl"), rows.String())
	file = filepath.Join(dir, "sums.yaml")
	writeFile(t, file, `name: sums
data: {file: sums.jsonl}
question: "Question: {{q}}\nAnswer:"
answer: "{{a}}"
generation: {max_tokens: 20}
scores:
  - {name: number, metric: exact_match, filters: [{function: regex, pattern: "([0-9]+)"}, {function: take_first}]}
`)
	return file
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An eval that is killed three times in a row goes on each time: the server's own log has
// each question once, but for those that were on their way when a kill came.
func TestRealEvalKilled(t *testing.T) {
	t.Parallel()
	const questions, atOnce = 120, 4
	dir := t.TempDir()
	truth, run := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "20ms", "--itl", "5ms", "--truth", truth))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()

	args := []string{"eval", "--task", sumsTask(t, dir, questions), "--base-url", server.url, "--run-dir", run, "--max-concurrency", fmt.Sprint(atOnce), "--request-id-prefix", "k-", "--num-warmups", "3"}
	var kills []kept
	for kill := range 3 {
		killed, said := killAfter(t, server, float64(20*(kill+1)), args)
		if strings.Contains(said, "Verdict") {
			t.Fatalf("it had ended before it was killed: %s", said)
		}
		kills = append(kills, kept{killed.UnixNano(), completeIDs(t, run)})
		args = []string{"eval", "--resume", run, "--allow-read", dir}
	}
	out, err := exec.Command(program(t), args...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("going on with")) {
		t.Fatalf("%v: %s", err, out)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	checkAskedOnce(t, truth, questions, atOnce, kills)
	checkAllAnswered(t, run, questions)

	out, err = exec.Command(program(t), args...).CombinedOutput() // the server is down, and is not needed
	if err == nil {
		t.Errorf("without a server: %s", out)
	}
}

// killAfter runs the command until the server has answered so many requests, and kills it.
func killAfter(t *testing.T, server *simProcess, answered float64, args []string) (at time.Time, said string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err := server.waitMetric("request_success_total", answered)
	at = time.Now()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		t.Fatalf("%v; it said %s", err, out.Bytes())
	}
	return at, out.String()
}

// kept is what a journal had of complete answers when its process had been killed.
type kept struct {
	at  int64 // ns since 1970
	ids map[string]bool
}

// completeIDs are those of a journal's complete answers, which may end within a line.
func completeIDs(t *testing.T, run string) map[string]bool {
	t.Helper()
	j, err := journal.Open(filepath.Join(run, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ids := map[string]bool{}
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome == journal.Complete && !r.Warmup {
			ids[r.ID] = true
		}
	}
}

// checkAskedOnce reads the server's log. A question whose answer was in the journal at a kill is never asked again.
func checkAskedOnce(t *testing.T, truth string, questions, atOnce int, kills []kept) {
	t.Helper()
	asked, again, known := map[string]bool{}, 0, 0
	for _, r := range readTruth(t, truth) {
		if !strings.HasPrefix(r.ID, "k-") || strings.Contains(r.ID, "warmup") {
			continue
		}
		for _, k := range kills {
			if k.ids[r.ID] && r.Received > k.at {
				t.Errorf("%s was asked again after it had been answered", r.ID)
			}
		}
		if asked[r.ID] {
			again++
		}
		asked[r.ID] = true
	}
	for _, k := range kills {
		known += len(k.ids)
	}
	if len(asked) != questions {
		t.Errorf("%d questions were asked, not %d", len(asked), questions)
	}
	if most := len(kills) * atOnce; again > most {
		t.Errorf("%d questions were asked again, and at most %d were on their way at the kills", again, most)
	}
	if known < 20 {
		t.Errorf("only %d answers were in the journals at the kills: the test shows nothing", known)
	}
	t.Logf("%d of %d questions were asked again, after %d kills", again, questions, len(kills))
}

// checkAllAnswered reads the run's journal: each question has one complete answer in it.
func checkAllAnswered(t *testing.T, run string, questions int) {
	t.Helper()
	info, err := os.Stat(filepath.Join(run, journal.FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the journal holds answers and is open to others: %v, %v", info.Mode(), err)
	}
	j, err := journal.Open(filepath.Join(run, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	complete, earlier, sent := map[int]bool{}, 0, 0
	j.OnAnswer(func(a *journal.Answer) {
		if complete[a.Number] || a.Outcome != journal.Complete || a.Text == "" || len(a.Right) != 1 {
			t.Errorf("question %d: %+v", a.Number, a)
		}
		if complete[a.Number] = true; a.Earlier {
			earlier++
		}
	})
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !r.Warmup {
			sent++
		}
	}
	if len(complete) != questions || earlier+sent != questions || earlier < 30 || sent == 0 {
		t.Errorf("%d questions have an answer, %d of them from earlier; %d were sent in the last part", len(complete), earlier, sent)
	}
	var asked struct {
		Dataset struct{ Task string }
	}
	b, err := os.ReadFile(filepath.Join(run, journal.SpecName))
	if err != nil || json.Unmarshal(b, &asked) != nil || !strings.HasSuffix(asked.Dataset.Task, "sums.yaml") {
		t.Errorf("the Spec is not that of the first part: %s (%v)", b, err)
	}
}
