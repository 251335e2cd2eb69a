// SPDX-License-Identifier: Apache-2.0

package core

// CSVField is where the content of a field of CSV is, without its quotes.
type CSVField struct {
	Start           uint64
	Size            uint32
	Quoted, Escaped uint8 // 1: it stands between quotes; it has doubled quotes
	_               [2]uint8
}

// CSVScan is what a scan of CSV found.
type CSVScan struct {
	Records, Consumed, ErrorAt uint64
	Error, Fields              uint32
}

// CSVSplice is what a splice of CSV wrote.
type CSVSplice struct {
	Size, ErrorRecord  uint64
	ErrorColumn, Error uint32
}
