/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a workspace. */
#include "fast/words/workspace.h"

#include "base/align.h"

size_t tally_fast_workspace_size(void)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_fast_workspace);
}

tally_status tally_fast_workspace_init(void *memory, size_t memory_size, tally_fast_workspace **out)
{
    if (memory == NULL || memory_size < tally_fast_workspace_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    *out = tally_align(memory);
    return TALLY_OK;
}

void tally_fast_workspace_wipe(tally_fast_workspace *workspace)
{
    tally_wipe(workspace, sizeof *workspace);
}
