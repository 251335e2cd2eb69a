/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV as Go calls it: pointers and numbers alone, as in core/binding.h. A dialect is one number:
 * its delimiter, its quote << 8, and 1 << 16 if spaces before a field are skipped. */
#ifndef TALLY_GO_CSV_BINDING_H
#define TALLY_GO_CSV_BINDING_H

#include "tallystick.h"

uint32_t tally_go_csv_scan(uint32_t dialect, const uint8_t *bytes, size_t size, uint32_t last,
                           uint32_t columns, const uint32_t *wanted, uint32_t wanted_count,
                           tally_csv_field *fields, size_t most, tally_csv_scan *out);

/* New content for the columns of which changed[j] is 1: row i of column j is
 * values[offsets[j * (records + 1) + i] .. offsets[j * (records + 1) + i + 1]). */
uint32_t tally_go_csv_splice(uint32_t dialect, const uint8_t *bytes, size_t size,
                             const tally_csv_field *fields, size_t records, const uint32_t *changed,
                             const int32_t *offsets, const uint8_t *values, uint32_t wanted_count,
                             uint8_t *out, size_t capacity, tally_csv_splice_result *result);

#endif
