// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package core

import "encoding/binary"

// Sizes of the core's structs in WebAssembly.
const (
	csvFieldSize  = 16
	csvScanSize   = 32
	csvSpliceSize = 24
)

func put32[T uint32 | int32](m *machine, numbers []T) uint64 {
	at := m.take(4 * len(numbers))
	view := m.view(at, 4*len(numbers))
	for i, number := range numbers {
		binary.LittleEndian.PutUint32(view[4*i:], uint32(number))
	}
	return at
}

// ScanCSV finds records; see csv_binding.h. fields has room for most records.
func ScanCSV(dialect uint32, text []byte, last bool, columns uint32, wanted []uint32, fields []CSVField, most int) (scan CSVScan, err error) {
	err = on(func(m *machine) error {
		size := csvFieldSize * len(fields)
		if err := m.reserve(len(text), 4*len(wanted), size, csvScanSize); err != nil {
			return err
		}
		given, list, found, out := m.put(text), put32(m, wanted), m.take(size), m.take(csvScanSize)
		if err := m.status("tally_go_csv_scan", uint64(dialect), given, uint64(len(text)), number(last), uint64(columns),
			list, uint64(len(wanted)), found, uint64(most), out); err != nil {
			return err
		}
		view := m.view(out, csvScanSize)
		scan = CSVScan{
			binary.LittleEndian.Uint64(view), binary.LittleEndian.Uint64(view[8:]), binary.LittleEndian.Uint64(view[16:]),
			binary.LittleEndian.Uint32(view[24:]), binary.LittleEndian.Uint32(view[28:]),
		}
		view = m.view(found, size)
		for i := range int(scan.Records) * len(wanted) {
			at := view[csvFieldSize*i:]
			fields[i] = CSVField{
				Start: binary.LittleEndian.Uint64(at), Size: binary.LittleEndian.Uint32(at[8:]), Quoted: at[12], Escaped: at[13],
			}
		}
		return nil
	})
	return scan, err
}

// SpliceCSV writes new content into columns; see csv_binding.h.
func SpliceCSV(dialect uint32, text []byte, fields []CSVField, records int, changed []uint32, offsets []int32, values []byte) (made []byte, done CSVSplice, err error) {
	err = on(func(m *machine) error {
		width := uint64(len(changed))
		// At least what tally_csv_splice_capacity says of these columns.
		capacity := len(text) + 2*len(values) + 2*records*len(changed)
		if err := m.reserve(len(text), csvFieldSize*len(fields), 4*len(changed), 4*len(offsets), len(values), capacity,
			csvSpliceSize); err != nil {
			return err
		}
		given, places := m.put(text), m.take(csvFieldSize*len(fields))
		view := m.view(places, csvFieldSize*len(fields))
		for i, field := range fields {
			at := view[csvFieldSize*i:]
			binary.LittleEndian.PutUint64(at, field.Start)
			binary.LittleEndian.PutUint32(at[8:], field.Size)
			at[12], at[13] = field.Quoted, field.Escaped
		}
		flags, list, new := put32(m, changed), put32(m, offsets), m.put(values)
		out, result := m.take(capacity), m.take(csvSpliceSize)
		if err := m.status("tally_go_csv_splice", uint64(dialect), given, uint64(len(text)), places, uint64(records), flags,
			list, new, width, out, uint64(capacity), result); err != nil {
			return err
		}
		view = m.view(result, csvSpliceSize)
		done = CSVSplice{
			binary.LittleEndian.Uint64(view), binary.LittleEndian.Uint64(view[8:]),
			binary.LittleEndian.Uint32(view[16:]), binary.LittleEndian.Uint32(view[20:]),
		}
		made = append([]byte{}, m.view(out, int(done.Size))...)
		return nil
	})
	return made, done, err
}
