/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds calls of tally_protect and tally_reveal in finished plans, and lets a node of batch.c do them
 * for many rows at once.
 *
 * A call counts if each row that the plan reads needs it: if it is a column of what a plan's node
 * gives on, or a cast of such a call, or the argument of an aggregate without a FILTER. The call is replaced by its first
 * argument, which has the same type, and the node above makes tokens of that column. */
#include "batch.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

enum { PLAN_ROWS = 8 }; /* fewer rows are left to the functions */

static planner_hook_type plan_next;

typedef struct plan_context {
    int last_id; /* of a node */
} plan_context;

/* What a function of ours does. */
typedef struct plan_function {
    tally_pg_kind kind;
    bool reveal;
} plan_function;

static bool plan_find_function(Oid function, plan_function *out)
{
    static const char *const types[] = {"text", "int2",      "int4",       "int8",
                                        "date", "timestamp", "timestamptz"};
    bool found = false;
    if (function < FirstNormalObjectId) {
        return false;
    }
    HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(row)) {
        return false;
    }
    if (((Form_pg_proc)GETSTRUCT(row))->prolang == ClanguageId) {
        bool is_null;
        const Datum source = SysCacheGetAttr(PROCOID, row, Anum_pg_proc_prosrc, &is_null);
        char *const symbol = is_null ? pstrdup("") : TextDatumGetCString(source);
        for (int i = 0; i < (int)lengthof(types) && !found; i++) {
            for (int reveal = 0; reveal < 2 && !found; reveal++) {
                char name[64];
                snprintf(name, sizeof name, "tally_pg_%s_%s", types[i],
                         reveal ? "reveal" : "protect");
                found = strcmp(symbol, name) == 0;
                *out = (plan_function){(tally_pg_kind)i, reveal != 0};
            }
        }
        pfree(symbol);
    }
    ReleaseSysCache(row);
    return found;
}

/* Whether an expression is a call that can be done for many rows. */
static bool plan_is_call(const Node *node, plan_function *out)
{
    if (node == NULL || !IsA(node, FuncExpr)) {
        return false;
    }
    const FuncExpr *const call = (const FuncExpr *)node;
    if (list_length(call->args) < 2 || list_length(call->args) > 3) {
        return false;
    }
    const Node *const rule = lsecond(call->args);
    return IsA(rule, Const) && !((const Const *)rule)->constisnull &&
           !IsA(linitial(call->args), Const) && plan_find_function(call->funcid, out);
}

/* Returns where a call stands in an expression: at its top, or below functions of it alone, such as
 * casts and coercions to the type of a column. NULL: there is none. */
static Node **plan_find_call(Node **at, plan_function *out)
{
    ListCell *cell;
    for (;;) {
        Node *const node = *at;
        if (node == NULL || plan_is_call(node, out)) {
            return node == NULL ? NULL : at;
        }
        if (IsA(node, RelabelType)) {
            at = (Node **)&((RelabelType *)node)->arg;
        } else if (IsA(node, CoerceViaIO)) {
            at = (Node **)&((CoerceViaIO *)node)->arg;
        } else if (IsA(node, FuncExpr) && ((FuncExpr *)node)->args != NIL &&
                   !((FuncExpr *)node)->funcretset) {
            for_each_from(cell, ((FuncExpr *)node)->args, 1)
            {
                if (!IsA(lfirst(cell), Const)) {
                    return NULL;
                }
            }
            at = (Node **)&linitial(((FuncExpr *)node)->args);
        } else {
            return NULL;
        }
    }
}

static Var *plan_var(int kind, int column, const Node *like)
{
    return makeVar(kind, (AttrNumber)column, exprType(like), exprTypmod(like), exprCollation(like),
                   0);
}

static List *plan_note(const FuncExpr *call, const plan_function *function, int column, int tweak)
{
    return list_make5(makeInteger((int)call->funcid), makeInteger(function->kind),
                      makeInteger(function->reveal), makeInteger(column), makeInteger(tweak));
}

/* Puts a node above `below`. `scanned` describes the rows that it makes, and `given` what it gives
 * on of them. */
static Plan *plan_put(Plan *below, List *calls, List *sources, List *scanned, List *given,
                      plan_context *context)
{
    CustomScan *const node = makeNode(CustomScan);
    node->scan.plan = (Plan){.type = T_CustomScan,
                             .startup_cost = below->startup_cost,
                             .total_cost = below->total_cost,
                             .plan_rows = below->plan_rows,
                             .plan_width = below->plan_width,
                             .parallel_safe = below->parallel_safe,
                             .plan_node_id = ++context->last_id,
                             .targetlist = given,
                             .lefttree = below,
                             .extParam = bms_copy(below->extParam),
                             .allParam = bms_copy(below->allParam)};
    node->custom_private = list_make2(calls, sources);
    node->custom_scan_tlist = scanned;
    node->methods = &tally_pg_batch_methods;
    return &node->scan.plan;
}

/* The call with columns of the plan below as arguments, as EXPLAIN VERBOSE shows it. */
static FuncExpr *plan_shown(const FuncExpr *call, int column, int tweak)
{
    FuncExpr *const shown = copyObject((FuncExpr *)call);
    linitial(shown->args) = plan_var(OUTER_VAR, column + 1, linitial(call->args));
    if (tweak >= 0) {
        lthird(shown->args) = plan_var(OUTER_VAR, tweak + 1, lthird(call->args));
    }
    return shown;
}

static List *plan_given(List *given, const TargetEntry *from, Expr *expression)
{
    TargetEntry *const entry = flatCopyTargetEntry((TargetEntry *)from);
    entry->expr = expression;
    return lappend(given, entry);
}

/* Calls among the columns that a node gives on. */
static void plan_columns(Plan **at, plan_context *context)
{
    Plan *const plan = *at;
    const int width = list_length(plan->targetlist);
    List *calls = NIL, *sources = NIL, *scanned = NIL, *given = NIL, *tweaks = NIL;
    ListCell *cell;
    int column = 0;
    foreach (cell, plan->targetlist) {
        TargetEntry *const entry = lfirst(cell);
        TargetEntry *const seen = flatCopyTargetEntry(entry);
        plan_function function;
        Node **const place = plan_find_call((Node **)&entry->expr, &function);
        if (place != NULL) {
            const FuncExpr *const call = (FuncExpr *)*place;
            int tweak = -1;
            if (list_length(call->args) == 3) {
                tweak = width + list_length(tweaks);
                tweaks = lappend(tweaks, lthird(call->args));
            }
            sources = lappend_int(sources, -1 - list_length(calls));
            calls = lappend(calls, lappend(plan_note(call, &function, column, tweak),
                                           copyObject(lsecond(call->args))));
            seen->expr = (Expr *)plan_shown(call, column, tweak);
            *place = (Node *)plan_var(INDEX_VAR, column + 1, (Node *)call);
            given = plan_given(given, entry, entry->expr);
            entry->expr = linitial(call->args);
        } else {
            sources = lappend_int(sources, column);
            seen->expr = (Expr *)plan_var(OUTER_VAR, column + 1, (Node *)entry->expr);
            given = plan_given(given, entry,
                               (Expr *)plan_var(INDEX_VAR, column + 1, (Node *)entry->expr));
        }
        scanned = lappend(scanned, seen);
        column++;
    }
    if (calls == NIL) {
        return;
    }
    foreach (cell, tweaks) {
        const int number = list_length(plan->targetlist) + 1;
        plan->targetlist = lappend(plan->targetlist,
                                   makeTargetEntry(lfirst(cell), (AttrNumber)number, NULL, true));
    }
    *at = plan_put(plan, calls, sources, scanned, given, context);
}

/* Calls among the arguments of aggregates. */
typedef struct plan_aggregates {
    Plan *below;
    List *calls, *found; /* expressions, in the same order */
    int width;
} plan_aggregates;

/* Returns the column that an expression is, or -1. */
static int plan_column_of(const Node *node, int width)
{
    while (IsA(node, RelabelType)) {
        node = (Node *)((const RelabelType *)node)->arg;
    }
    if (!IsA(node, Var) || ((const Var *)node)->varno != OUTER_VAR ||
        ((const Var *)node)->varattno < 1 || ((const Var *)node)->varattno > width) {
        return -1;
    }
    return ((const Var *)node)->varattno - 1;
}

static bool plan_aggregates_walk(Node *node, void *context)
{
    plan_aggregates *const all = context;
    if (node == NULL) {
        return false;
    }
    if (!IsA(node, Aggref)) {
        return expression_tree_walker(node, plan_aggregates_walk, context);
    }
    const Aggref *const aggregate = (const Aggref *)node;
    ListCell *cell;
    if (aggregate->aggfilter != NULL) {
        return false;
    }
    foreach (cell, aggregate->args) {
        TargetEntry *const entry = lfirst(cell);
        plan_function function;
        if (!plan_is_call((Node *)entry->expr, &function)) {
            continue;
        }
        const FuncExpr *const call = (FuncExpr *)entry->expr;
        const int column = plan_column_of(linitial(call->args), all->width);
        const bool has_tweak = list_length(call->args) == 3;
        const int tweak = has_tweak ? plan_column_of(lthird(call->args), all->width) : -1;
        if (column < 0 || (has_tweak && tweak < 0)) {
            continue;
        }
        int place = 0;
        ListCell *other;
        foreach (other, all->found) {
            if (equal(lfirst(other), call)) {
                break;
            }
            place++;
        }
        if (place == list_length(all->found)) {
            all->found = lappend(all->found, (void *)call);
            all->calls = lappend(all->calls, lappend(plan_note(call, &function, column, tweak),
                                                     copyObject(lsecond(call->args))));
        }
        entry->expr = (Expr *)plan_var(OUTER_VAR, all->width + place + 1, (Node *)call);
    }
    return false;
}

static void plan_arguments(Plan *plan, plan_context *context)
{
    Plan *const below = outerPlan(plan);
    plan_aggregates all = {.below = below, .width = list_length(below->targetlist)};
    List *sources = NIL, *scanned = NIL, *given = NIL;
    ListCell *cell;
    (void)plan_aggregates_walk((Node *)plan->targetlist, &all);
    (void)plan_aggregates_walk((Node *)plan->qual, &all);
    if (all.calls == NIL) {
        return;
    }
    foreach (cell, below->targetlist) {
        TargetEntry *const seen = flatCopyTargetEntry(lfirst(cell));
        seen->expr = (Expr *)plan_var(OUTER_VAR, seen->resno, (Node *)seen->expr);
        sources = lappend_int(sources, seen->resno - 1);
        scanned = lappend(scanned, seen);
    }
    int number = 0;
    foreach (cell, all.found) {
        sources = lappend_int(sources, -1 - number);
        number++;
        scanned = lappend(scanned, makeTargetEntry(copyObject(lfirst(cell)),
                                                   (AttrNumber)(all.width + number), NULL, false));
    }
    foreach (cell, scanned) {
        const TargetEntry *const entry = lfirst(cell);
        given = plan_given(given, entry,
                           (Expr *)plan_var(INDEX_VAR, entry->resno, (Node *)entry->expr));
    }
    outerPlan(plan) = plan_put(below, all.calls, sources, scanned, given, context);
}

/* Whether a node evaluates its columns, and does not only pass them on. */
static bool plan_projects(const Plan *plan)
{
    switch (nodeTag(plan)) {
    case T_SeqScan:
    case T_SampleScan:
    case T_IndexScan:
    case T_IndexOnlyScan:
    case T_BitmapHeapScan:
    case T_TidScan:
    case T_TidRangeScan:
    case T_SubqueryScan:
    case T_FunctionScan:
    case T_ValuesScan:
    case T_CteScan:
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
    case T_Agg:
    case T_Group:
    case T_Gather:
    case T_GatherMerge:
        return true;
    case T_Result:
        return outerPlan(plan) != NULL;
    default:
        return false;
    }
}

typedef void (*plan_visit)(Plan **at, bool may_put, plan_context *context);

/* A merge join goes back in its inner plan, which a node of ours can't, nor can one below a Result. */
static void plan_each(Plan *plan, bool may_put, plan_visit visit, plan_context *context)
{
    List *more = IsA(plan, Append)        ? ((Append *)plan)->appendplans
                 : IsA(plan, MergeAppend) ? ((MergeAppend *)plan)->mergeplans
                                          : NIL;
    ListCell *cell;
    if (plan->lefttree != NULL) {
        visit(&plan->lefttree, may_put || !IsA(plan, Result), context);
    }
    if (plan->righttree != NULL) {
        visit(&plan->righttree, !IsA(plan, MergeJoin), context);
    }
    if (IsA(plan, SubqueryScan)) {
        visit(&((SubqueryScan *)plan)->subplan, true, context);
    }
    foreach (cell, more) {
        visit((Plan **)&lfirst(cell), true, context);
    }
    if (IsA(plan, CustomScan)) {
        foreach (cell, ((CustomScan *)plan)->custom_plans) {
            visit((Plan **)&lfirst(cell), false, context);
        }
    }
}

static void plan_number(Plan **at, bool may_put, plan_context *context)
{
    context->last_id = Max(context->last_id, (*at)->plan_node_id);
    plan_each(*at, may_put, plan_number, context);
}

static void plan_rewrite(Plan **at, bool may_put, plan_context *context)
{
    Plan *const plan = *at;
    check_stack_depth();
    plan_each(plan, may_put, plan_rewrite, context);
    if (IsA(plan, Agg) && outerPlan(plan)->plan_rows >= PLAN_ROWS) {
        plan_arguments(plan, context);
    }
    if (may_put && plan->plan_rows >= PLAN_ROWS && plan_projects(plan)) {
        plan_columns(at, context);
    }
}

static PlannedStmt *plan_statement(Query *query, const char *text, int options,
                                   ParamListInfo parameters)
{
    PlannedStmt *const made =
        (plan_next != NULL ? plan_next : standard_planner)(query, text, options, parameters);
    plan_context context = {0};
    ListCell *cell;
    /* Rows that are locked or changed may be read again, and a cursor may go back. */
    if ((made->commandType != CMD_SELECT && made->commandType != CMD_INSERT) ||
        made->rowMarks != NIL || made->hasModifyingCTE || (options & CURSOR_OPT_SCROLL) != 0) {
        return made;
    }
    plan_number(&made->planTree, false, &context);
    foreach (cell, made->subplans) {
        if (lfirst(cell) != NULL) {
            plan_number((Plan **)&lfirst(cell), false, &context);
        }
    }
    plan_rewrite(&made->planTree, true, &context);
    foreach (cell, made->subplans) {
        if (lfirst(cell) != NULL) {
            plan_rewrite((Plan **)&lfirst(cell), true, &context);
        }
    }
    return made;
}

void tally_pg_batch_init(void)
{
    RegisterCustomScanMethods(&tally_pg_batch_methods);
    plan_next = planner_hook;
    planner_hook = plan_statement;
}
