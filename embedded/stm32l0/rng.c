/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator gives a word within 40 periods of its clock of 48 MHz: 27 cycles of a core at
 * 32 MHz. A poll takes some 15 cycles. */
#include "rng.h"

#include "registers.h"

enum { CLOCK_POLLS = 10000, WORD_POLLS = 100 };

static const tally_polled_register rng_register = {
    .status = &RNG_SR,
    .data = &RNG_DR,
    .ready = RNG_SR_DRDY,
    .failed = RNG_SR_SECS | RNG_SR_CECS | RNG_SR_SEIS | RNG_SR_CEIS,
    .polls = WORD_POLLS,
};

static tally_noise rng_noise;

const tally_mask_source rng_masks = {tally_noise_fill, &rng_noise};

tally_status rng_start(void)
{
    const tally_mask_source raw = {tally_polled_fill, (void *)&rng_register};
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFGEN;
    SYSCFG_CFGR3 |= SYSCFG_CFGR3_EN_VREFINT | SYSCFG_CFGR3_ENREF_HSI48;
    RCC_CRRCR |= RCC_CRRCR_HSI48ON;
    for (uint32_t polls = CLOCK_POLLS; (RCC_CRRCR & RCC_CRRCR_HSI48RDY) == 0; polls--) {
        if (polls == 0) {
            return TALLY_ERROR_ENTROPY;
        }
    }
    RCC_CCIPR |= RCC_CCIPR_HSI48SEL;
    RCC_AHBENR |= RCC_AHBENR_RNGEN;
    RNG_CR = 0;
    RNG_SR = 0; /* clears SEIS and CEIS */
    RNG_CR = RNG_CR_RNGEN;
    return tally_noise_init(&rng_noise, &raw);
}
