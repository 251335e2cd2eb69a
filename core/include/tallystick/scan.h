/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds values that have a structure in text: payment cards, IBANs, national identifiers, e-mail
 * addresses, phone numbers, network addresses, UUIDs, JWTs, PEM blocks, keys of services, random
 * strings, and a user's own lists and patterns. docs/reference/text-scan.md describes each.
 *
 * Text comes in pieces of any size, as UTF-8 or other bytes, in one pass. Findings do not depend on
 * where pieces end. Memory is bounded, and time is linear in the text, whatever it is. */
#ifndef TALLYSTICK_SCAN_H
#define TALLYSTICK_SCAN_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SCAN_MAX_FINDING = 16384, /* bytes of a finding, at most */
    TALLY_SCAN_MAX_TERM = 128,      /* bytes of a term of a list, at least 2 */
    TALLY_SCAN_MAX_TERMS = 262144,  /* terms of all lists together */
    TALLY_SCAN_MAX_PATTERNS = 256,  /* patterns of a user */
    TALLY_SCAN_MAX_PATTERN = 1024,  /* bytes that match a pattern, at most */
    TALLY_SCAN_MAX_ITEMS = 64,      /* characters and classes of a pattern */
    TALLY_SCAN_CAPACITY = 128       /* findings for which a call must have room */
};

/* What a finding is. The numbers never change. */
typedef enum tally_scan_kind {
    TALLY_SCAN_CARD = 0,
    TALLY_SCAN_IBAN,
    TALLY_SCAN_NATIONAL_ID,
    TALLY_SCAN_EMAIL,
    TALLY_SCAN_PHONE,
    TALLY_SCAN_IPV4,
    TALLY_SCAN_IPV6,
    TALLY_SCAN_MAC,
    TALLY_SCAN_UUID,
    TALLY_SCAN_JWT,
    TALLY_SCAN_PEM,
    TALLY_SCAN_URL,     /* with a password */
    TALLY_SCAN_KEY,     /* of a service, by its prefix */
    TALLY_SCAN_ENTROPY, /* a random string */
    TALLY_SCAN_LIST,    /* of a user */
    TALLY_SCAN_PATTERN  /* of a user */
} tally_scan_kind;

enum { TALLY_SCAN_KINDS = 16 };

/* How certain a finding is. */
typedef enum tally_scan_certainty {
    TALLY_SCAN_WEAK = 1, /* a shape or one check digit, which much else has */
    TALLY_SCAN_FAIR,
    TALLY_SCAN_STRONG
} tally_scan_certainty;

typedef struct tally_scan_finding {
    uint64_t offset; /* of its first byte, from the first byte of the text */
    uint32_t size;   /* bytes */
    uint32_t kind;   /* a tally_scan_kind */
    uint32_t certainty;
    uint32_t rule; /* for tally_scan_rule_name */
} tally_scan_finding;

/* What is looked for. It is made once, never changes, and threads may share it. */
typedef struct tally_scan_rules tally_scan_rules;

/* Makes rules from JSON, an object with any of these members:
 *   "kinds": names of the kinds to find; without it all,
 *   "least": "weak", "fair" (as without it) or "strong",
 *   "lists": {"name": ["term", ...]}: whole words, without regard to the case of ASCII letters,
 *   "patterns": {"name": "ID-[0-9]{6}"}; docs/reference/text-scan.md says what a pattern may be.
 * `allocator` may be NULL (malloc and free). Free the rules after all scanners that use them.
 *
 * TALLY_ERROR_PROBLEM: *problem says what is refused. TALLY_ERROR_MEMORY. On both *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scan_rules_new(const tally_allocator *allocator,
                                                             const char *json, size_t size,
                                                             tally_scan_rules **out,
                                                             tally_problem *problem);
TALLY_API void tally_scan_rules_free(tally_scan_rules *rules);

/* The name of a kind, such as "card"; NULL: there is no such kind. */
TALLY_API const char *tally_scan_kind_name(uint32_t kind);

/* The name of a finding's rule, such as "national_id.de.idnr" or "list.customers"; it lives as long
 * as the rules. NULL: there is no such rule. */
TALLY_API const char *tally_scan_rule_name(const tally_scan_rules *rules, uint32_t rule);

/* One text on its way. A scanner belongs to one thread at a time. */
typedef struct tally_scanner tally_scanner;

/* Begins a text. TALLY_ERROR_MEMORY: *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_new(const tally_scan_rules *rules,
                                                          tally_scanner **out);

/* Wipes and releases a scanner; NULL is allowed. */
TALLY_API void tally_scanner_free(tally_scanner *scanner);

/* Takes the next bytes, and writes findings in their order, which do not overlap. `capacity` is at least
 * TALLY_SCAN_CAPACITY. *used: bytes that were taken; if fewer than `size`, the findings are full: call
 * again with the rest. A finding comes out when TALLY_SCAN_MAX_FINDING more bytes and a few hundred
 * are in, or at the end. TALLY_ERROR_ARGUMENT: `capacity` is too small, or the text has ended. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_update(tally_scanner *scanner,
                                                             const uint8_t *bytes, size_t size,
                                                             tally_scan_finding *findings,
                                                             size_t capacity, size_t *used,
                                                             size_t *count);

/* Ends the text, and writes its last findings. *more becomes 1 if the findings are full: call
 * again. After it the scanner can only be freed. TALLY_ERROR_ARGUMENT: `capacity` is too small. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_final(tally_scanner *scanner,
                                                            tally_scan_finding *findings,
                                                            size_t capacity, size_t *count,
                                                            int *more);

#ifdef __cplusplus
}
#endif
#endif
