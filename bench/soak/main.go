// Command soak loads a simulated server for an hour as users do, with conversations, faults, cut connections and
// scrapes, from one process, and says whether that process grows: its memory, descriptors, goroutines and the
// journal's bytes per request.
//
//	make soak
//
// The samples stay in the folder, and are judged again by -judge FOLDER.
package main

import (
	"flag"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	var s soak
	harness.BinaryVar(&s.binary)
	flag.DurationVar(&s.length, "for", time.Hour, "how long the load lasts")
	flag.IntVar(&s.streams, "streams", 2000, "concurrent streams")
	flag.DurationVar(&s.gap, "itl", 200*time.Millisecond, "time between the tokens of a stream")
	flag.DurationVar(&s.every, "every", 10*time.Second, "how often the process is looked at")
	flag.DurationVar(&s.life, "connection-life", time.Minute, "mean life of a connection to the second server, which is then cut")
	flag.StringVar(&s.engine, "engine", "auto", "what carries the requests: auto, loop or nethttp")
	flag.StringVar(&s.folder, "folder", "", "where the run and the samples are kept; without it they are removed at the end")
	judge := flag.String("judge", "", "judge the samples of this folder, and load nothing")
	harness.Main("soak", func() error {
		if *judge != "" {
			return judgeFolder(*judge)
		}
		return s.run()
	})
}
