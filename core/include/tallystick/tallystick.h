/* SPDX-License-Identifier: Apache-2.0
 *
 * All of the Tallystick core. */
#ifndef TALLYSTICK_TALLYSTICK_H
#define TALLYSTICK_TALLYSTICK_H

#include "tallystick/aes.h"
#include "tallystick/base.h"
#include "tallystick/csv.h"
#include "tallystick/dispersal.h"
#include "tallystick/fast.h"
#include "tallystick/ff1.h"
#include "tallystick/formats.h"
#include "tallystick/gf256.h"
#include "tallystick/keyring.h"
#include "tallystick/masked_aes.h"
#include "tallystick/masked_modes.h"
#include "tallystick/masked_random.h"
#include "tallystick/policy.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/scan.h"
#include "tallystick/sha2.h"
#include "tallystick/shamir.h"
#include "tallystick/shares.h"
#include "tallystick/text.h"
#include "tallystick/tokens.h"

#endif
