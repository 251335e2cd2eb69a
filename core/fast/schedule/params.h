/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instance of FAST may be. */
#ifndef TALLY_FAST_SCHEDULE_PARAMS_H
#define TALLY_FAST_SCHEDULE_PARAMS_H

#include "tallystick/fast.h"

/* TALLY_OK if `params` make a cipher of this profile; else the status that a caller is owed. */
tally_status tally_fast_check_params(tally_fast_profile profile, const tally_fast_params *params);

#endif
