/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers, numeric, dates, timestamps, inet and uuid. */
#include "tally_postgres.h"

#include <sys/socket.h>

#include "common/int.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/inet.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

enum {
    NUMBERS_DAYS = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE, /* from Arrow's epoch to PostgreSQL's */
    NUMBERS_DIGITS = 38                                     /* of a numeric, at most */
};

/* Of a value that is invalid before the format sees it. */
static const tally_fault numbers_out_of_range = {TALLY_REASON_RANGE, TALLY_CHARACTER_OTHER, 0};
static const tally_fault numbers_notation = {TALLY_REASON_NOTATION, TALLY_CHARACTER_OTHER, 0};

/* Begins a call. Returns whether there is something to do; else *result is what stands there. */
static bool numbers_begin(FunctionCallInfo fcinfo, tally_pg_act act, tally_pg_call *call,
                          Datum *result)
{
    *result = (Datum)0;
    if (PG_ARGISNULL(0)) {
        fcinfo->isnull = true;
        return false;
    }
    tally_pg_begin(fcinfo, act, call);
    if (call->skip) {
        if (call->is_value) {
            tally_pg_counted(call);
        }
        *result = PG_GETARG_DATUM(0);
        return false;
    }
    return true;
}

/* The argument, or NULL. */
static Datum numbers_invalid(FunctionCallInfo fcinfo, const tally_pg_call *call,
                             const tally_fault *fault)
{
    if (tally_pg_invalid(call, fault)) {
        return PG_GETARG_DATUM(0);
    }
    PG_RETURN_NULL();
}

/* Replaces the bytes that Arrow's type has for a value. Returns whether it is valid. */
static bool numbers_run(const tally_pg_call *call, const char *type, void *value,
                        tally_fault *fault)
{
    tally_problem problem = {"", ""};
    if (call->tweak_missing) {
        fault->reason = TALLY_REASON_TWEAK;
        fault->position = 0;
        return false;
    }
    const tally_status status = (call->reveal ? tally_reveal_fixed : tally_protect_fixed)(
        call->rule->worker, type, value, call->tweak, call->tweak_size, value, fault, &problem);
    if (status != TALLY_OK) {
        tally_pg_refuse(call, status, &problem);
    }
    if (fault->reason == TALLY_REASON_NONE && call->reveal) {
        tally_pg_counted(call);
    }
    return fault->reason == TALLY_REASON_NONE;
}

#define NUMBERS_INTEGER(type, c_type, arrow, GET, RETURN)                                          \
    static Datum functions_##type(FunctionCallInfo fcinfo, tally_pg_act act)                       \
    {                                                                                              \
        tally_pg_call call;                                                                        \
        tally_fault fault;                                                                         \
        Datum result;                                                                              \
        if (!numbers_begin(fcinfo, act, &call, &result)) {                                         \
            return result;                                                                         \
        }                                                                                          \
        c_type value = GET(0);                                                                     \
        if (!numbers_run(&call, arrow, &value, &fault)) {                                          \
            return numbers_invalid(fcinfo, &call, &fault);                                         \
        }                                                                                          \
        RETURN(value);                                                                             \
    }                                                                                              \
    TALLY_PG_FUNCTIONS(type)

NUMBERS_INTEGER(int2, int16, "s", PG_GETARG_INT16, PG_RETURN_INT16)
NUMBERS_INTEGER(int4, int32, "i", PG_GETARG_INT32, PG_RETURN_INT32)
NUMBERS_INTEGER(int8, int64, "l", PG_GETARG_INT64, PG_RETURN_INT64)

static Datum functions_date(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    tally_fault fault;
    Datum result;
    if (!numbers_begin(fcinfo, act, &call, &result)) {
        return result;
    }
    const DateADT date = PG_GETARG_DATEADT(0);
    int32 days;
    if (DATE_NOT_FINITE(date) || pg_add_s32_overflow(date, NUMBERS_DAYS, &days)) {
        return numbers_invalid(fcinfo, &call, &numbers_out_of_range);
    }
    if (!numbers_run(&call, "tdD", &days, &fault)) {
        return numbers_invalid(fcinfo, &call, &fault);
    }
    PG_RETURN_DATEADT(days - NUMBERS_DAYS);
}

TALLY_PG_FUNCTIONS(date)

static Datum numbers_time(FunctionCallInfo fcinfo, tally_pg_act act, const char *type)
{
    tally_pg_call call;
    tally_fault fault;
    Datum result;
    if (!numbers_begin(fcinfo, act, &call, &result)) {
        return result;
    }
    const Timestamp time = PG_GETARG_TIMESTAMP(0);
    int64 since;
    if (TIMESTAMP_NOT_FINITE(time) ||
        pg_add_s64_overflow(time, NUMBERS_DAYS * USECS_PER_DAY, &since)) {
        return numbers_invalid(fcinfo, &call, &numbers_out_of_range);
    }
    if (!numbers_run(&call, type, &since, &fault)) {
        return numbers_invalid(fcinfo, &call, &fault);
    }
    PG_RETURN_TIMESTAMP(since - NUMBERS_DAYS * USECS_PER_DAY);
}

static Datum functions_timestamp(FunctionCallInfo fcinfo, tally_pg_act act)
{
    return numbers_time(fcinfo, act, "tsu:");
}

static Datum functions_timestamptz(FunctionCallInfo fcinfo, tally_pg_act act)
{
    return numbers_time(fcinfo, act, "tsu:UTC");
}

TALLY_PG_FUNCTIONS(timestamp)
TALLY_PG_FUNCTIONS(timestamptz)

/* Reads a numeric as a whole number of units of 10^-scale. Returns 0 if it has more digits. */
static bool numbers_read_numeric(Numeric value, int scale, __int128 *out)
{
    if (numeric_is_nan(value) || numeric_is_inf(value)) {
        return false;
    }
    const Datum rounded =
        DirectFunctionCall2(numeric_round, NumericGetDatum(value), Int32GetDatum(scale));
    if (!DatumGetBool(DirectFunctionCall2(numeric_eq, rounded, NumericGetDatum(value)))) {
        return false;
    }
    const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, rounded));
    const bool negative = *text == '-';
    unsigned __int128 number = 0;
    int digits = 0;
    for (text += negative; *text != '\0'; text++) {
        if (*text == '.') {
            continue;
        }
        number = 10 * number + (unsigned)(*text - '0');
        digits += number != 0;
        if (digits > NUMBERS_DIGITS) {
            return false;
        }
    }
    *out = negative ? -(__int128)number : (__int128)number;
    return true;
}

static Datum numbers_write_numeric(__int128 number, int scale)
{
    char text[NUMBERS_DIGITS + 32];
    char *at = text + sizeof text;
    const bool negative = number < 0;
    unsigned __int128 rest = negative ? -(unsigned __int128)number : (unsigned __int128)number;
    *--at = '\0';
    for (int i = 0; rest != 0 || i <= scale; i++) {
        if (i == scale && scale > 0) {
            *--at = '.';
        }
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    if (negative) {
        *--at = '-';
    }
    return DirectFunctionCall3(numeric_in, CStringGetDatum(at), ObjectIdGetDatum(InvalidOid),
                               Int32GetDatum(-1));
}

static Datum functions_numeric(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    tally_fault fault;
    Datum result;
    char type[32];
    if (!numbers_begin(fcinfo, act, &call, &result)) {
        return result;
    }
    __int128 number;
    if (!numbers_read_numeric(PG_GETARG_NUMERIC(0), call.rule->scale, &number)) {
        return numbers_invalid(fcinfo, &call, &numbers_notation);
    }
    /* Arrow's number has the bytes of this machine's order. */
    snprintf(type, sizeof type, "d:%d,%d", NUMBERS_DIGITS, call.rule->scale);
    if (!numbers_run(&call, type, &number, &fault)) {
        return numbers_invalid(fcinfo, &call, &fault);
    }
    return numbers_write_numeric(number, call.rule->scale);
}

TALLY_PG_FUNCTIONS(numeric)

/* Writes an address as RFC 5952 has it; inet_out writes some of them with a dotted part. */
static void numbers_write_ipv6(const unsigned char *address, char *out)
{
    int best = -1, best_size = 1;
    unsigned groups[8];
    for (int i = 0; i < 8; i++) {
        groups[i] = (unsigned)address[2 * i] << 8 | address[2 * i + 1];
    }
    for (int i = 0; i < 8; i++) {
        int size = 0;
        while (i + size < 8 && groups[i + size] == 0) {
            size++;
        }
        if (size > best_size) {
            best = i;
            best_size = size;
        }
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            out += sprintf(out, "::");
            i += best_size - 1;
        } else {
            out += sprintf(out, i == 0 || i == best + best_size ? "%x" : ":%x", groups[i]);
        }
    }
    *out = '\0';
}

/* Reads an address or a UUID. PostgreSQL's own error would show the text, which may be a value. */
static Datum numbers_parse(const tally_pg_call *call, const char *text, PGFunction read)
{
    static const tally_problem wrong = {
        "", "the format makes text that the type of the value does not have"};
    MemoryContext before = CurrentMemoryContext;
    volatile Datum result = (Datum)0;
    PG_TRY();
    {
        result = DirectFunctionCall1(read, CStringGetDatum(text));
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(before);
        FlushErrorState();
        tally_pg_refuse(call, TALLY_ERROR_TYPE, &wrong);
    }
    PG_END_TRY();
    return result;
}

/* Replaces a value by its text, which `read` reads again. */
static Datum numbers_as_text(FunctionCallInfo fcinfo, const tally_pg_call *call, const char *value,
                             PGFunction read)
{
    bool is_kept;
    text *const out = tally_pg_bytes(call, value, strlen(value), &is_kept);
    if (out != NULL) {
        return numbers_parse(call, text_to_cstring(out), read);
    }
    if (is_kept) {
        return PG_GETARG_DATUM(0);
    }
    PG_RETURN_NULL();
}

static Datum functions_inet(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    Datum result;
    char text[64];
    if (!numbers_begin(fcinfo, act, &call, &result)) {
        return result;
    }
    inet *const value = PG_GETARG_INET_PP(0);
    const unsigned char *const address = ip_addr(value);
    if (ip_bits(value) != ip_maxbits(value)) { /* a network, or a mask */
        return numbers_invalid(fcinfo, &call, &numbers_notation);
    }
    if (ip_family(value) == PGSQL_AF_INET) {
        snprintf(text, sizeof text, "%d.%d.%d.%d", address[0], address[1], address[2], address[3]);
    } else {
        numbers_write_ipv6(address, text);
    }
    return numbers_as_text(fcinfo, &call, text, inet_in);
}

TALLY_PG_FUNCTIONS(inet)

static Datum functions_uuid(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    Datum result;
    if (!numbers_begin(fcinfo, act, &call, &result)) {
        return result;
    }
    const Datum text = DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0));
    return numbers_as_text(fcinfo, &call, DatumGetCString(text), uuid_in);
}

TALLY_PG_FUNCTIONS(uuid)
