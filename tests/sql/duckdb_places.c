/* SPDX-License-Identifier: Apache-2.0
 *
 * An extension that loads if every function of integrations/duckdb/api.h is where DuckDB has the
 * function of that name, and says which one is not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

bool duckdb_places_init_c_api(duck_extension extension, const duck_access *access);

bool duckdb_places_init_c_api(duck_extension extension, const duck_access *access)
{
    typedef void (*slot)(void);
    static const struct {
        int place;
        const char *name;
    } calls[] = {
#define PLACE(place, result, name, parameters) {place, "duckdb_" #name},
        DUCK_CALLS(PLACE)
#undef PLACE
    };
    const slot *const slots = access->get_api(extension, DUCK_API_VERSION);
    if (slots == NULL) return false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        Dl_info info;
        void *address;
        char wrong[256];
        memcpy(&address, &slots[calls[i].place], sizeof address);
        if (dladdr(address, &info) == 0 || info.dli_sname == NULL || info.dli_saddr != address ||
            strcmp(info.dli_sname, calls[i].name) != 0) {
            snprintf(wrong, sizeof wrong, "place %d is not %s", calls[i].place, calls[i].name);
            access->set_error(extension, wrong);
            return false;
        }
    }
    return true;
}
