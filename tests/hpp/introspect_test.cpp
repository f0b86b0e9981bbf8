// SPDX-License-Identifier: Apache-2.0
// hpp/introspect.hpp: tables, calls explained, profiles and the simulator from C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tenon/hpp/introspect.hpp>
#include <tenon/tenon.hpp>

namespace {

using tenon::Dtype;
using tenon::Library;
using tenon::Op;
using tenon::Tensor;
using tenon::introspect::Profile;
using tenon::introspect::Simulator;

const std::vector<int64_t> kOne{1};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Introspect, ListsTablesAndWords) {
  Library library(Library::Def, "hppi1");
  library.def("f(Tensor x, int n=3) -> Tensor");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
  Library other(Library::Impl, "hppi2");
  other.impl("g", TENON_KEY_CPU, [](const Tensor& x) { return x; });
  const Op op("hppi1::f");
  const auto named = [](const std::vector<Op>& ops, const std::string& name) {
    return std::any_of(ops.begin(), ops.end(), [&](const Op& each) { return each.name() == name; });
  };
  EXPECT_TRUE(named(tenon::introspect::operators(), "hppi1::f"));
  EXPECT_FALSE(named(tenon::introspect::operators(), "hppi2::g"));
  EXPECT_TRUE(named(tenon::introspect::dangling(), "hppi2::g"));
  const auto keys = tenon::introspect::keys();
  EXPECT_NE(std::find(keys.begin(), keys.end(), TENON_KEY_CPU), keys.end());
  EXPECT_EQ(tenon::introspect::slot(op, TENON_KEY_CPU).provenance, TENON_PROVENANCE_KERNEL);
  EXPECT_TRUE(has(tenon::introspect::dump(op), "introspect_test.cpp:"));
  EXPECT_TRUE(has(tenon::introspect::dump_table(op), "CPU: "));
  EXPECT_EQ(tenon::introspect::tags(op), "");
  tenon::introspect::check_invariants(op);
  const std::string text = tenon::introspect::explain(op, Tensor::empty(kOne, Dtype::F32));
  EXPECT_TRUE(has(text, "hppi1::f(Tensor x, int n=3) -> Tensor\n")) << text;
  EXPECT_TRUE(has(text, "the highest key is CPU: ")) << text;
  EXPECT_THROW(tenon::introspect::explain(op, "text"), tenon::Error);
}

TEST(Introspect, Profiles_TypedCallsToo) {
  Library library(Library::Def, "hppi3");
  library.def("f(Tensor x) -> Tensor");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x) { return x; });
  const auto typed = Op("hppi3::f").typed<Tensor(const Tensor&)>();
  const Tensor x = Tensor::empty(kOne, Dtype::F32);
  Profile profile;
  EXPECT_EQ(typed(x).get(), x.get());
  EXPECT_EQ(Op("hppi3::f")(x)[0].tensor().get(), x.get());
  profile.end();
  typed(x);
  const auto spans = profile.spans();
  ASSERT_EQ(spans.size(), 2u);
  for (const tenon_profile_span& span : spans) {
    EXPECT_STREQ(tenon_op_name(span.op), "hppi3::f");
    EXPECT_GE(span.end_ns, span.begin_ns);
    EXPECT_EQ(span.depth, 0);
  }
  EXPECT_GE(spans[1].begin_ns, spans[0].end_ns);
}

// Returns the keys and kernels of a call path in an explanation's text: "AutogradCPU front, CPU
// back".
std::string parse_chain(const std::string& text) {
  std::string way;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    for (const std::string start : {"  the highest key is ", "  below it, "}) {
      const size_t colon = line.find(": ");
      if (line.rfind(start, 0) != 0 || colon == std::string::npos) continue;
      const std::string kernel = line.substr(colon + 2, line.find(' ', colon + 2) - colon - 2);
      if (has(line, "has no kernel")) continue;
      way += (way.empty() ? "" : ", ") + line.substr(start.size(), colon - start.size()) + " " +
             kernel;
    }
  }
  return way;
}

// Like parse_chain(), for a recorded call. The text calls a kernel without a name, such as a
// lambda, "a kernel".
std::string way_taken(const Profile& profile) {
  std::string way;
  for (const tenon_profile_span& span : profile.spans()) {
    way += (way.empty() ? "" : ", ") + std::string(tenon_key_name(span.key)) + " " +
           (*span.kernel != '\0' ? span.kernel : "a");
  }
  return way;
}

tenon_status decline(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_DECLINED; }

TEST(Introspect, ExplainTellsTheWayOfTheCall_TypedOrBoxed) {
  Library library(Library::Def, "hppi4");
  const Op op = library.def("f(Tensor x, Tensor[] y, *, int n=1) -> Tensor");
  using F = Tensor(const Tensor&, const tenon::TensorList&, int64_t);
  library.impl("f", TENON_KEY_CPU,
               [](const Tensor& x, const tenon::TensorList&, int64_t) { return x; });
  library.impl("f", TENON_KEY_AUTOGRAD,
               [&](tenon::KeySet keys, const Tensor& x, const tenon::TensorList& y, int64_t n) {
                 const auto below = tenon::KeySet::below(TENON_KEY_AUTOGRAD);
                 return op.typed<F>().redispatch(keys & below, x, y, n);
               });
  const Tensor x = Tensor::empty(kOne, Dtype::F32);
  const std::vector<Tensor> both{x, x};
  const tenon::TensorList list(both);
  const auto expect_explained = [&](const std::string& keys) {
    const std::string text = tenon::introspect::explain(op, x, list, tenon::kw("n", 3));
    Profile boxed;
    op(x, list, tenon::kw("n", 3));
    boxed.end();
    EXPECT_EQ(parse_chain(text), way_taken(boxed)) << text;
    Profile typed;
    op.typed<F>()(x, list, 3);
    typed.end();
    EXPECT_EQ(parse_chain(text), way_taken(typed)) << text;
    std::string told;
    for (const tenon_profile_span& span : typed.spans()) {
      told += (told.empty() ? "" : " ") + std::string(tenon_key_name(span.key));
    }
    EXPECT_EQ(told, keys) << text;
  };
  expect_explained("AutogradCPU CPU");
  {
    const tenon::ExcludeKeys guard(tenon::KeySet::of({TENON_KEY_AUTOGRAD_CPU}));
    expect_explained("CPU");
  }
  const tenon::Registration skip = library.fallthrough("f", TENON_KEY_AUTOGRAD_CPU);
  expect_explained("CPU");
  EXPECT_THROW(tenon::introspect::explain(op, x, list, tenon::kw("n", "text")), tenon::Error);
  EXPECT_THROW(tenon::introspect::explain(op, x, list, tenon::kw("m", 3)), tenon::Error);
  EXPECT_THROW(tenon::introspect::explain(op, x, list, tenon::kw("x", x)), tenon::Error);
  EXPECT_THROW(tenon::introspect::explain(op, x, tenon::kw("n", 3)), tenon::Error);
  // explain() must refuse what a call refuses, with the same message.
  const auto refusal = [](const auto& body) {
    try {
      body();
    } catch (const tenon::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const auto expect_same = [&](const auto&... arguments) {
    const std::string of_call = refusal([&] { op(arguments...); });
    EXPECT_NE(of_call, "nothing was thrown");
    EXPECT_EQ(refusal([&] { tenon::introspect::explain(op, arguments...); }), of_call);
  };
  expect_same(x, list, 3);
  expect_same(x, list, 3, 4);
  expect_same(x, list, tenon::kw("n", 3), tenon::kw("n", 3));
  expect_same(x, list, tenon::kw("m", 3));
  expect_same(x, tenon::kw("n", 3));
  // The explanation names an object whose handler a call would run, without running it.
  static tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = "hppi.Stand";
  type.override = &decline;
  tenon_value object{};
  object.tag = TENON_TAG_OBJECT;
  object.flags = TENON_VALUE_OWNED;
  tenon::check(tenon_object_new(&type, nullptr, &object.as.object));
  const std::string text = tenon::introspect::explain(op, tenon::Value(object), list);
  EXPECT_EQ(parse_chain(text), "Override run_overrides") << text;
  EXPECT_TRUE(has(text, "x, an object of hppi.Stand, has {Override}")) << text;
}

TEST(Introspect, Simulator_TablesAndErrors) {
  Simulator().add({"CPU"});  // the registry's own kernels come with its first use
  const auto live = tenon::introspect::live_handles();
  {
    Simulator simulator;
    simulator.add({"CPU", "CompositeImplicitAutograd"});
    EXPECT_STREQ(simulator.slot(TENON_KEY_CUDA).name, "fn_CompositeImplicitAutograd");
    EXPECT_TRUE(has(simulator.print(TENON_SIMULATOR_TABLE), "fn_CPU [kernel]"));
    simulator.remove("CPU");
    EXPECT_EQ(simulator.slot(TENON_KEY_CPU).provenance, TENON_PROVENANCE_MATH_KERNEL);
    EXPECT_TRUE(
        has(simulator.explain(tenon::KeySet::of({TENON_KEY_CPU})), "it is a composite kernel"));
    EXPECT_THROW(simulator.add({"NoSuchKey"}), tenon::Error);
    EXPECT_THROW(Simulator("f("), tenon::Error);
  }
  EXPECT_EQ(tenon::introspect::live_handles(), live);
}

}  // namespace
