/* SPDX-License-Identifier: Apache-2.0 */
#include "binding.h"
#include "../../integrations/common/toml.h"

#include <stdlib.h>
#include <string.h>

static void binding_keep_type(struct ArrowSchema *type)
{
    type->release = NULL;
}

static void binding_keep_array(struct ArrowArray *array)
{
    array->release = NULL;
}

size_t tally_js_column_size(void)
{
    return sizeof(tally_js_column);
}

void tally_js_column_init(tally_js_column *out, const char *type, uint32_t rows, uint32_t nulls,
                          const void *validity, const void *first, const void *second,
                          tally_js_column *dictionary)
{
    memset(out, 0, sizeof *out);
    out->buffers[0] = validity;
    out->buffers[1] = first;
    out->buffers[2] = second;
    out->type.format = type;
    out->type.flags = ARROW_FLAG_NULLABLE;
    out->type.release = binding_keep_type;
    out->array.length = rows;
    out->array.null_count = nulls;
    out->array.n_buffers = second != NULL ? 3 : 2;
    out->array.buffers = out->buffers;
    out->array.release = binding_keep_array;
    if (dictionary != NULL) {
        out->type.dictionary = &dictionary->type;
        out->array.dictionary = &dictionary->array;
    }
}

uint32_t tally_js_array(tally_worker *worker, uint32_t reveal, const tally_js_column *values,
                        const tally_js_column *tweaks, struct ArrowArray **out,
                        tally_counts *counts, tally_invalid *invalid, tally_problem *problem)
{
    struct ArrowArray *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status = (reveal ? tally_reveal_array : tally_protect_array)(
        worker, &values->type, &values->array, tweaks != NULL ? &tweaks->type : NULL,
        tweaks != NULL ? &tweaks->array : NULL, made, counts, invalid, problem);
    if (status != TALLY_OK) {
        free(made);
        return (uint32_t)status;
    }
    *out = made;
    return TALLY_OK;
}

uint32_t tally_js_array_length(const struct ArrowArray *array)
{
    return (uint32_t)array->length;
}

uint32_t tally_js_array_nulls(const struct ArrowArray *array)
{
    return (uint32_t)array->null_count;
}

const void *tally_js_array_buffer(const struct ArrowArray *array, uint32_t index)
{
    return (int64_t)index < array->n_buffers ? array->buffers[index] : NULL;
}

const struct ArrowArray *tally_js_array_dictionary(const struct ArrowArray *array)
{
    return array->dictionary;
}

void tally_js_array_free(struct ArrowArray *array)
{
    array->release(array);
    free(array);
}

uint32_t tally_js_policy_new(const char *toml, size_t size, tally_policy **out,
                             tally_problem *problem)
{
    char *json = NULL;
    size_t json_size = 0;
    tally_status status = tally_policy_check_text(toml, size, problem);
    if (status == TALLY_OK) {
        status = tally_toml_to_json(toml, size, &json, &json_size, problem);
    }
    if (status == TALLY_OK) {
        status = tally_policy_new(NULL, json, json_size, out, problem);
        free(json);
    }
    return (uint32_t)status;
}

uint32_t tally_js_rule(const tally_policy *policy, size_t index, uintptr_t out[TALLY_JS_RULE])
{
    const tally_rule *rule = tally_policy_rule(policy, index);
    if (rule == NULL) {
        return 0;
    }
    out[0] = (uintptr_t)rule->format;
    out[1] = rule->key.version;
    out[2] = rule->on_invalid;
    return 1;
}

static tally_policy_text binding_text(const tally_policy *policy, uint32_t which, size_t index)
{
    const tally_policy_text none = {NULL, 0};
    tally_csv_options options;
    if (which == TALLY_JS_KEEP || which == TALLY_JS_MIXED) {
        return (which == TALLY_JS_KEEP ? tally_policy_keep : tally_policy_mixed_format)(policy,
                                                                                        index);
    }
    if (which == TALLY_JS_ENCODING) {
        (void)tally_policy_csv(policy, &options);
        return options.encoding;
    }
    const tally_rule *rule = tally_policy_rule(policy, index);
    if (rule == NULL) {
        return none;
    }
    if (which == TALLY_JS_KEY) {
        return (tally_policy_text){rule->key.name, strlen(rule->key.name)};
    }
    return which == TALLY_JS_COLUMN      ? rule->column
           : which == TALLY_JS_NAMESPACE ? rule->name_space
                                         : rule->tweak;
}

int32_t tally_js_policy_text(const tally_policy *policy, uint32_t which, size_t index, char *out,
                             size_t capacity)
{
    const tally_policy_text text = binding_text(policy, which, index);
    if (text.text == NULL) {
        return -1;
    }
    if (text.size > 0 && text.size <= capacity) {
        memcpy(out, text.text, text.size);
    }
    return (int32_t)text.size;
}

void tally_js_policy_csv(const tally_policy *policy, uint32_t out[TALLY_JS_CSV])
{
    tally_csv_options options;
    (void)tally_policy_csv(policy, &options);
    out[0] = (uint8_t)options.delimiter;
    out[1] = (uint8_t)options.quote;
    out[2] = options.skip_initial_space;
    out[3] = options.header;
}

void tally_js_csv_column(const struct ArrowArray *array, tally_csv_column *out)
{
    out->offsets = array->buffers[1];
    out->values = array->buffers[2];
    out->validity = array->null_count != 0 ? array->buffers[0] : NULL;
    out->validity_start = 0;
}

void tally_js_ring_root(const tally_keyring *ring, uint32_t out[TALLY_JS_ROOT])
{
    tally_root root;
    tally_keyring_root(ring, &root);
    out[0] = (uint32_t)root.kind;
    out[1] = root.threshold;
    out[2] = root.count;
    out[3] = root.n;
    out[4] = root.r;
    out[5] = root.p;
    memcpy(out + 6, root.set, sizeof root.set);
    memcpy(out + 10, root.salt, sizeof root.salt);
}
