/* What a program in C does with Rushlight: the digits of the example, a compiled function, values in and out, errors,
 * limits, cancelling, gradients. Prints one line for each thing that is not as it should be. */
#include "rushlight.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                                \
    do {                                                                                                                \
        if (!(condition)) {                                                                                             \
            printf("line %d: %s (last error: %s)\n", __LINE__, #condition, rl_error_message());                         \
            failures++;                                                                                                 \
        }                                                                                                               \
    } while (0)

static const char *SOURCE = "from typing import Dict, List, Tuple\n"
                            "import torch\n"
                            "from torch import Tensor\n"
                            "\n"
                            "def scaled(x: Tensor, by: float = 2.0) -> Tensor:\n"
                            "    return x * by\n"
                            "\n"
                            "def fill(x: Tensor) -> None:\n"
                            "    x.fill_(7)\n"
                            "\n"
                            "def count(words: List[str]) -> Dict[str, int]:\n"
                            "    found: Dict[str, int] = {}\n"
                            "    for word in words:\n"
                            "        found[word] = found.get(word, 0) + 1\n"
                            "    return found\n"
                            "\n"
                            "def both(pair: Tuple[int, str]) -> str:\n"
                            "    return pair[1] + str(pair[0])\n"
                            "\n"
                            "def outer(n: int) -> int:\n"
                            "    print('outer', n)\n"
                            "    return inner(n)\n"
                            "\n"
                            "def inner(n: int) -> int:\n"
                            "    return 6 // n\n"
                            "\n"
                            "def forever(n: int) -> int:\n"
                            "    while n > 0:\n"
                            "        n += 1\n"
                            "    return n\n"
                            "\n"
                            "def squares(x: Tensor) -> Tensor:\n"
                            "    return (x * x).sum()\n"
                            "\n"
                            "def step(weight: Tensor, grad: Tensor) -> None:\n"
                            "    with torch.no_grad():\n"
                            "        weight.sub_(grad, alpha=0.001)\n";

static char printed[256];
static size_t printed_length = 0;

static void take(const char *text, size_t length, void *user) {
    CHECK(user == &printed_length);
    if (printed_length + length < sizeof printed) {
        memcpy(printed + printed_length, text, length);
        printed_length += length;
    }
}

static int released = 0;
static void release(void *user) {
    free(user);
    released++;
}

static void digits(const char *path) {
    rl_module *model = NULL;
    CHECK(rl_load(path, NULL, &model) == RL_OK);
    CHECK(rl_method_count(model) >= 1);
    int forward = 0;
    for (size_t i = 0; i < rl_method_count(model); i++)
        if (strcmp(rl_method_name(model, i), "forward") == 0) {
            forward = 1;
            CHECK(strstr(rl_method_schema(model, i), "Tensor") != NULL);
        }
    CHECK(forward);
    CHECK(rl_method_name(model, 1000) == NULL);
    CHECK(rl_module_train(model, false) == RL_OK);

    static float image[28 * 28];
    for (int i = 0; i < 28 * 28; i++) image[i] = (float)(i % 17) / 17.0f;
    int64_t sizes[3] = {1, 28, 28};
    rl_value *x = NULL, *scores = NULL;
    CHECK(rl_tensor(RL_FLOAT32, sizes, NULL, 3, image, &x) == RL_OK);
    const rl_value *arguments[1] = {x};
    CHECK(rl_call(model, "forward", arguments, 1, &scores) == RL_OK);
    CHECK(rl_value_kind(scores) == RL_TENSOR);
    size_t numel = 0;
    CHECK(rl_tensor_numel(scores, &numel) == RL_OK && numel == 10);
    double odds[10], sum = 0;
    CHECK(rl_tensor_read(scores, RL_FLOAT64, odds, sizeof odds) == RL_OK);
    for (int i = 0; i < 10; i++) sum += odds[i];
    CHECK(sum > 0.999 && sum < 1.001);

    rl_module *copy = NULL;
    CHECK(rl_module_copy(model, &copy) == RL_OK);
    CHECK(rl_module_to_dtype(copy, RL_FLOAT64) == RL_OK);
    CHECK(rl_module_to_dtype(copy, RL_INT64) == RL_ERROR_CALL);
    CHECK(strcmp(rl_error_class(), "TypeError") == 0);
    rl_value *missing = NULL;
    CHECK(rl_attribute(model, "no.such.thing", &missing) == RL_ERROR_CALL && missing == NULL);
    CHECK(strcmp(rl_error_class(), "AttributeError") == 0);

    rl_value *wrong = NULL;
    CHECK(rl_call(model, "backward", NULL, 0, &wrong) == RL_ERROR_CALL && wrong == NULL);
    CHECK(strstr(rl_error_message(), "it has: ") != NULL);

    rl_module_free(copy);
    rl_module_free(model);
    rl_value_free(x);
    rl_value_free(scores);
}

static void tensors(const rl_module *program) {
    /* A matrix of the caller's, turned by its strides. */
    float *memory = malloc(6 * sizeof(float));
    for (int i = 0; i < 6; i++) memory[i] = (float)i;
    int64_t sizes[2] = {3, 2}, strides[2] = {1, 3}, told[2] = {0, 0};
    rl_value *x = NULL, *y = NULL, *by = NULL, *nothing = NULL;
    CHECK(rl_tensor_over(RL_FLOAT32, sizes, strides, 2, memory, release, memory, &x) == RL_OK);
    CHECK(rl_float(10.0, &by) == RL_OK);
    const rl_value *arguments[1] = {x}, *values[1] = {by};
    const char *names[1] = {"by"};
    CHECK(rl_call_named(program, "scaled", arguments, 1, names, values, 1, &y) == RL_OK);
    CHECK(rl_tensor_sizes(y, told, 2) == RL_OK && told[0] == 3 && told[1] == 2);
    CHECK(rl_tensor_sizes(y, told, 1) == RL_ERROR_ARGUMENT);
    float row[6];
    CHECK(rl_tensor_read(y, RL_FLOAT32, row, sizeof row) == RL_OK);
    CHECK(row[0] == 0 && row[1] == 30 && row[2] == 10 && row[5] == 50);
    CHECK(rl_tensor_read(y, RL_FLOAT32, row, 5) == RL_ERROR_ARGUMENT);
    int32_t dtype = -1;
    CHECK(rl_tensor_dtype(y, &dtype) == RL_OK && dtype == RL_FLOAT32);

    /* What the script writes, the caller sees. */
    CHECK(rl_call(program, "fill", arguments, 1, &nothing) == RL_OK && rl_value_kind(nothing) == RL_NONE);
    CHECK(memory[4] == 7.0f);
    void *data = NULL;
    CHECK(rl_tensor_data(x, &data) == RL_OK && data == memory);
    CHECK(rl_tensor_strides(x, told, 2) == RL_OK && told[0] == 1 && told[1] == 3);
    CHECK(released == 0);
    rl_value_free(x);
    CHECK(released == 1);

    /* What cannot be a tensor is refused, and the memory released. */
    int64_t huge[2] = {INT64_MAX / 2, 3}, negative[1] = {-1};
    CHECK(rl_tensor_over(RL_FLOAT32, huge, NULL, 2, NULL, release, NULL, &x) != RL_OK && x == NULL);
    CHECK(released == 2);
    CHECK(rl_tensor(RL_FLOAT32, negative, NULL, 1, row, &x) == RL_ERROR_ARGUMENT);
    CHECK(rl_tensor(99, sizes, NULL, 2, row, &x) == RL_ERROR_ARGUMENT);
    CHECK(rl_tensor(RL_FLOAT32, sizes, NULL, 2, (char *)row + 1, &x) == RL_ERROR_ARGUMENT);
    CHECK(rl_tensor(RL_FLOAT32, NULL, NULL, 2, row, &x) == RL_ERROR_ARGUMENT);
    CHECK(rl_tensor(RL_FLOAT32, NULL, NULL, 0, row, &x) == RL_OK);
    rl_value *number = NULL;
    double item = 0;
    CHECK(rl_tensor_item(x, &number) == RL_OK && rl_as_float(number, &item) == RL_OK && item == row[0]);
    rl_value_free(number);
    rl_value_free(x);
    rl_value_free(y);
    rl_value_free(by);
    rl_value_free(nothing);
}

static void containers(const rl_module *program) {
    const char *words[3] = {"to", "be", "to"};
    rl_value *items[3], *list = NULL, *dict = NULL, *key = NULL, *item = NULL;
    for (int i = 0; i < 3; i++) CHECK(rl_str(words[i], 2, &items[i]) == RL_OK);
    CHECK(rl_list((const rl_value *const *)items, 3, &list) == RL_OK && rl_value_kind(list) == RL_LIST);
    const rl_value *arguments[1] = {list};
    CHECK(rl_call(program, "count", arguments, 1, &dict) == RL_OK && rl_value_kind(dict) == RL_DICT);
    size_t length = 0;
    int64_t number = 0;
    CHECK(rl_length(dict, &length) == RL_OK && length == 2);
    CHECK(rl_get(dict, items[0], &item) == RL_OK && rl_as_int(item, &number) == RL_OK && number == 2);
    rl_value_free(item);
    CHECK(rl_get(dict, list, &item) == RL_OK && item == NULL);
    CHECK(rl_entry(dict, 1, &key, &item) == RL_OK);
    const char *text = NULL;
    CHECK(rl_as_str(key, &text, &length) == RL_OK && length == 2 && memcmp(text, "be", 2) == 0);
    CHECK(rl_as_int(key, &number) == RL_ERROR_CALL && strcmp(rl_error_class(), "TypeError") == 0);
    rl_value_free(key);
    rl_value_free(item);
    CHECK(rl_entry(dict, 2, &key, &item) == RL_ERROR_ARGUMENT);

    rl_value *shown = NULL;
    CHECK(rl_value_text(dict, &shown) == RL_OK && rl_as_str(shown, &text, &length) == RL_OK);
    CHECK(length == strlen("{to: 2, be: 1}") && memcmp(text, "{to: 2, be: 1}", length) == 0);
    rl_value_free(shown);

    rl_value *three = NULL, *pair = NULL, *joined = NULL, *empty = NULL, *none = NULL;
    CHECK(rl_int(3, &three) == RL_OK);
    const rl_value *parts[2] = {three, items[1]};
    CHECK(rl_tuple(parts, 2, &pair) == RL_OK);
    arguments[0] = pair;
    CHECK(rl_call(program, "both", arguments, 1, &joined) == RL_OK);
    CHECK(rl_as_str(joined, &text, &length) == RL_OK && length == 3 && memcmp(text, "be3", 3) == 0);
    CHECK(rl_list(parts, 2, &empty) == RL_ERROR_CALL && empty == NULL);
    CHECK(rl_list(NULL, 0, &empty) == RL_OK);
    arguments[0] = empty;
    CHECK(rl_call(program, "count", arguments, 1, &none) == RL_OK && rl_length(none, &length) == RL_OK && length == 0);
    CHECK(rl_item(pair, 2, &key) == RL_ERROR_ARGUMENT && key == NULL);

    rl_value_free(three);
    rl_value_free(pair);
    rl_value_free(joined);
    rl_value_free(empty);
    rl_value_free(none);
    rl_value_free(dict);
    rl_value_free(list);
    for (int i = 0; i < 3; i++) rl_value_free(items[i]);
}

struct running {
    const rl_module *program;
    rl_status status;
};

static void *run_forever(void *user) {
    struct running *running = user;
    rl_value *one = NULL, *result = NULL;
    rl_int(1, &one);
    const rl_value *arguments[1] = {one};
    running->status = rl_call(running->program, "forever", arguments, 1, &result);
    rl_value_free(one);
    return NULL;
}

static void errors_and_limits(const rl_context *context, const rl_module *program) {
    rl_value *number = NULL, *result = NULL;
    CHECK(rl_int(0, &number) == RL_OK);
    const rl_value *arguments[1] = {number};
    CHECK(rl_call(program, "outer", arguments, 1, &result) == RL_ERROR_CALL);
    CHECK(strcmp(rl_error_message(), "division by 0") == 0);
    CHECK(strstr(rl_error_traceback(), "Traceback of TorchScript") != NULL);
    CHECK(rl_error_frame_count() == 2);
    CHECK(strcmp(rl_error_frame_function(0), "outer") == 0 && strcmp(rl_error_frame_function(1), "inner") == 0);
    CHECK(rl_error_frame_line(0) == 22 && rl_error_frame_line(1) == 25);
    CHECK(strcmp(rl_error_frame_file(1), "words.py") == 0);
    CHECK(strcmp(rl_error_frame_function(2), "") == 0);
    CHECK(printed_length == 8 && memcmp(printed, "outer 0\n", 8) == 0);
    rl_value_free(number);

    rl_limits limits = {0};
    limits.instructions = 100000;
    CHECK(rl_context_set_limits(context, &limits) == RL_OK);
    CHECK(rl_int(1, &number) == RL_OK);
    arguments[0] = number;
    CHECK(rl_call(program, "forever", arguments, 1, &result) == RL_ERROR_CALL);
    CHECK(strstr(rl_error_message(), "100000 instructions") != NULL);
    limits.instructions = 0;
    CHECK(rl_context_set_limits(context, &limits) == RL_OK);

    /* A call of another thread is stopped, one in another context is not. */
    pthread_t thread;
    struct running running = {program, RL_OK};
    CHECK(pthread_create(&thread, NULL, run_forever, &running) == 0);
    CHECK(rl_context_cancel(context, true) == RL_OK);
    pthread_join(thread, NULL);
    CHECK(running.status == RL_ERROR_CALL);
    rl_context *other = NULL;
    rl_module *elsewhere = NULL;
    CHECK(rl_context_new(&other) == RL_OK && rl_module_within(program, other, &elsewhere) == RL_OK);
    CHECK(rl_call(elsewhere, "inner", arguments, 1, &result) == RL_OK);
    rl_value_free(result);
    CHECK(rl_context_cancel(context, false) == RL_OK);
    CHECK(rl_call(program, "inner", arguments, 1, &result) == RL_OK);
    rl_value_free(result);
    rl_module_free(elsewhere);
    rl_context_free(other);
    rl_value_free(number);
}

/* Gradients of a function by its arguments, then of a model by its input and its weights, and a step of training. */
static void gradients(const char *path, const rl_module *program) {
    rl_context *context = NULL;
    rl_module *recorded = NULL, *model = NULL;
    CHECK(rl_context_new(&context) == RL_OK);
    CHECK(rl_module_within(program, context, &recorded) == RL_OK);
    float numbers[] = {1, 2, 3}, read[3] = {0};
    int64_t sizes[] = {3};
    bool on = true;
    rl_value *x = NULL, *y = NULL, *sum = NULL, *grad = NULL, *found = NULL;
    CHECK(rl_tensor(RL_FLOAT32, sizes, NULL, 1, numbers, &x) == RL_OK);
    CHECK(rl_tensor_requires_grad(x, &on) == RL_OK && !on);
    CHECK(rl_tensor_set_requires_grad(x, true) == RL_OK && rl_tensor_requires_grad(x, &on) == RL_OK && on);
    const rl_value *arguments[] = {x};
    /* Nothing is recorded where nobody asked for it. */
    CHECK(rl_call(recorded, "squares", arguments, 1, &sum) == RL_OK);
    CHECK(rl_tensor_requires_grad(sum, &on) == RL_OK && !on);
    CHECK(rl_backward(context, sum, NULL, false) == RL_ERROR_CALL);
    CHECK(strstr(rl_error_message(), "rl_context_record_gradients") != NULL);
    rl_value_free(sum);
    CHECK(rl_context_record_gradients(context, true) == RL_OK);
    CHECK(rl_call(recorded, "squares", arguments, 1, &sum) == RL_OK);
    CHECK(rl_tensor_requires_grad(sum, &on) == RL_OK && on);
    CHECK(rl_context_record_gradients(context, false) == RL_OK);
    CHECK(rl_call(recorded, "squares", arguments, 1, &y) == RL_OK);
    CHECK(rl_tensor_requires_grad(y, &on) == RL_OK && !on);
    rl_value_free(y);
    CHECK(rl_context_record_gradients(context, true) == RL_OK);
    CHECK(rl_tensor_grad(x, &grad) == RL_OK && grad == NULL);
    CHECK(rl_gradients(context, sum, NULL, arguments, 1, true, &found) == RL_OK && rl_value_kind(found) == RL_TUPLE);
    CHECK(rl_item(found, 0, &grad) == RL_OK);
    CHECK(rl_tensor_read(grad, RL_FLOAT32, read, sizeof read) == RL_OK && read[0] == 2 && read[2] == 6);
    rl_value_free(grad);
    rl_value_free(found);
    CHECK(rl_tensor_grad(x, &grad) == RL_OK && grad == NULL);
    /* Two runs add up; the second uses up what was recorded. */
    CHECK(rl_backward(context, sum, NULL, true) == RL_OK && rl_backward(context, sum, NULL, false) == RL_OK);
    CHECK(rl_backward(context, sum, NULL, false) == RL_ERROR_CALL);
    CHECK(rl_tensor_grad(x, &grad) == RL_OK);
    CHECK(rl_tensor_read(grad, RL_FLOAT32, read, sizeof read) == RL_OK && read[0] == 4 && read[2] == 12);
    rl_value_free(grad);
    CHECK(rl_tensor_set_grad(x, sum) == RL_ERROR_CALL);
    CHECK(rl_tensor_set_grad(x, NULL) == RL_OK && rl_tensor_grad(x, &grad) == RL_OK && grad == NULL);
    /* A result with more elements than one needs a gradient of its own. */
    CHECK(rl_call(recorded, "scaled", arguments, 1, &y) == RL_OK);
    CHECK(rl_backward(context, y, NULL, false) == RL_ERROR_CALL && rl_backward(context, y, x, false) == RL_OK);
    CHECK(rl_tensor_grad(x, &grad) == RL_OK);
    CHECK(rl_tensor_read(grad, RL_FLOAT32, read, sizeof read) == RL_OK && read[0] == 2 && read[2] == 6);
    rl_value_free(grad);
    rl_value_free(y);
    rl_value_free(sum);
    rl_value_free(x);

    float pixels[28 * 28] = {0};
    int64_t image[] = {1, 28, 28};
    for (size_t i = 0; i < 28 * 28; i++) pixels[i] = (float)(i % 7);
    rl_value *parameters = NULL, *scores = NULL, *loss = NULL, *key = NULL, *weight = NULL;
    CHECK(rl_load(path, context, &model) == RL_OK);
    CHECK(rl_tensor(RL_FLOAT32, image, NULL, 3, pixels, &x) == RL_OK && rl_tensor_set_requires_grad(x, true) == RL_OK);
    arguments[0] = x;
    CHECK(rl_module_parameters(recorded, &parameters) == RL_ERROR_CALL && parameters == NULL);
    CHECK(rl_module_parameters(model, &parameters) == RL_OK);
    size_t count = 0, numel = 0;
    CHECK(rl_length(parameters, &count) == RL_OK && count > 0);
    for (size_t i = 0; i < count; i++) {
        CHECK(rl_entry(parameters, i, &key, &weight) == RL_OK && rl_tensor_set_requires_grad(weight, true) == RL_OK);
        rl_value_free(key);
        rl_value_free(weight);
    }
    CHECK(rl_call(model, "forward", arguments, 1, &scores) == RL_OK);
    arguments[0] = scores;
    CHECK(rl_call(recorded, "squares", arguments, 1, &loss) == RL_OK);
    CHECK(rl_backward(context, loss, NULL, false) == RL_OK);
    CHECK(rl_tensor_grad(x, &grad) == RL_OK && rl_tensor_numel(grad, &numel) == RL_OK && numel == 28 * 28);
    rl_value_free(grad);
    for (size_t i = 0; i < count; i++) {
        CHECK(rl_entry(parameters, i, &key, &weight) == RL_OK);
        CHECK(rl_tensor_grad(weight, &grad) == RL_OK && grad != NULL);
        const rl_value *step[] = {weight, grad};
        CHECK(rl_call(recorded, "step", step, 2, &found) == RL_OK);
        rl_value_free(found);
        rl_value_free(grad);
        rl_value_free(key);
        rl_value_free(weight);
    }
    rl_value *after = NULL;
    double before_step = 0, after_step = 0;
    arguments[0] = x;
    CHECK(rl_tensor_item(loss, &found) == RL_OK && rl_as_float(found, &before_step) == RL_OK);
    rl_value_free(found);
    CHECK(rl_call(model, "forward", arguments, 1, &after) == RL_OK);
    rl_value_free(loss);
    arguments[0] = after;
    CHECK(rl_call(recorded, "squares", arguments, 1, &loss) == RL_OK);
    CHECK(rl_tensor_item(loss, &found) == RL_OK && rl_as_float(found, &after_step) == RL_OK);
    CHECK(after_step < before_step);
    rl_value_free(found);
    rl_value_free(loss);
    rl_value_free(after);
    rl_value_free(scores);
    rl_value_free(parameters);
    rl_value_free(x);
    rl_module_free(model);
    rl_module_free(recorded);
    rl_context_free(context);
}

static void nulls(void) {
    rl_module *module = NULL;
    rl_value *value = NULL;
    CHECK(rl_load(NULL, NULL, &module) == RL_ERROR_ARGUMENT);
    CHECK(rl_load("/nowhere/model.pt", NULL, &module) == RL_ERROR_IO && module == NULL);
    CHECK(strstr(rl_error_message(), "/nowhere/model.pt") != NULL);
    CHECK(rl_load_bytes((const uint8_t *)"no archive", 10, NULL, &module) == RL_ERROR_ARCHIVE);
    CHECK(rl_load("/nowhere/model.pt", NULL, NULL) == RL_ERROR_ARGUMENT);
    CHECK(rl_compile("def f(x: int):\n    return y\n", "f.py", NULL, &module) == RL_ERROR_COMPILE);
    CHECK(strstr(rl_error_message(), "f.py") != NULL);
    CHECK(rl_compile("\xff", NULL, NULL, &module) == RL_ERROR_ARGUMENT);
    CHECK(rl_call(NULL, "forward", NULL, 0, &value) == RL_ERROR_ARGUMENT);
    CHECK(rl_str(NULL, 3, &value) == RL_ERROR_ARGUMENT && rl_str(NULL, 0, &value) == RL_OK);
    rl_value_free(value);
    CHECK(rl_str("\xff", 1, &value) == RL_ERROR_ARGUMENT);
    CHECK(rl_as_int(NULL, NULL) == RL_ERROR_ARGUMENT);
    CHECK(rl_context_cancel(NULL, true) == RL_ERROR_ARGUMENT);
    CHECK(rl_value_kind(NULL) == RL_OTHER && rl_method_count(NULL) == 0 && rl_method_name(NULL, 0) == NULL);
    CHECK(rl_context_record_gradients(NULL, true) == RL_ERROR_ARGUMENT && rl_tensor_grad(NULL, &value) == RL_ERROR_ARGUMENT);
    CHECK(rl_backward(NULL, NULL, NULL, false) == RL_ERROR_ARGUMENT);
    rl_value_free(NULL);
    rl_module_free(NULL);
    rl_context_free(NULL);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    CHECK(strlen(rl_version()) >= 5);
    CHECK(strcmp(rl_error_message(), "") == 0);
    rl_set_threads(2);
    CHECK(rl_threads() == 2);
    digits(arguments[1]);

    rl_context *context = NULL;
    rl_module *program = NULL;
    CHECK(rl_context_new(&context) == RL_OK);
    CHECK(rl_context_set_print(context, take, &printed_length) == RL_OK);
    CHECK(rl_context_seed(context, 7) == RL_OK);
    CHECK(rl_compile(SOURCE, "words.py", context, &program) == RL_OK);
    tensors(program);
    containers(program);
    errors_and_limits(context, program);
    gradients(arguments[1], program);
    nulls();
    rl_module_free(program);
    rl_context_free(context);
    if (failures == 0) printf("all is well\n");
    return failures != 0;
}
