/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST's recommended parameters: layers by table 1 of the paper (128-bit security), interpolated
 * linearly in the length and in the radix's logarithm. Integer arithmetic alone, because a result
 * that is rounded up must not depend on a machine's floating point. */
#include "fast/schedule/params.h"

enum { PARAMS_COLUMNS = 15, PARAMS_ROWS = 16, PARAMS_FRACTION_BITS = 40 };

static const uint8_t params_column_length[PARAMS_COLUMNS] = {2,  3,  4,  5,  6,  7,  8,  9,
                                                             10, 12, 16, 32, 50, 64, 100};

static const uint16_t params_row_radix[PARAMS_ROWS] = {4,  5,  6,  7,  8,  9,   10,  11,
                                                       12, 13, 14, 15, 16, 100, 128, 256};

static const uint8_t params_rounds[PARAMS_ROWS][PARAMS_COLUMNS] = {
    {165, 135, 117, 105, 96, 89, 83, 78, 74, 68, 59, 52, 52, 53, 57},
    {131, 107, 93, 83, 76, 70, 66, 62, 59, 54, 48, 46, 47, 48, 53},
    {113, 92, 80, 72, 65, 61, 57, 54, 51, 46, 44, 43, 44, 46, 52},
    {102, 83, 72, 64, 59, 55, 51, 48, 46, 43, 41, 41, 43, 45, 50},
    {94, 76, 66, 59, 54, 50, 47, 44, 42, 41, 39, 39, 42, 44, 50},
    {88, 72, 62, 56, 51, 47, 44, 42, 40, 39, 38, 38, 41, 43, 49},
    {83, 68, 59, 53, 48, 45, 42, 39, 39, 38, 37, 37, 40, 43, 49},
    {79, 65, 56, 50, 46, 43, 40, 38, 38, 37, 36, 37, 40, 42, 48},
    {76, 62, 54, 48, 44, 41, 38, 37, 37, 36, 35, 36, 39, 42, 48},
    {73, 60, 52, 47, 43, 39, 37, 36, 36, 35, 34, 36, 39, 41, 48},
    {71, 58, 50, 45, 41, 38, 36, 36, 35, 34, 34, 35, 39, 41, 47},
    {69, 57, 49, 44, 40, 37, 36, 35, 34, 34, 33, 35, 38, 41, 47},
    {67, 55, 48, 43, 39, 36, 35, 34, 34, 33, 33, 35, 38, 41, 47},
    {40, 33, 28, 27, 26, 26, 25, 25, 25, 26, 26, 30, 34, 37, 44},
    {38, 31, 27, 26, 25, 25, 25, 25, 25, 25, 26, 30, 34, 37, 44},
    {33, 27, 25, 24, 23, 23, 23, 23, 23, 24, 25, 29, 33, 37, 44},
};

typedef struct params_wide {
    uint64_t high, low;
} params_wide;

static params_wide params_multiply(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carry = (uint32_t)middle + a0 * b1;
    params_wide product = {a1 * b1 + (middle >> 32) + (carry >> 32), a * b};
    return product;
}

/* log2(x) for 4 <= x <= 256 with 40 bits after the point: a bit for each squaring of x's
 * mantissa. */
static uint64_t params_log2(uint32_t x)
{
    uint64_t whole = 0, fraction = 0;
    while (x >> whole > 1) {
        whole++;
    }
    uint64_t mantissa = (uint64_t)x << (63 - whole);
    for (int bit = 0; bit < PARAMS_FRACTION_BITS; bit++) {
        params_wide square = params_multiply(mantissa, mantissa);
        uint64_t two = square.high >> 63;
        mantissa = two != 0 ? square.high : square.high << 1 | square.low >> 63;
        fraction = fraction << 1 | two;
    }
    return whole << PARAMS_FRACTION_BITS | fraction;
}

/* part / whole for part <= whole < 2^63, with 40 bits after the point. */
static int64_t params_fraction(uint64_t part, uint64_t whole)
{
    int64_t fraction = 0;
    for (int bit = 0; bit <= PARAMS_FRACTION_BITS; bit++) {
        int64_t one = part >= whole;
        fraction = fraction << 1 | one;
        part = (part - (one ? whole : 0)) << 1;
    }
    return fraction;
}

static uint32_t params_ceil_sqrt(uint32_t x)
{
    uint32_t root = 0;
    while (root * root < x) {
        root++;
    }
    return root;
}

/* The least r with 10 r 2^40 >= value sqrt(length), for the lengths beyond the table. */
static uint32_t params_scaled_rounds(uint64_t value, uint32_t length)
{
    params_wide square = params_multiply(value, value);
    /* bound = square * length; below 2^110 */
    params_wide low = params_multiply(square.low, length);
    params_wide bound = {square.high * length + low.high, low.low};
    uint32_t least = 0, most = 1 << 12;
    while (least < most) {
        uint32_t r = (least + most) / 2;
        uint64_t reached = (uint64_t)100 * r * r << (2 * PARAMS_FRACTION_BITS - 64);
        if (reached > bound.high || (reached == bound.high && bound.low == 0)) {
            most = r;
        } else {
            least = r + 1;
        }
    }
    return least;
}

static uint32_t params_recommended_rounds(uint32_t radix, uint32_t length)
{
    unsigned row = 0, column = 0;
    while (row + 1 < PARAMS_ROWS - 1 && radix >= params_row_radix[row + 1]) {
        row++;
    }
    while (column + 1 < PARAMS_COLUMNS - 1 && length >= params_column_length[column + 1]) {
        column++;
    }
    const uint8_t *above = params_rounds[row], *below = params_rounds[row + 1];
    uint32_t first = params_column_length[column], last = params_column_length[column + 1];
    uint32_t reach = length < last ? length : last;

    /* Both rows at this length, times `last - first`; then between the rows, with 40 more bits. */
    int64_t before = last - reach, after = reach - first;
    int64_t high = above[column] * before + above[column + 1] * after;
    int64_t low = below[column] * before + below[column + 1] * after;
    uint64_t from = params_log2(params_row_radix[row]), to = params_log2(params_row_radix[row + 1]);
    int64_t share = params_fraction(params_log2(radix) - from, to - from);
    int64_t value = (high << PARAMS_FRACTION_BITS) + share * (low - high);

    if (length > last) {
        return params_scaled_rounds((uint64_t)value / (last - first), length);
    }
    int64_t unit = (int64_t)(last - first) << PARAMS_FRACTION_BITS;
    return (uint32_t)((value + unit - 1) / unit);
}

/* The layers of the first go-fast: ceil(2 max(256 / 8 l, 128 / 5.541 sqrt(l))), at least 64 and at
 * least 4 l if l > 32, rounded up to whole rounds. The second term is greater for every
 * l >= 2. */
static uint32_t params_legacy_layers(uint32_t length)
{
    if (length <= 1) {
        return 64 * length;
    }
    uint64_t r = 0;
    while (r * r * length * 5541 * 5541 < (uint64_t)256000 * 256000) {
        r++;
    }
    uint64_t layers = r * length, floor = length > 32 ? 4 * (uint64_t)length : 64;
    if (layers < floor) {
        layers = floor;
    }
    return (uint32_t)((layers + length - 1) / length * length);
}

tally_status tally_fast_recommended(tally_fast_profile profile, uint32_t radix, uint32_t length,
                                    tally_fast_params *out)
{
    int legacy = profile == TALLY_FAST_BYTES_LEGACY;
    if (!legacy && profile != TALLY_FAST) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (radix < TALLY_FAST_MIN_RADIX || radix > TALLY_FAST_MAX_RADIX || (legacy && radix != 256)) {
        return TALLY_ERROR_RADIX;
    }
    if (legacy ? length > TALLY_FAST_LEGACY_MAX_LENGTH
               : length < TALLY_FAST_MIN_LENGTH || length > TALLY_FAST_MAX_LENGTH) {
        return TALLY_ERROR_LENGTH;
    }
    uint32_t root = params_ceil_sqrt(length), spare = length > 2 ? length - 2 : 0;
    uint32_t w = root < spare ? root : spare;
    uint32_t w_prime = w > 1 ? w - 1 : 1;
    if (!legacy && w_prime > length - w - 1) {
        w_prime = length - w - 1;
    }
    out->radix = radix;
    out->length = length;
    out->layers =
        legacy ? params_legacy_layers(length) : params_recommended_rounds(radix, length) * length;
    out->w = w;
    out->w_prime = w_prime;
    return TALLY_OK;
}

tally_status tally_fast_check_params(tally_fast_profile profile, const tally_fast_params *params)
{
    if (profile == TALLY_FAST_BYTES_LEGACY) {
        tally_fast_params only;
        tally_status status = tally_fast_recommended(profile, params->radix, params->length, &only);
        if (status != TALLY_OK) {
            return status;
        }
        return params->layers == only.layers && params->w == only.w &&
                       params->w_prime == only.w_prime
                   ? TALLY_OK
                   : TALLY_ERROR_PARAMS;
    }
    uint32_t length = params->length;
    if (params->radix < TALLY_FAST_MIN_RADIX || params->radix > TALLY_FAST_MAX_RADIX) {
        return TALLY_ERROR_RADIX;
    }
    if (length < TALLY_FAST_MIN_LENGTH || length > TALLY_FAST_MAX_LENGTH) {
        return TALLY_ERROR_LENGTH;
    }
    if (params->layers < length || params->layers % length != 0 || params->w > length - 2 ||
        params->w_prime < 1 || params->w_prime > length - 1) {
        return TALLY_ERROR_PARAMS;
    }
    return TALLY_OK;
}
