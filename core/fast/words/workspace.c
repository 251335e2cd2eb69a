/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a workspace. */
#include "fast/words/workspace.h"

enum { WORKSPACE_ALIGNMENT = 64 };

_Static_assert(WORKSPACE_ALIGNMENT - 1 + sizeof(tally_fast_workspace) <= TALLY_FAST_MAX_WORKSPACE,
               "a workspace has the size that its header says");

size_t tally_fast_workspace_size(void)
{
    return WORKSPACE_ALIGNMENT - 1 + sizeof(tally_fast_workspace);
}

tally_status tally_fast_workspace_init(void *memory, size_t memory_size, tally_fast_workspace **out)
{
    if (memory == NULL || memory_size < tally_fast_workspace_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uintptr_t aligned = ((uintptr_t)memory + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT;
    *out = (tally_fast_workspace *)(aligned * WORKSPACE_ALIGNMENT);
    return TALLY_OK;
}

void tally_fast_workspace_wipe(tally_fast_workspace *workspace)
{
    tally_wipe(workspace, sizeof *workspace);
}
