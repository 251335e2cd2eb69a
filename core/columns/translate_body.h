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
 *   TRANSLATE_ADD, _SUB, _MIN, _AND, _OR, _XOR
 *                                      on vectors, byte by byte, MIN unsigned
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

static TRANSLATE_TARGET void TRANSLATE(read)(const tally_translate_job *job)
{
    const tally_translate_layout *layout = job->layout;
    const TRANSLATE(table) code = TRANSLATE(load_table)(job->tables->code);
    for (size_t k = 0; k < job->lanes; k += sizeof(TRANSLATE(vec))) {
        const uint8_t *text = job->text + k;
        uint8_t *to = job->symbols + k;
        TRANSLATE(vec) bad = TRANSLATE_ZERO, sum = TRANSLATE_ZERO, check = TRANSLATE_ZERO;
        for (size_t p = 0; p < layout->width; p++, text += job->lanes) {
            TRANSLATE(vec) bytes = TRANSLATE_LOAD(text), found = TRANSLATE(look_up)(code, bytes);
            bad = TRANSLATE_OR(bad, bytes);
            if (layout->role[p] == TALLY_TRANSLATE_OTHER) {
                bad =
                    TRANSLATE_OR(bad, TRANSLATE(differ)(found, TRANSLATE_SPREAD(layout->code[p])));
                continue;
            }
            bad = TRANSLATE_OR(bad, found);
            if (job->tables->has_upper) {
                TRANSLATE(vec)
                upper = TRANSLATE(look_up)(TRANSLATE(load_table)(job->tables->upper), bytes);
                bad = TRANSLATE_OR(bad, TRANSLATE_XOR(upper, TRANSLATE_SPREAD(layout->upper[p])));
            }
            if (layout->role[p] == TALLY_TRANSLATE_FREE) {
                TRANSLATE_STORE(to, found);
                to += job->lanes;
            }
            if (layout->role[p] == TALLY_TRANSLATE_CHECK) {
                check = found;
            } else if (layout->luhn) {
                sum = TRANSLATE(add_digit)(sum, found, layout->doubled[p]);
            }
        }
        if (layout->luhn) {
            bad = TRANSLATE_OR(
                bad, TRANSLATE(differ)(check, TRANSLATE(look_up)(
                                                  TRANSLATE(load_table)(layout->read_digit), sum)));
        }
        TRANSLATE_STORE(job->bad + k, bad);
    }
}

TALLY_INLINE TRANSLATE_TARGET void TRANSLATE(write_letters)(const tally_translate_job *job,
                                                            size_t p, TRANSLATE(vec) symbols,
                                                            TRANSLATE(vec) bad, uint8_t *text)
{
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    TRANSLATE_STORE(
        text, TRANSLATE_CHOOSE(bad, TRANSLATE(look_up)(TRANSLATE(load_table)(letters), symbols),
                               TRANSLATE_LOAD(text)));
}

static TRANSLATE_TARGET void TRANSLATE(write)(const tally_translate_job *job)
{
    const tally_translate_layout *layout = job->layout;
    for (size_t k = 0; k < job->lanes; k += sizeof(TRANSLATE(vec))) {
        uint8_t *text = job->text + k;
        const uint8_t *from = job->symbols + k;
        TRANSLATE(vec) bad = TRANSLATE_LOAD(job->bad + k), sum = TRANSLATE_ZERO;
        size_t check = 0;
        for (size_t p = 0; p < layout->width; p++, text += job->lanes) {
            TRANSLATE(vec) symbols = TRANSLATE_ZERO;
            if (layout->role[p] == TALLY_TRANSLATE_FREE) {
                symbols = TRANSLATE_LOAD(from);
                from += job->lanes;
                TRANSLATE(write_letters)(job, p, symbols, bad, text);
            } else if (layout->role[p] == TALLY_TRANSLATE_KEPT) {
                symbols = TRANSLATE(look_up)(TRANSLATE(load_table)(job->tables->code),
                                             TRANSLATE_LOAD(text));
            } else if (layout->role[p] == TALLY_TRANSLATE_CHECK) {
                check = p;
                continue;
            }
            if (layout->luhn && layout->role[p] != TALLY_TRANSLATE_OTHER) {
                sum = TRANSLATE(add_digit)(sum, symbols, layout->doubled[p]);
            }
        }
        if (layout->luhn) {
            TRANSLATE(vec)
            digit = TRANSLATE(look_up)(TRANSLATE(load_table)(layout->write_digit), sum);
            TRANSLATE(write_letters)(job, check, digit, bad, job->text + check * job->lanes + k);
        }
    }
}

#undef TRANSLATE
#undef TRANSLATE_TARGET
#undef TRANSLATE_ZERO
#undef TRANSLATE_SPREAD
#undef TRANSLATE_LOAD
#undef TRANSLATE_STORE
#undef TRANSLATE_ADD
#undef TRANSLATE_SUB
#undef TRANSLATE_MIN
#undef TRANSLATE_AND
#undef TRANSLATE_OR
#undef TRANSLATE_XOR
#undef TRANSLATE_CHOOSE
