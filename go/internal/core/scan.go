// SPDX-License-Identifier: Apache-2.0

package core

import (
	"encoding/binary"
	"unsafe"
)

// ScanFinding is a finding in a text: bytes Start to End - 1, and the number of its kind.
type ScanFinding struct {
	Start, End int
	Kind       uint32
}

// ScanFindingBytes is the size of tally_scan_finding.
const ScanFindingBytes = 24

// AllFindings decodes what scan writes in a byte order: as many findings as there is space for. It returns how many there are, and is
// called again if the first space was too small.
func AllFindings(order binary.ByteOrder, scan func(out []byte) (int, error)) ([]ScanFinding, error) {
	words := make([]uint64, 32*ScanFindingBytes/8) // aligned as the struct
	for {
		out := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
		count, err := scan(out)
		if err != nil {
			return nil, err
		}
		if count*ScanFindingBytes > len(out) {
			words = make([]uint64, count*ScanFindingBytes/8)
			continue
		}
		made := make([]ScanFinding, count)
		for i := range made {
			one := out[i*ScanFindingBytes:]
			start := int(order.Uint64(one))
			size := int(order.Uint32(one[8:]))
			made[i] = ScanFinding{start, start + size, order.Uint32(one[12:])}
		}
		return made, nil
	}
}
