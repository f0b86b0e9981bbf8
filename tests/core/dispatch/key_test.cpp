// SPDX-License-Identifier: Apache-2.0
// Keys and key sets: numbers, names, algebra, keys registered at run time.
#include "support.h"

namespace tenon::test {
namespace {

TEST(KeySet, Item1_Empty_HighestIsUndefined) {
  EXPECT_EQ(tenon_keyset_highest(0), TENON_KEY_UNDEFINED);
  EXPECT_EQ(print(0), "{}");
}

TEST(KeySet, Item2_TwoBackends_HigherWins) {
  EXPECT_EQ(tenon_keyset_highest(keys({TENON_KEY_CPU, TENON_KEY_CUDA})), TENON_KEY_CUDA);
}

TEST(KeySet, Item3_FunctionalityOfOneBackend_StandsForAllBackendsOfTheSet) {
  const tenon_keyset set = keys({TENON_KEY_CPU, TENON_KEY_AUTOGRAD_CUDA});
  EXPECT_EQ(tenon_keyset_has(set, TENON_KEY_CUDA), 1);
  EXPECT_EQ(tenon_keyset_has(set, TENON_KEY_AUTOGRAD_CPU), 1);
  EXPECT_EQ(tenon_keyset_has(set, TENON_KEY_META), 0);
  EXPECT_EQ(tenon_keyset_has(set, TENON_KEY_TRACER), 0);
}

TEST(KeySet, Item4_RemoveAutograd_BackendBitStays) {
  const tenon_keyset set = keys({TENON_KEY_CPU, TENON_KEY_AUTOGRAD_CPU});
  EXPECT_EQ(tenon_keyset_remove(set, TENON_KEY_AUTOGRAD_CPU), keys({TENON_KEY_CPU}));
}

TEST(KeySet, Item5_EveryRuntimeKey_RoundTripsThroughItsSet) {
  for (const tenon_key key : dispatch::runtime_keys()) {
    EXPECT_EQ(tenon_keyset_highest(keys({key})), key) << tenon_key_name(key);
  }
}

TEST(KeySet, Item6_FullSet_HoldsEachKeyOnceHighestFirst) {
  const auto all = dispatch::keys_in(~tenon_keyset{0});
  for (size_t i = 1; i < all.size(); ++i) {
    const uint32_t before = dispatch::functionality_of(all[i - 1]);
    const uint32_t after = dispatch::functionality_of(all[i]);
    EXPECT_TRUE(before > after || (before == after && dispatch::backend_of(all[i - 1]) >
                                                          dispatch::backend_of(all[i])));
  }
  EXPECT_EQ(all.back(), TENON_KEY_CPU);
}

TEST(KeySet, Item7_BelowAutograd_HasNothingFromThereUpAndAllBackends) {
  const tenon_keyset below = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_AUTOGRAD_CPU), 0);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_TRACER), 0);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_AUTOCAST_CPU), 0);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_AD_INPLACE_OR_VIEW), 1);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_CPU), 1);
  EXPECT_EQ(tenon_keyset_has(below, TENON_KEY_META), 1);
  EXPECT_EQ(below & dispatch::kBackendMask, dispatch::kBackendMask);
}

TEST(KeySet, Item8_AliasKey_IsNoSet) {
  tenon_keyset set = 1;
  TENON_EXPECT_ERROR(tenon_keyset_from_key(TENON_KEY_AUTOGRAD, &set), TENON_ERROR_INVALID_ARGUMENT,
                     "must be a runtime key, got Autograd");
  EXPECT_EQ(set, 0u);
  TENON_EXPECT_ERROR(tenon_keyset_from_key(TENON_KEY_UNDEFINED, &set), TENON_ERROR_INVALID_ARGUMENT,
                     "got Undefined");
}

TEST(KeySet, Item9_MetaWithAnyOther_MetaWins) {
  EXPECT_EQ(tenon_keyset_highest(keys({TENON_KEY_META, TENON_KEY_CUDA})), TENON_KEY_META);
}

TEST(Key, Item10_UnknownName_ErrorNamesIt) {
  tenon_key key = 0;
  TENON_EXPECT_ERROR(tenon_key_parse("Bogus", &key), TENON_ERROR_NOT_FOUND, "\"Bogus\"");
  TENON_EXPECT_ERROR(tenon_key_parse(nullptr, &key), TENON_ERROR_NOT_FOUND, "\"\"");
}

TEST(Key, Item11_EveryRuntimeKey_NameParsesBack) {
  for (const tenon_key key : dispatch::runtime_keys()) {
    tenon_key parsed = TENON_KEY_NONE;
    TENON_EXPECT_OK(tenon_key_parse(tenon_key_name(key), &parsed));
    EXPECT_EQ(parsed, key) << tenon_key_name(key);
  }
  EXPECT_STREQ(tenon_key_name(TENON_KEY_AUTOGRAD_CUDA), "AutogradCUDA");
  EXPECT_STREQ(tenon_key_name(TENON_KEY_AUTOCAST_CPU), "AutocastCPU");
  EXPECT_STREQ(tenon_key_name(TENON_KEY_META), "Meta");
  EXPECT_STREQ(tenon_key_name(TENON_KEY_UNDEFINED), "Undefined");
  EXPECT_STREQ(tenon_key_name(0x4242), "unknown");
}

TEST(Key, Item11_EveryAlias_NameParsesBack) {
  for (const tenon_key key :
       {TENON_KEY_AUTOGRAD, TENON_KEY_AUTOCAST, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
        TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL,
        TENON_KEY_BATCHED_DECOMPOSITION}) {
    tenon_key parsed = TENON_KEY_NONE;
    TENON_EXPECT_OK(tenon_key_parse(tenon_key_name(key), &parsed));
    EXPECT_EQ(parsed, key);
  }
}

TEST(Key, Item12_RegisteredBackend_GetsKeysThatCarryItsName) {
  int32_t type = 0;
  TENON_ASSERT_OK(tenon_backend_register("npu", &type));
  EXPECT_GT(type, TENON_DEVICE_CUDA);
  EXPECT_LT(type, TENON_DEVICE_META);
  tenon_key key = 0;
  TENON_EXPECT_OK(tenon_key_parse("Autogradnpu", &key));
  EXPECT_EQ(key, TENON_FUNCTIONALITY_AUTOGRAD | static_cast<uint32_t>(type) << 8);
  EXPECT_STREQ(tenon_key_name(static_cast<uint32_t>(type) << 8), "npu");
  int32_t again = 0;
  TENON_EXPECT_OK(tenon_backend_register("npu", &again));
  EXPECT_EQ(again, type);

  TestLibrary library;
  const tenon_op* op = library.define("needs_npu(Tensor a) -> ()");
  TestTensor tensor({static_cast<uint32_t>(type) << 8});
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL, "got npu");
  TestTensor tracked({static_cast<uint32_t>(type) << 8, key});
  library.impl("needs_npu", TENON_KEY_AUTOGRAD_CPU, logging_kernel("other"));
  TENON_EXPECT_ERROR(call(op, {tensor_value(tracked)}), TENON_ERROR_NO_KERNEL, "got npu");
}

TEST(Key, Item13_MoreBackendsThanBits_ClearError) {
  int32_t type = 0;
  tenon_status status = TENON_OK;
  for (int i = 0; i < 30 && status == TENON_OK; ++i) {
    status = tenon_backend_register(("chip" + std::to_string(i)).c_str(), &type);
  }
  EXPECT_EQ(status, TENON_ERROR_STATE);
  EXPECT_NE(take_error().find("chip"), std::string::npos);
  EXPECT_EQ(type, -1);
}

TEST(Key, Item14_DeviceName_MapsToItsDenseKey) {
  tenon_key key = 0;
  TENON_EXPECT_OK(tenon_key_for_device("cuda", &key));
  EXPECT_EQ(key, TENON_KEY_CUDA);
  TENON_EXPECT_OK(tenon_key_for_device("meta", &key));
  EXPECT_EQ(key, TENON_KEY_META);
  TENON_EXPECT_ERROR(tenon_key_for_device("toaster", &key), TENON_ERROR_NOT_FOUND, "cpu, cuda");
}

TEST(Key, Item50_BuildingBlock_IsNoKey) {
  tenon_key key = 0;
  TENON_EXPECT_ERROR(tenon_key_parse("Dense", &key), TENON_ERROR_NOT_FOUND, "one key per backend");
  EXPECT_EQ(key, TENON_KEY_NONE);
}

TEST(Functionality, Below_TakesNearestFreeLowerNumber) {
  tenon_key first = 0, again = 0;
  TENON_ASSERT_OK(tenon_functionality_register("Quiet", "TransformFront", 0, &first));
  EXPECT_EQ(first, 32u);
  TENON_ASSERT_OK(tenon_functionality_register("Quiet", "TransformFront", 0, &again));
  EXPECT_EQ(again, first);
  tenon_key second = 0;
  TENON_ASSERT_OK(tenon_functionality_register("Quieter", "TransformFront", 0, &second));
  EXPECT_EQ(second, 31u);
  TENON_EXPECT_ERROR(
      tenon_functionality_register("Quiet", "TransformFront", TENON_KEY_FLAG_ABOVE, &second),
      TENON_ERROR_ALREADY_EXISTS, "below TransformFront, got above TransformFront");
  TENON_EXPECT_ERROR(tenon_functionality_register("Tracer", "TransformFront", 0, &second),
                     TENON_ERROR_ALREADY_EXISTS, "which is built in");
  TENON_EXPECT_ERROR(tenon_functionality_register("Lost", "Nowhere", 0, &second),
                     TENON_ERROR_NOT_FOUND, "Nowhere");
  TENON_EXPECT_ERROR(tenon_functionality_register("AutogradCPU", "Tracer", 0, &second),
                     TENON_ERROR_ALREADY_EXISTS, "is a key");
  TENON_EXPECT_ERROR(tenon_functionality_register("a b", "Tracer", 0, &second),
                     TENON_ERROR_INVALID_ARGUMENT, "identifier");
}

TEST(Functionality, FullGap_ErrorNamesItsKeysAndWhereRoomIs) {
  tenon_key key = 0, upper = 0, lower = 0;
  TENON_ASSERT_OK(tenon_functionality_register("GapUpper", "Autocast", 0, &upper));
  TENON_ASSERT_OK(tenon_functionality_register("GapLower", "GapUpper", 0, &lower));
  EXPECT_EQ(upper, 26u);
  EXPECT_EQ(lower, 25u);
  TENON_EXPECT_ERROR(tenon_functionality_register("GapThird", "Autocast", 0, &key),
                     TENON_ERROR_STATE,
                     "functionality GapThird: a number must be free below Autocast, got none: "
                     "GapUpper is taken, GapLower is taken, Tracer follows; numbers are free ");
  EXPECT_EQ(key, TENON_KEY_NONE);
  TENON_EXPECT_ERROR(tenon_functionality_register("GapThird", "GapLower", 0, &key),
                     TENON_ERROR_STATE, "below GapLower, got none: Tracer follows");
  // Both of the suggested gaps have room.
  tenon_functionality_register("GapThird", "Autocast", 0, &key);
  const std::string message = take_error();
  EXPECT_NE(message.find("numbers are free above Symbolic"), std::string::npos) << message;
  EXPECT_NE(message.find(" and below Tracer"), std::string::npos) << message;
  TENON_EXPECT_OK(tenon_functionality_register("GapThird", "Symbolic", TENON_KEY_FLAG_ABOVE, &key));
  EXPECT_EQ(key, 29u);
  TENON_EXPECT_ERROR(tenon_functionality_register("GapTop", "Dense", TENON_KEY_FLAG_ABOVE, &key),
                     TENON_ERROR_STATE, "above Dense, got none: a reserved key follows");
}

TEST(Functionality, DeclaredWhileOperatorsExist_TheyGetItsSlots) {
  TestLibrary library;
  const tenon_op* op = library.define("watched(Tensor a) -> ()");
  library.impl("watched", TENON_KEY_CPU, logging_kernel("cpu"));
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  tenon_key key = 0;
  TENON_ASSERT_OK(tenon_functionality_register("Watch", "Override", TENON_KEY_FLAG_ABOVE, &key));
  EXPECT_EQ(key, 37u);
  EXPECT_STREQ(tenon_key_name(key), "Watch");

  TestTensor watched({TENON_KEY_CPU, key});
  TENON_EXPECT_ERROR(call(op, {tensor_value(watched)}), TENON_ERROR_NO_KERNEL, "got Watch");
  library.impl("watched", key, going_on("watch"));
  take_notes();
  TENON_EXPECT_OK(call(op, {tensor_value(watched)}));
  EXPECT_EQ(take_notes(), "watch@Watch cpu");
  TENON_EXPECT_OK(tenon_introspect_check(nullptr));
}

TEST(Functionality, PerBackend_HasOneSlotForEach) {
  tenon_key key = 0;
  TENON_ASSERT_OK(
      tenon_functionality_register("Lazy", "BackendSelect", TENON_KEY_FLAG_PER_BACKEND, &key));
  tenon_key on_cuda = 0;
  TENON_ASSERT_OK(tenon_key_parse("LazyCUDA", &on_cuda));
  EXPECT_EQ(on_cuda, key | TENON_BACKEND_CUDA << 8);
  TestLibrary library;
  const tenon_op* op = library.define("lazy(Tensor a) -> ()");
  library.impl("lazy", on_cuda, logging_kernel("lazy cuda"));
  EXPECT_EQ(slot(op, on_cuda), "lazy cuda");
  EXPECT_EQ(slot(op, key), "-");
  TestTensor tensor({on_cuda});
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "lazy cuda");
}

}  // namespace
}  // namespace tenon::test
