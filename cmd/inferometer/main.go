// Command inferometer measures LLM inference servers.
package main

import (
	"context"
	"os"

	"github.com/inferometer/inferometer/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
