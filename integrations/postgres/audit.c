/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's log says who reveals what: once before the first value of a transaction, so that a
 * process that is killed has left a line, and with the count at its end. Statement and context are left
 * out of these lines, since they may hold values. */
#include "tally_postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct audit_line {
    struct audit_line *next;
    Oid user, session;
    uint64 count;
    char *who; /* "user "ann" (session user "bob") in database "shop"" */
    char *rule;
} audit_line;

static audit_line *audit_lines;

static void audit_flush(void)
{
    while (audit_lines != NULL) {
        audit_line *const line = audit_lines;
        audit_lines = line->next;
        ereport(LOG_SERVER_ONLY, (errmsg("tallystick: %s revealed %llu values of \"%s\"%s",
                                         line->who, (unsigned long long)line->count, line->rule,
                                         IsParallelWorker() ? " in a parallel worker" : ""),
                                  TALLY_PG_QUIET));
        pfree(line->who);
        pfree(line->rule);
        pfree(line);
    }
}

static void audit_at_end(XactEvent event, void *context)
{
    (void)context;
    switch (event) {
    case XACT_EVENT_PRE_COMMIT:
    case XACT_EVENT_PRE_PREPARE:
    case XACT_EVENT_PARALLEL_PRE_COMMIT:
    case XACT_EVENT_ABORT:
    case XACT_EVENT_PARALLEL_ABORT:
        audit_flush();
        break;
    default:
        break;
    }
}

void tally_pg_audit_init(void)
{
    RegisterXactCallback(audit_at_end, NULL);
}

static audit_line *audit_begin(const char *rule)
{
    const Oid user = GetUserId(), session = GetSessionUserId();
    char *const database = get_database_name(MyDatabaseId);
    MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
    audit_line *const line = palloc0(sizeof *line);
    line->user = user;
    line->session = session;
    line->rule = pstrdup(rule);
    line->who = psprintf("user \"%s\" (session user \"%s\") in database \"%s\"",
                         GetUserNameFromId(user, false), GetUserNameFromId(session, false),
                         database != NULL ? database : "");
    MemoryContextSwitchTo(before);
    ereport(LOG_SERVER_ONLY,
            (errmsg("tallystick: %s begins to reveal \"%s\"", line->who, rule), TALLY_PG_QUIET));
    line->next = audit_lines;
    audit_lines = line;
    return line;
}

void tally_pg_audit(const char *rule, uint64 count)
{
    if (!tally_pg_log_reveal) {
        return;
    }
    audit_line *line = audit_lines;
    const Oid user = GetUserId(), session = GetSessionUserId();
    while (line != NULL &&
           (line->user != user || line->session != session || strcmp(line->rule, rule) != 0)) {
        line = line->next;
    }
    if (line == NULL) {
        line = audit_begin(rule);
    }
    line->count += count;
}
