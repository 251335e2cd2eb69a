/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers of an STM32L0x2 or L0x3 that its random number generator needs (ST, RM0376 and
 * RM0367; the names are theirs). */
#ifndef TALLY_STM32L0_REGISTERS_H
#define TALLY_STM32L0_REGISTERS_H

#include <stdint.h>

#define STM32L0_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define SYSCFG_CFGR3             STM32L0_REGISTER(0x40010020)
#define SYSCFG_CFGR3_EN_VREFINT  (UINT32_C(1) << 0)
#define SYSCFG_CFGR3_ENREF_HSI48 (UINT32_C(1) << 13)

#define RCC_CRRCR            STM32L0_REGISTER(0x40021008)
#define RCC_CRRCR_HSI48ON    (UINT32_C(1) << 0)
#define RCC_CRRCR_HSI48RDY   (UINT32_C(1) << 1)
#define RCC_AHBENR           STM32L0_REGISTER(0x40021030)
#define RCC_AHBENR_RNGEN     (UINT32_C(1) << 20)
#define RCC_APB2ENR          STM32L0_REGISTER(0x40021034)
#define RCC_APB2ENR_SYSCFGEN (UINT32_C(1) << 0)
#define RCC_CCIPR            STM32L0_REGISTER(0x4002104c)
#define RCC_CCIPR_HSI48SEL   (UINT32_C(1) << 26) /* 48 MHz from HSI48, and not from the PLL */

#define RNG_CR       STM32L0_REGISTER(0x40025000)
#define RNG_SR       STM32L0_REGISTER(0x40025004)
#define RNG_DR       STM32L0_REGISTER(0x40025008)
#define RNG_CR_RNGEN (UINT32_C(1) << 2)
#define RNG_SR_DRDY  (UINT32_C(1) << 0)
#define RNG_SR_CECS  (UINT32_C(1) << 1) /* clock error now */
#define RNG_SR_SECS  (UINT32_C(1) << 2) /* seed error now */
#define RNG_SR_CEIS  (UINT32_C(1) << 5) /* clock error, now or before */
#define RNG_SR_SEIS  (UINT32_C(1) << 6) /* seed error, now or before */

#endif
