// SPDX-License-Identifier: Apache-2.0
// A case of a golden file, as unparsed lines.
#pragma once

#include <string>
#include <vector>

namespace tenon::tests {

struct Case {
  std::string name;
  std::string op;
  std::string file;
  int line = 0;
  bool exact = false;
  bool on_meta = true;
  std::string status;  // of a call that fails
  // An argument's lines without "arg" or "kwarg NAME"; the tensors of a list follow the list.
  struct Argument {
    std::string keyword;
    std::vector<std::string> lines;
  };
  std::vector<Argument> arguments;
  std::vector<std::string> results;
  std::vector<std::string> after;
};

// Returns the golden files as `family/stem`, in alphabetical order.
std::vector<std::string> golden_files();

// Reads golden/<family>/<stem>.txt. The test fails if the file is missing, has an unknown line, or
// has another number of cases than its head states.
std::vector<Case> read_cases(const std::string& file);

}  // namespace tenon::tests
