// The same from C++, by the header whose handles free themselves.
#include "rushlight.hpp"

#include <cmath>
#include <iostream>

int main(int, char **arguments) {
    using rushlight::Module;
    using rushlight::Value;

    Module model = Module::load(arguments[1]);
    std::vector<float> image(28 * 28, 0.5f);
    Value scores = model.call("forward", Value::tensor(image, {1, 28, 28}));
    float sum = 0;
    for (float odds : scores.floats()) sum += odds;
    if (std::fabs(sum - 1) > 1e-3f) return 1;

    rushlight::Context context;
    context.limits({100000, 0, 0, 0});
    Module program = Module::compile("def joined(text: str, n: int) -> str:\n    return text + str(n)\n\n"
                                     "def forever(n: int) -> int:\n    while n > 0:\n        n += 1\n    return n\n",
                                     &context);
    if (program.call("joined", "ab", 3).as_str() != "ab3") return 2;
    try {
        program.call("forever", 1);
        return 3;
    } catch (const rushlight::Error &error) {
        if (error.status != RL_ERROR_CALL || error.traceback.find("Traceback") == std::string::npos) return 4;
    }
    rushlight::Context recording;
    recording.record_gradients();
    Module cubes = Module::compile("def f(x: Tensor) -> Tensor:\n    return (x ** 3).sum()\n", &recording);
    Value x = Value::tensor({1, 2}, {2});
    x.requires_grad(true);
    if (x.grad().kind() != RL_NONE) return 5;
    Value loss = cubes.call("f", x);
    if (!loss.requires_grad()) return 6;
    recording.backward(loss);
    if (x.grad().floats() != std::vector<float>{3, 12}) return 7;
    x.forget_grad();
    if (x.grad().kind() != RL_NONE) return 8;
    std::cout << "all is well\n";
    return 0;
}
