//go:build race

package testfiles

// RaceDetector tells whether the test runs under the race detector, whose own time
// and memory a test of bounds would measure.
const RaceDetector = true
