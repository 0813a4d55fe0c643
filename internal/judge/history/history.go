// Package history puts the runs of a folder into order: it finds them, groups those
// that measured the same into series, sorts each series by time or commit, and finds
// where a metric changed.
//
//	files (ours, any tool's) ─▶ Tree.Scan ─▶ runs ─▶ Group ─▶ series ─▶ Changes
//
// It works on plain files and keeps no database: a [Tree] remembers only a summary of
// each run, and reads a file again when its size or time has changed.
package history
