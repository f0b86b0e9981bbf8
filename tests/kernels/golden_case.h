// SPDX-License-Identifier: Apache-2.0
// One case of a golden file, as read: lines not yet understood.
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
  // Argument lines without "arg" or "kwarg NAME"; tensors of a list follow their head.
  struct Argument {
    std::string keyword;
    std::vector<std::string> lines;
  };
  std::vector<Argument> arguments;
  std::vector<std::string> results;
  std::vector<std::string> after;
};

// The golden files as `family/stem`, in alphabetical order.
std::vector<std::string> golden_files();

// Reads golden/<family>/<stem>.txt. A missing file, an unknown line, and a number of cases other
// than the one in the file's head are test failures.
std::vector<Case> read_cases(const std::string& file);

}  // namespace tenon::tests
