// SPDX-License-Identifier: Apache-2.0
// The C++ role of the matrix: a plugin with operators that define, implement, differentiate and
// call.
#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <tenon/hpp/func.hpp>
#include <tenon/hpp/graph.hpp>
#include <tenon/tenon.hpp>

namespace {

using tenon::Library;
using tenon::Tensor;
using tenon::Value;

std::multimap<std::string, Library, std::less<>>& libraries() {
  static auto* map = new std::multimap<std::string, Library, std::less<>>;
  return *map;
}

Library& open_library(std::string_view ns) {
  const std::string name(ns);
  return libraries().emplace(name, Library(Library::Fragment, name))->second;
}

std::tuple<Tensor, int64_t> mix(const Tensor& a, int64_t n, double f, std::string_view s,
                                tenon::OptionalTensor opt, std::span<const int64_t> dims,
                                tenon::TensorList list) {
  double offset = f + static_cast<double>(s.size());
  offset += opt ? static_cast<double>(*opt->data<float>()) : 100.0;
  for (const int64_t dim : dims) offset += static_cast<double>(dim);
  for (int64_t i = 0; i < list.size(); ++i) offset += static_cast<double>(*list[i]->data<float>());
  Tensor out = Tensor::empty(a.sizes(), tenon::Dtype::F32);
  const std::span<const float> in = a.elements<float>();
  float* to = out.data<float>();
  for (const float element : in) {
    *to++ = static_cast<float>(element * static_cast<double>(n) + offset);
  }
  return {out, reinterpret_cast<int64_t>(a.raw_data())};
}

void define(std::string_view ns) {
  open_library(ns).def(
      "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> "
      "(Tensor, int)");
}

void implement(std::string_view ns) {
  open_library(ns).impl("mix", TENON_KEY_CPU, &mix, {.name = "mix"});
}

void close_all(std::string_view ns) { libraries().erase(std::string(ns)); }

void expect(const std::vector<Value>& results, const Tensor& a,
            const std::vector<float>& expected) {
  const Tensor out = results[0].tensor();
  if (!std::ranges::equal(out.elements<float>(), expected)) {
    throw tenon::Error(TENON_ERROR_RUNTIME,
                       "matrix_cpp::call: out must be another, got " + out.str());
  }
  if (results[1].to_int() != reinterpret_cast<int64_t>(a.raw_data())) {
    throw tenon::Error(TENON_ERROR_RUNTIME,
                       "matrix_cpp::call: the kernel must see the caller's memory");
  }
}

void call(std::string_view ns) {
  const tenon::Op op(std::string(ns) + "::mix");
  const Tensor a = Tensor::from({1.0f, 2.0f, 3.0f}, {3});
  const Tensor opt = Tensor::from({7.0f}, {1});
  const std::vector<Tensor> list{Tensor::from({10.0f}, {1}), Tensor::from({20.0f}, {1})};
  const std::vector<int64_t> dims{4, 6};
  expect(op(a, 3, 0.5, "tenon", opt, dims, list), a, {55.5f, 58.5f, 61.5f});
  expect(op(a, 3, 0.5, "tenon", nullptr, dims, list), a, {148.5f, 151.5f, 154.5f});
}

// ---- Exceptions on their way through other languages -----------------------------------------

// Records its own address when thrown, to check that the same object arrives.
struct CppLost : std::runtime_error {
  CppLost() : std::runtime_error("lost in C++") { thrown = this; }
  CppLost(const CppLost&) = default;
  static inline const CppLost* thrown = nullptr;
};

void raise_own(std::string_view) { throw CppLost(); }

// Calls the first language of the path, which relays to the remaining ones or raises.
void relay(std::string_view path) {
  const size_t comma = path.find(',');
  const std::string language(path.substr(0, comma));
  const bool last = comma == std::string_view::npos;
  const tenon::Op op("matrix_" + language + (last ? "::raise" : "::relay"));
  op(last ? std::string() : std::string(path.substr(comma + 1)));
}

// Recurses without end: calls the path's first language with the path rotated by one.
void dive(std::string_view path) {
  const size_t comma = path.find(',');
  const std::string language(path.substr(0, comma));
  const bool alone = comma == std::string_view::npos;
  const tenon::Op op("matrix_" + language + "::dive");
  op(alone ? language : std::string(path.substr(comma + 1)) + ',' + language);
}

template <class Body>
void comes_home(Body&& body) {
  try {
    body();
  } catch (const CppLost& lost) {
    if (&lost == CppLost::thrown) return;
    throw tenon::Error(TENON_ERROR_RUNTIME, "matrix_cpp: must be the same, got a copy");
  }
  throw tenon::Error(TENON_ERROR_RUNTIME, "matrix_cpp: must throw, returned");
}

void catch_own(std::string_view path) {
  comes_home([&] { relay(path); });
}

// ---- Gradients ----------------------------------------------------------------------------------

Tensor product(const Tensor& a, const Tensor& b) {
  Tensor out = Tensor::empty(a.sizes(), tenon::Dtype::F32);
  std::ranges::transform(a.elements<float>(), b.elements<float>(), out.data<float>(),
                         std::multiplies<>());
  return out;
}

Tensor relayed(const Tensor& a, std::string_view) {
  Tensor out = Tensor::empty(a.sizes(), tenon::Dtype::F32);
  std::ranges::copy(a.elements<float>(), out.data<float>());
  return out;
}

// Defines and implements operators whose gradient formulas another language registers.
void products(std::string_view ns) {
  Library& library = open_library(ns);
  library.def("product(Tensor a, Tensor b) -> Tensor");
  library.impl("product", TENON_KEY_CPU, &product, {.name = "product"});
  library.def("relayed(Tensor a, str path) -> Tensor");
  library.impl("relayed", TENON_KEY_CPU, &relayed, {.name = "relayed"});
}

Tensor multiplied(const Tensor& a, const Tensor& b) {
  return tenon::Op("aten::mul.Tensor")(a, b)[0].tensor();
}

void formulas(std::string_view ns) {
  using tenon::autograd::BackwardCall;
  using tenon::autograd::variable_list;
  const Library& library = open_library(ns);
  tenon::register_autograd(
      library, "product",
      [](const BackwardCall& call) -> variable_list {
        return {multiplied(call.grad(), call.saved(1)), multiplied(call.grad(), call.saved(0))};
      },
      "a b");
  tenon::register_autograd(
      library, "relayed",
      [](const BackwardCall& call) -> variable_list {
        const tenon_value& path = call.saved_value(0);
        relay({static_cast<const char*>(path.as.list.data), path.count});
        return {Tensor()};
      },
      "path");
}

Tensor sum_of(const Tensor& tensor) { return tenon::Op("aten::sum")(tensor)[0].tensor(); }

Tensor leaf() {
  Tensor x = Tensor::from({2.0f, 3.0f}, {2});
  tenon::check(tenon_tensor_set_requires_grad(x.get(), 1));
  return x;
}

void expect_near(const Tensor& tensor, const std::vector<float>& expected) {
  if (!std::ranges::equal(tensor.elements<float>(), expected)) {
    throw tenon::Error(TENON_ERROR_RUNTIME,
                       "matrix_cpp::slopes: gradient must be another, got " + tensor.str());
  }
}

// Differentiates x^3 twice and checks the results.
void expect_slopes(const Tensor& cube, const Tensor& x) {
  const Tensor slope = tenon::autograd::grad({sum_of(cube)}, {x}, {}, {}, true)[0];
  expect_near(slope, {12, 27});
  tenon::autograd::backward({sum_of(slope)});
  tenon_tensor* curve = nullptr;
  tenon::check(tenon_tensor_copy_grad(x.get(), &curve));
  expect_near(Tensor(curve), {12, 18});
}

// Differentiates x^3 through another language's formula, and checks the error of one that fails.
void slopes(std::string_view ns) {
  const tenon::Op product(std::string(ns) + "::product");
  const Tensor x = leaf();
  const Tensor square = product(x, x)[0].tensor();
  expect_slopes(product(square, x)[0].tensor(), x);
  const Tensor failing = tenon::Op(std::string(ns) + "::relayed")(x, "cpp")[0].tensor();
  comes_home([&] { tenon::autograd::backward({sum_of(failing)}); });
}

// A custom autograd function that computes x^3.
struct Cube : tenon::autograd::Function<Cube> {
  static Tensor forward(tenon::autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return multiplied(multiplied(x, x), x);
  }
  static tenon::autograd::variable_list backward(tenon::autograd::AutogradContext* ctx,
                                                 tenon::autograd::variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {tenon::Op("aten::mul.Scalar")(multiplied(multiplied(grads[0], x), x), 3)[0].tensor()};
  }
};

Value cube() {
  return tenon::make_function([](const Tensor& x) { return Cube::apply(x); });
}

void apply(std::string_view language) {
  const Value function = tenon::Op("matrix_" + std::string(language) + "::cube")()[0];
  const Tensor x = leaf();
  expect_slopes(tenon::call_function(function, {Value(x)})[0].tensor(), x);
}

// ---- Autocast -----------------------------------------------------------------------------------

Tensor mirror(const Tensor& a) { return a; }
Tensor echo(const Tensor& a, int64_t) { return a; }

// Defines and implements `mirror`, for another language's cast rule, and `echo`, for objects that
// override it.
void mirrors(std::string_view ns) {
  Library& library = open_library(ns);
  library.def("mirror(Tensor a) -> Tensor");
  library.impl("mirror", TENON_KEY_CPU, &mirror, {.name = "mirror"});
  library.def("echo(Tensor a, int n) -> Tensor");
  library.impl("echo", TENON_KEY_CPU, &echo, {.name = "echo"});
}

void casts(std::string_view ns) {
  tenon::register_autocast(open_library(ns), "mirror", tenon::CastPolicy::LowerPrecisionFp,
                           TENON_DEVICE_CPU);
}

void expect_dtype(const tenon::Op& op, tenon::Dtype expected) {
  if (op(Tensor::from({1.0f, 2.0f}, {2}))[0].tensor().dtype() != expected) {
    throw tenon::Error(TENON_ERROR_RUNTIME, "matrix_cpp::cast: dtype must be another");
  }
}

// Calls `mirror` inside and outside of an autocast region.
void cast(std::string_view ns) {
  const tenon::Op op(std::string(ns) + "::mirror");
  expect_dtype(op, tenon::Dtype::F32);
  const tenon::autocast::Region region(TENON_DEVICE_CPU);
  expect_dtype(op, tenon::Dtype::BF16);
}

// ---- Transforms ---------------------------------------------------------------------------------

// Computes a * a.ndim(), so that a loop over the examples would see one dimension less.
Tensor widen(const Tensor& a) { return tenon::ops::aten::mul(a, a.ndim()); }

void widens(std::string_view ns) {
  open_library(ns).def("widen(Tensor a) -> Tensor");
  open_library(ns).impl("widen", TENON_KEY_CPU, &widen, {.name = "widen"});
}

// [quote.begin rule]
void rules(std::string_view ns) {
  const tenon::Op widen(std::string(ns) + "::widen");
  tenon::register_vmap(open_library(ns), "widen",
                       [widen](const tenon::VmapInfo& info, const Tensor& a) {
                         return std::pair(widen(a)[0].tensor(), info.in_dims[0]);
                       });
}
// [quote.end]

void map(std::string_view ns) {
  const tenon::Op widen(std::string(ns) + "::widen");
  const auto mapped = tenon::func::vmap([&](const Tensor& a) { return widen(a)[0].tensor(); });
  expect_near(mapped(Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2})), {2, 4, 6, 8});
}

// [quote.begin fake]
void shapes(std::string_view ns) {
  open_library(ns).register_fake("widen",
                                 [](const Tensor& a) { return tenon::ops::aten::empty_like(a); });
}
// [quote.end]

void fake(std::string_view ns) {
  const tenon::Op widen(std::string(ns) + "::widen");
  const Tensor given = tenon::FakeMode().from(Tensor::from({1.0f, 2.0f}, {2}));
  const Tensor found = widen(given)[0].tensor();
  if (found.is_fake() && found.numel() == 2) return;
  throw tenon::Error(TENON_ERROR_RUNTIME, "matrix_cpp::fake: result must be fake, of size 2");
}

// Transforms a function of any language: "vmap", "grad" of the sum, or "jvp" with tangents of ones.
Value transform(const Value& function, std::string_view kind) {
  return tenon::make_function([function, kind = std::string(kind)](const Tensor& x) {
    const auto f = [&](const Tensor& a) {
      return tenon::call_function(function, {Value(a)})[0].tensor();
    };
    if (kind == "vmap") return tenon::func::vmap(f)(x);
    if (kind == "grad") return tenon::func::grad([&](const Tensor& a) { return sum_of(f(a)); })(x);
    return tenon::func::jvp(f, x, tenon::ops::aten::ones_like(x)).second;
  });
}

// Calls a function that ends by throwing this role's exception, and checks the exception.
void attempt(const Value& function, const Tensor& x) {
  comes_home([&] { tenon::call_function(function, {Value(x)}); });
}

// Returns x^3 as a function.
Value power() {
  return tenon::make_function([](const Tensor& x) { return multiplied(multiplied(x, x), x); });
}

// ---- Graphs -------------------------------------------------------------------------------------

// Computes x^6, one multiplication per language, and its gradient by all languages' formulas.
std::vector<Tensor> powers(const Tensor& x) {
  Tensor power = x;
  for (const char* stage : {"stage_c", "stage_cpp", "stage_python", "stage_java", "stage_rust"}) {
    power = tenon::Op(std::string(stage) + "::product")(power, x)[0].tensor();
  }
  return {power, tenon::autograd::grad({sum_of(power)}, {x}, {}, {}, true)[0]};
}

void expect_powers(const Tensor& power, const Tensor& slope) {
  expect_near(power, {64, 729});
  expect_near(slope, {192, 1458});
}

// Records a graph into a file and as an operator. `spec` is "ns,path".
void record(std::string_view spec) {
  const size_t comma = spec.find(',');
  const tenon::Graph graph = tenon::Graph::record(
      [](std::span<const Tensor> given) { return powers(given[0]); }, {leaf()});
  graph.save(std::string(spec.substr(comma + 1)));
  graph.define(open_library(spec.substr(0, comma)), "powers");
}

// Runs the graph from the file, and as the operator.
void replay(std::string_view spec) {
  const size_t comma = spec.find(',');
  const tenon::Graph graph = tenon::Graph::load(std::string(spec.substr(comma + 1)));
  const std::vector<Tensor> run = graph.run({Tensor::from({2.0f, 3.0f}, {2})});
  expect_powers(run[0], run[1]);
  const Tensor x = leaf();
  const auto called = tenon::Op(std::string(spec.substr(0, comma)) + "::powers")(x);
  expect_powers(called[0].tensor(), called[1].tensor());
  expect_powers(called[0].tensor(),
                tenon::autograd::grad({sum_of(called[0].tensor())}, {x}, {}, {}, true)[0]);
}

// ---- Objects that override operators -----------------------------------------------------------

// Overrides operators: returns "cpp:" and the second argument.
struct Object {
  static constexpr const char* tenon_name = "matrix_cpp.Object";
  bool override_call(tenon::OverriddenCall& call) {
    call.set_result(0, Value("cpp:" + std::to_string(call[1].as.i)));
    return true;
  }
};

Value object() { return tenon::make_object<Object>(); }

// Calls the echo operator of a namespace with another language's object as its tensor argument.
// `spec` is "language,ns".
void override_by(std::string_view spec) {
  const size_t comma = spec.find(',');
  const std::string name(spec.substr(0, comma)), ns(spec.substr(comma + 1));
  const Value other = tenon::Op("matrix_" + name + "::object")()[0];
  const Tensor result = tenon::Op(ns + "::echo")(other, 7)[0].tensor();
  const tenon_value* carried = tenon_carrier_value(result.get());
  if (carried == nullptr ||
      tenon::ValueRef(*carried).operator const Value&().text() != name + ":7") {
    throw tenon::Error(TENON_ERROR_RUNTIME, "matrix_cpp::override: result must be another");
  }
}

}  // namespace

TENON_LIBRARY(matrix_cpp, m) {
  m.def("define(str ns) -> ()", &define);
  m.def("implement(str ns) -> ()", &implement);
  m.def("call(str ns) -> ()", &call);
  m.def("close(str ns) -> ()", &close_all);
  m.def("raise(str path) -> ()", &raise_own);
  m.def("relay(str path) -> ()", &relay);
  m.def("dive(str path) -> ()", &dive);
  m.def("catch(str path) -> ()", &catch_own);
  m.def("products(str ns) -> ()", &products);
  m.def("formulas(str ns) -> ()", &formulas);
  m.def("slopes(str ns) -> ()", &slopes);
  m.def("object() -> Any", &object);
  m.def("cube() -> Any", &cube);
  m.def("apply(str language) -> ()", &apply);
  m.def("override(str spec) -> ()", &override_by);
  m.def("mirrors(str ns) -> ()", &mirrors);
  m.def("casts(str ns) -> ()", &casts);
  m.def("cast(str ns) -> ()", &cast);
  m.def("widens(str ns) -> ()", &widens);
  m.def("rules(str ns) -> ()", &rules);
  m.def("map(str ns) -> ()", &map);
  m.def("shapes(str ns) -> ()", &shapes);
  m.def("fake(str ns) -> ()", &fake);
  m.def("record(str spec) -> ()", &record);
  m.def("replay(str spec) -> ()", &replay);
  m.def("power() -> Any", &power);
  m.def("attempt(Any function, Tensor x) -> ()", &attempt);
  m.def("transform(Any function, str kind) -> Any", &transform);
}

TENON_PLUGIN("matrix_cpp", "0.1.0");
