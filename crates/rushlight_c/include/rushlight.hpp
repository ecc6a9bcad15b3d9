// Rushlight for C++ 17: handles that free themselves and errors as exceptions, over rushlight.h.
#ifndef RUSHLIGHT_HPP
#define RUSHLIGHT_HPP

#include "rushlight.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rushlight {

// A failed call of the library.
class Error : public std::runtime_error {
public:
    explicit Error(rl_status status)
        : std::runtime_error(rl_error_message()), status(status), python_class(rl_error_class()),
          traceback(rl_error_traceback()) {}
    rl_status status;
    std::string python_class;
    std::string traceback;
};

inline void check(rl_status status) {
    if (status != RL_OK) throw Error(status);
}

namespace detail {
struct Free {
    void operator()(rl_value *value) const { rl_value_free(value); }
    void operator()(rl_module *module) const { rl_module_free(module); }
    void operator()(rl_context *context) const { rl_context_free(context); }
};
template <class T> using Handle = std::unique_ptr<T, Free>;
} // namespace detail

// A value; moved, not copied (`share` gives another handle on the same).
class Value {
public:
    explicit Value(rl_value *owned) : handle(owned) {}
    Value(bool item) { check(rl_bool(item, out())); }
    Value(int item) { check(rl_int(item, out())); }
    Value(int64_t item) { check(rl_int(item, out())); }
    Value(double item) { check(rl_float(item, out())); }
    Value(std::string_view text) { check(rl_str(text.data(), text.size(), out())); }
    Value(const char *text) : Value(std::string_view(text)) {}

    static Value none() { return make([](rl_value **out) { return rl_none(out); }); }

    // A copy of these elements, row by row.
    static Value tensor(const std::vector<float> &data, const std::vector<int64_t> &sizes) {
        size_t needed = 1;
        for (int64_t size : sizes) needed *= static_cast<size_t>(size);
        if (needed != data.size()) throw std::invalid_argument("the sizes do not multiply to the number of elements");
        return make([&](rl_value **out) {
            return rl_tensor(RL_FLOAT32, sizes.data(), nullptr, sizes.size(), data.data(), out);
        });
    }
    static Value list(const std::vector<Value> &items) {
        auto raw = pointers(items);
        return make([&](rl_value **out) { return rl_list(raw.data(), raw.size(), out); });
    }
    static Value tuple(const std::vector<Value> &items) {
        auto raw = pointers(items);
        return make([&](rl_value **out) { return rl_tuple(raw.data(), raw.size(), out); });
    }

    Value share() const {
        return make([&](rl_value **out) { return rl_value_share(get(), out); });
    }
    rl_kind kind() const { return rl_value_kind(get()); }
    int64_t as_int() const {
        int64_t item = 0;
        check(rl_as_int(get(), &item));
        return item;
    }
    double as_float() const {
        double item = 0;
        check(rl_as_float(get(), &item));
        return item;
    }
    // Holds as long as the value.
    std::string_view as_str() const {
        const char *text = nullptr;
        size_t length = 0;
        check(rl_as_str(get(), &text, &length));
        return {text, length};
    }
    size_t size() const {
        size_t length = 0;
        check(rl_length(get(), &length));
        return length;
    }
    Value operator[](size_t index) const {
        return make([&](rl_value **out) { return rl_item(get(), index, out); });
    }
    std::vector<int64_t> sizes() const {
        size_t rank = 0;
        check(rl_tensor_rank(get(), &rank));
        std::vector<int64_t> sizes(rank);
        check(rl_tensor_sizes(get(), sizes.data(), rank));
        return sizes;
    }
    // The elements of a tensor, row by row, converted.
    std::vector<float> floats() const {
        size_t count = 0;
        check(rl_tensor_numel(get(), &count));
        std::vector<float> data(count);
        check(rl_tensor_read(get(), RL_FLOAT32, data.data(), count * sizeof(float)));
        return data;
    }
    void requires_grad(bool on) { check(rl_tensor_set_requires_grad(get(), on)); }
    bool requires_grad() const {
        bool on = false;
        check(rl_tensor_requires_grad(get(), &on));
        return on;
    }
    // What backward runs have added for a tensor; None where they have not.
    Value grad() const {
        rl_value *found = nullptr;
        check(rl_tensor_grad(get(), &found));
        return found ? Value(found) : none();
    }
    void forget_grad() { check(rl_tensor_set_grad(get(), nullptr)); }
    std::string text() const {
        Value text = make([&](rl_value **out) { return rl_value_text(get(), out); });
        return std::string(text.as_str());
    }
    rl_value *get() const { return handle.get(); }

    static std::vector<const rl_value *> pointers(const std::vector<Value> &items) {
        std::vector<const rl_value *> raw;
        for (const Value &item : items) raw.push_back(item.get());
        return raw;
    }

private:
    template <class Make> static Value make(Make make) {
        rl_value *value = nullptr;
        check(make(&value));
        return Value(value);
    }
    // A place for a constructor's handle.
    struct Place {
        explicit Place(detail::Handle<rl_value> &handle) : handle(handle) {}
        ~Place() { handle.reset(raw); }
        operator rl_value **() { return &raw; }
        detail::Handle<rl_value> &handle;
        rl_value *raw = nullptr;
    };
    Place out() { return Place(handle); }
    detail::Handle<rl_value> handle;
};

class Context {
public:
    Context() {
        rl_context *raw = nullptr;
        check(rl_context_new(&raw));
        handle.reset(raw);
    }
    void limits(const rl_limits &limits) { check(rl_context_set_limits(get(), &limits)); }
    void cancel(bool on = true) { check(rl_context_cancel(get(), on)); }
    void seed(uint64_t seed) { check(rl_context_seed(get(), seed)); }
    // Whether calls are recorded where an argument requires gradients.
    void record_gradients(bool on = true) { check(rl_context_record_gradients(get(), on)); }
    // Runs backwards what led to a tensor of one element.
    void backward(const Value &tensor, bool keep = false) { check(rl_backward(get(), tensor.get(), nullptr, keep)); }
    rl_context *get() const { return handle.get(); }

private:
    detail::Handle<rl_context> handle;
};

class Module {
public:
    static Module load(const std::string &path, const Context *context = nullptr) {
        rl_module *raw = nullptr;
        check(rl_load(path.c_str(), context ? context->get() : nullptr, &raw));
        return Module(raw);
    }
    static Module compile(const std::string &source, const Context *context = nullptr) {
        rl_module *raw = nullptr;
        check(rl_compile(source.c_str(), nullptr, context ? context->get() : nullptr, &raw));
        return Module(raw);
    }
    // call("forward", x, 3, "text")
    template <class... Arguments> Value call(const std::string &method, const Arguments &...arguments) const {
        std::vector<Value> made;
        made.reserve(sizeof...(arguments));
        std::vector<const rl_value *> raw;
        (raw.push_back(pointer(made, arguments)), ...);
        rl_value *result = nullptr;
        check(rl_call(get(), method.c_str(), raw.data(), raw.size(), &result));
        return Value(result);
    }
    // A dict from paths to tensors, shared with the module.
    Value parameters() const {
        rl_value *found = nullptr;
        check(rl_module_parameters(get(), &found));
        return Value(found);
    }
    rl_module *get() const { return handle.get(); }

private:
    explicit Module(rl_module *raw) : handle(raw) {}
    static const rl_value *pointer(std::vector<Value> &, const Value &value) { return value.get(); }
    template <class T> static const rl_value *pointer(std::vector<Value> &made, const T &item) {
        made.emplace_back(item);
        return made.back().get();
    }
    detail::Handle<rl_module> handle;
};

} // namespace rushlight
#endif
