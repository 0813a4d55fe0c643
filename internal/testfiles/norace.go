//go:build !race

package testfiles

// RaceDetector tells whether the test runs under the race detector.
const RaceDetector = false
