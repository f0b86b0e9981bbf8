// SPDX-License-Identifier: Apache-2.0
// Shared parts of the schema tests: parsing, printing, and errors as text.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "schema/parser.h"
#include "schema/printer.h"

namespace tenon::schema::testing {

/// Returns the canonical text of a schema.
inline std::string reprint(std::string_view text) { return parse_schema(text)->text(); }

/// Returns the error of parsing `text`; fails the test and returns "" if there is none.
inline std::string parse_error(std::string_view text) {
  try {
    const SchemaPtr schema = parse_schema(text);
    ADD_FAILURE() << "parsed: " << schema->text();
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_PARSE);
    return error.what();
  }
}

inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns the lines of a data file of tests/conformance/schemas, without comments.
inline std::vector<std::string> read_lines(const char* name) {
  std::ifstream file(std::string(TENON_SCHEMA_DATA "/") + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

}  // namespace tenon::schema::testing
