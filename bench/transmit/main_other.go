//go:build !linux

// Command transmit is a yardstick for Linux only.
package main

func main() { panic("transmit is a part of Linux") }
