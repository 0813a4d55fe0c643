package table

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkPages looks at the headers of a column's pages before the library does, which
// takes as much memory as a header claims.
func (p *parquetFile) checkPages(group, column int) error {
	meta := &p.table.Metadata().RowGroups[group].Columns[column].MetaData
	at := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	end := at + meta.TotalCompressedSize
	if at < 0 || meta.TotalCompressedSize < 0 || end > p.size {
		return fmt.Errorf("it lies outside of the file")
	}
	for values := int64(0); at < end && values < meta.NumValues; {
		h, size, err := p.pageHeader(at, end)
		if err != nil {
			return fmt.Errorf("a page's header: %w", err)
		}
		if h.UncompressedPageSize > maxRow || h.CompressedPageSize < 0 {
			return fmt.Errorf("a page claims to have %d bytes", h.UncompressedPageSize)
		}
		n := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues)
		if n < 0 || n > maxValues || h.DictionaryPageHeader.V.NumValues > maxValues {
			return fmt.Errorf("a page claims to have %d values", n)
		}
		values += int64(n)
		at += size + int64(h.CompressedPageSize)
	}
	return nil
}

// maxValues bounds the values of a page; each takes up to 24 bytes when it is read.
const maxValues = 1 << 24

// pageHeader reads the header that begins at a place, and its size.
func (p *parquetFile) pageHeader(at, end int64) (*format.PageHeader, int64, error) {
	section := io.NewSectionReader(p.file, at, end-at)
	in := bufio.NewReaderSize(section, 512) // statistics may make it longer
	var compact thrift.CompactProtocol
	var h format.PageHeader
	if err := thrift.NewDecoder(compact.NewReader(in)).Decode(&h); err != nil {
		return nil, 0, err
	}
	read, err := section.Seek(0, io.SeekCurrent)
	return &h, read - int64(in.Buffered()), err
}
