package main

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/tokenizer"
)

// printMeasure is our side of a round.
func printMeasure(folder string, times int) error {
	t, err := tokenizer.Load(folder)
	if err != nil {
		return err
	}
	texts, err := readTexts()
	if err != nil {
		return err
	}
	var m measured
	ids, back := make([][]int32, len(texts)), make([]string, len(texts))
	for range times {
		begin := cpu()
		for i, text := range texts {
			if ids[i], err = t.Encode(text); err != nil {
				return err
			}
			m.Bytes += float64(len(text))
		}
		m.Encode += cpu() - begin
		begin = cpu()
		for i := range ids {
			if back[i], err = t.Decode(ids[i]); err != nil {
				return err
			}
		}
		m.Decode += cpu() - begin
	}
	hash := sha256.New()
	for i, list := range ids {
		words := make([]string, len(list))
		for k, id := range list {
			words[k] = strconv.Itoa(int(id))
		}
		fmt.Fprintf(hash, "%s\n%s\x00", strings.Join(words, " "), back[i])
	}
	m.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return json.NewEncoder(os.Stdout).Encode(m)
}

// cpu is what this process has used so far, in seconds: the garbage collector's work counts.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for a wrong argument only
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}

// readTexts joins the corpus, which is mostly short texts, to texts of about 4 kB.
func readTexts() ([]string, error) {
	file, err := os.Open(corpus)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var entries []struct{ S string }
	if err := json.NewDecoder(unpacked).Decode(&entries); err != nil {
		return nil, err
	}
	var texts []string
	var text strings.Builder
	for _, e := range entries {
		if len(e.S) > 20_000 {
			continue // one text should not be the whole figure
		}
		text.WriteString(e.S + "\n")
		if text.Len() > 4000 {
			texts = append(texts, text.String())
			text.Reset()
		}
	}
	return texts, nil
}
