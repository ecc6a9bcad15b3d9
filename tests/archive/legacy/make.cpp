// Makes the archives of this folder with a libtorch of PyTorch 1.0, 1.1 or 1.2 and prints what it answers: README.md says how.
//
// -DRELEASE=10, 11 or 12 names the release whose headers and libraries are used. Old releases differ in how modules are
// held and defined; `Builder` hides that. Every function below that is named in `main` is one archive.

#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <torch/script.h>
#if RELEASE == 10
#include <torch/csrc/jit/import_method.h>
#else
#include <torch/csrc/jit/import_source.h>
#endif

using namespace torch::jit;
using at::Tensor;

#if RELEASE >= 12
using Handle = script::Module;
#define DOT .
#else
using Handle = std::shared_ptr<script::Module>;
#define DOT ->
#endif

static Handle new_module(const std::string& name) {
#if RELEASE >= 12
  return script::Module(name);
#else
  return std::make_shared<script::Module>();
#endif
}

struct Builder {
  Handle handle;
  explicit Builder(const std::string& name) : handle(new_module("__torch__." + name)) {}

  Builder& parameter(const std::string& name, Tensor value) {
    handle DOT register_parameter(name, value, false);
    return *this;
  }
  Builder& buffer(const std::string& name, Tensor value) {
    handle DOT register_parameter(name, value, true);
    return *this;
  }
#if RELEASE > 10
  Builder& attribute(const std::string& name, TypePtr type, IValue value) {
    handle DOT register_attribute(name, type, value);
    return *this;
  }
#endif
  Builder& child(const std::string& name, Builder& inner) {
    handle DOT register_module(name, inner.handle);
    return *this;
  }
  /// Methods in the form that archives have, with a table of constants.
  Builder& methods(std::string code, std::vector<Tensor> constants = {}) {
#if RELEASE < 12
    // Calls of script functions came with 1.2, and their trailing comma.
    for (size_t at; (at = code.find(", )")) != std::string::npos;) code.replace(at, 3, ")");
#endif
#if RELEASE == 10
    import_methods(handle, "op_version_set = 0\n" + code, constants);
#elif RELEASE == 11
    script::import_methods(handle, "op_version_set = 0\n" + code, constants, nullptr);
#else
    auto source = std::make_shared<Source>("op_version_set = 1\n" + code);
    script::import_methods(handle, source, constants, nullptr);
#endif
    return *this;
  }
};

// What is recorded -------------------------------------------------------------------------------------------------------

static std::string number(double x) {
  if (std::isnan(x)) return "\"nan\"";
  if (std::isinf(x)) return x > 0 ? "\"inf\"" : "\"-inf\"";
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}

static std::string dtype_name(const Tensor& t) {
  if (t.scalar_type() == at::kFloat) return "float32";
  if (t.scalar_type() == at::kDouble) return "float64";
  if (t.scalar_type() == at::kHalf) return "float16";
  if (t.scalar_type() == at::kLong) return "int64";
  if (t.scalar_type() == at::kInt) return "int32";
  if (t.scalar_type() == at::kShort) return "int16";
  if (t.scalar_type() == at::kChar) return "int8";
  if (t.scalar_type() == at::kByte) return "uint8";
  return "bool";
}

static std::string json(const IValue& value) {
  std::ostringstream out;
  if (value.isTensor()) {
    Tensor t = value.toTensor().detach().contiguous();
    out << "{\"t\": \"" << dtype_name(t) << "\", \"shape\": [";
    for (int64_t i = 0; i < t.dim(); i++) out << (i ? ", " : "") << t.size(i);
    out << "], \"data\": [";
    Tensor wide = t.to(at::kDouble).reshape({-1});
    for (int64_t i = 0; i < wide.numel(); i++) out << (i ? ", " : "") << number(wide[i].item<double>());
    out << "]}";
  } else if (value.isInt()) {
    out << "{\"v\": " << value.toInt() << "}";
  } else if (value.isDouble()) {
    out << "{\"v\": " << number(value.toDouble()) << ", \"kind\": \"float\"}";
  } else if (value.isBool()) {
    out << "{\"v\": " << (value.toBool() ? "true" : "false") << "}";
  } else if (value.isString()) {
    out << "{\"v\": \"" << value.toStringRef() << "\"}";
  } else if (value.isNone()) {
    out << "{\"v\": null}";
  } else if (value.isTuple()) {
    out << "{\"tuple\": [";
    bool first = true;
    for (const IValue& item : value.toTuple()->elements()) {
      out << (first ? "" : ", ") << json(item);
      first = false;
    }
    out << "]}";
  } else {
    throw std::runtime_error("no form for this value");
  }
  return out.str();
}

struct Call {
  std::string method;
  std::vector<IValue> arguments;
};

static bool is_first = true;

/// Saves a module, loads it again, makes the calls and prints one entry of expected.json.
static void record(const std::string& name, Builder& module, const std::vector<Call>& calls) {
  std::string path = name + "_" + std::to_string(RELEASE / 10) + "." + std::to_string(RELEASE % 10) + ".pt";
  {
    std::ofstream file(path, std::ios::binary);
    module.handle DOT save(file);
  }
  Handle loaded = torch::jit::load(path);
  std::cout << (is_first ? "" : ",\n") << "\"" << path << "\": {\"calls\": [";
  is_first = false;
  bool first = true;
  for (const Call& call : calls) {
    std::cout << (first ? "" : ",\n  ") << "{\"method\": \"" << call.method << "\", \"args\": [";
    first = false;
    for (size_t i = 0; i < call.arguments.size(); i++) std::cout << (i ? ", " : "") << json(call.arguments[i]);
    std::vector<IValue> stack = call.arguments;
    try {
#if RELEASE >= 12
      IValue result = loaded.get_method(call.method)(stack);
#else
      IValue result = loaded->get_method(call.method)(stack);
#endif
      std::cout << "], \"result\": " << json(result) << "}";
    } catch (const std::exception& error) {
      std::cout << "], \"error\": \"\"}";
    }
  }
  std::cout << "]}";
}

static Tensor floats(std::vector<float> data, std::vector<int64_t> sizes) {
  return torch::tensor(data).reshape(sizes);
}

static Tensor ints(std::vector<int64_t> data) {
  return torch::tensor(data, at::kLong);
}

// One archive after the other --------------------------------------------------------------------------------------------

/// Modules in modules, methods that call one another, parameters and buffers of other modules, constants.
static void nested() {
  Builder leaf("Leaf");
  leaf.parameter("weight", floats({1, -2, 3, 0.5}, {2, 2})).buffer("shift", floats({10, 20}, {2}));
  leaf.methods(
      "def scaled(self,\n    x: Tensor, factor: float) -> Tensor:\n  return torch.mul(x, factor)\n"
      "def forward(self,\n    x: Tensor) -> Tensor:\n"
      "  _0 = torch.addmm(self.shift, self.scaled(x, 0.5, ), torch.t(self.weight), beta=1, alpha=2)\n  return _0\n");
  Builder middle("Middle"), root("Root");
  middle.child("leaf", leaf).parameter("bias", floats({0.25, -0.25}, {2}));
  middle.methods("def forward(self,\n    x: Tensor) -> Tensor:\n  _0 = self.leaf.forward(x, )\n  return torch.sub(_0, self.bias, alpha=1)\n");
  Builder twin("Twin");
  twin.parameter("weight", floats({5}, {1}));
  twin.methods("def forward(self,\n    x: Tensor) -> Tensor:\n  return torch.mul(x, self.weight)\n");
  root.child("middle", middle).child("twin", twin);
  root.methods(
      "def forward(self,\n    x: Tensor) -> Tuple[Tensor, Tensor]:\n"
      "  y = self.middle.forward(x, )\n  _0 = torch.add(self.twin.forward(y, ), CONSTANTS.c0, alpha=1)\n"
      "  return (_0, torch.index_select(y, 1, CONSTANTS.c1))\n"
      "def weights(self) -> Tuple[Tensor, Tensor]:\n  return (self.middle.leaf.weight, self.twin.weight)\n",
      {floats({100, 200}, {2}), ints({1, 1, 0})});
  Tensor x = floats({1, 2, -1, 0}, {2, 2});
  record("nested", root, {{"forward", {x}}, {"weights", {}}});
}

/// Tensors that share memory keep sharing it; all dtypes.
static void tensors() {
  Builder root("Tensors");
  Tensor base = torch::arange(12, at::kFloat);
  root.buffer("base", base).buffer("tail", base.narrow(0, 8, 4)).buffer("turned", base.view({3, 4}).t());
  root.buffer("half", floats({0.5, -2, 65504}, {3}).to(at::kHalf)).buffer("double", floats({0.1f}, {}).to(at::kDouble));
  root.buffer("byte", ints({0, 255}).to(at::kByte)).buffer("char", ints({-128, 127}).to(at::kChar));
  root.buffer("short", ints({-300}).to(at::kShort)).buffer("int", ints({1 << 30}).to(at::kInt));
  root.buffer("long", ints({int64_t(1) << 40})).buffer("empty", torch::zeros({0, 3}));
  root.methods(
      "def write(self, value: float) -> Tuple[Tensor, Tensor, Tensor]:\n  _0 = torch.fill_(self.tail, value)\n"
      "  return (self.base, self.turned, self.tail)\n"
      "def kinds(self) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:\n"
      "  return (self.half, self.double, self.byte, self.char, self.short, self.int, self.long, self.empty)\n");
  record("tensors", root, {{"kinds", {}}, {"write", {5.0}}, {"write", {-1.0}}});
}

/// Loops, branches, lists, tuples and numbers in the forms of old code.
static void control() {
  Builder root("Control");
  root.methods(
      "def search(self,\n    n: int, wanted: int) -> Tuple[int, bool]:\n"
      "  found = False\n  i = 0\n  _0 = True\n  while _0:\n    if torch.eq(torch.mul(i, i), wanted):\n      found0 = True\n    else:\n      found0 = found\n"
      "    i0 = torch.add(i, 1)\n    _1 = torch.lt(i0, n)\n    if _1:\n      _2 = torch.__not__(found0)\n    else:\n      _2 = False\n    _0, i, found = _2, i0, found0\n"
      "  return (i, found)\n"
      "def forward(self,\n    x: Tensor) -> Tensor:\n"
      "  rows = annotate(List[Tensor], [])\n  for _0 in range(torch.size(x, 0)):\n    row = torch.select(x, 0, _0)\n"
      "    if bool(torch.gt(torch.sum(row), 0)):\n      row0 = row\n    else:\n      row0 = torch.neg(row)\n    _1 = torch.append(rows, row0)\n"
      "  a, b, = torch.chunk(torch.stack(rows, 0), 2, 1)\n  return torch.cat([b, a], 1)\n"
      "def sizes(self,\n    x: Tensor) -> Tuple[int, int, float, bool]:\n"
      "  n = ops.prim.NumToTensor(torch.size(x, 0))\n  m = int(n)\n  c = annotate(List[int], [m, 2, -3])\n  t = (m, 7)\n  d, e, = t\n"
      "  return (torch.add(c[0], c[-1]), torch.len(c), float(torch.add(d, e)), torch.eq(torch.size(x), [m, 4]))\n"
      "def maybe(self,\n    x: Optional[Tensor], name: str) -> Tensor:\n"
      "  if torch.__is__(x, None):\n    y = torch.zeros([2], dtype=6, layout=0, device=torch.device(\"cpu\"))\n  else:\n    y = torch._unwrap_optional(x)\n"
      "  if torch.eq(name, \"negative\"):\n    z = torch.neg(y)\n  else:\n    z = y\n  return z\n");
  Tensor x = floats({1, 2, 3, 4, -1, -2, -3, 4}, {2, 4});
  record("control", root, {{"search", {10, 49}}, {"search", {4, 49}}, {"forward", {x}}, {"sizes", {x}},
                           {"maybe", {x, std::string("negative")}}});
}

#if RELEASE == 10
#define FILLED "dtype=6, layout=0, device=torch.device(\"cpu\")"
#else
#define FILLED "dtype=None, layout=None, device=None"
#endif

/// Operators that mean something else today.
static void changed() {
  Builder root("Changed");
  root.methods(
      "def division(self,\n    x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:\n"
      "  z = torch.clone(x)\n  return (torch.div(x, y), torch.div(x, 2))\n"
      "def filling(self) -> Tensor:\n  return torch.full([2], 3, " FILLED ")\n"
      "def steps(self) -> Tuple[Tensor, Tensor]:\n"
      "  return (torch.linspace(0, 10, 5, dtype=6, layout=0, device=torch.device(\"cpu\")), torch.logspace(0, 1, 3, dtype=6, layout=0, device=torch.device(\"cpu\")))\n"
      "def sums(self,\n    x: Tensor) -> Tuple[Tensor, Tensor]:\n  return (torch.sum(x, [1], False), torch.mean(x, [0], True))\n"
      "def softmax(self,\n    x: Tensor) -> Tensor:\n  return torch.softmax(x, -1)\n"
      "def network(self,\n    x: Tensor) -> Tensor:\n"
      "  y = torch._convolution(torch.reshape(x, [1, 1, 2, 4]), torch.ones([2, 1, 1, 2], dtype=6, layout=0, device=torch.device(\"cpu\")), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, True)\n"
      "  z = torch.max_pool2d(torch.relu(y), [2, 2], [2, 2], [0, 0], [1, 1], False)\n  return torch.dropout(torch.threshold(z, 0.5, 0), 0.5, False)\n");
  Tensor x = floats({1, 2, 3, 4, -1, -2, -3, 4}, {2, 4});
  std::vector<Call> calls = {{"division", {x, torch::full({2, 4}, 3)}}, {"steps", {}}, {"sums", {x}}, {"network", {x}}, {"filling", {}},
                             {"division", {ints({7, -7}), ints({2, 2})}}};
  if (RELEASE > 10) calls.push_back({"softmax", {x}});
  record("changed", root, calls);
}

#if RELEASE > 10
#if RELEASE == 11
// 1.1 could not save lists of floats and of tensors.
#define REALS "[0.5, 2.]"
#define TENSORS "[self.place, self.place]"
#define NONE "True"
#else
#define REALS "self.reals"
#define TENSORS "self.tensors"
#define NONE "torch.__is__(self.none, None)"
#endif

/// Attributes of all types.
static void attributes() {
  Builder root("Attributes");
  root.attribute("whole", IntType::get(), -5).attribute("real", FloatType::get(), 0.1).attribute("flag", BoolType::get(), true);
  root.attribute("text", StringType::get(), std::string("caf\u00e9")).attribute("pair", TupleType::create({IntType::get(), StringType::get()}),
#if RELEASE >= 12
                                                                   c10::ivalue::Tuple::create({IValue(7), IValue(std::string("seven"))})
#else
                                                                   c10::ivalue::Tuple::create({IValue(7), IValue(std::string("seven"))})
#endif
  );
  root.attribute("some", OptionalType::create(IntType::get()), 4);
#if RELEASE >= 12
  // 1.1 wrote a None that it could not read.
  root.attribute("none", OptionalType::create(TensorType::get()), IValue());
#endif
  root.attribute("place", TensorType::get(), floats({3, 4}, {2}));
#if RELEASE >= 12
  root.attribute("ints", ListType::ofInts(), c10::List<int64_t>({1, -2}));
  root.attribute("reals", ListType::ofFloats(), c10::List<double>({0.5, 2}));
  root.attribute("tensors", ListType::ofTensors(), c10::List<Tensor>({floats({1}, {1}), ints({2, 3})}));
  c10::Dict<std::string, int64_t> counts;
  counts.insert("a", 1);
  counts.insert("b", 20);
  root.attribute("counts", DictType::create(StringType::get(), IntType::get()), counts);
#else
  root.attribute("ints", ListType::ofInts(), std::vector<int64_t>({1, -2}));
  c10::ivalue::UnorderedMap counts;
  counts.insert({IValue(std::string("a")), IValue(1)});
  counts.insert({IValue(std::string("b")), IValue(20)});
  root.attribute("counts", DictType::create(StringType::get(), IntType::get()), counts);
#endif
  root.methods(
      "def scalars(self) -> Tuple[int, float, bool, str, Tuple[int, str]]:\n  return (self.whole, self.real, self.flag, self.text, self.pair)\n"
      "def lists(self) -> Tuple[int, float, Tensor, int]:\n"
      "  return (torch.add(self.ints[0], self.ints[1]), " REALS "[1], " TENSORS "[1], torch.add(self.counts[\"b\"], torch.len(self.counts)))\n"
      "def optional(self) -> Tuple[bool, int]:\n  return (" NONE ", torch._unwrap_optional(self.some))\n"
#if RELEASE >= 12
      "def grow(self, by: int) -> int:\n  self.whole = torch.add(self.whole, by)\n  return self.whole\n"
#endif
      "def forward(self) -> Tensor:\n  return torch.add(self.place, self.real, alpha=1)\n");
  std::vector<Call> calls = {{"scalars", {}}, {"lists", {}}, {"optional", {}}, {"forward", {}}};
  if (RELEASE >= 12) calls.insert(calls.end(), {{"grow", {3}}, {"grow", {4}}});
  record("attributes", root, calls);
}
#endif

#if RELEASE == 12
/// Script classes and named tuples, which lie in libs/.
static void classes() {
  Builder root("Classes");
  std::vector<Tensor> none;
  auto source = std::make_shared<Source>(
      "op_version_set = 1\nclass Pair(NamedTuple):\n  first : Tensor\n  second : int\n"
      "class Sum:\n  def __init__(self,\n    start: int) -> None:\n    self.total = start\n    return None\n"
      "  def more(self,\n    by: int) -> int:\n    self.total = torch.add(self.total, by)\n    return self.total\n");
  script::import_libs(root.handle.class_compilation_unit(), "__torch__.inner", source, none, nullptr);
  root.methods(
      "import __torch__.inner\n"
      "def count(self,\n    n: int) -> int:\n  a = __torch__.inner.Sum.__new__(__torch__.inner.Sum)\n  _0 = (a).__init__(n, )\n"
      "  for _1 in range(n):\n    _2 = (a).more(_1, )\n  return a.total\n"
      "def forward(self,\n    x: Tensor) -> Tensor:\n  p = __torch__.inner.Pair(x, 4)\n  return torch.mul(p.first, p.second)\n");
  record("classes", root, {{"count", {4}}, {"forward", {floats({1, 2}, {2})}}});
}
#endif

int main() {
  std::cout << "{";
  nested();
  tensors();
  control();
  changed();
#if RELEASE > 10
  attributes();
#endif
#if RELEASE == 12
  classes();
#endif
  std::cout << "}\n";
}
