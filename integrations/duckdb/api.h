/* SPDX-License-Identifier: Apache-2.0
 *
 * What the extension calls of DuckDB: its C API for extensions, version 1.2.0. DuckDB hands over a
 * table of functions whose places never change, and here are the places of those in use. So the
 * extension is compiled without DuckDB's headers, and one object works in all versions since 1.2. A
 * test compares the places with the symbols of each DuckDB that it loads. */
#ifndef TALLY_DUCKDB_API_H
#define TALLY_DUCKDB_API_H

#include <stdbool.h>
#include <stdint.h>

/* Handles, each of its own type. */
typedef struct duck_database_s *duck_database;
typedef struct duck_connection_s *duck_connection;
typedef struct duck_value_s *duck_value;
typedef struct duck_type_s *duck_type;
typedef struct duck_chunk_s *duck_chunk;
typedef struct duck_vector_s *duck_vector;
typedef struct duck_scalar_s *duck_scalar;
typedef struct duck_scalars_s *duck_scalars; /* a set of functions of one name */
typedef struct duck_table_s *duck_table;     /* a table function */
typedef struct duck_bind_s *duck_bind;
typedef struct duck_init_s *duck_init;
typedef struct duck_call_s *duck_call; /* one call of a function */
typedef struct duck_extension_s *duck_extension;

typedef void (*duck_destroy)(void *memory);
typedef void (*duck_scalar_run)(duck_call call, duck_chunk input, duck_vector output);
typedef void (*duck_bind_run)(duck_bind bind);
typedef void (*duck_init_run)(duck_init init);
typedef void (*duck_table_run)(duck_call call, duck_chunk output);

/* A value of a vector of VARCHAR: up to 12 bytes, and zeros behind them, are in `inlined`. */
typedef struct duck_string {
    uint32_t size;
    union {
        char inlined[12];
        struct {
            char prefix[4];
            char data[sizeof(char *)]; /* a pointer: it is copied, so that nothing is padded */
        } far;
    } at;
} duck_string;

enum { DUCK_INLINED = 12 };

/* Numbers of types. */
enum {
    DUCK_BOOLEAN = 1,
    DUCK_INTEGER = 4,
    DUCK_BIGINT = 5,
    DUCK_UBIGINT = 9,
    DUCK_TIMESTAMP = 12, /* in microseconds */
    DUCK_DATE = 13,
    DUCK_VARCHAR = 17,
    DUCK_TIMESTAMP_S = 20,
    DUCK_TIMESTAMP_MS = 21,
    DUCK_TIMESTAMP_NS = 22,
    DUCK_TIMESTAMP_TZ = 31
};

/* Place, result, name, parameters. A state is 0 if all is well. */
#define DUCK_CALLS(X)                                                                              \
    X(3, int, connect, (duck_database, duck_connection *))                                         \
    X(6, void, disconnect, (duck_connection *))                                                    \
    X(7, const char *, library_version, (void))                                                    \
    X(25, void, free, (void *))                                                                    \
    X(26, uint64_t, vector_size, (void))                                                           \
    X(92, void, destroy_value, (duck_value *))                                                     \
    X(118, bool, get_bool, (duck_value))                                                           \
    X(142, char *, get_varchar, (duck_value))                                                      \
    X(149, bool, is_null_value, (duck_value))                                                      \
    X(156, duck_type, create_logical_type, (int))                                                  \
    X(184, void, destroy_logical_type, (duck_type *))                                              \
    X(189, uint64_t, data_chunk_get_column_count, (duck_chunk))                                    \
    X(190, duck_vector, data_chunk_get_vector, (duck_chunk, uint64_t))                             \
    X(191, uint64_t, data_chunk_get_size, (duck_chunk))                                            \
    X(192, void, data_chunk_set_size, (duck_chunk, uint64_t))                                      \
    X(194, void *, vector_get_data, (duck_vector))                                                 \
    X(195, uint64_t *, vector_get_validity, (duck_vector))                                         \
    X(196, void, vector_ensure_validity_writable, (duck_vector))                                   \
    X(198, void, vector_assign_string_element_len,                                                 \
      (duck_vector, uint64_t, const char *, uint64_t))                                             \
    X(209, duck_scalar, create_scalar_function, (void))                                            \
    X(210, void, destroy_scalar_function, (duck_scalar *))                                         \
    X(211, void, scalar_function_set_name, (duck_scalar, const char *))                            \
    X(213, void, scalar_function_set_special_handling, (duck_scalar))                              \
    X(214, void, scalar_function_set_volatile, (duck_scalar))                                      \
    X(215, void, scalar_function_add_parameter, (duck_scalar, duck_type))                          \
    X(216, void, scalar_function_set_return_type, (duck_scalar, duck_type))                        \
    X(217, void, scalar_function_set_extra_info, (duck_scalar, void *, duck_destroy))              \
    X(218, void, scalar_function_set_function, (duck_scalar, duck_scalar_run))                     \
    X(220, void *, scalar_function_get_extra_info, (duck_call))                                    \
    X(221, void, scalar_function_set_error, (duck_call, const char *))                             \
    X(222, duck_scalars, create_scalar_function_set, (const char *))                               \
    X(223, void, destroy_scalar_function_set, (duck_scalars *))                                    \
    X(224, int, add_scalar_function_to_set, (duck_scalars, duck_scalar))                           \
    X(225, int, register_scalar_function_set, (duck_connection, duck_scalars))                     \
    X(242, duck_table, create_table_function, (void))                                              \
    X(243, void, destroy_table_function, (duck_table *))                                           \
    X(244, void, table_function_set_name, (duck_table, const char *))                              \
    X(245, void, table_function_add_parameter, (duck_table, duck_type))                            \
    X(246, void, table_function_add_named_parameter, (duck_table, const char *, duck_type))        \
    X(247, void, table_function_set_extra_info, (duck_table, void *, duck_destroy))                \
    X(248, void, table_function_set_bind, (duck_table, duck_bind_run))                             \
    X(249, void, table_function_set_init, (duck_table, duck_init_run))                             \
    X(251, void, table_function_set_function, (duck_table, duck_table_run))                        \
    X(253, int, register_table_function, (duck_connection, duck_table))                            \
    X(255, void, bind_add_result_column, (duck_bind, const char *, duck_type))                     \
    X(257, duck_value, bind_get_parameter, (duck_bind, uint64_t))                                  \
    X(258, duck_value, bind_get_named_parameter, (duck_bind, const char *))                        \
    X(259, void, bind_set_bind_data, (duck_bind, void *, duck_destroy))                            \
    X(261, void, bind_set_error, (duck_bind, const char *))                                        \
    X(264, void, init_set_init_data, (duck_init, void *, duck_destroy))                            \
    X(267, void, init_set_max_threads, (duck_init, uint64_t))                                      \
    X(268, void, init_set_error, (duck_init, const char *))                                        \
    X(269, void *, function_get_extra_info, (duck_call))                                           \
    X(270, void *, function_get_bind_data, (duck_call))                                            \
    X(271, void *, function_get_init_data, (duck_call))                                            \
    X(273, void, function_set_error, (duck_call, const char *))

#define DUCK_MEMBER(place, result, name, parameters) result(*name) parameters;
typedef struct duck_api {
    DUCK_CALLS(DUCK_MEMBER)
} duck_api;
#undef DUCK_MEMBER

/* What DuckDB gives to an extension that it loads. */
typedef struct duck_access {
    void (*set_error)(duck_extension, const char *);
    duck_database *(*get_database)(duck_extension);
    const void *(*get_api)(duck_extension, const char *version);
} duck_access;

#define DUCK_API_VERSION "v1.2.0"

#endif
