/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands in, results out, both in memory. */
#include "firmware.h"

#include <string.h>

enum { ORDER = 1, BITS = 32, SHARES = 2, KEY_STATES = 15, STATE = SHARES * BITS };

mailbox_memory mailbox;

static _Alignas(TALLY_MASKED_ALIGNMENT) uint8_t state[STATE];
static _Alignas(TALLY_MASKED_ALIGNMENT) uint8_t key_memory[KEY_STATES * STATE + 128];
static tally_masked_key *key;
static fast_cipher fast;

static tally_status set_key(const tally_masked_slicing *slicing, size_t key_size)
{
    const uint8_t *const shares[] = {mailbox.key[0], mailbox.key[1]};
    key = NULL;
    fast_wipe(&fast);
    const tally_status status = tally_masked_key_init_shares(
        slicing, shares, key_size, 1, &random_register, key_memory, sizeof key_memory, &key);
    tally_wipe(mailbox.key, sizeof mailbox.key);
    return status;
}

static tally_status encrypt_once(void)
{
    const uint8_t *const shares[] = {mailbox.key[0], mailbox.key[1]};
    const tally_status status =
        tally_masked_encrypt_once(shares, &random_register, mailbox.data[0], mailbox.data[0]);
    tally_wipe(mailbox.key, sizeof mailbox.key);
    return status;
}

static tally_status use_key(command given, size_t blocks)
{
    uint8_t *data = mailbox.data[0];
    if (key == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    switch (given) {
    case COMMAND_ENCRYPT_BLOCKS:
        return tally_masked_encrypt_blocks(key, &random_register, data, blocks, data);
    case COMMAND_DECRYPT_BLOCKS:
        return tally_masked_decrypt_blocks(key, &random_register, data, blocks, data);
    case COMMAND_ENCRYPT_STATE:
        return tally_masked_encrypt_state(key, &random_register, state);
    case COMMAND_DECRYPT_STATE:
        return tally_masked_decrypt_state(key, &random_register, state);
    case COMMAND_DRAW_POOL:
        return fast_draw_pool(&fast, key, &random_register);
    case COMMAND_DRAW_SEQUENCE:
        return mailbox.size > MAILBOX_DATA
                   ? TALLY_ERROR_ARGUMENT
                   : fast_draw_sequence(&fast, key, &random_register, mailbox.count,
                                        mailbox.data[1], mailbox.size);
    case COMMAND_REFRESH:
        return tally_masked_refresh(key, &random_register);
    case COMMAND_CTR:
        return mailbox.size > MAILBOX_DATA
                   ? TALLY_ERROR_ARGUMENT
                   : tally_masked_ctr(key, &random_register, mailbox.data[1], data, mailbox.size,
                                      data);
    case COMMAND_CMAC:
        return mailbox.size > MAILBOX_DATA
                   ? TALLY_ERROR_ARGUMENT
                   : tally_masked_cmac(key, &random_register, data, mailbox.size, mailbox.data[1]);
    default:
        return TALLY_ERROR_ARGUMENT;
    }
}

static tally_status run(command given)
{
    const tally_masked_slicing *slicing = NULL;
    const uint8_t *const from[] = {mailbox.data[0], mailbox.data[1]};
    uint8_t *const to[] = {mailbox.data[0], mailbox.data[1]};
    tally_status status = tally_masked_choose(ORDER, BITS, 0, &slicing);
    if (status != TALLY_OK) {
        return status;
    }
    const int of_blocks = given == COMMAND_ENCRYPT_BLOCKS || given == COMMAND_DECRYPT_BLOCKS;
    const int of_slices = given == COMMAND_SLICE || given == COMMAND_UNSLICE;
    if ((of_blocks && mailbox.count > MAILBOX_BLOCKS) ||
        (of_slices && mailbox.count > tally_masked_blocks(slicing))) {
        return TALLY_ERROR_ARGUMENT;
    }
    switch (given) {
    case COMMAND_SELF_TEST:
        mailbox.done = self_test(&mailbox.count);
        return TALLY_OK;
    case COMMAND_SET_KEY:
        return set_key(slicing, mailbox.size);
    case COMMAND_SLICE:
        tally_masked_slice(slicing, from, mailbox.count, state);
        return TALLY_OK;
    case COMMAND_UNSLICE:
        tally_masked_unslice(slicing, state, mailbox.count, to);
        return TALLY_OK;
    case COMMAND_ENCRYPT_ONCE:
        return encrypt_once();
    case COMMAND_ENCRYPT_WORD:
        return fast_encrypt_word(&fast, mailbox.data[0], mailbox.count);
    case COMMAND_DECRYPT_WORD:
        return fast_decrypt_word(&fast, mailbox.data[0], mailbox.count);
    default:
        return use_key(given, mailbox.count);
    }
}

__attribute__((noinline)) void do_command(void)
{
    mailbox.status = run((command)mailbox.command);
    mailbox.command = COMMAND_NONE;
}

_Noreturn void serve_mailbox(void)
{
    for (;;) {
        if (mailbox.command != COMMAND_NONE) {
            do_command();
        }
    }
}

/* The vectors' keys are public: they go the way of any key, masked first, over the one that is
 * set. */
static int passes(const tally_masked_slicing *slicing, const vector *v)
{
    uint8_t out[16 * MAILBOX_BLOCKS];
    const size_t size = 16u * v->blocks;
    tally_status status = tally_masked_key_init(slicing, v->key, v->key_size, 1, &random_register,
                                                key_memory, sizeof key_memory, &key);
    if (status == TALLY_OK) {
        status = tally_masked_encrypt_blocks(key, &random_register, v->plain, v->blocks, out);
    }
    if (status != TALLY_OK || memcmp(out, v->cipher, size) != 0) {
        return 0;
    }
    status = tally_masked_decrypt_blocks(key, &random_register, v->cipher, v->blocks, out);
    return status == TALLY_OK && memcmp(out, v->plain, size) == 0;
}

uint32_t self_test(uint32_t *count)
{
    const tally_masked_slicing *slicing = NULL;
    uint32_t passed = 0;
    *count = count_of_vectors;
    fast_wipe(&fast);
    if (tally_masked_choose(ORDER, BITS, 0, &slicing) != TALLY_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < count_of_vectors; i++) {
        passed += (uint32_t)passes(slicing, &vectors_of_aes[i]);
    }
    key = NULL;
    tally_wipe(key_memory, sizeof key_memory);
    return passed;
}
