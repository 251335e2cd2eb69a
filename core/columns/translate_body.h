/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to symbols and back on lanes, for any instruction set. A back end includes this file once.
 * Before, it defines these macros, which this file undefines:
 *
 *   TRANSLATE(name)                    the name with the back end's prefix
 *   TRANSLATE_TARGET                   the function attribute of its instruction set
 *   TRANSLATE_ZERO, TRANSLATE_SPREAD(byte)
 *                                      vectors: zero, and a byte in every lane
 *   TRANSLATE_LOAD(p), TRANSLATE_STORE(p, v)
 *                                      from and to aligned memory
 *   TRANSLATE_ADD, _SUB, _MIN, _MAX, _AND, _OR, _XOR
 *                                      on vectors, byte by byte, MIN and MAX unsigned
 *   TRANSLATE_CHOOSE(by, x, y)         y in the lanes where the top bit of `by` is set, else x
 *
 * and these types and functions, named by TRANSLATE():
 *
 *   vec, table                         a vector of bytes; 128 entries
 *   load_table(bytes)
 *   look_up(table, index)              any result for an index of 128 or more */

/* Top bits where two vectors differ. */
TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec) TRANSLATE(differ)(TRANSLATE(vec) x, TRANSLATE(vec) y)
{
    TRANSLATE(vec) difference = TRANSLATE_XOR(x, y), low = TRANSLATE_SPREAD(127);
    return TRANSLATE_OR(TRANSLATE_ADD(TRANSLATE_AND(difference, low), low), difference);
}

/* A sum modulo 10 with one more digit by the Luhn formula. */
TALLY_INLINE TRANSLATE_TARGET TRANSLATE(vec)
    TRANSLATE(add_digit)(TRANSLATE(vec) sum, TRANSLATE(vec) digit, int doubled)
{
    if (doubled) {
        digit = TRANSLATE_ADD(digit, digit);
        digit = TRANSLATE_MIN(digit, TRANSLATE_SUB(digit, TRANSLATE_SPREAD(9)));
    }
    sum = TRANSLATE_ADD(sum, digit);
    return TRANSLATE_MIN(sum, TRANSLATE_SUB(sum, TRANSLATE_SPREAD(10)));
}

/* Vectors side by side: a question about a position is asked once for all of them. */
enum { TRANSLATE(VECTORS) = 4 };

#define TRANSLATE_EACH                                                                             \
    TALLY_UNROLL(16)                                                                               \
    for (size_t i = 0; i < vectors; i++)

/* The symbols of bytes; at least the radix where a byte is no symbol. */
TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(symbols)(const tally_translate_tables *tables,
                                                      const size_t vectors,
                                                      const TRANSLATE(vec) * bytes,
                                                      TRANSLATE(vec) * out)
{
    if (tables->is_run) {
        const TRANSLATE(vec) first = TRANSLATE_SPREAD(tables->letter[0][0]);
        TRANSLATE_EACH
        {
            out[i] = TRANSLATE_SUB(bytes[i], first);
        }
        return;
    }
    const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
    TRANSLATE_EACH
    {
        out[i] = TRANSLATE_OR(TRANSLATE(look_up)(code, bytes[i]),
                              TRANSLATE_AND(bytes[i], TRANSLATE_SPREAD(128)));
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(read_vectors)(const tally_translate_job *job,
                                                           const size_t vectors, size_t first)
{
    const tally_translate_tables *const tables = job->tables;
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *text = job->text + first;
    uint8_t *to = job->symbols + first, *kept = job->kept == NULL ? NULL : job->kept + first;
    TRANSLATE(vec)
    bad[TRANSLATE(VECTORS)], most[TRANSLATE(VECTORS)], sum[TRANSLATE(VECTORS)],
        check[TRANSLATE(VECTORS)], bytes[TRANSLATE(VECTORS)], found[TRANSLATE(VECTORS)];
    TRANSLATE_EACH
    {
        bad[i] = most[i] = sum[i] = check[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++, text += lanes) {
        const uint8_t role = layout->role[p];
        TRANSLATE_EACH
        {
            bytes[i] = TRANSLATE_LOAD(text + i * size);
        }
        if (role == TALLY_TRANSLATE_OTHER) {
            const TRANSLATE(table) code = TRANSLATE(load_table)(tables->code);
            const TRANSLATE(vec) kind = TRANSLATE_SPREAD(layout->code[p]);
            TRANSLATE_EACH
            {
                found[i] = TRANSLATE(look_up)(code, bytes[i]);
                bad[i] =
                    TRANSLATE_OR(TRANSLATE_OR(bad[i], bytes[i]), TRANSLATE(differ)(found[i], kind));
            }
            continue;
        }
        TRANSLATE(symbols)(tables, vectors, bytes, found);
        TRANSLATE_EACH
        {
            most[i] = TRANSLATE_MAX(most[i], found[i]);
        }
        if (tables->has_upper) {
            const TRANSLATE(table) upper = TRANSLATE(load_table)(tables->upper);
            const TRANSLATE(vec) expected = TRANSLATE_SPREAD(layout->upper[p]);
            TRANSLATE_EACH
            {
                bad[i] = TRANSLATE_OR(bad[i],
                                      TRANSLATE_XOR(TRANSLATE(look_up)(upper, bytes[i]), expected));
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                TRANSLATE_STORE(to + i * size, found[i]);
            }
            to += lanes;
        } else if (role == TALLY_TRANSLATE_KEPT && kept != NULL) {
            TRANSLATE_EACH
            {
                TRANSLATE_STORE(kept + i * size, found[i]);
            }
            kept += lanes;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                if (role == TALLY_TRANSLATE_CHECK) {
                    check[i] = found[i];
                } else {
                    sum[i] = TRANSLATE(add_digit)(sum[i], found[i], layout->doubled[p]);
                }
            }
        }
    }
    const TRANSLATE(vec) last = TRANSLATE_SPREAD(tables->last);
    TRANSLATE_EACH
    {
        bad[i] = TRANSLATE_OR(bad[i], TRANSLATE(differ)(TRANSLATE_MIN(most[i], last), most[i]));
        if (layout->luhn) {
            const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->read_digit);
            bad[i] = TRANSLATE_OR(bad[i],
                                  TRANSLATE(differ)(check[i], TRANSLATE(look_up)(digits, sum[i])));
        }
        TRANSLATE_STORE(job->bad + first + i * size, bad[i]);
    }
}

/* Writes the letters of symbols at a position. */
TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_letters)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first,
                                                            size_t p, TRANSLATE(vec) * symbols)
{
    const size_t size = sizeof(TRANSLATE(vec));
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    uint8_t *text = job->text + p * job->lanes + first;
    if (job->tables->is_run) {
        const TRANSLATE(vec) zero = TRANSLATE_SPREAD(letters[0]);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE_ADD(symbols[i], zero);
        }
    } else {
        const TRANSLATE(table) table = TRANSLATE(load_table)(letters);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(table, symbols[i]);
        }
    }
    if (job->any_bad) {
        TRANSLATE_EACH
        {
            const TRANSLATE(vec) bad = TRANSLATE_LOAD(job->bad + first + i * size);
            symbols[i] = TRANSLATE_CHOOSE(bad, symbols[i], TRANSLATE_LOAD(text + i * size));
        }
    }
    TRANSLATE_EACH
    {
        TRANSLATE_STORE(text + i * size, symbols[i]);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_vectors)(const tally_translate_job *job,
                                                            const size_t vectors, size_t first)
{
    const tally_translate_layout *const layout = job->layout;
    const size_t lanes = job->lanes, size = sizeof(TRANSLATE(vec));
    const uint8_t *from = job->symbols + first;
    TRANSLATE(vec) sum[TRANSLATE(VECTORS)], symbols[TRANSLATE(VECTORS)];
    size_t check = 0;
    TRANSLATE_EACH
    {
        sum[i] = TRANSLATE_ZERO;
    }
    for (size_t p = 0; p < layout->width; p++) {
        const uint8_t role = layout->role[p];
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(from + i * size);
            }
            from += lanes;
        } else if (role == TALLY_TRANSLATE_KEPT && layout->luhn) {
            TRANSLATE_EACH
            {
                symbols[i] = TRANSLATE_LOAD(job->text + p * lanes + first + i * size);
            }
            TRANSLATE(symbols)(job->tables, vectors, symbols, symbols);
        } else {
            check = role == TALLY_TRANSLATE_CHECK ? p : check;
            continue;
        }
        if (layout->luhn) {
            TRANSLATE_EACH
            {
                sum[i] = TRANSLATE(add_digit)(sum[i], symbols[i], layout->doubled[p]);
            }
        }
        if (role == TALLY_TRANSLATE_FREE) {
            TRANSLATE(write_letters)(job, vectors, first, p, symbols);
        }
    }
    if (layout->luhn) {
        const TRANSLATE(table) digits = TRANSLATE(load_table)(layout->write_digit);
        TRANSLATE_EACH
        {
            symbols[i] = TRANSLATE(look_up)(digits, sum[i]);
        }
        TRANSLATE(write_letters)(job, vectors, first, check, symbols);
    }
}

#define TRANSLATE_ALL(run, job)                                                                    \
    const size_t size = sizeof(TRANSLATE(vec)), block = TRANSLATE(VECTORS) * size;                 \
    size_t first = 0;                                                                              \
    for (; (job)->lanes - first >= block; first += block) {                                        \
        run(job, TRANSLATE(VECTORS), first);                                                       \
    }                                                                                              \
    for (; first < (job)->lanes; first += size) {                                                  \
        run(job, 1, first);                                                                        \
    }

static TRANSLATE_TARGET void TRANSLATE(read)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(read_vectors), job)
}

static TRANSLATE_TARGET void TRANSLATE(write)(const tally_translate_job *job)
{
    TRANSLATE_ALL(TRANSLATE(write_vectors), job)
}

#undef TRANSLATE_ALL
#undef TRANSLATE_EACH
#undef TRANSLATE
#undef TRANSLATE_TARGET
#undef TRANSLATE_ZERO
#undef TRANSLATE_SPREAD
#undef TRANSLATE_LOAD
#undef TRANSLATE_STORE
#undef TRANSLATE_ADD
#undef TRANSLATE_SUB
#undef TRANSLATE_MIN
#undef TRANSLATE_MAX
#undef TRANSLATE_AND
#undef TRANSLATE_OR
#undef TRANSLATE_XOR
#undef TRANSLATE_CHOOSE
