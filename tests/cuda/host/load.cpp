// SPDX-License-Identifier: Apache-2.0
// Loads the CUDA plugin that was compiled for the host before any test asks for a GPU.
#include <gtest/gtest.h>

#include <tenon/tenon.hpp>

#include "tenon/plugin.h"

namespace {

class OnHost : public testing::Environment {
 public:
  void SetUp() override {
    tenon_plugin* plugin = nullptr;
    tenon::check(tenon_plugin_load(TENON_CUDA_ON_HOST, &plugin));
  }
};

[[maybe_unused]] auto* const on_host = testing::AddGlobalTestEnvironment(new OnHost);

}  // namespace
