// SPDX-License-Identifier: Apache-2.0
// Reads golden files; golden/README.md has the format.
#include "kernels/golden_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tenon::tests {

std::vector<Case> read_cases(const std::string& stem) {
  const std::string path = std::string(TENON_GOLDEN_DIR) + "/" + stem + ".txt";
  std::ifstream file(path);
  if (!file) ADD_FAILURE() << "golden file must exist, got none at " << path;
  std::vector<Case> cases;
  int number = 0;
  int pending = 0;  // tensors of a list that still follow
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "case") {
      cases.emplace_back();
      cases.back().name = rest;
      cases.back().file = stem + ".txt";
      cases.back().line = number;
      continue;
    }
    Case& current = cases.back();
    if (pending > 0) {
      current.arguments.back().lines.push_back(line);
      --pending;
    } else if (word == "op") {
      current.op = rest;
    } else if (word == "exact") {
      current.exact = true;
    } else if (word == "nometa") {
      current.on_meta = false;
    } else if (word == "error") {
      current.status = rest;
    } else if (word == "ret") {
      current.results.push_back(rest);
    } else if (word == "after") {
      current.after.push_back(rest);
    } else if (word == "arg" || word == "kwarg") {
      Case::Argument argument;
      std::string text = rest;
      if (word == "kwarg") {
        argument.keyword = rest.substr(0, rest.find(' '));
        text = rest.substr(rest.find(' ') + 1);
      }
      argument.lines.push_back(text);
      if (text.rfind("tensors ", 0) == 0) pending = std::atoi(text.c_str() + 8);
      current.arguments.push_back(std::move(argument));
    } else {
      ADD_FAILURE() << path << ":" << number << ": unknown line: " << line;
    }
  }
  return cases;
}

}  // namespace tenon::tests
