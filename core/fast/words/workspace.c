/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a workspace. */
#include "fast/words/workspace.h"

#include "base/align.h"
#include "fast/words/groups.h"

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
    (*out)->grouping = NULL;
    (*out)->grouping_size = 0;
    return TALLY_OK;
}

size_t tally_fast_grouping_size(uint64_t rows)
{
    return tally_groups_size(rows < TALLY_FAST_GROUPED ? (size_t)rows : TALLY_FAST_GROUPED);
}

void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size)
{
    workspace->grouping = memory;
    workspace->grouping_size = size;
}

void tally_fast_workspace_wipe(tally_fast_workspace *workspace)
{
    tally_wipe(workspace, sizeof *workspace);
}
