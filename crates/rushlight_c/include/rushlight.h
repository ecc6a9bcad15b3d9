/* Rushlight: TorchScript without PyTorch. The C interface.
 *
 * Ownership
 *   Every handle that a function puts into `*out` belongs to the caller and is freed once, with the function of its kind
 *   (`rl_value_free`, `rl_module_free`, `rl_context_free`; null is fine). Arguments are borrowed for the call: nothing takes
 *   them over. Text and numbers behind a `const char *` result hold as long as the handle they were asked of; what the
 *   `rl_error_...` functions give holds until the next error of the same thread.
 *   Lists, dicts and tensors are shared, as in Python: two handles may stand for one list.
 *
 * Errors
 *   Functions return RL_OK or what kind of thing went wrong. `*out` is then null (handles) or untouched (numbers). The
 *   message is the thread's own: ask for it on the thread that called. Null handles and pointers are errors
 *   (RL_ERROR_ARGUMENT), never crashes; wrong lengths and dangling pointers cannot be noticed. Nothing unwinds into C.
 *
 * Threads
 *   Handles may be used from any thread and by several at once, also for calls of one module. What must not happen is that
 *   one thread frees a handle that another one uses.
 *
 * Text is UTF-8.
 */
#ifndef RUSHLIGHT_H
#define RUSHLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rl_context rl_context;
typedef struct rl_module rl_module;
typedef struct rl_value rl_value;

typedef enum rl_status {
    RL_OK = 0,
    RL_ERROR_ARGUMENT = 1, /* a null pointer, text that is not UTF-8, an index out of range */
    RL_ERROR_IO = 2,       /* a file could not be read or written */
    RL_ERROR_ARCHIVE = 3,  /* a file is no TorchScript archive, or a damaged one */
    RL_ERROR_COMPILE = 4,  /* source has problems; the message lists them all */
    RL_ERROR_SAVE = 5,     /* a module holds something that archives cannot */
    RL_ERROR_CALL = 6,     /* a call failed; rl_error_class() says with which exception */
    RL_ERROR_INTERNAL = 7  /* a mistake in Rushlight */
} rl_status;

typedef enum rl_kind {
    RL_OTHER = 0,
    RL_NONE = 1,
    RL_BOOL = 2,
    RL_INT = 3,
    RL_FLOAT = 4,
    RL_STR = 5,
    RL_TENSOR = 6,
    RL_LIST = 7,
    RL_TUPLE = 8,
    RL_DICT = 9
} rl_kind;

/* dtypes, by PyTorch's numbers */
enum {
    RL_UINT8 = 0,
    RL_INT8 = 1,
    RL_INT16 = 2,
    RL_INT32 = 3,
    RL_INT64 = 4,
    RL_FLOAT16 = 5,
    RL_FLOAT32 = 6,
    RL_FLOAT64 = 7,
    RL_COMPLEX32 = 8,
    RL_COMPLEX64 = 9,
    RL_COMPLEX128 = 10,
    RL_BOOL8 = 11,
    RL_BFLOAT16 = 15
};

const char *rl_version(void);

/* How many threads an operator may use: of the whole process. Results do not depend on it. */
size_t rl_threads(void);
void rl_set_threads(size_t count);

/* ---- errors: the last one of this thread ---- */

const char *rl_error_message(void);
const char *rl_error_class(void);     /* "ValueError", ...; empty unless RL_ERROR_CALL */
const char *rl_error_traceback(void); /* the message with the script's call stack */
size_t rl_error_frame_count(void);    /* the call stack as data, the outermost call first */
const char *rl_error_frame_function(size_t index);
const char *rl_error_frame_file(size_t index);
uint32_t rl_error_frame_line(size_t index); /* 0 where it is not known */

/* ---- contexts: what calls may reach besides their arguments ---- */

typedef struct rl_limits { /* zero: without limit */
    uint64_t instructions; /* of the interpreter */
    uint64_t bytes;        /* in use at once by tensors and kernels */
    uint64_t millis;       /* of wall time */
    uint32_t depth;        /* of script calls; zero: a default that protects memory */
} rl_limits;

typedef void (*rl_print)(const char *text, size_t length, void *user); /* no zero ends the text */
typedef void (*rl_release)(void *user);

rl_status rl_context_new(rl_context **out); /* prints nothing, has no limits, reaches no files */
void rl_context_free(rl_context *context);
rl_status rl_context_set_limits(const rl_context *context, const rl_limits *limits);
/* Running calls fail soon, and later ones do until it is taken back. Any thread may call it. */
rl_status rl_context_cancel(const rl_context *context, bool on);
rl_status rl_context_seed(const rl_context *context, uint64_t seed);
/* The function may be called from any thread that calls scripts, one call at a time, for as long as the context is used.
 * It must not come back into this library with the same context. */
rl_status rl_context_set_print(const rl_context *context, rl_print print, void *user);
rl_status rl_context_allow_files(const rl_context *context, const char *folder); /* null: none */

/* ---- modules: loaded archives and compiled source ---- */

/* `context` may be null: the module then has one of its own. */
rl_status rl_load(const char *path, const rl_context *context, rl_module **out);
rl_status rl_load_bytes(const uint8_t *data, size_t length, const rl_context *context, rl_module **out);
/* The functions of the source are called as methods. `name` is what errors call it; may be null. */
rl_status rl_compile(const char *source, const char *name, const rl_context *context, rl_module **out);
void rl_module_free(rl_module *module);

size_t rl_method_count(const rl_module *module);
const char *rl_method_name(const rl_module *module, size_t index);   /* null beyond the last */
const char *rl_method_schema(const rl_module *module, size_t index); /* null beyond the last */

rl_status rl_call(const rl_module *module, const char *method, const rl_value *const *arguments, size_t count,
                  rl_value **out);
rl_status rl_call_named(const rl_module *module, const char *method, const rl_value *const *arguments, size_t count,
                        const char *const *names, const rl_value *const *values, size_t named, rl_value **out);

/* What follows is for archives alone. Paths are such as "encoder.weight". */
rl_status rl_attribute(const rl_module *module, const char *path, rl_value **out);
rl_status rl_set_attribute(const rl_module *module, const char *path, const rl_value *value);
rl_status rl_module_copy(const rl_module *module, rl_module **out); /* with state of its own */
rl_status rl_module_to_dtype(const rl_module *module, int32_t dtype);
rl_status rl_module_train(const rl_module *module, bool on);
rl_status rl_module_save(const rl_module *module, const char *path);

/* The same module (or source) in another context, with limits and cancelling of its own; what it holds is shared. */
rl_status rl_module_within(const rl_module *module, const rl_context *context, rl_module **out);

/* ---- values ---- */

rl_kind rl_value_kind(const rl_value *value); /* RL_OTHER for null */
void rl_value_free(rl_value *value);
rl_status rl_value_share(const rl_value *value, rl_value **out); /* another handle on the same value */
rl_status rl_value_text(const rl_value *value, rl_value **out);  /* as print shows it: a str */

rl_status rl_none(rl_value **out);
rl_status rl_bool(bool item, rl_value **out);
rl_status rl_int(int64_t item, rl_value **out);
rl_status rl_float(double item, rl_value **out);
rl_status rl_str(const char *data, size_t length, rl_value **out);
/* Items must have a type in common. The handles stay the caller's. */
rl_status rl_list(const rl_value *const *items, size_t count, rl_value **out);
rl_status rl_tuple(const rl_value *const *items, size_t count, rl_value **out);
rl_status rl_dict(const rl_value *const *keys, const rl_value *const *items, size_t count, rl_value **out);

rl_status rl_as_bool(const rl_value *value, bool *out);
rl_status rl_as_int(const rl_value *value, int64_t *out);   /* a bool counts */
rl_status rl_as_float(const rl_value *value, double *out);  /* ints and bools convert */
rl_status rl_as_str(const rl_value *value, const char **out, size_t *length); /* no zero ends it */
rl_status rl_length(const rl_value *value, size_t *out);    /* of a list, tuple or dict */
rl_status rl_item(const rl_value *value, size_t index, rl_value **out); /* of a list or tuple */
rl_status rl_entry(const rl_value *value, size_t index, rl_value **key, rl_value **item); /* of a dict, in order */
rl_status rl_get(const rl_value *value, const rl_value *key, rl_value **out); /* null, without error, where there is none */

/* ---- tensors ---- */

/* Strides count elements, are not negative, and may be null for rows one after another. Data must be aligned. */
rl_status rl_tensor(int32_t dtype, const int64_t *sizes, const int64_t *strides, size_t rank, const void *data,
                    rl_value **out); /* copies */
/* Without a copy: the memory must stay, readable and writable, until `release` (may be null) is called with `user`, from any
 * thread, when the last tensor over it is gone; where this fails, that is before it returns. */
rl_status rl_tensor_over(int32_t dtype, const int64_t *sizes, const int64_t *strides, size_t rank, void *data,
                         rl_release release, void *user, rl_value **out);

rl_status rl_tensor_dtype(const rl_value *tensor, int32_t *out);
rl_status rl_tensor_rank(const rl_value *tensor, size_t *out);
rl_status rl_tensor_numel(const rl_value *tensor, size_t *out);
rl_status rl_tensor_sizes(const rl_value *tensor, int64_t *out, size_t room);
rl_status rl_tensor_strides(const rl_value *tensor, int64_t *out, size_t room);
/* The tensor's own memory, laid out by its strides, as long as the handle. */
rl_status rl_tensor_data(const rl_value *tensor, void **out);
/* Copies the elements row by row, converted; `length` is what they take in bytes. */
rl_status rl_tensor_read(const rl_value *tensor, int32_t dtype, void *out, size_t length);
rl_status rl_tensor_item(const rl_value *tensor, rl_value **out); /* the one element as a number */

/* ---- gradients ---- */

/* Whether calls in this context are recorded where an argument requires gradients. They are not at first, though weights of
 * archives require gradients; the same module in another context (`rl_module_within`) does not pay for it. */
rl_status rl_context_record_gradients(const rl_context *context, bool on);
rl_status rl_tensor_set_requires_grad(const rl_value *tensor, bool on); /* floating point tensors alone */
rl_status rl_tensor_requires_grad(const rl_value *tensor, bool *out);
/* Runs backwards what led to the tensor, in a context that has recorded, and adds to the gradients of the tensors that it began with.
 * `gradient` is that of the tensor itself; null: one, of a tensor with one element. What was recorded is used up unless `keep`
 * is true. */
rl_status rl_backward(const rl_context *context, const rl_value *tensor, const rl_value *gradient, bool keep);
/* The gradients of the tensor by `inputs` as a tuple in their order, None for inputs that have no part in it; adds to nothing. */
rl_status rl_gradients(const rl_context *context, const rl_value *tensor, const rl_value *gradient,
                       const rl_value *const *inputs, size_t count, bool keep, rl_value **out);
/* What backward runs have added for the tensor, shared with it; null, without error, where they have not. */
rl_status rl_tensor_grad(const rl_value *tensor, rl_value **out);
rl_status rl_tensor_set_grad(const rl_value *tensor, const rl_value *gradient); /* null: none, as before a step */
rl_status rl_module_parameters(const rl_module *module, rl_value **out); /* a dict from paths to tensors; of archives alone */

#ifdef __cplusplus
}
#endif
#endif
