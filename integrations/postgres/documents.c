/* SPDX-License-Identifier: Apache-2.0
 *
 * jsonb: the column of a rule is a path in the document. Texts and numbers are replaced; what is not
 * there, and null, stay. */
#include "tally_postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

enum { DOCUMENTS_NAME = 1024 };

typedef struct documents_step {
    tally_step kind;
    char *name;
    int size;
} documents_step;

typedef struct documents_walk {
    const tally_pg_call *call;
    documents_step steps[TALLY_PATH_DEPTH];
    int count;
} documents_walk;

static _Noreturn void documents_refuse(const tally_pg_call *call, const char *what)
{
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("%s(..., '%s'): %s", call->name, call->rule->name, what),
                    errhint("The column of the rule is a path in the document, such as "
                            "\"contact.email\", \"orders[].phone\" or \"attributes{}\"."),
                    TALLY_PG_QUIET));
}

static void documents_read_path(documents_walk *walk)
{
    const char *const column = walk->call->rule->column;
    const size_t size = strlen(column);
    size_t at = 0;
    walk->count = 0;
    while (at < size) {
        char name[DOCUMENTS_NAME];
        size_t name_size = 0;
        if (walk->count == TALLY_PATH_DEPTH) {
            documents_refuse(walk->call, "the path has too many steps");
        }
        documents_step *const step = &walk->steps[walk->count++];
        step->kind = tally_path_step(column, size, &at, name, sizeof name, &name_size);
        if (step->kind == TALLY_STEP_NONE || name_size >= sizeof name) {
            documents_refuse(walk->call, "the rule's column is no path");
        }
        step->name = pnstrdup(name, name_size);
        step->size = (int)name_size;
    }
}

/* Reads a number that is written as jsonb writes it: another, such as 007, would come back changed. */
static Numeric documents_number(const tally_pg_call *call, const char *text)
{
    const char *const digits = text + (text[0] == '-');
    const size_t size = strlen(digits);
    if (size > 0 && digits[0] != '.' && strspn(digits, "0123456789.") == size &&
        strchr(digits, '.') == strrchr(digits, '.')) {
        const Datum read = DirectFunctionCall3(numeric_in, CStringGetDatum(text),
                                               ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
        if (strcmp(DatumGetCString(DirectFunctionCall1(numeric_out, read)), text) == 0) {
            return DatumGetNumeric(read);
        }
    }
    ereport(ERROR,
            (errcode(ERRCODE_DATATYPE_MISMATCH),
             errmsg("%s(..., '%s'): the format makes text, which no number of a document has",
                    call->name, call->rule->name),
             errhint("Use the format \"integer\" or \"decimal\", or write the values as "
                     "text."),
             TALLY_PG_QUIET));
}

/* Replaces a value at the end of the path. */
static void documents_replace(const tally_pg_call *call, JsonbValue *value)
{
    bool is_kept;
    const char *in;
    size_t size;
    if (value->type == jbvNull) {
        return;
    }
    if (value->type == jbvString) {
        in = value->val.string.val;
        size = (size_t)value->val.string.len;
    } else if (value->type == jbvNumeric) {
        in = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
        size = strlen(in);
    } else {
        documents_refuse(call, "the path leads to what is neither text nor a number");
    }
    text *const out = tally_pg_bytes(call, in, size, &is_kept);
    if (out == NULL) {
        if (!is_kept) {
            value->type = jbvNull;
        }
    } else if (value->type == jbvString) {
        value->val.string.val = VARDATA(out);
        value->val.string.len = (int)(VARSIZE(out) - VARHDRSZ);
    } else {
        value->val.numeric = documents_number(call, text_to_cstring(out));
    }
}

static JsonbValue *documents_rewrite(const documents_walk *walk, int at, JsonbContainer *container);

/* Replaces what lies under a value, from step `at` on. */
static void documents_value(const documents_walk *walk, int at, JsonbValue *value)
{
    if (at == walk->count) {
        documents_replace(walk->call, value);
    } else if (value->type != jbvNull) {
        if (value->type != jbvBinary) {
            documents_refuse(walk->call, "the path leads through a text or a number");
        }
        *value = *documents_rewrite(walk, at, value->val.binary.data);
    }
}

static JsonbValue *documents_rewrite(const documents_walk *walk, int at, JsonbContainer *container)
{
    const documents_step *const step = &walk->steps[at];
    JsonbParseState *state = NULL;
    JsonbValue value, *made = NULL;
    check_stack_depth();
    if (JsonContainerIsArray(container)
            ? step->kind != TALLY_STEP_ITEMS || JsonContainerIsScalar(container)
            : step->kind == TALLY_STEP_ITEMS) {
        documents_refuse(walk->call, JsonContainerIsArray(container)
                                         ? "the path has a field where the document has an array"
                                         : "the path has items where the document has an object");
    }
    JsonbIterator *iterator = JsonbIteratorInit(container);
    JsonbIteratorToken token;
    bool chosen = false;
    while ((token = JsonbIteratorNext(&iterator, &value, made != NULL || state != NULL)) !=
           WJB_DONE) {
        CHECK_FOR_INTERRUPTS();
        if (token == WJB_KEY) {
            chosen = step->kind == TALLY_STEP_VALUES ||
                     (value.val.string.len == step->size &&
                      memcmp(value.val.string.val, step->name, (size_t)step->size) == 0);
        } else if ((token == WJB_VALUE && chosen) || token == WJB_ELEM) {
            documents_value(walk, at + 1, &value);
        }
        made = pushJsonbValue(&state, token,
                              token == WJB_KEY || token == WJB_VALUE || token == WJB_ELEM ? &value
                                                                                          : NULL);
    }
    return made;
}

static void documents_each(tally_pg_call *call, void *context)
{
    Jsonb **const document = context;
    documents_walk walk = {.call = call};
    if (call->skip) {
        if (call->is_value) {
            tally_pg_counted(call);
        }
        return;
    }
    if (JB_ROOT_IS_SCALAR(*document)) {
        documents_refuse(call, "the document is no object");
    }
    documents_read_path(&walk);
    *document = JsonbValueToJsonb(documents_rewrite(&walk, 0, &(*document)->root));
}

static Datum functions_jsonb(FunctionCallInfo fcinfo, tally_pg_act act)
{
    if (PG_ARGISNULL(0)) {
        PG_RETURN_NULL();
    }
    if (PG_ARGISNULL(1)) {
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("tallystick: the second argument is NULL; pass the name of a rule, "
                               "\"policy.column\", or of a policy"),
                        TALLY_PG_QUIET));
    }
    Jsonb *document = PG_GETARG_JSONB_P(0);
    tally_pg_begin_each(fcinfo, act, documents_each, &document);
    PG_RETURN_JSONB_P(document);
}

TALLY_PG_FUNCTIONS(jsonb)
