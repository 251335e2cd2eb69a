/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that change policies: the extension's script writes the table by them. */
#include "tally_postgres.h"

#include "commands/trigger.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

enum { POLICIES_COLUMNS = 8 };

static void policies_refuse(tally_status status, const tally_problem *problem)
{
    ereport(ERROR,
            (errcode(status == TALLY_ERROR_MEMORY ? ERRCODE_OUT_OF_MEMORY
                                                  : ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("tallystick: the policy: %s%s%s", problem->place,
                    problem->place[0] != '\0' ? ": " : "",
                    status == TALLY_ERROR_POLICY ? problem->text : tally_status_text(status))));
}

static tally_policy *policies_read(const text *document)
{
    tally_policy *made;
    tally_problem problem = {"", ""};
    const tally_status status =
        tally_policy_new(NULL, VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document), &made, &problem);
    if (status != TALLY_OK) {
        policies_refuse(status, &problem);
    }
    return made;
}

static Datum policies_text(tally_policy_text from, bool *is_null)
{
    *is_null = from.text == NULL || from.size == 0;
    return *is_null ? (Datum)0 : PointerGetDatum(cstring_to_text_with_len(from.text, from.size));
}

/* What tokens of a rule depend on, beside its key. */
static Datum policies_head(const tally_rule *rule, bool *is_null)
{
    static const uint8_t key[16]; /* the head is the same for every key */
    tally_tokenizer *tokenizer;
    tally_problem problem;
    const bool keyed = rule->key.version != 0;
    const tally_status status =
        tally_tokenizer_new(NULL, rule->format, keyed ? key : NULL, keyed ? sizeof key : 0,
                            rule->name_space.text == NULL ? "" : rule->name_space.text,
                            rule->name_space.size, TALLY_INVALID_ERROR, &tokenizer, &problem);
    *is_null = status != TALLY_OK;
    if (*is_null) {
        return (Datum)0;
    }
    const size_t size = tally_tokenizer_head(tokenizer, rule->tweak.text != NULL, NULL, 0);
    bytea *const head = palloc(VARHDRSZ + size);
    SET_VARSIZE(head, VARHDRSZ + size);
    (void)tally_tokenizer_head(tokenizer, rule->tweak.text != NULL, (uint8_t *)VARDATA(head), size);
    tally_tokenizer_free(tokenizer);
    return PointerGetDatum(head);
}

PG_FUNCTION_INFO_V1(tally_pg_policy_rules);

/* tally_policy_rules(json): checks a policy, and lists its rules. */
Datum tally_pg_policy_rules(PG_FUNCTION_ARGS)
{
    static const char *const on_invalid[] = {"error", "null", "keep"};
    ReturnSetInfo *const result = (ReturnSetInfo *)fcinfo->resultinfo;
    InitMaterializedSRF(fcinfo, 0);
    tally_policy *const policy = policies_read(PG_GETARG_TEXT_PP(0));
    PG_TRY();
    {
        const tally_rule *rule;
        for (size_t i = 0; (rule = tally_policy_rule(policy, i)) != NULL; i++) {
            Datum values[POLICIES_COLUMNS];
            bool nulls[POLICIES_COLUMNS] = {false};
            const bool keyed = rule->key.version != 0;
            values[0] = policies_text(rule->column, &nulls[0]);
            values[1] = CStringGetTextDatum(tally_format_name(rule->format));
            nulls[2] = !keyed;
            values[2] =
                keyed ? CStringGetTextDatum(psprintf("%s:%u", rule->key.name, rule->key.version))
                      : (Datum)0;
            values[3] = policies_text(rule->name_space, &nulls[3]);
            values[4] = policies_text(rule->tweak, &nulls[4]);
            values[5] = CStringGetTextDatum(on_invalid[rule->on_invalid]);
            values[6] = BoolGetDatum(tally_format_is_one_way(rule->format) != 0);
            values[7] = policies_head(rule, &nulls[7]);
            tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
        }
    }
    PG_FINALLY();
    {
        tally_policy_free(policy);
    }
    PG_END_TRY();
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(tally_pg_policy_unlisted);

/* tally_policy_unlisted(json, text): what the policy says of a column without a rule: "listed" if it is
 * kept on purpose or is a tweak, else what `unlisted` says. */
Datum tally_pg_policy_unlisted(PG_FUNCTION_ARGS)
{
    tally_policy *const policy = policies_read(PG_GETARG_TEXT_PP(0));
    const char *const name = text_to_cstring(PG_GETARG_TEXT_PP(1));
    bool listed = false;
    for (size_t i = 0; !listed && tally_policy_rule(policy, i) != NULL; i++) {
        const tally_rule *const rule = tally_policy_rule(policy, i);
        listed = rule->tweak.text != NULL && strcmp(rule->tweak.text, name) == 0;
    }
    for (size_t i = 0; !listed && tally_policy_keep(policy, i).text != NULL; i++) {
        listed = strcmp(tally_policy_keep(policy, i).text, name) == 0;
    }
    const tally_unlisted then = tally_policy_unlisted(policy);
    tally_policy_free(policy);
    PG_RETURN_TEXT_P(cstring_to_text(listed                         ? "listed"
                                     : then == TALLY_UNLISTED_KEEP  ? "keep"
                                     : then == TALLY_UNLISTED_ERROR ? "error"
                                                                    : "unsaid"));
}

PG_FUNCTION_INFO_V1(tally_pg_key_fingerprint);

/* tally_key_fingerprint(text): the public fingerprint of a key of the ring. */
Datum tally_pg_key_fingerprint(PG_FUNCTION_ARGS)
{
    text *const reference = PG_GETARG_TEXT_PP(0);
    static const char description[] = "\"digits\"";
    tally_key_id id;
    tally_problem problem = {"", ""};
    tally_format *format = NULL;
    tally_tokenizer *tokenizer = NULL;
    tally_status status =
        tally_key_id_parse(VARDATA_ANY(reference), VARSIZE_ANY_EXHDR(reference), &id, &problem);
    if (status != TALLY_OK) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
                        errmsg("tallystick: a key is named NAME:VERSION, such as people:1")));
    }
    uint8_t *const key = tally_pg_private.allocate(NULL, TALLY_DATA_KEY_SIZE_MAX);
    bytea *const out = palloc(VARHDRSZ + TALLY_FINGERPRINT);
    if (key == NULL) {
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
                        errmsg("tallystick: there is no memory that can be locked"),
                        errhint("Raise RLIMIT_MEMLOCK (systemd: LimitMEMLOCK), or set "
                                "tallystick.require_locked_memory = off.")));
    }
    PG_TRY();
    {
        const size_t size = tally_pg_key(&id, key, "tally_key_fingerprint");
        status = tally_format_new(NULL, description, sizeof description - 1, &format, &problem);
        if (status == TALLY_OK) {
            status = tally_tokenizer_new(&tally_pg_private, format, key, size, "n", 1,
                                         TALLY_INVALID_ERROR, &tokenizer, &problem);
        }
    }
    PG_FINALLY();
    {
        tally_pg_private.release(NULL, key, TALLY_DATA_KEY_SIZE_MAX);
    }
    PG_END_TRY();
    if (status == TALLY_OK) {
        SET_VARSIZE(out, VARHDRSZ + TALLY_FINGERPRINT);
        tally_tokenizer_fingerprint(tokenizer, (uint8_t *)VARDATA(out));
    }
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    if (status != TALLY_OK) {
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
                        errmsg("tallystick: %s", tally_status_text(status))));
    }
    PG_RETURN_BYTEA_P(out);
}

PG_FUNCTION_INFO_V1(tally_pg_policies_check);

/* A trigger before each row of tally_policies: the core checks the policy, whoever writes it. */
Datum tally_pg_policies_check(PG_FUNCTION_ARGS)
{
    TriggerData *const data = (TriggerData *)fcinfo->context;
    if (!CALLED_AS_TRIGGER(fcinfo)) {
        elog(ERROR, "tallystick: not called as a trigger");
    }
    HeapTuple row =
        TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? data->tg_newtuple : data->tg_trigtuple;
    bool is_null;
    const Datum document = heap_getattr(row, 2, RelationGetDescr(data->tg_relation), &is_null);
    if (!is_null) {
        tally_policy_free(policies_read(DatumGetTextPP(document)));
    }
    return PointerGetDatum(row);
}

PG_FUNCTION_INFO_V1(tally_pg_policies_changed);

/* A trigger after each statement that writes one of the tables: all processes forget what they cached,
 * as soon as the transaction is committed. */
Datum tally_pg_policies_changed(PG_FUNCTION_ARGS)
{
    if (!CALLED_AS_TRIGGER(fcinfo)) {
        elog(ERROR, "tallystick: not called as a trigger");
    }
    CacheInvalidateRelcache(((TriggerData *)fcinfo->context)->tg_relation);
    return (Datum)0;
}
