package parquet

import "encoding/binary"

// thrift writes Thrift's compact form: each field is the distance of its number to
// the one before, its kind, and its value; integers are zigzag varints.
type thrift struct {
	out  []byte
	last []int // number of the last field, for each open structure
}

// Kinds of values in the compact form.
const (
	kindInt32, kindInt64, kindText, kindList, kindStruct = 5, 6, 8, 9, 12
)

// begin opens a structure that is an element of a list, or the outermost one.
func (t *thrift) begin() { t.last = append(t.last, 0) }

func (t *thrift) end() {
	t.out = append(t.out, 0)
	t.last = t.last[:len(t.last)-1]
}

func (t *thrift) field(number, kind int) {
	top := len(t.last) - 1
	t.out = append(t.out, byte(number-t.last[top])<<4|byte(kind)) // distances here are below 16
	t.last[top] = number
}

func (t *thrift) zigzag(v int64) { t.out = binary.AppendVarint(t.out, v) }

func (t *thrift) number(field int, v int64) {
	t.field(field, kindInt32)
	t.zigzag(v)
}

func (t *thrift) long(field int, v int64) {
	t.field(field, kindInt64)
	t.zigzag(v)
}

func (t *thrift) text(field int, s string) {
	t.field(field, kindText)
	t.itemText(s)
}

func (t *thrift) structure(field int) {
	t.field(field, kindStruct)
	t.begin()
}

func (t *thrift) list(field, kind, n int) {
	t.field(field, kindList)
	if n < 15 {
		t.out = append(t.out, byte(n)<<4|byte(kind))
		return
	}
	t.out = append(t.out, 0xf0|byte(kind))
	t.out = binary.AppendUvarint(t.out, uint64(n))
}

func (t *thrift) item(v int64) { t.zigzag(v) }

func (t *thrift) itemText(s string) {
	t.out = binary.AppendUvarint(t.out, uint64(len(s)))
	t.out = append(t.out, s...)
}
