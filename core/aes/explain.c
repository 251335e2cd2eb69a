/* SPDX-License-Identifier: Apache-2.0
 *
 * Which AES back end is in use, and why, in words. */
#include "tallystick/aes.h"

#include <string.h>

/* A buffer of `size` bytes, and the length of the whole text, which may be more. */
typedef struct explain_writer {
    size_t size, length;
    char *text;
} explain_writer;

static void explain_add(explain_writer *w, const char *more)
{
    for (; *more != 0; more++, w->length++) {
        if (w->length + 1 < w->size) {
            w->text[w->length] = *more;
        }
    }
}

static void explain_add_features(explain_writer *w, uint32_t features)
{
    const char *before = "";
    for (uint32_t left = features; left != 0; left &= left - 1) {
        explain_add(w, before);
        explain_add(w, tally_cpu_feature_name(left & (~left + 1)));
        before = ", ";
    }
}

size_t tally_aes_explain(char *text, size_t size)
{
    explain_writer w = {size, 0, text};
    tally_aes_choice choice;
    size_t chosen = 0;
    while (tally_aes_backend_at(chosen, &choice) && choice.lacks != 0) {
        chosen++;
    }
    explain_add(&w, choice.name);
    explain_add(&w, choice.needs == 0 ? ", which needs nothing" : ", which needs ");
    explain_add_features(&w, choice.needs);
    for (size_t i = 0; i < chosen && tally_aes_backend_at(i, &choice); i++) {
        explain_add(&w, i == 0 ? "; passed over: " : "; ");
        explain_add(&w, choice.name);
        explain_add(&w, " for lack of ");
        explain_add_features(&w, choice.lacks);
    }
    if (size > 0) {
        text[w.length < size ? w.length : size - 1] = 0;
    }
    return w.length;
}
