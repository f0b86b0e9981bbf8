// SPDX-License-Identifier: Apache-2.0
// Tests of opening shared libraries.
#include "base/dylib.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tenon::base {
namespace {

int anchor = 0;

TEST(Dylib, MissingFile_IsSystemErrorThatNamesIt) {
  try {
    Dylib::open("/nonexistent/libnothing.so");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_SYSTEM);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/libnothing.so"), std::string::npos);
  }
}

TEST(Dylib, OpenLibrary_FindsItsSymbolsOnly) {
  Dylib library = Dylib::open("libm.so.6");
  EXPECT_NE(library.find("cos"), nullptr);
  EXPECT_EQ(library.find("tenon_no_such_symbol"), nullptr);
  library.close();
  EXPECT_EQ(library.find("cos"), nullptr);
}

TEST(PathOfAddress, OwnFunction_IsThisProgram) {
  const auto path = path_of_address(&anchor);
  EXPECT_NE(path.find("core_base_test"), std::string::npos) << path;
  EXPECT_EQ(path_of_address(nullptr), "");
}

}  // namespace
}  // namespace tenon::base
