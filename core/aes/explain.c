/* SPDX-License-Identifier: Apache-2.0
 *
 * Which AES back end is in use, and why, in words. */
#include "tallystick/aes.h"

#include <string.h>

/* Text so far: `size` bytes of room, `length` of text whether it had room or not. */
typedef struct writer {
    size_t size, length;
    char *text;
} writer;

static void say(writer *w, const char *more)
{
    for (; *more != 0; more++, w->length++) {
        if (w->length + 1 < w->size) {
            w->text[w->length] = *more;
        }
    }
}

static void say_features(writer *w, uint32_t features)
{
    const char *before = "";
    for (uint32_t left = features; left != 0; left &= left - 1) {
        say(w, before);
        say(w, tally_cpu_feature_name(left & (~left + 1)));
        before = ", ";
    }
}

size_t tally_aes_explain(char *text, size_t size)
{
    writer w = {size, 0, text};
    tally_aes_choice choice;
    size_t chosen = 0;
    while (tally_aes_backend_at(chosen, &choice) && choice.lacks != 0) {
        chosen++;
    }
    say(&w, choice.name);
    say(&w, choice.needs == 0 ? ", which needs nothing" : ", which needs ");
    say_features(&w, choice.needs);
    for (size_t i = 0; i < chosen; i++) {
        (void)tally_aes_backend_at(i, &choice);
        say(&w, i == 0 ? "; passed over: " : "; ");
        say(&w, choice.name);
        say(&w, " for lack of ");
        say_features(&w, choice.lacks);
    }
    if (size > 0) {
        text[w.length < size ? w.length : size - 1] = 0;
    }
    return w.length;
}
