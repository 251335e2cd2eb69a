/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of parameters. */
#ifndef TALLY_FAST_SCHEDULE_PARAMS_H
#define TALLY_FAST_SCHEDULE_PARAMS_H

#include "tallystick/fast.h"

/* Returns TALLY_OK if the profile allows `params`; else the status for the caller. */
tally_status tally_fast_check_params(tally_fast_profile profile, const tally_fast_params *params);

#endif
