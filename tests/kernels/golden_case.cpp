// SPDX-License-Identifier: Apache-2.0
// Reads golden files; golden/README.md has the format.
#include "kernels/golden_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tenon::tests {
namespace {

std::vector<std::string> read_lines(const std::string& name) {
  const std::string path = std::string(TENON_GOLDEN_DIR) + "/" + name;
  std::ifstream file(path);
  if (!file) ADD_FAILURE() << "golden file must exist, got none at " << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Returns the tensor's text for a reference such as "@7", and any other text unchanged.
std::string resolved(const std::string& text) {
  static const std::vector<std::string> kInputs = read_lines("inputs.txt");
  if (text[0] != '@') return text;
  return kInputs.at(static_cast<size_t>(std::atoi(text.c_str() + 1)) + 1);  // below the head
}

// Removes and returns the first word of a text.
std::string take_word(std::string& text) {
  const size_t space = text.find(' ');
  const std::string word = text.substr(0, space);
  text = space == std::string::npos ? "" : text.substr(space + 1);
  return word;
}

void begin_case(std::vector<Case>& cases, const std::string& op, std::string text) {
  Case& begun = cases.emplace_back();
  begun.op = op;
  begun.name = take_word(text);
  while (!text.empty()) {
    const std::string mark = take_word(text);
    begun.exact = begun.exact || mark == "exact";
    begun.on_meta = begun.on_meta && mark != "nometa";
    EXPECT_TRUE(mark == "exact" || mark == "nometa") << begun.name << ": unknown mark " << mark;
  }
}

// Adds the arguments of a line; returns how many tensors of a list still follow.
int add_arguments(Case& current, const std::string& keyword, std::string text) {
  if (text[0] == '@') {
    while (!text.empty()) current.arguments.push_back({keyword, {resolved(take_word(text))}});
    return 0;
  }
  current.arguments.push_back({keyword, {text}});
  return text.rfind("tensors ", 0) == 0 ? std::atoi(text.c_str() + 8) : 0;
}

}  // namespace

std::vector<std::string> golden_files() {
  const std::filesystem::path folder = TENON_GOLDEN_DIR;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path path = entry.path();
    if (path.extension() != ".txt" || path.parent_path() == folder) continue;
    files.push_back((path.parent_path().filename() / path.stem()).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Case> read_cases(const std::string& file) {
  std::vector<Case> cases;
  std::string op;
  int number = 0;
  int pending = 0;
  size_t expected = 0;
  for (std::string line : read_lines(file + ".txt")) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (pending > 0) {
      cases.back().arguments.back().lines.push_back(resolved(line));
      --pending;
      continue;
    }
    const std::string word = take_word(line);
    if (word == "op") {
      op = line;
    } else if (word == "cases") {
      expected = static_cast<size_t>(std::atoi(line.c_str()));
    } else if (word == "case") {
      begin_case(cases, op, line);
      cases.back().file = file + ".txt";
      cases.back().line = number;
    } else if (word == "error") {
      cases.back().status = line;
    } else if (word == "ret") {
      cases.back().results.push_back(line);
    } else if (word == "after") {
      cases.back().after.push_back(line);
    } else if (word == "arg") {
      pending = add_arguments(cases.back(), "", line);
    } else if (word == "kwarg") {
      const std::string keyword = take_word(line);
      pending = add_arguments(cases.back(), keyword, line);
    } else {
      ADD_FAILURE() << file << ".txt:" << number << ": unknown line: " << word;
    }
  }
  EXPECT_EQ(cases.size(), expected) << file << ".txt must have the cases that its head counts";
  return cases;
}

}  // namespace tenon::tests
