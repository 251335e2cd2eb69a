/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server calls when it loads the library: settings, security labels. */
#include "tally_postgres.h"

#include "catalog/pg_class.h"
#include "commands/seclabel.h"
#include "miscadmin.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

char *tally_pg_keyring_path, *tally_pg_root_path;
bool tally_pg_log_reveal = true, tally_pg_require_locked;

static bool extension_check_path(char **value, void **extra, GucSource source)
{
    (void)extra;
    (void)source;
    if (**value == '\0' || is_absolute_path(*value)) {
        return true;
    }
    GUC_check_errdetail("It must be an absolute path.");
    return false;
}

static void extension_changed(const char *value, void *extra)
{
    (void)value;
    (void)extra;
    tally_pg_keys_changed();
}

static void extension_changed_bool(bool value, void *extra)
{
    (void)value;
    (void)extra;
    tally_pg_keys_changed();
}

/* SECURITY LABEL FOR tallystick ON COLUMN t.c IS 'policy.column'. */
static void extension_label(const ObjectAddress *object, const char *label)
{
    if (object->classId != RelationRelationId || object->objectSubId == 0) {
        ereport(ERROR,
                (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                 errmsg("tallystick: only columns of tables have labels"),
                 errhint("SECURITY LABEL FOR tallystick ON COLUMN people.card IS 'people.card'")));
    }
    if (label != NULL) {
        tally_pg_check_label(label);
    }
}

void _PG_init(void)
{
    DefineCustomStringVariable("tallystick.keyring", "The file of the key ring.", NULL,
                               &tally_pg_keyring_path, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY,
                               extension_check_path, extension_changed, NULL);
    DefineCustomStringVariable(
        "tallystick.root_key", "The file of the key ring's root key.",
        "It belongs to the server's user, and gives no right to group or others.",
        &tally_pg_root_path, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY, extension_check_path,
        extension_changed, NULL);
    DefineCustomBoolVariable("tallystick.log_reveal",
                             "Writes to the server's log who reveals which column, and how many "
                             "values.",
                             NULL, &tally_pg_log_reveal, true, PGC_SUSET, GUC_SUPERUSER_ONLY, NULL,
                             NULL, NULL);
    DefineCustomBoolVariable("tallystick.require_locked_memory",
                             "Fails if memory for keys can't be locked, instead of using it.", NULL,
                             &tally_pg_require_locked, false, PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL,
                             extension_changed_bool, NULL);
    MarkGUCPrefixReserved("tallystick");
    register_label_provider("tallystick", extension_label);
    tally_pg_rules_init();
    tally_pg_audit_init();
    tally_pg_batch_init();
    if (process_shared_preload_libraries_in_progress) {
        tally_pg_keys_preload();
    }
}
