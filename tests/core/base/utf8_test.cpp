// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::base {
namespace {

using namespace std::string_literals;

TEST(Utf8, Characters_AreText) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain\0text"s));
  EXPECT_TRUE(is_utf8("\xc2\x80 \xdf\xbf"));                  // U+0080, U+07FF
  EXPECT_TRUE(is_utf8("\xe0\xa0\x80 \xed\x9f\xbf"));          // U+0800, U+D7FF
  EXPECT_TRUE(is_utf8("\xee\x80\x80 \xef\xbf\xbf"));          // U+E000, U+FFFF
  EXPECT_TRUE(is_utf8("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"));  // U+10000, U+10FFFF
}

TEST(Utf8, OtherBytes_AreNone) {
  EXPECT_FALSE(is_utf8("\xff\xfe"));
  EXPECT_FALSE(is_utf8("\x80"));              // continues no character
  EXPECT_FALSE(is_utf8("\xc1\xbf"));          // overlong U+007F
  EXPECT_FALSE(is_utf8("\xe0\x9f\xbf"));      // overlong U+07FF
  EXPECT_FALSE(is_utf8("\xf0\x8f\xbf\xbf"));  // overlong U+FFFF
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // U+D800, a surrogate
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // U+110000
  EXPECT_FALSE(is_utf8("\xf5\x80\x80\x80"));
  EXPECT_FALSE(is_utf8("\xe2\x28\xa1"));  // second byte is no continuation byte
  EXPECT_FALSE(is_utf8("\xe2\x82\x28"));  // nor is the third
}

TEST(Utf8, CutCharacters_AreNone) {
  EXPECT_FALSE(is_utf8("a\xc3"));
  EXPECT_FALSE(is_utf8("\xe2\x82"));
  EXPECT_FALSE(is_utf8("\xf0\x9f\x98"));
}

}  // namespace
}  // namespace tenon::base
