// SPDX-License-Identifier: Apache-2.0
// Libraries and registrations: refusals and their messages, the state after a failure, and the
// effect of removals.
#include <atomic>

#include "support.h"

namespace tenon::test {
namespace {

using Registrations = DispatchTest;

// A deleter that counts.
void count_deletion(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
tenon_kernel counted(std::atomic<int>* counter) {
  tenon_kernel kernel = kernel_of(
      [](void*, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status { return TENON_OK; },
      counter);
  kernel.deleter = &count_deletion;
  return kernel;
}

tenon_status open(uint32_t kind, const char* ns, tenon_key key = TENON_KEY_NONE) {
  tenon_library* library = nullptr;
  const tenon_status status = tenon_library_new(kind, ns, key, "second.cpp", 9, &library);
  tenon_library_release(library);
  return status;
}
tenon_status define(const TestLibrary& library, const char* schema,
                    const tenon_define_options* options = nullptr) {
  return tenon_library_define(library.get(), schema, options, nullptr);
}
tenon_status impl(const TestLibrary& library, const char* name, tenon_key key,
                  const tenon_kernel& kernel) {
  return tenon_library_impl(library.get(), name, key, &kernel, nullptr);
}
std::string dump(const tenon_op* op) {
  tenon_buffer* text = nullptr;
  TENON_EXPECT_OK(tenon_introspect_dump(op, &text));
  return take_text(text);
}
std::string dump_table(const tenon_op* op) {
  tenon_buffer* text = nullptr;
  TENON_EXPECT_OK(tenon_introspect_dump_table(op, &text));
  return take_text(text);
}
const tenon_op* find(const char* name) {
  const tenon_op* op = nullptr;
  return tenon_op_find(name, &op) == TENON_OK ? op : nullptr;
}

TEST_F(Registrations, Item110_SecondDefLibrary_ErrorNamesBothAndWorksAfterTheFirstIsGone) {
  {
    TestLibrary first(TENON_LIBRARY_DEF, "once");
    EXPECT_EQ(open(TENON_LIBRARY_DEF, "once"), TENON_ERROR_ALREADY_EXISTS);
    const std::string message = take_error();
    EXPECT_NE(message.find("library.cpp:3"), std::string::npos) << message;
    EXPECT_NE(message.find("second.cpp:9"), std::string::npos) << message;
    first.close();
    TENON_EXPECT_OK(open(TENON_LIBRARY_DEF, "once"));
  }
  TENON_EXPECT_OK(open(TENON_LIBRARY_DEF, "once"));
}

TEST_F(Registrations, Item111_Fragment_WithAndWithoutDef) {
  TestLibrary fragment(TENON_LIBRARY_FRAGMENT, "frag");
  EXPECT_NE(fragment.define("a() -> ()"), nullptr);
  TestLibrary def(TENON_LIBRARY_DEF, "frag");
  EXPECT_NE(def.define("b() -> ()"), nullptr);
  EXPECT_NE(fragment.define("c() -> ()"), nullptr);
}

TEST_F(Registrations, Item112_WrongKindOfLibrary) {
  TestLibrary implementing(TENON_LIBRARY_IMPL, "t");
  TENON_EXPECT_ERROR(define(implementing, "x() -> ()"), TENON_ERROR_INVALID_ARGUMENT,
                     "IMPL library");
  const tenon_kernel kernel = logging_kernel("k");
  for (const uint32_t kind : {TENON_LIBRARY_DEF, TENON_LIBRARY_FRAGMENT, TENON_LIBRARY_IMPL}) {
    TestLibrary named(kind, "named");
    TENON_EXPECT_ERROR(
        tenon_library_fallback(named.get(), TENON_KEY_WRAPPER, &kernel, nullptr, nullptr),
        TENON_ERROR_INVALID_ARGUMENT, "namespace \"_\"");
  }
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_DEF, "_"), TENON_ERROR_INVALID_ARGUMENT, "IMPL");
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_FRAGMENT, "_"), TENON_ERROR_INVALID_ARGUMENT, "IMPL");
  TENON_EXPECT_ERROR(open(7, "t"), TENON_ERROR_INVALID_ARGUMENT, "kind");
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_IMPL, "a.b"), TENON_ERROR_INVALID_ARGUMENT, "identifier");
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_IMPL, ""), TENON_ERROR_INVALID_ARGUMENT, "identifier");
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_IMPL, nullptr), TENON_ERROR_INVALID_ARGUMENT, "identifier");
  TENON_EXPECT_ERROR(open(TENON_LIBRARY_IMPL, "t", TENON_KEY_UNDEFINED),
                     TENON_ERROR_INVALID_ARGUMENT, "key");
}

TEST_F(Registrations, Item113_OtherNamespace_IsRefused) {
  TestLibrary library;
  TENON_EXPECT_ERROR(define(library, "other::x() -> ()"), TENON_ERROR_INVALID_ARGUMENT,
                     "namespace must be t");
  TENON_EXPECT_ERROR(impl(library, "other::x", TENON_KEY_CPU, logging_kernel("k")),
                     TENON_ERROR_INVALID_ARGUMENT, "got other");
  EXPECT_NE(library.define("t::x() -> ()"), nullptr);
}

TEST_F(Registrations, Item114_KeyOtherThanTheLibrarys_IsRefused) {
  TestLibrary library(TENON_LIBRARY_IMPL, "t", TENON_KEY_CPU);
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CUDA, logging_kernel("k")),
                     TENON_ERROR_INVALID_ARGUMENT, "key must be CPU");
  TENON_EXPECT_OK(impl(library, "x", TENON_KEY_CPU, logging_kernel("k")));
  TENON_EXPECT_OK(impl(library, "y", TENON_KEY_NONE, logging_kernel("k")));
  TestLibrary defining;
  EXPECT_EQ(slot(defining.define("y(Tensor a) -> ()"), TENON_KEY_CPU), "k");
}

TEST_F(Registrations, Item115_ImplInWildcardLibrary_IsRefused) {
  FallbackLibrary library;
  TENON_EXPECT_ERROR(impl(library, "t::x", TENON_KEY_CPU, logging_kernel("k")),
                     TENON_ERROR_INVALID_ARGUMENT, "wildcard");
}

void note_event(void* out, uint32_t event, const tenon_op* op) {
  const std::string name = tenon_op_name(op);
  if (name.rfind("heard::", 0) != 0) return;
  *static_cast<std::string*>(out) +=
      (event == TENON_EVENT_OP_DEFINED ? "+" : "-") + name.substr(7) + " ";
}

TEST_F(Registrations, Item116_ImplBeforeDef_CallableAfterDefAndListenerHearsOnlyDef) {
  std::string heard;
  tenon_registration* listening = nullptr;
  TENON_EXPECT_OK(tenon_registry_add_listener(&note_event, &heard, nullptr, &listening));
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "heard");
  library.impl("late", TENON_KEY_CPU, logging_kernel("cpu"));
  EXPECT_EQ(heard, "");
  const tenon_op* op = library.define("late(Tensor a) -> ()");
  EXPECT_EQ(heard, "+late ");
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "cpu");
  tenon_registration_remove(listening);
  tenon_registration_release(listening);
}

TEST_F(Registrations, Item117_And118_ImplOnly_LookupSaysSoAndItIsListedAsDangling) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "dangle");
  library.impl("x.over", TENON_KEY_CPU, logging_kernel("cpu"));
  EXPECT_EQ(find("dangle::x.over"), nullptr);
  EXPECT_NE(take_error().find("kernels without a schema"), std::string::npos);
  const auto dangling = [] {
    tenon_buffer* buffer = nullptr;
    TENON_EXPECT_OK(tenon_introspect_list_dangling(&buffer));
    std::string names;
    const auto* ops = static_cast<const tenon_op* const*>(tenon_buffer_data(buffer));
    for (int64_t i = 0; i < tenon_buffer_size(buffer) / 8; ++i) {
      names += std::string(tenon_op_name(ops[i])) + " ";
    }
    tenon_buffer_release(buffer);
    return names;
  };
  EXPECT_EQ(dangling(), "dangle::x.over ");
  library.define("x.over(Tensor a) -> ()");
  EXPECT_EQ(dangling(), "");
}

TEST_F(Registrations, Item119_DuplicateDefinition_ErrorNamesBothAndStateIsUnchanged) {
  TestLibrary library;
  tenon_define_options options{};
  options.struct_size = sizeof options;
  options.file = "first.cpp";
  options.line = 11;
  TENON_EXPECT_OK(define(library, "dup(Tensor a) -> ()", &options));
  const tenon_op* op = find("t::dup");
  const std::string before = dump(op) + dump_table(op);
  options.file = "again.cpp";
  options.line = 12;
  EXPECT_EQ(define(library, "dup(Tensor a) -> ()", &options), TENON_ERROR_ALREADY_EXISTS);
  const std::string message = take_error();
  EXPECT_NE(message.find("first.cpp:11"), std::string::npos) << message;
  EXPECT_NE(message.find("again.cpp:12"), std::string::npos) << message;
  EXPECT_EQ(dump(op) + dump_table(op), before);
}

TEST_F(Registrations, Item120_And121_LayeredKernels_NewestIsActiveAndAnyOrderOfRemovalWorks) {
  TestLibrary library;
  const tenon_op* op = library.define("layers(Tensor a) -> ()");
  tenon_registration* old = library.keep("layers", TENON_KEY_CPU, logging_kernel("old"));
  tenon_registration* middle = library.keep("layers", TENON_KEY_CPU, logging_kernel("middle"));
  tenon_registration* newest = library.keep("layers", TENON_KEY_CPU, logging_kernel("newest"));
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "newest");
  const std::string text = dump(op);
  EXPECT_NE(text.find("CPU: newest at kernels.cpp:7 [boxed]\n"
                      "CPU: middle at kernels.cpp:7 [boxed] [inactive]\n"
                      "CPU: old at kernels.cpp:7 [boxed] [inactive]\n"),
            std::string::npos)
      << text;
  tenon_registration_remove(middle);
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "newest");
  tenon_registration_remove(newest);
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "old");
  tenon_registration_remove(old);
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "-");
}

TEST_F(Registrations, Item121_OldestRemovedFirst_NewestStays) {
  TestLibrary library;
  const tenon_op* op = library.define("layers(Tensor a) -> ()");
  tenon_registration* old = library.keep("layers", TENON_KEY_CPU, logging_kernel("old"));
  library.impl("layers", TENON_KEY_CPU, logging_kernel("new"));
  tenon_registration_remove(old);
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "new");
}

TEST_F(Registrations, Item122_PolicyError_RefusesASecondKernel) {
  TestLibrary library;
  const tenon_op* op = library.define("strict(Tensor a) -> ()");
  library.impl("strict", TENON_KEY_CPU, logging_kernel("first"));
  tenon_kernel second = logging_kernel("second");
  second.policy = TENON_REPLACE_ERROR;
  TENON_EXPECT_ERROR(impl(library, "strict", TENON_KEY_CPU, second), TENON_ERROR_ALREADY_EXISTS,
                     "first at kernels.cpp:7");
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "first");
  second.policy = TENON_REPLACE_OVERRIDE;
  library.impl("strict", TENON_KEY_CPU, second);
  EXPECT_EQ(slot(op, TENON_KEY_CPU), "second");
  EXPECT_NE(dump(op).find("second at kernels.cpp:7 [boxed] [override]"), std::string::npos);
}

TEST_F(Registrations, Item123_SecondFallback_ErrorNamesBoth) {
  FallbackLibrary library;
  library.fallback(TENON_KEY_WRAPPER, logging_kernel("first"));
  const tenon_kernel second = logging_kernel("second");
  EXPECT_EQ(tenon_library_fallback(library.get(), TENON_KEY_WRAPPER, &second, nullptr, nullptr),
            TENON_ERROR_ALREADY_EXISTS);
  const std::string message = take_error();
  EXPECT_NE(message.find("first at kernels.cpp:7"), std::string::npos) << message;
  EXPECT_NE(message.find("second at kernels.cpp:7"), std::string::npos) << message;
}

TEST_F(Registrations, Item124_FallbackOnAliasWithOneKeyTaken_NothingIsLeft) {
  TestLibrary defining;
  const tenon_op* op = defining.define("x(Tensor a) -> ()");
  FallbackLibrary library;
  library.fallback(TENON_KEY_AUTOGRAD_CUDA, logging_kernel("cuda"));
  const tenon_kernel all = logging_kernel("all");
  TENON_EXPECT_ERROR(
      tenon_library_fallback(library.get(), TENON_KEY_AUTOGRAD, &all, nullptr, nullptr),
      TENON_ERROR_ALREADY_EXISTS, "AutogradCUDA");
  EXPECT_EQ(slot(op, TENON_KEY_AUTOGRAD_CPU), "fall");
  EXPECT_EQ(slot(op, TENON_KEY_AUTOGRAD_CUDA), "cuda");
}

TEST_F(Registrations, FallbackOnAlias_ServesAllItsKeysAndGoesAsOne) {
  TestLibrary defining;
  const tenon_op* op = defining.define("x(Tensor a) -> ()");
  {
    FallbackLibrary library;
    library.fallback(TENON_KEY_AUTOGRAD, logging_kernel("all"));
    EXPECT_EQ(slot(op, TENON_KEY_AUTOGRAD_CPU), "all");
    EXPECT_EQ(slot(op, TENON_KEY_AUTOGRAD_META), "all");
  }
  EXPECT_EQ(slot(op, TENON_KEY_AUTOGRAD_CPU), "fall");
  FallbackLibrary library;
  const tenon_kernel kernel = logging_kernel("k");
  TENON_EXPECT_ERROR(tenon_library_fallback(library.get(), kImplicit, &kernel, nullptr, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "CompositeImplicitAutograd");
}

TEST_F(Registrations, ReservedWordsAndUnknownFields_MustBeZero) {
  TestLibrary library;
  tenon_kernel kernel = logging_kernel("k");
  kernel.reserved[0] = 1;
  TENON_EXPECT_ERROR(impl(library, "reserved", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "kernel: reserved fields must be zero");
  kernel = logging_kernel("k");
  kernel.reserved0 = 1;
  TENON_EXPECT_ERROR(impl(library, "reserved", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "reserved");
  tenon_define_options options{};
  options.struct_size = sizeof options;
  options.reserved[0] = 1;
  TENON_EXPECT_ERROR(tenon_library_define(library.get(), "reserved() -> ()", &options, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "tenon_library_define: reserved fields");
  options.reserved[0] = 0;
  options.tag_count = 1;
  TENON_EXPECT_ERROR(tenon_library_define(library.get(), "reserved() -> ()", &options, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "tags must be given");
}

TEST_F(Registrations, SecondDefinitionWithoutPlaces_SaysNothingOfThem) {
  TestLibrary library;
  library.define("placeless() -> ()");
  EXPECT_EQ(tenon_library_define(library.get(), "placeless() -> ()", nullptr, nullptr),
            TENON_ERROR_ALREADY_EXISTS);
  EXPECT_EQ(
      take_error(),
      "ExistsError: t::placeless: operator must be defined only once, got a second definition");
}

TEST_F(Registrations, MisspeltNames_AreAnsweredWithNearOnes) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "spelling");
  library.define("polynomial(Tensor a) -> ()");
  library.define("shift.left(Tensor a) -> ()");
  library.define("shift.right(Tensor a) -> ()");
  const auto refusal = [](const char* name) {
    EXPECT_EQ(find(name), nullptr);
    return take_error();
  };
  EXPECT_EQ(refusal("spelling::polinomial"),
            "LookupError: spelling::polinomial: operator must exist, got an unknown name; did you "
            "mean spelling::polynomial?");
  EXPECT_EQ(refusal("speling::polynomial"),
            "LookupError: speling::polynomial: operator must exist, got an unknown name; did you "
            "mean spelling::polynomial?");
  EXPECT_EQ(refusal("spelling::other"),
            "LookupError: spelling::other: operator must exist, got an unknown name");
  EXPECT_EQ(refusal("spelling::shift.lefft"),
            "LookupError: spelling::shift.lefft: overload must be one of left, right, got lefft; "
            "did you mean left?");
  library.impl("polynomal", TENON_KEY_CPU, logging_kernel("cpu"));
  EXPECT_EQ(refusal("spelling::polynomal"),
            "LookupError: spelling::polynomal: operator must be defined, got kernels without a "
            "schema; did you mean spelling::polynomial?");
  tenon_buffer* dangling = nullptr;
  TENON_ASSERT_OK(tenon_introspect_list_dangling(&dangling));
  const auto* ops = static_cast<const tenon_op* const*>(tenon_buffer_data(dangling));
  std::string text;
  for (int64_t i = 0; i < tenon_buffer_size(dangling) / 8; ++i) {
    if (std::string_view(tenon_op_name(ops[i])) == "spelling::polynomal") text = dump(ops[i]);
  }
  tenon_buffer_release(dangling);
  EXPECT_EQ(text,
            "name: spelling::polynomal\nschema: (none); did you mean spelling::polynomial?\n"
            "CPU: cpu at kernels.cpp:7 [boxed]\n");
  tenon_key key = 0;
  TENON_EXPECT_ERROR(tenon_key_parse("CompositExplicitAutograd", &key), TENON_ERROR_NOT_FOUND,
                     "; did you mean CompositeExplicitAutograd");
  TENON_EXPECT_ERROR(tenon_key_parse("cpu", &key), TENON_ERROR_NOT_FOUND, "; did you mean CPU");
}

TEST_F(Registrations, GuardThatTakesTheKernelsKey_IsNamed) {
  TestLibrary library;
  const tenon_op* op = library.define("shut(Tensor a) -> ()");
  library.impl("shut", TENON_KEY_CPU, logging_kernel("cpu"));
  TestTensor tensor;
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({TENON_KEY_CPU}), &guard));
  EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL);
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_error(),
            "NotImplementedError: t::shut: arguments must have a key that the thread does not "
            "exclude, got only keys that its guards exclude, {CPU}; kernels: CPU");
}

TEST_F(Registrations, Item125_FallthroughForOneOperator) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, logging_kernel("wrapper"));
  TestLibrary library;
  const tenon_op* op = library.define("skips(Tensor a) -> ()");
  library.impl("skips", TENON_KEY_CPU, logging_kernel("cpu"));
  library.impl("skips", TENON_KEY_WRAPPER, fallthrough());
  TestTensor tensor({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Registrations, Item126_LibraryReleased_OperatorIsGone) {
  {
    TestLibrary library(TENON_LIBRARY_FRAGMENT, "gone");
    library.define("x() -> ()");
    EXPECT_NE(find("gone::x"), nullptr);
  }
  EXPECT_EQ(find("gone::x"), nullptr);
  EXPECT_NE(take_error().find("unknown name"), std::string::npos);
}

TEST_F(Registrations, Item127_DefRemovedWhileKernelsRemain_DumpableAndDefinableAgain) {
  TestLibrary kernels;
  kernels.impl("again", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_op* op = nullptr;
  {
    TestLibrary defining;
    op = defining.define("again(Tensor a) -> ()");
  }
  EXPECT_EQ(dump(op), "name: t::again\nschema: (none)\nCPU: cpu at kernels.cpp:7 [boxed]\n");
  TestTensor tensor;
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_NOT_FOUND, "must be defined");
  TestLibrary defining;
  EXPECT_EQ(defining.define("again(Tensor a) -> ()"), op);
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "cpu");
}

tenon_kernel typed(const char* schema, uint64_t signature) {
  tenon_kernel kernel = logging_kernel("typed");
  kernel.typed = reinterpret_cast<tenon_typed_fn>(&count_deletion);
  kernel.signature = signature;
  kernel.schema = schema;
  return kernel;
}
constexpr uint64_t kTtoT = 0x6c62fe19e196c2e9u, kTTtoT = 0xa3775cfad220a37fu;

TEST_F(Registrations, Item128_SignaturesOfTwoKernelsDiffer_ErrorNamesBoth) {
  TestLibrary library;
  library.impl("sig", TENON_KEY_CPU, typed("(Tensor _0) -> Tensor", kTtoT));
  EXPECT_EQ(impl(library, "sig", TENON_KEY_CUDA, typed("(Tensor _0, Tensor _1) -> Tensor", kTTtoT)),
            TENON_ERROR_INVALID_ARGUMENT);
  const std::string message = take_error();
  EXPECT_NE(message.find("for CPU"), std::string::npos) << message;
  EXPECT_NE(message.find("for CUDA"), std::string::npos) << message;
}

TEST_F(Registrations, Item108_KernelThatDoesNotMatchTheSchema_EachReason) {
  TestLibrary library;
  const tenon_op* op = library.define("sig(Tensor a) -> Tensor");
  const std::string before = dump(op) + dump_table(op);
  tenon_kernel kernel = logging_kernel("k");
  kernel.schema = "(Tensor _0, Tensor _1) -> Tensor";
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "number of arguments");
  kernel.schema = "(int _0) -> Tensor";
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "int");
  kernel.schema = "(Tensor _0) -> (Tensor, Tensor)";
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "number of returns");
  kernel.schema = "(Tensor _0) -> int";
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "int");
  kernel.schema = "(Tensor _0";
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, kernel), TENON_ERROR_PARSE, "");
  TENON_EXPECT_ERROR(impl(library, "sig", TENON_KEY_CPU, typed(nullptr, kTTtoT)),
                     TENON_ERROR_INVALID_ARGUMENT, "signature \"T>T\"");
  EXPECT_EQ(dump(op) + dump_table(op), before);
  library.impl("sig", TENON_KEY_CPU, typed("(Tensor _0) -> Tensor", kTtoT));
}

TEST_F(Registrations, Item109_MismatchFoundWhenImplCameFirst_DefIsRefusedAndRetryable) {
  TestLibrary library;
  tenon_registration* wrong =
      library.keep("sig", TENON_KEY_CPU, typed("(Tensor _0, Tensor _1) -> Tensor", kTTtoT));
  TENON_EXPECT_ERROR(define(library, "sig(Tensor a) -> Tensor"), TENON_ERROR_INVALID_ARGUMENT,
                     "typed at kernels.cpp:7 for CPU");
  EXPECT_EQ(find("t::sig"), nullptr);
  take_error();
  tenon_registration_remove(wrong);
  EXPECT_NE(library.define("sig(Tensor a) -> Tensor"), nullptr);  // item 131
}

TEST_F(Registrations, Item130_Listener_ReplayThenEventsThenNothing) {
  std::string heard;
  std::atomic<int> deleted{0};
  struct Context {
    std::string* heard;
    std::atomic<int>* deleted;
  } context{&heard, &deleted};
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "heard");
  library.define("a() -> ()");
  tenon_registration* listening = nullptr;
  TENON_EXPECT_OK(tenon_registry_add_listener(
      [](void* ctx, uint32_t event, const tenon_op* op) {
        note_event(static_cast<Context*>(ctx)->heard, event, op);
      },
      &context, [](void* ctx) { ++*static_cast<Context*>(ctx)->deleted; }, &listening));
  EXPECT_EQ(heard, "+a ");
  library.define("b() -> ()");
  EXPECT_EQ(heard, "+a +b ");
  library.impl("b", TENON_KEY_CPU, logging_kernel("k"));
  EXPECT_EQ(heard, "+a +b ");
  library.close();
  EXPECT_TRUE(heard == "+a +b -b -a " || heard == "+a +b -a -b ") << heard;
  EXPECT_EQ(deleted, 0);
  tenon_registration_remove(listening);
  EXPECT_EQ(deleted, 1);
  tenon_registration_remove(listening);
  tenon_registration_release(listening);
  heard.clear();
  TestLibrary more(TENON_LIBRARY_FRAGMENT, "heard");
  more.define("c() -> ()");
  EXPECT_EQ(heard, "");
  EXPECT_EQ(deleted, 1);
}

TEST_F(Registrations, Item130_ListenerMayCallBack) {
  struct Context {
    int found = 0;
  } context;
  tenon_registration* listening = nullptr;
  TENON_EXPECT_OK(tenon_registry_add_listener(
      [](void* ctx, uint32_t, const tenon_op* op) {
        const tenon_op* found = nullptr;
        if (tenon_op_find(tenon_op_name(op), &found) == TENON_OK) {
          ++static_cast<Context*>(ctx)->found;
        }
        tenon_error_release(tenon_error_take());
      },
      &context, nullptr, &listening));
  const int before = context.found;
  TestLibrary library;
  library.define("echo() -> ()");
  EXPECT_EQ(context.found, before + 1);
  tenon_registration_remove(listening);
  tenon_registration_release(listening);
}

TEST_F(Registrations, Item132_Tags_AreStoredPerOverload) {
  TestLibrary library;
  const char* tags[] = {"pointwise", "core"};
  tenon_define_options options{};
  options.struct_size = sizeof options;
  options.tags = tags;
  options.tag_count = 2;
  TENON_EXPECT_OK(define(library, "tagged.a() -> ()", &options));
  TENON_EXPECT_OK(define(library, "tagged.b() -> ()"));
  const auto tags_of = [](const char* name) {
    tenon_buffer* text = nullptr;
    TENON_EXPECT_OK(tenon_op_copy_tags(find(name), &text));
    return take_text(text);
  };
  EXPECT_EQ(tags_of("t::tagged.a"), "pointwise\ncore");
  EXPECT_EQ(tags_of("t::tagged.b"), "");
}

TEST_F(Registrations, Item133_AliasAnalysis_KnownValuesOnly) {
  TestLibrary library;
  tenon_define_options options{};
  options.struct_size = sizeof options;
  for (const char* good : {"", "FROM_SCHEMA", "CONSERVATIVE"}) {
    options.alias_analysis = good;
    TENON_EXPECT_OK(define(library, (std::string("a") + good + "() -> ()").c_str(), &options));
  }
  options.alias_analysis = "PURE";
  TENON_EXPECT_ERROR(define(library, "b() -> ()", &options), TENON_ERROR_INVALID_ARGUMENT,
                     "\"PURE\"");
}

TEST_F(Registrations, Item136_MalformedSchema_IsAParseErrorAndNothingChanges) {
  TestLibrary library;
  TENON_EXPECT_ERROR(define(library, "bad(Tensor a -> ()"), TENON_ERROR_PARSE, "");
  TENON_EXPECT_ERROR(define(library, "only_a_name"), TENON_ERROR_PARSE, "");
  TENON_EXPECT_ERROR(define(library, nullptr), TENON_ERROR_INVALID_ARGUMENT, "schema");
  EXPECT_EQ(find("t::bad"), nullptr);
  take_error();
}

TEST_F(Registrations, Item140_Lookup_TellsWhatIsMissing) {
  TestLibrary library;
  library.define("over.one() -> ()");
  library.define("over.two() -> ()");
  EXPECT_EQ(find("t::over"), nullptr);
  EXPECT_EQ(take_error(), "LookupError: t::over: overload must be one of one, two, got default");
  EXPECT_EQ(find("t::over.three"), nullptr);
  EXPECT_NE(take_error().find("got three"), std::string::npos);
  EXPECT_EQ(find("t::under"), nullptr);
  EXPECT_EQ(take_error(), "LookupError: t::under: operator must exist, got an unknown name");
  EXPECT_EQ(find("no_namespace"), nullptr);
  EXPECT_NE(take_error().find("ns::name"), std::string::npos);
}

TEST_F(Registrations, Item142_CachedHandleOfARemovedOperator_CleanError) {
  const tenon_op* op = nullptr;
  {
    TestLibrary library;
    op = library.define("cached(Tensor a) -> Tensor");
    library.impl("cached", TENON_KEY_CPU, kernel_of(&return_first));
  }
  TestTensor tensor;
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}, 1), TENON_ERROR_NOT_FOUND,
                     "t::cached: operator must be defined");
  tenon_frame frame;
  EXPECT_EQ(tenon_frame_begin1(op, tensor.get(), &frame), nullptr);
  EXPECT_NE(take_error().find("must be defined"), std::string::npos);
  tenon_value value = tensor_value(tensor);
  EXPECT_EQ(tenon_frame_begin_boxed(op, &value, 1, &frame), nullptr);
  EXPECT_NE(take_error().find("must be defined"), std::string::npos);
  tenon_schema* schema = nullptr;
  TENON_EXPECT_ERROR(tenon_op_copy_schema(op, &schema), TENON_ERROR_NOT_FOUND, "t::cached");
  EXPECT_STREQ(tenon_op_name(op), "t::cached");
}

TEST_F(Registrations, ClosedLibrary_RefusesAndClosesAgain) {
  TestLibrary library;
  library.close();
  library.close();
  TENON_EXPECT_ERROR(define(library, "x() -> ()"), TENON_ERROR_STATE, "closed");
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, logging_kernel("k")), TENON_ERROR_STATE,
                     "closed");
}

TEST_F(Registrations, Deleter_RunsOnceOnCloseOnRemovalAndOnEveryRefusal) {
  std::atomic<int> deleted{0};
  const tenon_kernel kernel = counted(&deleted);
  {
    TestLibrary library;
    library.impl("x", TENON_KEY_CPU, kernel);
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  TestLibrary library;
  tenon_registration* registration = library.keep("x", TENON_KEY_CPU, kernel);
  tenon_registration_remove(registration);
  EXPECT_EQ(deleted, 2);
  TENON_EXPECT_ERROR(impl(library, "other::x", TENON_KEY_CPU, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "");
  EXPECT_EQ(deleted, 3);
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_UNDEFINED, kernel), TENON_ERROR_INVALID_ARGUMENT,
                     "Undefined");
  EXPECT_EQ(deleted, 4);
  tenon_kernel bad = kernel;
  bad.struct_size = 8;
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, bad), TENON_ERROR_ABI, "struct_size");
  EXPECT_EQ(deleted, 4) << "a description too short to have a deleter cannot say one";
  bad = kernel;
  bad.boxed = nullptr;
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, bad), TENON_ERROR_INVALID_ARGUMENT, "boxed");
  EXPECT_EQ(deleted, 5);
  bad = kernel;
  bad.schema = "(";
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, bad), TENON_ERROR_PARSE, "");
  EXPECT_EQ(deleted, 6);
  TENON_EXPECT_ERROR(tenon_library_impl(library.get(), nullptr, TENON_KEY_CPU, &kernel, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "name");
  EXPECT_EQ(deleted, 7);
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, logging_kernel("first"));
  TENON_EXPECT_ERROR(
      tenon_library_fallback(fallbacks.get(), TENON_KEY_WRAPPER, &kernel, nullptr, nullptr),
      TENON_ERROR_ALREADY_EXISTS, "");
  EXPECT_EQ(deleted, 8);
  library.close();
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, kernel), TENON_ERROR_STATE, "closed");
  EXPECT_EQ(deleted, 9);
}

TEST_F(Registrations, NullHandles_AreRefusedOrIgnored) {
  std::atomic<int> deleted{0};
  const tenon_kernel kernel = counted(&deleted);
  TENON_EXPECT_ERROR(tenon_library_define(nullptr, "x() -> ()", nullptr, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "library");
  TENON_EXPECT_ERROR(tenon_library_impl(nullptr, "x", TENON_KEY_CPU, &kernel, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "library");
  TENON_EXPECT_ERROR(tenon_library_fallback(nullptr, TENON_KEY_WRAPPER, &kernel, nullptr, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT, "library");
  EXPECT_EQ(deleted, 2);
  TENON_EXPECT_ERROR(tenon_library_drain(nullptr, 0), TENON_ERROR_INVALID_ARGUMENT, "library");
  tenon_library_close(nullptr);
  tenon_library_release(nullptr);
  tenon_registration_remove(nullptr);
  tenon_registration_release(nullptr);
}

TEST_F(Registrations, KernelDescriptionOfOtherVersions) {
  TestLibrary library;
  struct Longer {
    tenon_kernel known;
    uint64_t unknown;
  } longer{logging_kernel("k"), 0};
  longer.known.struct_size = sizeof longer;
  TENON_EXPECT_OK(tenon_library_impl(library.get(), "x", TENON_KEY_CPU, &longer.known, nullptr));
  longer.unknown = 1;
  TENON_EXPECT_ERROR(tenon_library_impl(library.get(), "x", TENON_KEY_CPU, &longer.known, nullptr),
                     TENON_ERROR_ABI, "unknown to this version");
  tenon_kernel shorter = logging_kernel("k");
  shorter.struct_size = 112;  // the first released size
  TENON_EXPECT_OK(tenon_library_impl(library.get(), "x", TENON_KEY_CPU, &shorter, nullptr));
  shorter.struct_size = 111;
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, shorter), TENON_ERROR_ABI,
                     "struct_size must be at least 112, got 111");
  shorter.struct_size = UINT32_MAX;
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, shorter), TENON_ERROR_ABI, "struct_size");
  tenon_kernel unknown = logging_kernel("k");
  unknown.flags = 1u << 30;
  TENON_EXPECT_ERROR(impl(library, "x", TENON_KEY_CPU, unknown), TENON_ERROR_INVALID_ARGUMENT,
                     "flags");
}

TEST_F(Registrations, LiveCounts_ReturnToWhatTheyWere) {
  { const TestLibrary first; }  // creates the built-in fallbacks, which are permanent
  const auto count = [](uint32_t kind) { return tenon_introspect_live_count(kind); };
  const int64_t libraries = count(TENON_HANDLE_LIBRARY);
  const int64_t registrations = count(TENON_HANDLE_REGISTRATION);
  const int64_t kernels = count(TENON_HANDLE_KERNEL);
  const int64_t schemas = count(TENON_HANDLE_SCHEMA);
  {
    TestLibrary library;
    library.define("x(Tensor a) -> ()");
    tenon_kernel kernel = logging_kernel("k");
    kernel.schema = "(Tensor _0) -> ()";
    library.impl("x", TENON_KEY_CPU, kernel);
    library.impl("y", TENON_KEY_CPU, logging_kernel("k"));
    FallbackLibrary fallbacks;
    fallbacks.fallback(TENON_KEY_WRAPPER, logging_kernel("w"));
    TENON_EXPECT_ERROR(define(library, "x(Tensor a) -> ()"), TENON_ERROR_ALREADY_EXISTS, "");
    EXPECT_EQ(count(TENON_HANDLE_LIBRARY), libraries + 2);
    EXPECT_EQ(count(TENON_HANDLE_REGISTRATION), registrations + 4);
    EXPECT_EQ(count(TENON_HANDLE_KERNEL), kernels + 3);
  }
  tenon_registry_reap();
  EXPECT_EQ(count(TENON_HANDLE_LIBRARY), libraries);
  EXPECT_EQ(count(TENON_HANDLE_REGISTRATION), registrations);
  EXPECT_EQ(count(TENON_HANDLE_KERNEL), kernels);
  EXPECT_EQ(count(TENON_HANDLE_SCHEMA), schemas);
}

TEST_F(Registrations, ManyOperators_LookupFindsEach) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "many");
  std::vector<const tenon_op*> ops;
  for (int i = 0; i < 5000; ++i) {
    ops.push_back(library.define(("op" + std::to_string(i) + "(Tensor a) -> ()").c_str()));
  }
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(find(("many::op" + std::to_string(i)).c_str()), ops[static_cast<size_t>(i)]);
  }
}

TEST_F(Registrations, DumpTable_ListsUndefinedFirstWithProvenance) {
  TestLibrary library;
  const tenon_op* op = library.define("table(Tensor a) -> ()");
  library.impl("table", TENON_KEY_CPU, logging_kernel("cpu"));
  library.impl("table", kImplicit, logging_kernel("cia"));
  const std::string table = dump_table(op);
  EXPECT_EQ(table.substr(0, table.find("CUDA")),
            "Undefined: cia at kernels.cpp:7 [math kernel]\nCPU: cpu at kernels.cpp:7 [kernel]\n");
  EXPECT_NE(table.find("AutogradCPU: fallthrough [backend fallback]\n"), std::string::npos)
      << table;
  EXPECT_NE(table.find("AutogradCUDA: cia at kernels.cpp:7 [math kernel]\n"), std::string::npos);
}

}  // namespace
}  // namespace tenon::test
