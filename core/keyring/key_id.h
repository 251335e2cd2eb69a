/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and versions of data keys, for use inside the core. */
#ifndef TALLY_KEYRING_KEY_ID_H
#define TALLY_KEYRING_KEY_ID_H

#include "base/writer.h"
#include "tallystick/keyring.h"

/* 1 to 64 of a-z, 0-9, '_', '.' and '-', of which the first is a letter or digit. */
int tally_key_name_is_valid(const char *name, size_t size);

int tally_key_id_equal(const tally_key_id *a, const tally_key_id *b);

/* Writes the reference: people:1. */
void tally_write_key_id(tally_writer *writer, const tally_key_id *id);

#endif
