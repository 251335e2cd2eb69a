/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes, for any instruction set with vectors and AES. A back end includes this file once.
 * Before, it defines these macros:
 *
 *   FF1(name)        the name with the back end's prefix
 *   FF1_TARGET       the function attribute of its instruction set; and FF1_INLINE with it
 *   FF1_PER          numbers in a vector: its lanes of 64 bits. Two vectors hold their blocks
 *   FF1_VECTORS      vectors of numbers in a group
 *   FF1_FEW          words that plain C takes no longer for
 *   FF1_BITS         of the greatest modulus that is no power of two
 *   FF1_SMALL_BITS   of the greatest one of the kind "small"
 *   FF1_FIRST_KEY    1: FF1(encrypt) expects blocks with the first round key; 0: it adds that
 *   FF1_TRANSPOSE    a tally_transpose
 *   FF1_ELSE         the back end for few words, and for moduli above FF1_BITS
 *
 * the types FF1(vec) and FF1(vec16), of lanes of 64 and of 16 bits, FF1(shift), the count of a shift,
 * and FF1(modulus); and these functions, named by FF1() and inlined:
 *
 *   load, store, each, or, and, xor (of three), left, right, shift_by
 *                    on lanes of 64 bits
 *   load16, store16, each16, add16, sub16, product16, high16, right16
 *                    on lanes of 16 bits; the lower and the upper half of a product
 *   load_symbols(from, last), store_symbols(to, x)
 *                    bytes in lanes of 16 bits; those above `last` become it
 *   load_chunks(from), store_chunks(to, x)
 *                    the last 16 bits of lanes of 64
 *   block(bytes)     a block in all its places
 *   deal_even(x, y), deal_odd(x, y)
 *                    of blocks in two vectors those of even places, and those of odd ones
 *   even(x), odd(x)  numbers of even and of odd places, big-endian, as second halves of blocks
 *   first(x, y), next(x, y)
 *                    of blocks of even and of odd places the first 64 bits as numbers, and the 32
 *                    behind them
 *   encrypt(aes, b)  2 FF1_VECTORS vectors of blocks
 *   set_modulus(plan, kind, half)
 *   add(kind, direction, modulus, number, high, low)
 *                    adds y, of 64 bits and perhaps 32 more, or subtracts it
 *   append(chunks, x, chunk), quotient(chunks, x), remainder(chunks, x, quotient)
 *                    x * base + chunk; x / base; the last 16 bits of what is left
 *
 * Words go through the rounds in groups: while the numbers of one are added, another is encrypted. */

#define FF1_EACH(i, count) TALLY_UNROLL(16) for (int i = 0; i < (count); i++)
#define FF1_PER16          (4 * FF1_PER)
#define FF1_GROUP          (FF1_PER * FF1_VECTORS) /* words */
#define FF1_CHUNKS         64 /* of a half, at most: of one symbol of one bit each */

typedef struct FF1(state) {
    _Alignas(64) uint64_t half[2][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t bases[TALLY_FF1_ROWS][16]; /* of a vector of numbers: those of its even
                                                     * words, then those of its odd ones */
    _Alignas(64) uint16_t chunks[FF1_CHUNKS][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t symbols[2 * FF1_CHUNKS][TALLY_FF1_ROWS];
} FF1(state);

static tally_ff1_kind FF1(kind_of)(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    if (modulus->mask != 0) {
        return plan->prf_size == 8 ? TALLY_FF1_POWER : TALLY_FF1_LONG_POWER;
    }
    if (plan->prf_size == 8) {
        return modulus->value >> FF1_SMALL_BITS == 0 ? TALLY_FF1_SMALL : TALLY_FF1_SHORT;
    }
    return modulus->value >> 32 == 0 ? TALLY_FF1_LONG_LOW : TALLY_FF1_LONG;
}

/* Whether there is code for these numbers. */
static int FF1(serves)(const tally_ff1_plan *plan)
{
    return plan->modulus[1].mask != 0 || plan->modulus[1].value >> FF1_BITS == 0;
}

static int FF1(takes_lanes)(const tally_ff1_plan *plan)
{
    return plan->symbol_size == 1 &&
           (FF1(serves)(plan) || (FF1_ELSE.takes_lanes != NULL && FF1_ELSE.takes_lanes(plan)));
}

/* Symbols on lanes to chunks: one half, whose first symbol is number `first`. A symbol that is not
 * below the radix becomes the last one: it is a lane without a word, or of a bad one. */
FF1_INLINE void FF1(join)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const uint8_t *lanes, size_t stride, FF1(state) * state)
{
    const FF1(vec16) radix = FF1(each16)(by->radix);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(each16)(0);
            for (uint32_t i = at; i < end; i++) {
                const FF1(vec16) symbols =
                    FF1(load_symbols)(lanes + i * stride + FF1_PER16 * v, by->radix - 1);
                x = FF1(add16)(FF1(product16)(x, radix), symbols);
            }
            FF1(store16)(state->chunks[c] + FF1_PER16 * v, x);
        }
        at = end;
    }
}

/* The inverse. */
FF1_INLINE void FF1(part)(const tally_ff1_chunks *by, uint32_t first, uint32_t count,
                          uint32_t chunks, const FF1(state) * state, uint8_t *lanes, size_t stride)
{
    const FF1(vec16) radix = FF1(each16)(by->radix), inverse = FF1(each16)(by->radix_inverse);
    const FF1(shift) shift = FF1(shift_by)(by->radix_shift);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_EACH(v, TALLY_FF1_ROWS / FF1_PER16)
        {
            FF1(vec16) x = FF1(load16)(state->chunks[c] + FF1_PER16 * v);
            for (uint32_t i = end; i-- > at;) {
                const FF1(vec16) rest = FF1(right16)(FF1(high16)(x, inverse), shift);
                x = FF1(sub16)(x, FF1(product16)(rest, radix));
                FF1(store_symbols)(lanes + i * stride + FF1_PER16 * v, x);
                x = rest;
            }
        }
        at = end;
    }
}

/* Chunks to numbers. */
FF1_INLINE void FF1(sum)(const tally_ff1_chunks *by, uint32_t chunks, const FF1(state) * state,
                         uint64_t *numbers)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(each)(0);
        for (uint32_t c = 0; c < chunks; c++) {
            const FF1(vec) chunk = FF1(load_chunks)(state->chunks[c] + row);
            x = by->is_power ? FF1(or)(FF1(left)(x, shift), chunk) : FF1(append)(by, x, chunk);
        }
        FF1(store)(numbers + row, x);
    }
}

/* The inverse. */
FF1_INLINE void FF1(split)(const tally_ff1_chunks *by, uint32_t chunks, const uint64_t *numbers,
                           FF1(state) * state)
{
    const FF1(shift) shift = FF1(shift_by)(by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += FF1_PER) {
        FF1(vec) x = FF1(load)(numbers + row);
        for (uint32_t c = chunks; c-- > 0;) {
            FF1(vec) rest, chunk;
            if (by->is_power) {
                rest = FF1(right)(x, shift);
                chunk = FF1(and)(x, FF1(each)(by->base - 1));
            } else {
                rest = FF1(quotient)(by, x);
                chunk = FF1(remainder)(by, x, rest); /* its last 16 bits */
            }
            FF1(store_chunks)(state->chunks[c] + row, chunk);
            x = rest;
        }
    }
}

/* Chunks of one symbol of two bytes. */
static void FF1(gather)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                        FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(&state->chunks[p][i], batch->in[i] + 2 * (size_t)(first + p), 2);
        }
    }
}

static void FF1(scatter)(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                         const FF1(state) * state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(batch->out[i] + 2 * (size_t)(first + p), &state->chunks[p][i], 2);
        }
    }
}

FF1_TARGET static void FF1(read)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                 FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.to_lanes(batch->in, batch->count, plan->length, TALLY_FF1_ROWS,
                               state->symbols[0]);
    }
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        if (plan->symbol_size == 1) {
            FF1(join)(by, first, plan->half[half], by->count[half], lanes, stride, state);
        } else {
            FF1(gather)(batch, first, plan->half[half], state);
        }
        FF1(sum)(by, by->count[half], state, state->half[half]);
    }
}

FF1_TARGET static void FF1(write)(const tally_ff1_batch *batch, const tally_ff1_chunks *by,
                                  FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        FF1(split)(by, by->count[half], state->half[half], state);
        if (plan->symbol_size == 1) {
            FF1(part)(by, first, plan->half[half], by->count[half], state, lanes, stride);
        } else {
            FF1(scatter)(batch, first, plan->half[half], state);
        }
    }
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        FF1_TRANSPOSE.from_lanes(state->symbols[0], TALLY_FF1_ROWS, batch->count, plan->length,
                                 batch->out);
    }
}

/* The bases in the order of blocks: of a vector of numbers those of even ones, then those of odd
 * ones. */
FF1_TARGET static void FF1(set_bases)(const tally_ff1_batch *batch, FF1(state) * state)
{
    if (batch->base_step == 0) {
        const FF1(vec) base = FF1(block)(batch->bases[0]);
        for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER / 2) {
            FF1(store)(state->bases[i], base);
        }
        return;
    }
    if (batch->count < TALLY_FF1_ROWS) {
        memset(state->bases[0], 0, sizeof state->bases);
    }
    memcpy(state->bases[0], batch->bases[0], 16 * batch->count);
    for (size_t i = 0; i < TALLY_FF1_ROWS; i += FF1_PER) {
        const FF1(vec) first = FF1(load)(state->bases[i]),
                       second = FF1(load)(state->bases[i + FF1_PER / 2]);
        FF1(store)(state->bases[i], FF1(deal_even)(first, second));
        FF1(store)(state->bases[i + FF1_PER / 2], FF1(deal_odd)(first, second));
    }
}

/* A round of a group: numbers of one half, `from`, change those of the other. */
FF1_INLINE void FF1(round)(const tally_ff1_kind kind, const tally_direction direction,
                           const tally_aes_key *aes, FF1(vec) start, const FF1(modulus) * modulus,
                           const uint8_t *bases, const uint64_t *from, uint64_t *to)
{
    FF1(vec) b[2 * FF1_VECTORS];
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) numbers = FF1(load)(from + FF1_PER * i);
        b[2 * i] = FF1(xor)(FF1(even)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i));
        b[2 * i + 1] =
            FF1(xor)(FF1(odd)(numbers), start, FF1(load)(bases + 16 * FF1_PER * i + 8 * FF1_PER));
    }
    FF1(encrypt)(aes, b);
    FF1_EACH(i, FF1_VECTORS)
    {
        const FF1(vec) high = FF1(first)(b[2 * i], b[2 * i + 1]),
                       low = FF1(next)(b[2 * i], b[2 * i + 1]);
        FF1(vec) sum = FF1(load)(to + FF1_PER * i);
        sum = FF1(add)(kind, direction, modulus, sum, high, low);
        FF1(store)(to + FF1_PER * i, sum);
    }
}

#define FF1_ROUND(kind, which)                                                                     \
    FF1(round)                                                                                     \
    (kind, direction, aes, key, &modulus[which], state->bases[row],                                \
     state->half[1 - (which)] + row, state->half[which] + row)

/* All rounds of all groups; the kinds of the two halves may differ. */
FF1_INLINE void FF1(rounds)(const tally_ff1_kind kind0, const tally_ff1_kind kind1,
                            const tally_direction direction, const tally_ff1_batch *batch,
                            const FF1(modulus) modulus[2], FF1(state) * state)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t groups = (batch->count + FF1_GROUP - 1) / FF1_GROUP;
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        _Alignas(16) uint8_t start[16] = {0};
        start[15 - plan->number_size] = (uint8_t)round;
        FF1(vec) key = FF1(block)(start);
        if (FF1_FIRST_KEY) {
            key = FF1(xor)(key, FF1(block)(aes->round_keys.bytes[TALLY_ENCRYPT][0]), FF1(each)(0));
        }
        for (size_t g = 0; g < groups; g++) {
            const size_t row = FF1_GROUP * g;
            if (round % 2 == 0) {
                FF1_ROUND(kind0, 0);
            } else {
                FF1_ROUND(kind1, 1);
            }
        }
    }
}

#define FF1_ROUNDS(name, kind0, kind1)                                                             \
    FF1_TARGET static void FF1(rounds_##name)(const tally_ff1_batch *batch,                        \
                                              const FF1(modulus) modulus[2], FF1(state) * state)   \
    {                                                                                              \
        if (batch->direction == TALLY_ENCRYPT) {                                                   \
            FF1(rounds)(kind0, kind1, TALLY_ENCRYPT, batch, modulus, state);                       \
        } else {                                                                                   \
            FF1(rounds)(kind0, kind1, TALLY_DECRYPT, batch, modulus, state);                       \
        }                                                                                          \
    }

FF1_ROUNDS(power, TALLY_FF1_POWER, TALLY_FF1_POWER)
FF1_ROUNDS(long_power, TALLY_FF1_LONG_POWER, TALLY_FF1_LONG_POWER)
FF1_ROUNDS(small, TALLY_FF1_SMALL, TALLY_FF1_SMALL)
FF1_ROUNDS(mixed, TALLY_FF1_SMALL, TALLY_FF1_SHORT)
FF1_ROUNDS(short, TALLY_FF1_SHORT, TALLY_FF1_SHORT)
FF1_ROUNDS(long_low, TALLY_FF1_LONG_LOW, TALLY_FF1_LONG)
FF1_ROUNDS(long, TALLY_FF1_LONG, TALLY_FF1_LONG)

FF1_TARGET static void FF1(run)(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    if (!FF1(serves)(plan) || (batch->lanes == NULL && batch->count <= FF1_FEW)) {
        FF1_ELSE.run(batch);
        return;
    }
    FF1(state) state;
    const tally_ff1_chunks by = tally_ff1_set_chunks(plan);
    if (batch->count < TALLY_FF1_ROWS) { /* lanes without a word are run too */
        memset(&state, 0, sizeof state);
    }
    FF1(set_bases)(batch, &state);
    FF1(read)(batch, &by, &state);
    const tally_ff1_kind first = FF1(kind_of)(plan, 0), second = FF1(kind_of)(plan, 1);
    const FF1(modulus)
        modulus[2] = {FF1(set_modulus)(plan, first, 0), FF1(set_modulus)(plan, second, 1)};
    if (second == TALLY_FF1_POWER) {
        FF1(rounds_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_LONG_POWER) {
        FF1(rounds_long_power)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SMALL) {
        FF1(rounds_small)(batch, modulus, &state);
    } else if (first == TALLY_FF1_SMALL) {
        FF1(rounds_mixed)(batch, modulus, &state);
    } else if (second == TALLY_FF1_SHORT) {
        FF1(rounds_short)(batch, modulus, &state);
    } else if (first == TALLY_FF1_LONG_LOW) {
        FF1(rounds_long_low)(batch, modulus, &state);
    } else {
        FF1(rounds_long)(batch, modulus, &state);
    }
    FF1(write)(batch, &by, &state);
    tally_wipe(state.half, sizeof state.half);
    tally_wipe(state.bases, sizeof state.bases);
    tally_wipe(state.chunks, sizeof state.chunks[0] * by.count[1]);
    if (batch->lanes == NULL) {
        tally_wipe(state.symbols, sizeof state.symbols[0] * plan->length);
    }
}

#undef FF1
#undef FF1_BITS
#undef FF1_CHUNKS
#undef FF1_EACH
#undef FF1_ELSE
#undef FF1_FEW
#undef FF1_FIRST_KEY
#undef FF1_GROUP
#undef FF1_INLINE
#undef FF1_PER
#undef FF1_PER16
#undef FF1_ROUND
#undef FF1_ROUNDS
#undef FF1_SMALL_BITS
#undef FF1_TARGET
#undef FF1_TRANSPOSE
#undef FF1_VECTORS
