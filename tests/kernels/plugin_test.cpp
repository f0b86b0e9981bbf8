// SPDX-License-Identifier: Apache-2.0
// libtenon_cpu as a plugin: found on first use, unloaded, and loaded again.
#include "tenon/plugin.h"
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(CpuPlugin, FirstLookupInAten_LoadsIt) {
  EXPECT_EQ(std::string(Op("aten::add.Tensor").name()), "aten::add.Tensor");
  tenon_plugin* plugin = nullptr;
  check(tenon_plugin_load("tenon_cpu", &plugin));
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 1);
  EXPECT_EQ(std::string(tenon_plugin_name(plugin)), "tenon_cpu");
  EXPECT_EQ(std::string(tenon_plugin_version(plugin)), tenon_version());
}

TEST(CpuPlugin, UnloadThenLoad_OperatorsComeBack) {
  const Tensor one = Tensor::from<float>({1}, {1});
  const Op add("aten::add.Tensor");
  tenon_plugin* plugin = nullptr;
  check(tenon_plugin_load("tenon_cpu", &plugin));
  check(tenon_plugin_unload(plugin, -1));
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 0);
  check(tenon_plugin_load("tenon_cpu", &plugin));
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 1);
  EXPECT_EQ(elements(add(one, one).at(0).tensor()), (Doubles{2}));
  EXPECT_EQ(elements(call("aten::matmul", one, one)), (Doubles{1}));
}

TEST(CpuPlugin, UnknownOverload_ListsThoseThatExist) {
  const Error error = error_of([] { Op("aten::add.Nothing"); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_FOUND);
  EXPECT_NE(std::string(error.what()).find("Tensor"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
