// SPDX-License-Identifier: Apache-2.0
// All schemas of PyTorch parse, print as PyTorch prints them, and parse again to equal schemas.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

using testing::read_lines;

std::set<std::string> exceptions() {
  std::set<std::string> names;
  for (const std::string& line : read_lines("pytorch_exceptions.txt")) {
    const size_t tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << "no reason: " << line;
    names.insert(line.substr(0, tab));
  }
  return names;
}

TEST(Corpus, Item78_EveryPyTorchSchemaRoundTripsButTheListed) {
  std::set<std::string> failed;
  const auto lines = read_lines("pytorch.txt");
  for (const std::string& line : lines) {
    try {
      const SchemaPtr schema = parse_schema(line);
      EXPECT_EQ(schema->text(), line);
      const SchemaPtr again = parse_schema(schema->text());
      EXPECT_TRUE(*again == *schema) << line;
      EXPECT_EQ(again->hash(), schema->hash()) << line;
    } catch (const Error& error) {
      failed.insert(line.substr(0, line.find('(')));
    }
  }
  EXPECT_GE(lines.size(), 4400u);
  EXPECT_EQ(failed, exceptions());
}

TEST(Corpus, Item80_DifferentSchemasDiffer) {
  std::map<uint64_t, std::string> seen;
  const auto skipped = exceptions();
  size_t collisions = 0;
  for (const std::string& line : read_lines("pytorch.txt")) {
    if (skipped.count(line.substr(0, line.find('('))) != 0) continue;
    const SchemaPtr schema = parse_schema(line);
    const auto [other, added] = seen.emplace(schema->hash(), line);
    if (added) continue;
    ++collisions;
    EXPECT_FALSE(*schema == *parse_schema(other->second));
  }
  EXPECT_EQ(collisions, 0u);
}

}  // namespace
}  // namespace tenon::schema
