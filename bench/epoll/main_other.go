//go:build !linux

// Command epoll is a yardstick for Linux only.
package main

func main() { panic("epoll is a part of Linux") }
