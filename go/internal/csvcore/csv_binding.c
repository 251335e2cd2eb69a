/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_binding.h"

#include <stdlib.h>

static tally_csv_dialect dialect_of(uint32_t dialect)
{
    const tally_csv_dialect made = {sizeof made, (uint8_t)dialect, (uint8_t)(dialect >> 8),
                                    (uint8_t)(dialect >> 16 & 1), 0};
    return made;
}

uint32_t tally_go_csv_scan(uint32_t dialect, const uint8_t *bytes, size_t size, uint32_t last,
                           uint32_t columns, const uint32_t *wanted, uint32_t wanted_count,
                           tally_csv_field *fields, size_t most, tally_csv_scan *out)
{
    const tally_csv_dialect d = dialect_of(dialect);
    return (uint32_t)tally_csv_scan_records(&d, bytes, size, (int)last, columns, wanted,
                                            wanted_count, fields, most, out);
}

uint32_t tally_go_csv_splice(uint32_t dialect, const uint8_t *bytes, size_t size,
                             const tally_csv_field *fields, size_t records, const uint32_t *changed,
                             const int32_t *offsets, const uint8_t *values, uint32_t wanted_count,
                             uint8_t *out, size_t capacity, tally_csv_splice_result *result)
{
    const tally_csv_dialect d = dialect_of(dialect);
    tally_csv_column *const columns = calloc(wanted_count + (size_t)1, sizeof *columns);
    if (columns == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint32_t j = 0; j < wanted_count; j++) {
        columns[j].offsets = changed[j] ? offsets + j * (records + 1) : NULL;
        columns[j].values = values;
    }
    const tally_status status = tally_csv_splice(&d, bytes, size, fields, records, columns,
                                                 wanted_count, out, capacity, result);
    free(columns);
    return (uint32_t)status;
}
