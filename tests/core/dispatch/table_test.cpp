// SPDX-License-Identifier: Apache-2.0
// The dispatch table: which registration serves each slot.
#include <algorithm>
#include <random>

#include "support.h"

namespace tenon::test {
namespace {

constexpr tenon_key kNonFunctional = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL;

class Table : public DispatchTest {
 protected:
  TestLibrary library_;
  const tenon_op* op_ = library_.define("op(Tensor a) -> ()");

  void add(tenon_key key, const char* name) { library_.impl("op", key, logging_kernel(name)); }
  // Returns the kernels of Undefined, CPU, CUDA, AutogradCPU and AutogradCUDA.
  std::string row() {
    std::string text;
    for (const tenon_key key : {TENON_KEY_UNDEFINED, TENON_KEY_CPU, TENON_KEY_CUDA,
                                TENON_KEY_AUTOGRAD_CPU, TENON_KEY_AUTOGRAD_CUDA}) {
      text += (text.empty() ? "" : " ") + slot(op_, key);
    }
    return text;
  }
};

TEST_F(Table, Item15_ImplicitOnly_ServesAllBackendsAutogradAndUndefined) {
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "cia cia cia cia cia");
  for (const tenon_key key : {TENON_KEY_META, TENON_KEY_AUTOGRAD_META, TENON_KEY_FAKE,
                              TENON_KEY_WRAPPER, TENON_KEY_AD_INPLACE_OR_VIEW, TENON_KEY_BATCHED}) {
    EXPECT_EQ(slot(op_, key), "cia") << tenon_key_name(key);
    EXPECT_EQ(provenance(op_, key), TENON_PROVENANCE_MATH_KERNEL);
  }
  EXPECT_EQ(slot(op_, TENON_KEY_TRACER), "record_graph");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOCAST_CPU), "fall");
}

TEST_F(Table, Item16_CpuAndImplicit_AutogradCpuFallsThrough) {
  add(TENON_KEY_CPU, "cpu");
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "cia cpu cia fall cia");
  EXPECT_EQ(slot(op_, TENON_KEY_AD_INPLACE_OR_VIEW), "fall");
  EXPECT_EQ(slot(op_, TENON_KEY_BATCHED), "batch_each");
}

TEST_F(Table, Item17_CpuAutogradAndImplicit) {
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_AUTOGRAD, "autograd");
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "cia cpu cia autograd cia");
}

TEST_F(Table, Item18_AutogradCpuAndAutograd_SpecificWins) {
  add(TENON_KEY_AUTOGRAD, "autograd");
  add(TENON_KEY_AUTOGRAD_CPU, "autogradcpu");
  EXPECT_EQ(row(), "- - - autogradcpu autograd");
}

TEST_F(Table, Item18_CpuCudaAutogradAutogradCpuAndImplicit) {
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_CUDA, "cuda");
  add(TENON_KEY_AUTOGRAD, "autograd");
  add(TENON_KEY_AUTOGRAD_CPU, "autogradcpu");
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "cia cpu cuda autogradcpu autograd");
  EXPECT_EQ(slot(op_, TENON_KEY_META), "cia");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_META), "cia");
}

TEST_F(Table, Item19_AutogradOnly_PlainTensorBelowHasNoKernel) {
  library_.impl("op", TENON_KEY_AUTOGRAD, going_on("autograd"));
  TestTensor tensor;
  TENON_EXPECT_ERROR(call(op_, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL, "got CPU");
  EXPECT_EQ(take_notes(), "autograd@AutogradCPU");
}

TEST_F(Table, Item20_CpuAndExplicit) {
  add(TENON_KEY_CPU, "cpu");
  add(kExplicit, "cea");
  EXPECT_EQ(row(), "cea cpu cea fall fall");
  EXPECT_EQ(provenance(op_, TENON_KEY_CPU), TENON_PROVENANCE_KERNEL);
  EXPECT_EQ(provenance(op_, TENON_KEY_CUDA), TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL);
}

TEST_F(Table, Item20_CpuAutogradAndExplicit) {
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_AUTOGRAD, "autograd");
  add(kExplicit, "cea");
  EXPECT_EQ(row(), "cea cpu cea autograd autograd");
}

TEST_F(Table, Item21_ExplicitAndImplicit_AutogradIsNotImplicit) {
  add(kExplicit, "cea");
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "cea cea cea fall fall");
}

TEST_F(Table, Item22_CpuAutogradImplicitAndExplicit_ImplicitUnused) {
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_AUTOGRAD, "autograd");
  add(kImplicit, "cia");
  add(kExplicit, "cea");
  EXPECT_EQ(row(), "cea cpu cea autograd autograd");
}

TEST_F(Table, Item24_NonFunctional_BeatsExplicitAndIsNoBackendKernel) {
  add(kNonFunctional, "ceanf");
  EXPECT_EQ(row(), "ceanf ceanf ceanf fall fall");
  add(kImplicit, "cia");
  EXPECT_EQ(row(), "ceanf ceanf ceanf cia cia");
  add(kExplicit, "cea");
  EXPECT_EQ(row(), "ceanf ceanf ceanf fall fall");
}

TEST_F(Table, Item25_KernelOfOneBackend_LeavesOtherBackendsAutogradToImplicit) {
  // Every backend has its own Autograd slot, so nothing is ambiguous.
  add(TENON_KEY_META, "meta");
  add(kImplicit, "cia");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_META), "fall");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_CPU), "cia");
}

TEST_F(Table, Item31_BatchedDecomposition_ServesBatchedOnlyBelowDirect) {
  add(TENON_KEY_BATCHED_DECOMPOSITION, "decomposed");
  EXPECT_EQ(slot(op_, TENON_KEY_BATCHED), "decomposed");
  EXPECT_EQ(provenance(op_, TENON_KEY_BATCHED), TENON_PROVENANCE_BATCHED_KERNEL);
  EXPECT_EQ(row(), "- - - fall fall");
  add(TENON_KEY_BATCHED, "batched");
  EXPECT_EQ(slot(op_, TENON_KEY_BATCHED), "batched");
}

TEST_F(Table, Item31_DecompositionAndImplicit_DecompositionServesBatched) {
  add(kImplicit, "cia");
  add(TENON_KEY_BATCHED_DECOMPOSITION, "decomposed");
  EXPECT_EQ(slot(op_, TENON_KEY_BATCHED), "decomposed");
  EXPECT_EQ(row(), "cia cia cia cia cia");
}

TEST_F(Table, AutocastAlias_ServesEachBackend) {
  add(TENON_KEY_AUTOCAST, "cast");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOCAST_CPU), "cast");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOCAST_CUDA), "cast");
}

TEST_F(Table, Item32_FallbackWithoutKernel_IsCalled) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_CPU, logging_kernel("fallback"));
  EXPECT_EQ(provenance(op_, TENON_KEY_CPU), TENON_PROVENANCE_BACKEND_FALLBACK);
  TestTensor tensor;
  TENON_EXPECT_OK(call(op_, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "fallback");
}

TEST_F(Table, Item33_FallbackAndKernel_KernelIsCalled) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_CPU, logging_kernel("fallback"));
  add(TENON_KEY_CPU, "cpu");
  EXPECT_EQ(slot(op_, TENON_KEY_CPU), "cpu");
}

TEST_F(Table, Item34_FallbackAndImplicit_ImplicitIsCalled) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_CPU, logging_kernel("fallback"));
  add(kImplicit, "cia");
  EXPECT_EQ(slot(op_, TENON_KEY_CPU), "cia");
}

TEST_F(Table, Item35_FallbackAfterManyOperators_ChangesAllAndReverts) {
  std::vector<const tenon_op*> ops;
  for (int i = 0; i < 100; ++i) {
    ops.push_back(library_.define(("many" + std::to_string(i) + "(Tensor a) -> ()").c_str()));
  }
  {
    FallbackLibrary fallbacks;
    fallbacks.fallback(TENON_KEY_FAKE, logging_kernel("fake"));
    for (const tenon_op* op : ops) EXPECT_EQ(slot(op, TENON_KEY_FAKE), "fake");
    TENON_EXPECT_OK(tenon_introspect_check(nullptr));
  }
  for (const tenon_op* op : ops) EXPECT_EQ(slot(op, TENON_KEY_FAKE), "run_fake");
}

TEST_F(Table, Item36_OperatorAfterFallback_StartsWithIt) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, logging_kernel("wrapper"));
  EXPECT_EQ(slot(library_.define("late(Tensor a) -> ()"), TENON_KEY_WRAPPER), "wrapper");
}

TEST_F(Table, Item37_FallthroughFallback_NextKeyIsChosen) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, fallthrough());
  add(TENON_KEY_CPU, "cpu");
  TestTensor tensor({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TENON_EXPECT_OK(call(op_, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Table, Item38_FallthroughFallbackAndOneKernel_OnlyThatOperatorStops) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, fallthrough());
  const tenon_op* other = library_.define("other(Tensor a) -> ()");
  library_.impl("other", TENON_KEY_CPU, logging_kernel("other cpu"));
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_WRAPPER, "wrapper");
  TestTensor tensor({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TENON_EXPECT_OK(call(op_, {tensor_value(tensor)}));
  TENON_EXPECT_OK(call(other, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "wrapper other cpu");
}

TEST_F(Table, Item39_FallthroughOfOneBackend_OtherBackendStillDispatches) {
  add(TENON_KEY_CPU, "cpu");
  add(TENON_KEY_CUDA, "cuda");
  library_.impl("op", TENON_KEY_AUTOGRAD, going_on("autograd"));
  library_.impl("op", TENON_KEY_AUTOGRAD_CPU, fallthrough());
  TestTensor cpu({TENON_KEY_CPU, TENON_KEY_AUTOGRAD_CPU});
  TestTensor cuda({TENON_KEY_CUDA, TENON_KEY_AUTOGRAD_CUDA});
  TENON_EXPECT_OK(call(op_, {tensor_value(cpu)}));
  EXPECT_EQ(take_notes(), "cpu");
  TENON_EXPECT_OK(call(op_, {tensor_value(cuda)}));
  EXPECT_EQ(take_notes(), "autograd@AutogradCUDA cuda");
}

TEST_F(Table, Item40_FallthroughRemoved_SlotAndMaskAreBack) {
  add(TENON_KEY_CPU, "cpu");
  library_.impl("op", TENON_KEY_AUTOGRAD, going_on("autograd"));
  tenon_registration* skip = library_.keep("op", TENON_KEY_AUTOGRAD_CPU, fallthrough());
  TestTensor tensor;
  TENON_EXPECT_OK(call(op_, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "cpu");
  tenon_registration_remove(skip);
  TENON_EXPECT_OK(call(op_, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "autograd@AutogradCPU cpu");
}

TEST_F(Table, Item41_FallthroughOnEveryKey_ErrorNotCrash) {
  library_.impl("op", TENON_KEY_CPU, fallthrough());
  TestTensor tensor;
  TENON_EXPECT_ERROR(call(op_, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL,
                     "only keys that fall through");
}

TEST_F(Table, Item41_CompositeThatFallsThrough_IsNoKernelOfTheEmptySetEither) {
  for (const tenon_key key : {kImplicit, kExplicit, kNonFunctional}) {
    library_.impl("op", key, fallthrough());
    TestTensor tensor;
    TENON_EXPECT_ERROR(call(op_, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL,
                       "only keys that fall through");
    const tenon_op* none = library_.define(("none" + std::to_string(key) + "() -> ()").c_str());
    library_.impl(tenon_op_name(none), key, fallthrough());
    EXPECT_EQ(call(none, {}), TENON_ERROR_NO_KERNEL);
    take_error();
    tenon_frame frame;
    EXPECT_EQ(tenon_frame_begin_factory(none, nullptr, &frame), nullptr);
    take_error();
  }
}

TEST_F(Table, Item42_NoTensorArguments_RunsThroughTheComposite) {
  const tenon_op* implicit = library_.define("none_implicit() -> ()");
  library_.impl("none_implicit", kImplicit, logging_kernel("cia"));
  const tenon_op* explicit_op = library_.define("none_explicit() -> ()");
  library_.impl("none_explicit", kExplicit, logging_kernel("cea"));
  TENON_EXPECT_OK(call(implicit, {}));
  TENON_EXPECT_OK(call(explicit_op, {}));
  EXPECT_EQ(take_notes(), "cia cea");
}

TEST_F(Table, Item43_EmptyTensorListAndOnlyCpu_SaysNoTensorArguments) {
  const tenon_op* op = library_.define("list(Tensor[] a) -> ()");
  library_.impl("list", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_value empty = list_value(TENON_TAG_TENSOR_LIST, nullptr, 0);
  TENON_EXPECT_ERROR(call(op, {empty}), TENON_ERROR_NO_KERNEL, "no tensor arguments");
  library_.impl("list", kExplicit, logging_kernel("cea"));
  TENON_EXPECT_OK(call(op, {empty}));
  EXPECT_EQ(take_notes(), "cea");
}

TEST_F(Table, Item44_MissingKernel_ErrorNamesOperatorKeyAndKernels) {
  add(TENON_KEY_CPU, "cpu");
  library_.impl("op", TENON_KEY_AUTOGRAD, going_on("autograd"));
  TestTensor tensor({TENON_KEY_CUDA});
  EXPECT_EQ(call(op_, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL);
  EXPECT_EQ(take_error(),
            "NotImplementedError: t::op: key must have a kernel, got CUDA; kernels: CPU, Autograd; "
            "register a kernel for CUDA or CompositeExplicitAutograd, or move the arguments to "
            "another device");
}

TEST_F(Table, Item45_AnyOrder_StateDependsOnWhatIsActive) {
  struct Entry {
    tenon_key key;
    const char* name;
  };
  const Entry entries[] = {{TENON_KEY_CPU, "cpu"},   {TENON_KEY_AUTOGRAD, "autograd"},
                           {kImplicit, "cia"},       {kExplicit, "cea"},
                           {TENON_KEY_CUDA, "cuda"}, {TENON_KEY_AUTOGRAD_CPU, "autogradcpu"},
                           {kNonFunctional, "ceanf"}};
  constexpr size_t kCount = std::size(entries);
  std::vector<std::string> table_of_subset(size_t{1} << kCount);
  std::mt19937 random(1);
  std::vector<size_t> order(kCount);
  for (size_t i = 0; i < kCount; ++i) order[i] = i;
  for (int round = 0; round < 40; ++round) {
    std::vector<tenon_registration*> handles(kCount);
    size_t active = 0;
    const auto look = [&] {
      tenon_buffer* text = nullptr;
      TENON_EXPECT_OK(tenon_introspect_dump_table(op_, &text));
      const std::string table = take_text(text);
      std::string& known = table_of_subset[active];
      if (known.empty()) known = table;
      EXPECT_EQ(known, table) << "subset " << active;
      TENON_EXPECT_OK(tenon_introspect_check(op_));
    };
    look();
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      handles[i] = library_.keep("op", entries[i].key, logging_kernel(entries[i].name));
      active |= size_t{1} << i;
      look();
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      tenon_registration_remove(handles[i]);
      active &= ~(size_t{1} << i);
      look();
    }
  }
}

TEST_F(Table, Item46_And47_CpuKernelComesAndGoes_AutogradCpuFollows) {
  add(kImplicit, "cia");
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_CPU), "cia");
  tenon_registration* cpu = library_.keep("op", TENON_KEY_CPU, logging_kernel("cpu"));
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_CPU), "fall");
  tenon_registration_remove(cpu);
  EXPECT_EQ(slot(op_, TENON_KEY_AUTOGRAD_CPU), "cia");
}

TEST_F(Table, SlotOfAlias_IsRefused) {
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  TENON_EXPECT_ERROR(tenon_introspect_get_slot(op_, TENON_KEY_AUTOGRAD, &info),
                     TENON_ERROR_INVALID_ARGUMENT, "got Autograd");
  info.struct_size = 8;
  TENON_EXPECT_ERROR(tenon_introspect_get_slot(op_, TENON_KEY_CPU, &info), TENON_ERROR_ABI,
                     "struct_size");
}

TEST_F(Table, MoreKernelsThanATableHolds_ClearErrorAndNothingChanges) {
  std::vector<tenon_key> all = dispatch::runtime_keys();
  int32_t type = 0;
  for (int i = 0; i < 30; ++i) {
    if (tenon_backend_register(("wide" + std::to_string(i)).c_str(), &type) != TENON_OK) break;
  }
  take_error();
  tenon_key key = 0;
  for (const char* name : {"WideA", "WideB", "WideC"}) {
    TENON_ASSERT_OK(tenon_functionality_register(
        name, name[4] == 'A' ? "Tracer" : "Fake",
        TENON_KEY_FLAG_PER_BACKEND | (name[4] == 'C' ? TENON_KEY_FLAG_ABOVE : 0), &key));
  }
  size_t registered = 0;
  tenon_status status = TENON_OK;
  for (const tenon_key each : dispatch::runtime_keys()) {
    const tenon_kernel kernel = logging_kernel("one");
    status = tenon_library_impl(library_.get(), "op", each, &kernel, nullptr);
    if (status != TENON_OK) break;
    ++registered;
  }
  EXPECT_EQ(status, TENON_ERROR_STATE);
  EXPECT_NE(take_error().find("at most 128"), std::string::npos);
  EXPECT_EQ(registered, 128u);
}

}  // namespace
}  // namespace tenon::test
