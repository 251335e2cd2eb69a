/* SPDX-License-Identifier: Apache-2.0
 *
 * The policies of the table tally_policies, and the rules that calls use. A process caches them until
 * the table changes. A place of a query that calls a function remembers the rule that it found. */
#include "tally_postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

typedef struct rules_policy {
    struct rules_policy *next;
    Oid schema; /* of the extension */
    char *name;
    tally_policy *policy;
    tally_pg_rule *rules;
    size_t count;
} rules_policy;

/* What a place of a query remembers. */
typedef struct rules_site {
    uint64 generation;
    tally_pg_rule *rule;
    Oid user; /* whose right is known */
    TimestampTz statement;
    bool may_reveal;
    int size;
    char reference[FLEXIBLE_ARRAY_MEMBER];
} rules_site;

static rules_policy *rules_policies;
static uint64 rules_generation = 1;
static bool rules_are_stale;
static Oid rules_tables[2]; /* of the extension's schema that was used last */

static void rules_changed(Datum context, Oid relation)
{
    (void)context;
    if (relation == InvalidOid || relation == rules_tables[0] || relation == rules_tables[1]) {
        rules_are_stale = true;
        ResetPlanCache(); /* plans have tokens of constants in them */
    }
}

void tally_pg_rules_init(void)
{
    CacheRegisterRelcacheCallback(rules_changed, (Datum)0);
}

Oid tally_pg_namespace(FunctionCallInfo fcinfo)
{
    if (fcinfo->flinfo == NULL || !OidIsValid(fcinfo->flinfo->fn_oid)) {
        elog(ERROR, "tallystick: functions must be called from SQL");
    }
    return get_func_namespace(fcinfo->flinfo->fn_oid);
}

static void rules_free(rules_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++) {
        tally_worker_free(policy->rules[i].worker);
        tally_tokenizer_free(policy->rules[i].tokenizer);
        if (policy->rules[i].name != NULL) {
            pfree((void *)policy->rules[i].name);
        }
    }
    tally_policy_free(policy->policy);
    if (policy->rules != NULL) {
        pfree(policy->rules);
    }
    if (policy->name != NULL) {
        pfree(policy->name);
    }
    pfree(policy);
}

/* No rule is in use when this is called: calls look for their rule before they use it, and do not call
 * each other. */
static void rules_refresh(void)
{
    if (!rules_are_stale) {
        return;
    }
    while (rules_policies != NULL) {
        rules_policy *const policy = rules_policies;
        rules_policies = policy->next;
        rules_free(policy);
    }
    rules_generation++;
    rules_are_stale = false;
}

/* Returns the second column of the row of a table of ours whose first column is `key`, or NULL. */
static struct varlena *rules_look_up(Oid table, const char *key)
{
    struct varlena *found = NULL;
    ScanKeyData condition;
    Relation relation = table_open(table, AccessShareLock);
    ScanKeyInit(&condition, 1, BTEqualStrategyNumber, F_TEXTEQ, CStringGetTextDatum(key));
    condition.sk_collation = DEFAULT_COLLATION_OID;
    SysScanDesc scan =
        systable_beginscan(relation, InvalidOid, false, GetActiveSnapshot(), 1, &condition);
    HeapTuple row = systable_getnext(scan);
    if (HeapTupleIsValid(row)) {
        bool is_null;
        const Datum value = heap_getattr(row, 2, RelationGetDescr(relation), &is_null);
        found = is_null ? NULL : PG_DETOAST_DATUM_COPY(value);
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    return found;
}

static Oid rules_table(const char *name, Oid schema)
{
    const Oid table = get_relname_relid(name, schema);
    if (!OidIsValid(table)) {
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("tallystick: the extension has no table %s", name),
                        errhint("Run CREATE EXTENSION tallystick."), TALLY_PG_QUIET));
    }
    return table;
}

static void rules_tables_of(Oid schema)
{
    rules_tables[0] = rules_table("tally_policies", schema);
    rules_tables[1] = rules_table("tally_keys", schema);
}

static rules_policy *rules_load(Oid schema, const char *name)
{
    tally_policy *made;
    tally_problem problem = {"", ""};
    if (GetDatabaseEncoding() != PG_UTF8) {
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("tallystick: the encoding of the database is %s, and must be UTF8",
                        GetDatabaseEncodingName()),
                 errhint("Move the data to a database with ENCODING 'UTF8'."), TALLY_PG_QUIET));
    }
    rules_tables_of(schema);
    struct varlena *const document = rules_look_up(rules_tables[0], name);
    if (document == NULL) {
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_OBJECT),
                 errmsg("tallystick: there is no policy of that name in this database"),
                 errhint("The rule is named \"policy.column\". SELECT * FROM tally_rules lists "
                         "them, and tally_policy_set makes one."),
                 TALLY_PG_QUIET));
    }
    const tally_status status =
        tally_policy_new(NULL, VARDATA(document), VARSIZE(document) - VARHDRSZ, &made, &problem);
    if (status != TALLY_OK) {
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("tallystick: policy \"%s\": %s%s%s", name, problem.place,
                        problem.place[0] != '\0' ? ": " : "",
                        status == TALLY_ERROR_POLICY ? problem.text : tally_status_text(status)),
                 TALLY_PG_QUIET));
    }
    rules_policy *policy = NULL;
    PG_TRY();
    {
        MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
        size_t count = 0;
        while (tally_policy_rule(made, count) != NULL) {
            count++;
        }
        policy = palloc0(sizeof *policy);
        policy->schema = schema;
        policy->name = pstrdup(name);
        policy->rules = palloc0((count + 1) * sizeof *policy->rules);
        policy->count = count;
        for (size_t i = 0; i < count; i++) {
            const tally_rule *const rule = tally_policy_rule(made, i);
            policy->rules[i].rule = rule;
            policy->rules[i].name = psprintf("%s.%s", name, rule->column.text);
            policy->rules[i].column = rule->column.text;
        }
        MemoryContextSwitchTo(before);
    }
    PG_CATCH();
    {
        tally_policy_free(made);
        PG_RE_THROW();
    }
    PG_END_TRY();
    policy->policy = made;
    policy->next = rules_policies;
    rules_policies = policy;
    pfree(document);
    return policy;
}

/* The name is that before the first dot, and may be a value that was given in the wrong place: no
 * message repeats it. */
static rules_policy *rules_policy_of(Oid schema, const char *reference, size_t size)
{
    char name[NAMEDATALEN];
    if (size == 0 || size >= sizeof name) {
        size = 0;
    }
    memcpy(name, reference, size);
    name[size] = '\0';
    for (rules_policy *policy = rules_policies; policy != NULL; policy = policy->next) {
        if (policy->schema == schema && strcmp(policy->name, name) == 0) {
            return policy;
        }
    }
    return rules_load(schema, name);
}

/* Key and rule of that name must be those that the database's tokens were made with. */
static void rules_check_fingerprint(const tally_pg_rule *rule, const tally_tokenizer *tokenizer,
                                    const char *key)
{
    uint8_t fingerprint[TALLY_FINGERPRINT];
    tally_tokenizer_fingerprint(tokenizer, fingerprint);
    struct varlena *const known = rules_look_up(rules_tables[1], key);
    if (known == NULL) {
        ereport(ERROR,
                (errcode(ERRCODE_CONFIG_FILE_ERROR),
                 errmsg("tallystick: rule \"%s\": key %s is not in the table tally_keys",
                        rule->name, key),
                 errhint("SELECT tally_key_pin('%s') adds the key of the ring that is open.", key),
                 TALLY_PG_QUIET));
    }
    if (VARSIZE(known) - VARHDRSZ != sizeof fingerprint ||
        memcmp(VARDATA(known), fingerprint, sizeof fingerprint) != 0) {
        ereport(
            ERROR,
            (errcode(ERRCODE_CONFIG_FILE_ERROR),
             errmsg(
                 "tallystick: rule \"%s\": the key ring has another key %s than the one that this "
                 "database's tokens are made with",
                 rule->name, key),
             errhint("Let tallystick.keyring name the ring that this database was set up with."),
             TALLY_PG_QUIET));
    }
    pfree(known);
}

static int rules_scale(const tally_format *format)
{
    const char *point;
    if (strcmp(tally_format_name(format), "decimal") != 0) {
        return 0;
    }
    /* An example without grouping: digits after the last character that is none. */
    const char *example = tally_format_example(format, 0);
    point = example + strlen(example);
    while (point > example && point[-1] >= '0' && point[-1] <= '9') {
        point--;
    }
    return point == example || point[-1] == '-' ? 0 : (int)strlen(point);
}

static _Noreturn void rules_open_failed(const tally_pg_rule *rule, tally_status status,
                                        const tally_problem *problem)
{
    const bool is_memory = status == TALLY_ERROR_MEMORY;
    const int code = is_memory                       ? ERRCODE_OUT_OF_MEMORY
                     : status == TALLY_ERROR_NO_KEY  ? ERRCODE_CONFIG_FILE_ERROR
                     : status == TALLY_ERROR_KEYRING ? ERRCODE_CONFIG_FILE_ERROR
                                                     : ERRCODE_INVALID_PARAMETER_VALUE;
    const bool is_of_ring = code == ERRCODE_CONFIG_FILE_ERROR;
    rules_are_stale |= is_memory;
    ereport(ERROR,
            (errcode(code),
             errmsg("tallystick: rule \"%s\": %s%s", rule->name, is_of_ring ? "the key ring: " : "",
                    problem->text[0] != '\0' ? problem->text : tally_status_text(status)),
             is_memory ? errhint("If memory can't be locked, raise RLIMIT_MEMLOCK (systemd: "
                                 "LimitMEMLOCK), or set tallystick.require_locked_memory = off.")
                       : 0,
             TALLY_PG_QUIET));
}

/* Makes what a rule needs to work. */
static void rules_open(tally_pg_rule *rule)
{
    const tally_rule *const from = rule->rule;
    tally_tokenizer *volatile tokenizer = NULL;
    tally_tokenizer *made = NULL;
    tally_worker *worker = NULL;
    tally_problem problem = {"", ""};
    tally_status status;
    if (rule->worker != NULL) {
        return;
    }
    if (from->key.version != 0) {
        char *const who = psprintf("tallystick: rule \"%s\"", rule->name);
        status = tally_pg_rule_open(from, who, &made, &problem);
        pfree(who);
    } else {
        status = tally_tokenizer_new(&tally_pg_private, from->format, NULL, 0, "", 0,
                                     from->on_invalid, &made, &problem);
    }
    if (status != TALLY_OK) {
        rules_open_failed(rule, status, &problem);
    }
    tokenizer = made;
    PG_TRY();
    {
        if (from->key.version != 0) {
            char id[TALLY_KEY_NAME_SIZE_MAX + 16];
            snprintf(id, sizeof id, "%s:%u", from->key.name, from->key.version);
            rules_check_fingerprint(rule, tokenizer, id);
        }
        status = tally_worker_new(tokenizer, &worker);
        if (status != TALLY_OK) {
            rules_open_failed(rule, status, &problem);
        }
    }
    PG_CATCH();
    {
        tally_tokenizer_free(tokenizer);
        PG_RE_THROW();
    }
    PG_END_TRY();
    rule->scale = rules_scale(from->format);
    rule->tokenizer = tokenizer;
    rule->worker = worker;
}

static _Noreturn void rules_no_column(const rules_policy *policy)
{
    StringInfoData known;
    initStringInfo(&known);
    for (size_t i = 0; i < policy->count; i++) {
        appendStringInfo(&known, "%s\"%s\"", i > 0 ? ", " : "", policy->rules[i].name);
    }
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("tallystick: policy \"%s\" has no such column", policy->name),
                    errhint("Its rules are %s.", known.data), TALLY_PG_QUIET));
}

static tally_pg_rule *rules_find(Oid schema, const char *reference, size_t size)
{
    const char *const dot = memchr(reference, '.', size);
    rules_policy *const policy =
        rules_policy_of(schema, reference, dot == NULL ? size : (size_t)(dot - reference));
    for (size_t i = 0; dot != NULL && i < policy->count; i++) {
        const tally_policy_text column = policy->rules[i].rule->column;
        if (column.size == size - (size_t)(dot + 1 - reference) &&
            memcmp(column.text, dot + 1, column.size) == 0) {
            return &policy->rules[i];
        }
    }
    rules_no_column(policy);
}

/* Whether the user has EXECUTE on tally_reveal of the same type. */
static bool rules_may_reveal(FunctionCallInfo fcinfo)
{
    const Oid schema = tally_pg_namespace(fcinfo);
    Oid types[3] = {InvalidOid, TEXTOID, TEXTOID}; /* the last with a tweak */
    int count = 2;
    HeapTuple function = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
    if (HeapTupleIsValid(function)) {
        Form_pg_proc form = (Form_pg_proc)GETSTRUCT(function);
        types[0] = form->proargtypes.values[0];
        count = form->pronargs;
        ReleaseSysCache(function);
    }
    oidvector *signature = buildoidvector(types, count);
    const Oid reveal =
        GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("tally_reveal"),
                        PointerGetDatum(signature), ObjectIdGetDatum(schema));
    pfree(signature);
    if (!OidIsValid(reveal)) {
        return false;
    }
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(ProcedureRelationId, reveal, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
    return pg_proc_aclcheck(reveal, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/* Says what a call does, by the user's rights. */
static void rules_decide(tally_pg_call *call, tally_pg_act act, rules_site *site)
{
    static const char *const names[] = {"tally_protect", "tally_reveal",
                                        "tally_protect_unless_granted", "tally_reveal_if_granted"};
    call->name = names[act];
    call->reveal = act == TALLY_PG_REVEAL || act == TALLY_PG_REVEAL_IF;
    call->skip = call->is_value = false;
    if (act == TALLY_PG_PROTECT || act == TALLY_PG_REVEAL) {
        return;
    }
    const TimestampTz statement = GetCurrentStatementStartTimestamp();
    const Oid user = GetUserId();
    if (site->user != user || site->statement != statement) {
        site->may_reveal = rules_may_reveal(call->fcinfo);
        site->user = user;
        site->statement = statement;
    }
    call->skip = act == TALLY_PG_REVEAL_IF ? !site->may_reveal : site->may_reveal;
    call->is_value = act == TALLY_PG_PROTECT_UNLESS;
}

static rules_site *rules_site_of(FunctionCallInfo fcinfo, const char *reference, size_t size)
{
    rules_site *site = fcinfo->flinfo->fn_extra;
    if (site != NULL && site->size == (int)size && memcmp(site->reference, reference, size) == 0) {
        return site;
    }
    fcinfo->flinfo->fn_extra = NULL;
    if (site != NULL) {
        pfree(site);
    }
    site =
        MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, offsetof(rules_site, reference) + size + 1);
    site->size = (int)size;
    memcpy(site->reference, reference, size);
    fcinfo->flinfo->fn_extra = site;
    return site;
}

static void rules_check_tweak(const tally_pg_call *call)
{
    const tally_policy_text tweak = call->rule->rule->tweak;
    const bool given = call->tweak != NULL || call->tweak_missing;
    if ((tweak.text != NULL) != given) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        given ? errmsg("%s(..., '%s'): the rule has no tweak", call->name,
                                       call->rule->name)
                              : errmsg("%s(..., '%s'): the rule has a tweak, \"%s\"", call->name,
                                       call->rule->name, tweak.text),
                        given ? errhint("Leave out the third argument.")
                              : errhint("Pass the value of that column as the third argument."),
                        TALLY_PG_QUIET));
    }
}

static void rules_read_tweak(FunctionCallInfo fcinfo, tally_pg_call *out)
{
    out->tweak = NULL;
    out->tweak_size = 0;
    out->tweak_missing = false;
    if (PG_NARGS() > 2) {
        out->tweak_missing = PG_ARGISNULL(2);
        if (!out->tweak_missing) {
            text *const tweak = PG_GETARG_TEXT_PP(2);
            out->tweak = (const uint8_t *)VARDATA_ANY(tweak);
            out->tweak_size = VARSIZE_ANY_EXHDR(tweak);
        }
    }
}

void tally_pg_begin(FunctionCallInfo fcinfo, tally_pg_act act, tally_pg_call *out)
{
    if (PG_ARGISNULL(1)) {
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("tallystick: the second argument is NULL; pass the name of a rule, "
                               "\"policy.column\""),
                        TALLY_PG_QUIET));
    }
    text *const reference = PG_GETARG_TEXT_PP(1);
    const char *const name = VARDATA_ANY(reference);
    const size_t size = VARSIZE_ANY_EXHDR(reference);
    rules_refresh();
    rules_site *const site = rules_site_of(fcinfo, name, size);
    if (site->generation != rules_generation) {
        site->rule = rules_find(tally_pg_namespace(fcinfo), name, size);
        rules_open(site->rule);
        site->generation = rules_generation;
    }
    out->fcinfo = fcinfo;
    out->rule = site->rule;
    rules_decide(out, act, site);
    rules_read_tweak(fcinfo, out);
    rules_check_tweak(out);
}

void tally_pg_begin_each(FunctionCallInfo fcinfo, tally_pg_act act,
                         void (*each)(tally_pg_call *call, void *context), void *context)
{
    tally_pg_call call;
    text *const reference = PG_GETARG_TEXT_PP(1);
    const char *const name = VARDATA_ANY(reference);
    const size_t size = VARSIZE_ANY_EXHDR(reference);
    if (memchr(name, '.', size) != NULL) {
        tally_pg_begin(fcinfo, act, &call);
        each(&call, context);
        return;
    }
    rules_refresh();
    rules_site *const site = rules_site_of(fcinfo, name, size);
    rules_policy *const policy = rules_policy_of(tally_pg_namespace(fcinfo), name, size);
    for (size_t i = 0; i < policy->count; i++) {
        rules_open(&policy->rules[i]);
        call.fcinfo = fcinfo;
        call.rule = &policy->rules[i];
        rules_decide(&call, act, site);
        rules_read_tweak(fcinfo, &call);
        rules_check_tweak(&call);
        each(&call, context);
    }
}

void tally_pg_counted(const tally_pg_call *call)
{
    tally_pg_audit(call->rule->name, 1);
}

_Noreturn void tally_pg_refuse(const tally_pg_call *call, tally_status status,
                               const tally_problem *problem)
{
    const int code = status == TALLY_ERROR_MEMORY         ? ERRCODE_OUT_OF_MEMORY
                     : status == TALLY_ERROR_TYPE         ? ERRCODE_DATATYPE_MISMATCH
                     : status == TALLY_ERROR_PROTECT_ONLY ? ERRCODE_INSUFFICIENT_PRIVILEGE
                     : status == TALLY_ERROR_REVEAL_ONLY  ? ERRCODE_INSUFFICIENT_PRIVILEGE
                                                          : ERRCODE_INVALID_PARAMETER_VALUE;
    rules_are_stale |= status == TALLY_ERROR_MEMORY; /* the next call begins with all of it */
    const bool described = problem != NULL && problem->text[0] != '\0';
    ereport(ERROR, (errcode(code),
                    errmsg("%s(..., '%s'): %s", call->name, call->rule->name,
                           described ? problem->text : tally_status_text(status)),
                    TALLY_PG_QUIET));
}

bool tally_pg_invalid(const tally_pg_call *call, const tally_fault *fault)
{
    char why[TALLY_FAULT_TEXT];
    const tally_on_invalid then = call->rule->rule->on_invalid;
    if (then != TALLY_INVALID_ERROR) {
        return then == TALLY_INVALID_KEEP;
    }
    tally_fault_text(fault, why, sizeof why);
    /* The statement and the context may hold the value. */
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("%s(..., '%s'): invalid value: %s", call->name, call->rule->name, why),
             call->reveal
                 ? errhint("It can't be a token of this rule. Name the rule that protected it.")
                 : errhint("Correct the value, change the options of the format, or set on_invalid "
                           "to \"null\" or \"keep\" in the policy."),
             TALLY_PG_QUIET));
}

void tally_pg_check_label(const char *label)
{
    const char *const dot = strchr(label, '.');
    if (dot == NULL || dot == label || dot[1] == '\0') {
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
                        errmsg("tallystick: a label must name a rule, \"policy.column\""),
                        TALLY_PG_QUIET));
    }
}
