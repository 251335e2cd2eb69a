/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes, for any instruction set. The file that includes this has defined
 *
 *   TARGET                        the function attribute of its instruction set
 *   vec, ZERO, SPREAD(byte)       a vector of bytes
 *   LOAD(p), STORE(p, v)          from and to aligned memory
 *   ADD, SUB, MIN, AND, OR, XOR   on vectors, byte by byte, MIN unsigned
 *   CHOOSE(by, x, y)              y in those lanes where the top bit of `by` is set, else x
 *   table, load_table(bytes), look_up(table, index)
 *                                 128 entries; what is looked up for 128 and more is anything */

/* Top bits where two vectors differ. */
INLINE TARGET vec differ(vec x, vec y)
{
    vec difference = XOR(x, y), low = SPREAD(127);
    return OR(ADD(AND(difference, low), low), difference);
}

/* A sum modulo 10 with one more digit by the Luhn formula. */
INLINE TARGET vec add_digit(vec sum, vec digit, int doubled)
{
    if (doubled) {
        digit = ADD(digit, digit);
        digit = MIN(digit, SUB(digit, SPREAD(9)));
    }
    sum = ADD(sum, digit);
    return MIN(sum, SUB(sum, SPREAD(10)));
}

static TARGET void read(const tally_translate_job *job)
{
    const tally_translate_layout *layout = job->layout;
    const table code = load_table(job->tables->code);
    for (size_t k = 0; k < job->lanes; k += sizeof(vec)) {
        const uint8_t *text = job->text + k;
        uint8_t *ring = job->ring + k;
        vec bad = ZERO, sum = ZERO, check = ZERO;
        for (size_t p = 0; p < layout->width; p++, text += job->lanes) {
            vec bytes = LOAD(text), found = look_up(code, bytes);
            bad = OR(bad, bytes);
            if (layout->role[p] == TALLY_TRANSLATE_OTHER) {
                bad = OR(bad, differ(found, SPREAD(layout->code[p])));
                continue;
            }
            bad = OR(bad, found);
            if (job->tables->has_upper) {
                vec upper = look_up(load_table(job->tables->upper), bytes);
                bad = OR(bad, XOR(upper, SPREAD(layout->upper[p])));
            }
            if (layout->role[p] == TALLY_TRANSLATE_FREE) {
                STORE(ring, found);
                ring += job->lanes;
            }
            if (layout->role[p] == TALLY_TRANSLATE_CHECK) {
                check = found;
            } else if (layout->luhn) {
                sum = add_digit(sum, found, layout->doubled[p]);
            }
        }
        if (layout->luhn) {
            bad = OR(bad, differ(check, look_up(load_table(layout->read_digit), sum)));
        }
        STORE(job->bad + k, bad);
    }
}

INLINE TARGET void write_letters(const tally_translate_job *job, size_t p, vec symbols, vec bad,
                                 uint8_t *text)
{
    const uint8_t *letters = job->tables->letter[job->layout->upper[p] != 0];
    STORE(text, CHOOSE(bad, look_up(load_table(letters), symbols), LOAD(text)));
}

static TARGET void write(const tally_translate_job *job)
{
    const tally_translate_layout *layout = job->layout;
    for (size_t k = 0; k < job->lanes; k += sizeof(vec)) {
        uint8_t *text = job->text + k;
        const uint8_t *ring = job->ring + k;
        vec bad = LOAD(job->bad + k), sum = ZERO;
        size_t check = 0;
        for (size_t p = 0; p < layout->width; p++, text += job->lanes) {
            vec symbols = ZERO;
            if (layout->role[p] == TALLY_TRANSLATE_FREE) {
                symbols = LOAD(ring);
                ring += job->lanes;
                write_letters(job, p, symbols, bad, text);
            } else if (layout->role[p] == TALLY_TRANSLATE_KEPT) {
                symbols = look_up(load_table(job->tables->code), LOAD(text));
            } else if (layout->role[p] == TALLY_TRANSLATE_CHECK) {
                check = p;
                continue;
            }
            if (layout->luhn && layout->role[p] != TALLY_TRANSLATE_OTHER) {
                sum = add_digit(sum, symbols, layout->doubled[p]);
            }
        }
        if (layout->luhn) {
            vec digit = look_up(load_table(layout->write_digit), sum);
            write_letters(job, check, digit, bad, job->text + check * job->lanes + k);
        }
    }
}
