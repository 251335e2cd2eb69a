/* SPDX-License-Identifier: Apache-2.0
 *
 * The options `cipher` and `tweak_hex`. */
#include "formats/ciphers.h"

#include <string.h>

#include "base/writer.h"

/* In the order of tally_cipher. */
static const char *const ciphers_names[] = {"fast", "ff1", "ff1-2016", "ff3-1", NULL};

const tally_option tally_cipher_options[] = {
    {"cipher", TALLY_OPTION_CHOICE, 0, ciphers_names, NULL},
    {"tweak_hex", TALLY_OPTION_TEXT, 0, NULL, NULL},
    TALLY_OPTIONS_END,
};

enum { CIPHERS_CIPHER, CIPHERS_TWEAK };

const char *tally_cipher_name(tally_cipher cipher)
{
    return ciphers_names[cipher];
}

static int ciphers_refuse(size_t option, const char *text, tally_problem *problem)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, text);
    tally_writer_init(&out, problem->place, sizeof problem->place);
    tally_write(&out, tally_cipher_options[option].name);
    return 0;
}

/* The value of a hexadecimal digit; 16: it is none. */
static unsigned ciphers_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                  : 16;
}

static int ciphers_read_tweak(const tally_option_value *value, tally_cipher_choice *out)
{
    if (value->size % 2 != 0 || value->size / 2 > TALLY_PLAIN_TWEAK) {
        return 0;
    }
    for (size_t i = 0; i < value->size / 2; i++) {
        const unsigned high = ciphers_digit(value->text[2 * i]);
        const unsigned low = ciphers_digit(value->text[2 * i + 1]);
        if (high > 15 || low > 15) {
            return 0;
        }
        out->tweak[i] = (uint8_t)(high << 4 | low);
    }
    out->is_plain = 1;
    out->tweak_size = value->size / 2;
    return 1;
}

int tally_cipher_read(const tally_option_value *values, tally_cipher_choice *out,
                      tally_problem *problem)
{
    memset(out, 0, sizeof *out);
    out->cipher = (tally_cipher)values[CIPHERS_CIPHER].integer;
    if (!values[CIPHERS_TWEAK].given) {
        return out->cipher != TALLY_CIPHER_FF3_1 ||
               ciphers_refuse(CIPHERS_CIPHER,
                              "ff3-1 reads tokens of other programs, so it needs tweak_hex: their "
                              "tweak of 14 hexadecimal digits, or \"\" if each row has its own",
                              problem);
    }
    if (!ciphers_read_tweak(&values[CIPHERS_TWEAK], out)) {
        return ciphers_refuse(CIPHERS_TWEAK,
                              "tweak_hex must be an even number of hexadecimal digits, 512 at most",
                              problem);
    }
    if (out->cipher == TALLY_CIPHER_FF3_1 && out->tweak_size > TALLY_FF3_1_TWEAK) {
        return ciphers_refuse(CIPHERS_TWEAK, "a tweak of ff3-1 has 14 hexadecimal digits", problem);
    }
    return 1;
}
