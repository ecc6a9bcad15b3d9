"""Where problems of functions from texts are marked."""

import torch

EXPRESSIONS = [
    "(x + x).suum()", "(x + 'a')", "x.foo(1)[0]", "d['b']", "[d['b'], 2]", "-d", "not_a", "foo(x)", "x.add('a', 'b')",
    "x[1, 'a']", "x['a']", "x[0:'a']", "(1 + 2) + 'a'", "{'a': 1}['b']", "(((x))).foo", "x.foo.bar", "(1, 2)[5]", "[1][3]",
    '"abc".foo()', "x.tolist()", "[x x]", "foo(x x)", "x[x x]", "{x x}",
]  # fmt: skip
for expression in EXPRESSIONS:
    text = f"def f(x: Tensor, d: Dict[str, int]):\n    y = {expression}\n    return y\n"
    try:
        torch.jit.CompilationUnit(text).f(torch.ones(2, 2), {"a": 1})
        print("fine")
    except Exception as e:
        lines = str(e).split("\n")
        marks = [i for i, line in enumerate(lines) if "<---" in line]
        print(expression)
        for i in marks[:1]:
            print(lines[i - 1])
            print(lines[i])

TEXTS = [
    "\n    def f(x):\n        return x\n    ",
    "\n    def f(x):\n        return x",
    "\n    def f(x):\n        return y\n\n    def g(x):\n        return x\n",
    "def f(x, n=1):\n    # type: (Tensor, int) -> Tensor\n    return x + n\n",
    "def f(x, n=1):\n    return x + n\n",
    "def f(x : Tensor, y : Tuple[Tensor, Tensor][Tensor]) -> Tensor:\n    return x\n",
]
for text in TEXTS:
    try:
        unit = torch.jit.CompilationUnit(text)
        print("fine", unit.find_function("g"), len(unit.get_functions()))
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print("message", e)
        print("<<end>>")
