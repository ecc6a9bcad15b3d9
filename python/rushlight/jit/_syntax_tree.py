"""The syntax tree of a function as the reference prints it: ``torch.jit.frontend.get_jit_def``.

The compiler has a tree of its own (``rushlight_syntax``). This one is for programs that look at what a function says.
"""

import ast
import textwrap

from .._source import source_of
from ._errors import NotSupportedError, UnsupportedNodeError

# Lines as long as this are broken where they can be.
_WIDTH = 40
# Lines of source that are shown before and after what is meant.
_CONTEXT = 3

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.MatMult: "@", ast.FloorDiv: "floordiv",
    ast.Pow: "pow operator", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_UNARY = {ast.Not: "not", ast.USub: "unary minus", ast.Invert: "~"}
_COMPARE = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "<", ast.LtE: "le", ast.Gt: ">", ast.GtE: "ge", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in",
}  # fmt: skip


class SourceRange:
    """A place in a source text."""

    def __init__(self, text, file, first_line, node):
        self._lines = text.splitlines()
        self._file = file
        self._first_line = first_line
        self._node = node

    def highlight(self):
        """The lines around the place, with marks below it."""
        node = self._node
        start, end = node.lineno - 1, node.end_lineno - 1
        shown = [f'  File "{self._file}", line {self._first_line + start}']
        for i in range(max(0, start - _CONTEXT), min(len(self._lines), end + _CONTEXT + 1)):
            line = self._lines[i]
            shown.append(line)
            if not start <= i <= end:
                continue
            left = node.col_offset if i == start else len(line) - len(line.lstrip())
            right = node.end_col_offset if i == end else len(line)
            mark = " " * left + "~" * max(right - left, 0)
            shown.append(f"{mark} <--- HERE" if i == end else mark)
        return "\n".join(shown) + "\n"

    def __repr__(self):
        return self.highlight()

    def __str__(self):
        return f"SourceRange at:\n{self.highlight()}"


class Tree:
    """A node: its kind, and its parts, which are trees or text."""

    def __init__(self, kind, *parts, place=None):
        self._kind = kind
        self._parts = parts
        self._place = place

    def range(self):
        """Where the node stands."""
        return self._place

    def _flat(self):
        parts = (part if isinstance(part, str) else part._flat() for part in self._parts)
        return f"({' '.join([self._kind, *parts])})"

    def _print(self, indent):
        flat = self._flat()
        if indent + len(flat) < _WIDTH or not any(isinstance(part, Tree) for part in self._parts):
            return flat
        inner = "\n" + " " * (indent + 2)
        return f"({self._kind}{''.join(inner + part._print(indent + 2) for part in self._parts)})"

    def __str__(self):
        return self._print(0) + "\n"

    def dump(self):
        """Prints the tree."""
        print(self)


class Ident(Tree):
    """A name."""

    def __init__(self, name):
        super().__init__("ident", name)

    @property
    def name(self):
        """The name as text."""
        return self._parts[0]


class Def(Tree):
    """A function."""

    def name(self):
        """Its name."""
        return self._parts[0]

    def decl(self):
        """Its parameters and the type of its result."""
        return self._parts[1]


def _option(tree):
    return Tree("option") if tree is None else Tree("option", tree)


def _list(trees):
    return Tree("list", *trees)


def _variable(name):
    return Tree("variable", Ident(name))


class _Builder:
    def __init__(self, text, file, first_line):
        self.where = (text, file, first_line)

    def place(self, node):
        return SourceRange(*self.where, node)

    def refuse(self, node, what=None):
        what = what or type(node).__name__
        raise UnsupportedNodeError(f"{what} isn't supported:\n{self.place(node).highlight()}")

    def function(self, node, name):
        given = node.args
        if given.vararg or given.kwarg or any(default is not None for default in given.kw_defaults):
            raise NotSupportedError(
                "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults:\n"
                + self.place(given.vararg or given.kwarg or node).highlight()
            )
        parameters = [self.parameter(arg, "False") for arg in (*given.posonlyargs, *given.args)]
        parameters += [self.parameter(arg, "True") for arg in given.kwonlyargs]
        returns = _option(self.expr(node.returns) if node.returns else None)
        return Def("def", Ident(name), Decl("decl", _list(parameters), returns), self.body(node.body), place=self.place(node))

    def parameter(self, node, is_keyword):
        annotation = self.expr(node.annotation) if node.annotation else None
        return Tree("param", Ident(node.arg), _option(annotation), Tree("option"), Tree(is_keyword))

    def body(self, statements):
        # Strings that stand alone say nothing.
        said = (s for s in statements if not (isinstance(s, ast.Expr) and isinstance(getattr(s.value, "value", None), str)))
        return _list(self.stmt(s) for s in said)

    def stmt(self, node):
        made = getattr(self, f"stmt_{type(node).__name__}", None)
        if made is None:
            self.refuse(node)
        tree = made(node)
        tree._place = self.place(node)
        return tree

    def stmt_Assign(self, node):
        return Tree("assign", _list(map(self.expr, node.targets)), _option(self.expr(node.value)), Tree("option"))

    def stmt_AnnAssign(self, node):
        value = None if node.value is None else self.expr(node.value)
        return Tree("assign", _list([self.expr(node.target)]), _option(value), _option(self.expr(node.annotation)))

    def stmt_AugAssign(self, node):
        return Tree("aug_assign", self.expr(node.target), Tree(_BINARY[type(node.op)]), self.expr(node.value))

    def stmt_Expr(self, node):
        return Tree("expression statement", self.expr(node.value))

    def stmt_If(self, node):
        return Tree("if", self.expr(node.test), self.body(node.body), self.body(node.orelse))

    def stmt_While(self, node):
        if node.orelse:
            self.refuse(node, "else branches of while loops")
        return Tree("while", self.expr(node.test), self.body(node.body))

    def stmt_For(self, node):
        if node.orelse:
            self.refuse(node, "else branches of for loops")
        return Tree("for", _list([self.expr(node.target)]), _list([self.expr(node.iter)]), self.body(node.body))

    def stmt_With(self, node):
        def item(given):
            target = None if given.optional_vars is None else self.expr(given.optional_vars)
            return Tree("withitem", self.expr(given.context_expr), _option(target))

        return Tree("with", _list(map(item, node.items)), self.body(node.body))

    def stmt_Assert(self, node):
        return Tree("assert", self.expr(node.test), _option(None if node.msg is None else self.expr(node.msg)))

    def stmt_Raise(self, node):
        if node.exc is None:
            self.refuse(node, "raise without an exception")
        return Tree("raise", self.expr(node.exc))

    def stmt_Return(self, node):
        return Tree("return", Tree("None") if node.value is None else self.expr(node.value))

    def stmt_Delete(self, node):
        return Tree("del", _list(map(self.expr, node.targets)))

    def stmt_Pass(self, node):
        return Tree("pass")

    def stmt_Break(self, node):
        return Tree("break")

    def stmt_Continue(self, node):
        return Tree("continue")

    def expr(self, node):
        made = getattr(self, f"expr_{type(node).__name__}", None)
        if made is None:
            self.refuse(node)
        tree = made(node)
        tree._place = self.place(node)
        return tree

    def expr_Name(self, node):
        return _variable(node.id)

    def expr_Attribute(self, node):
        return Tree(".", self.expr(node.value), Ident(node.attr))

    def expr_Constant(self, node):
        value = node.value
        if value is None or isinstance(value, bool):
            return Tree(str(value))
        if value is ...:
            return Tree("dots")
        return Tree("string_literal", value) if isinstance(value, str) else Tree("const", repr(value))

    def expr_BinOp(self, node):
        return Tree(_BINARY[type(node.op)], self.expr(node.left), self.expr(node.right))

    def expr_UnaryOp(self, node):
        if type(node.op) not in _UNARY:
            self.refuse(node, "unary plus")
        return Tree(_UNARY[type(node.op)], self.expr(node.operand))

    def expr_BoolOp(self, node):
        kind = "and" if isinstance(node.op, ast.And) else "or"
        return self._pairwise(kind, map(self.expr, node.values))

    def _pairwise(self, kind, trees):
        trees = iter(trees)
        tree = next(trees)
        for other in trees:
            tree = Tree(kind, tree, other)
        return tree

    def expr_Compare(self, node):
        operands = [node.left, *node.comparators]

        def one(i, op):
            left, right = self.expr(operands[i]), self.expr(operands[i + 1])
            if isinstance(op, ast.NotIn):
                return Tree("not", Tree("in", left, right))
            return Tree(_COMPARE[type(op)], left, right)

        return self._pairwise("and", (one(i, op) for i, op in enumerate(node.ops)))

    def expr_IfExp(self, node):
        return Tree("if", self.expr(node.test), self.expr(node.body), self.expr(node.orelse))

    def expr_Call(self, node):
        keywords = (Tree("attribute", Ident(k.arg), self.expr(k.value)) for k in node.keywords)
        return Tree("apply", self.expr(node.func), _list(map(self.expr, node.args)), _list(keywords))

    def expr_Starred(self, node):
        return Tree("starred", self.expr(node.value))

    def expr_Tuple(self, node):
        return Tree("tuple-literal", _list(map(self.expr, node.elts)))

    def expr_List(self, node):
        return Tree("list-literal", _list(map(self.expr, node.elts)))

    def expr_Dict(self, node):
        return Tree("dict-literal", _list(map(self.expr, node.keys)), _list(map(self.expr, node.values)))

    def expr_Subscript(self, node):
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
        return Tree("subscript", self.expr(node.value), _list(map(self.expr, parts)))

    def expr_Slice(self, node):
        given = (None if part is None else self.expr(part) for part in (node.lower, node.upper, node.step))
        return Tree("slice expr", *map(_option, given))

    def _comprehension(self, node):
        if len(node.generators) != 1:
            self.refuse(node, "a comprehension with several loops")
        if node.generators[0].ifs:
            self.refuse(node, "a comprehension with a condition")
        return node.generators[0]

    def expr_ListComp(self, node):
        loop = self._comprehension(node)
        return Tree("list comprehension", self.expr(node.elt), self.expr(loop.target), self.expr(loop.iter))

    def expr_DictComp(self, node):
        loop = self._comprehension(node)
        parts = (node.key, node.value, loop.target, loop.iter)
        return Tree("dict comprehension", *map(self.expr, parts))

    def expr_JoinedStr(self, node):
        text, values = "", []
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += part.value
                continue
            if part.conversion != -1 or part.format_spec is not None:
                self.refuse(node, "a formatted value with a conversion or a format")
            text += "{}"
            values.append(self.expr(part.value))
        return Tree("apply", Tree(".", Tree("string_literal", text), Ident("format")), _list(values), Tree("list"))


def get_jit_def(fn, def_name, self_name=None, is_classmethod=False):
    """The tree of a function, under a name."""
    text, file, line = source_of(fn)
    text = textwrap.dedent(text)
    found = ast.parse(text).body
    if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
        raise RuntimeError(f"Expected a single top-level function: {file}:{line}")
    return _Builder(text, file, line).function(found[0], def_name)


class Decl(Tree):
    """The parameters of a function and the type of its result."""


def parse_type_comment(comment):
    """What ``# type: (int, int) -> int`` says: parameters without names, and the type of the result where it is there."""
    text = comment.partition("type:")[2].strip()
    given, _, result = text.partition("->")
    built = _Builder(text, "<string>", 1)
    parameters = ast.parse(given.strip().removesuffix(")") + ",)" if given.strip() != "()" else "()", mode="eval").body.elts
    types = [Tree("param", Ident(""), _option(built.expr(each)), Tree("option"), Tree("False")) for each in parameters]
    returns = built.expr(ast.parse(result.strip(), mode="eval").body) if result else None
    return Decl("decl", _list(types), _option(returns))


def merge_type_from_type_comment(decl, comment, is_method):
    """The declaration with the types that a comment says; a method's first parameter has none there."""
    (parameters, _), (types, returns) = decl._parts, comment._parts
    own, said = list(parameters._parts), list(types._parts)
    first = own[:1] if is_method else []
    if len(own) - len(first) != len(said):
        raise RuntimeError(
            f"Number of type annotations ({len(said)}) did not match the number of {'method' if is_method else 'function'} "
            f"parameters ({len(own) - len(first)})"
        )
    pairs = zip(own[len(first) :], said)
    return Decl("decl", _list([*first, *(Tree("param", name._parts[0], ty._parts[1], *name._parts[2:]) for name, ty in pairs)]), returns)


def parse_source_def(text):
    """The tree of the one function of a text."""
    node = ast.parse(text).body[0]
    return _Builder(text, "<string>", 1).function(node, node.name)


for _class in (Tree, Ident, Def, Decl, SourceRange):
    _class.__module__ = "torch._C._jit_tree_views"
