/* SPDX-License-Identifier: Apache-2.0
 *
 * The image's parts, and the mailbox by which a debugger or an emulator works with it. */
#ifndef TALLY_FIRMWARE_H
#define TALLY_FIRMWARE_H

#include "fast.h"
#include "tallystick/masked_modes.h"

/* The mailbox's `data` and `key` before and after a command:
 *
 *   SELF_TEST       -> `done` vectors passed of `count`
 *   SET_KEY         a key of `size` bytes, of which key[0] and key[1] are shares; wipes them,
 *                   the pool and the sequence
 *   ENCRYPT_BLOCKS  count blocks in data[0] -> in data[0]; DECRYPT_BLOCKS likewise
 *   SLICE           shares of count blocks in data[0] and data[1] -> the state
 *   ENCRYPT_STATE   the state -> the state; DECRYPT_STATE likewise
 *   UNSLICE         the state -> shares of count blocks
 *   ENCRYPT_ONCE    a block in data[0] -> there; key[0] and key[1] are shares of a key of 16 bytes,
 *                   and are wiped
 *
 *   REFRESH         new shares of the key that is set
 *   CTR             `size` bytes in data[0] -> there; data[1] has the counter block
 *   CMAC            of `size` bytes in data[0] -> the tag in data[1]
 *
 * and for FAST with radix 10, whose master key is the one that is set:
 *
 *   DRAW_POOL       the pool; a sequence that was there is wiped
 *   DRAW_SEQUENCE   for words of `count` symbols, under a tweak of `size` bytes in data[1]
 *   ENCRYPT_WORD    a word of count symbols in data[0] -> there; DECRYPT_WORD likewise */
typedef enum command {
    COMMAND_NONE,
    COMMAND_SELF_TEST,
    COMMAND_SET_KEY,
    COMMAND_ENCRYPT_BLOCKS,
    COMMAND_DECRYPT_BLOCKS,
    COMMAND_SLICE,
    COMMAND_ENCRYPT_STATE,
    COMMAND_DECRYPT_STATE,
    COMMAND_UNSLICE,
    COMMAND_ENCRYPT_ONCE,
    COMMAND_DRAW_POOL,
    COMMAND_DRAW_SEQUENCE,
    COMMAND_ENCRYPT_WORD,
    COMMAND_DECRYPT_WORD,
    COMMAND_REFRESH,
    COMMAND_CTR,
    COMMAND_CMAC
} command;

enum { MAILBOX_BLOCKS = 4, MAILBOX_DATA = 16 * MAILBOX_BLOCKS, MAILBOX_KEY = 32 };

/* The command is written last; when it is COMMAND_NONE again, the result is there.
 * embedded/emulator/mailbox.py knows this layout. */
typedef struct mailbox_memory {
    volatile uint32_t command;
    tally_status status;
    uint32_t size, count, done;
    uint8_t key[2][MAILBOX_KEY];
    uint8_t data[2][MAILBOX_DATA];
} mailbox_memory;

extern mailbox_memory mailbox;

/* Does the mailbox's command, and clears it. */
void do_command(void);
/* Waits for commands for ever. */
_Noreturn void serve_mailbox(void);

/* Encrypts and decrypts the vectors that are linked in, and counts them; how many agree. */
uint32_t self_test(uint32_t *count);

/* A vector of vectors/aes_blocks.json; vectors.py writes them as C. */
typedef struct vector {
    uint8_t key_size, blocks;
    uint8_t key[MAILBOX_KEY], plain[16 * MAILBOX_BLOCKS], cipher[16 * MAILBOX_BLOCKS];
} vector;

extern const vector vectors_of_aes[];
extern const uint32_t count_of_vectors;

/* Masks from the chip's generator of random words: each load of its data register gives a new
 * one. */
extern const tally_mask_source random_register;

#endif
