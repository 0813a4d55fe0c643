package serve

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/spec"
)

const protocolFile = "protocol-file"

// SetProtocol reads the file. What is in it is checked with the Spec.
func (o *Options) SetProtocol(set *argv.Set) error {
	o.Protocol = nil
	switch {
	case o.ProtocolFile == "" && set.Seen(protocolFile):
		return argv.Errorf(protocolFile, "needs the name of a file")
	case o.ProtocolFile == "":
		return nil
	case o.Backend != protocol.CustomName:
		return argv.Errorf(protocolFile, "is for --backend %s, not %s", protocol.CustomName, o.Backend)
	}
	content, err := readBounded(o.ProtocolFile, protocol.MaxCustom)
	if err != nil {
		return argv.Errorf(protocolFile, "can't be read: %v", err)
	}
	o.Protocol, err = argv.YAMLFile(o.ProtocolFile, content)
	return err
}

// readBounded reads a file of at most so many bytes.
func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: errors.New("it is longer than any such file")}
	}
	return content, err
}

const metricsMap = "metrics-map"

// SetMetrics reads the file of --metrics-map. What is in it is checked with the Spec.
func (o *Options) SetMetrics(set *argv.Set) error {
	o.MetricsMap = nil
	o.MetricsURLs = slices.Clone(o.MetricsURLs) // which the Spec completes
	switch {
	case o.MetricsMapFile == "" && set.Seen(metricsMap):
		return argv.Errorf(metricsMap, "needs the name of a file")
	case o.MetricsMapFile == "":
		return nil
	}
	content, err := readBounded(o.MetricsMapFile, spec.MaxMetricsMap)
	if err != nil {
		return argv.Errorf(metricsMap, "can't be read: %v", err)
	}
	o.MetricsMap, err = argv.YAMLFile(o.MetricsMapFile, content)
	return err
}
