// SPDX-License-Identifier: Apache-2.0
// Replays the committed inputs of each fuzz target, and mutated copies of them, without libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <vector>

#include "fuzz.h"

namespace tenon::fuzz {

// Prints the target's name in the names of test cases.
static void PrintTo(const NamedTarget& target, std::ostream* stream) { *stream << target.name; }

namespace {

using Bytes = std::vector<uint8_t>;

class Replay : public testing::TestWithParam<NamedTarget> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = std::filesystem::path(FUZZ_CORPUS) / GetParam().name;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream stream(file, std::ios::binary);
      inputs_.emplace_back(std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>());
      names_.push_back(file.filename());
    }
    ASSERT_GE(inputs_.size(), 8u) << folder << " must hold inputs";
  }
  // A failed check aborts; the last line printed then names the input.
  void run(const Bytes& input) const { GetParam().run(input.data(), input.size()); }

  std::vector<Bytes> inputs_;
  std::vector<std::string> names_;
};

TEST_P(Replay, Corpus_KeepsAllPromises) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    std::fprintf(stderr, "%s/%s\n", GetParam().name, names_[i].c_str());
    run(inputs_[i]);
  }
  run({});
}

#ifdef FUZZ_WITH_KERNELS
constexpr int kRounds = 250;  // each input runs its program about a hundred times
#else
constexpr int kRounds = 2000;
#endif

// Mutations: prefixes, swapped bytes, and joined halves of two inputs.
TEST_P(Replay, ChangedCorpus_KeepsAllPromises) {
  std::mt19937 random(20240607);
  const auto pick = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  for (int round = 0; round < kRounds; ++round) {
    Bytes input = inputs_[pick(inputs_.size())];
    if (pick(4) == 0) input.resize(pick(input.size() + 1));
    if (pick(4) == 0) {
      const Bytes& other = inputs_[pick(inputs_.size())];
      input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(pick(other.size() + 1)),
                   other.end());
    }
    for (size_t changes = pick(4); changes > 0 && !input.empty(); --changes) {
      input[pick(input.size())] = static_cast<uint8_t>(random());
    }
    run(input);
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tenon::fuzz
