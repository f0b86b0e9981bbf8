// SPDX-License-Identifier: Apache-2.0
#include "tensor/cpu_generator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/check.h"
#include "base/fork.h"

namespace tenon::tensor {

namespace {

// The bytes of a state, laid out as in PyTorch's CPU generators.
struct State {
  uint64_t seed;
  int32_t left;  // numbers left before the next block, including the next one
  int32_t seeded;
  uint64_t next;
  uint64_t words[MersenneTwister::kWords];
  double unused_x;
  double spare;
  double unused_rho;
  int32_t has_spare;
};
constexpr int64_t kStateBytes = 5056;  // the last bytes are a spare float sample, never used
static_assert(offsetof(State, spare) == 5024 && sizeof(State) == 5048);

}  // namespace

/// The list of all CPU generators. Their locks are held during a fork.
class CpuGenerators {
 public:
  CpuGenerators() {
    static constexpr base::ForkLocks kLocks{
        [] { all().for_each([](CpuGenerator& generator) { generator.mutex_.lock(); }); },
        [] { all().for_each([](CpuGenerator& generator) { generator.mutex_.unlock(); }); }};
    base::hold_across_fork(mutex_, base::ForkOrder::kGenerators, &kLocks);
  }
  static CpuGenerators& all() {
    return base::singleton<CpuGenerators, base::ForkOrder::kGenerators>();
  }

  void add(CpuGenerator* generator) {
    const std::lock_guard lock(mutex_);
    generator->following_ = first_;
    if (first_ != nullptr) first_->previous_ = generator;
    first_ = generator;
  }
  void remove(CpuGenerator* generator) noexcept {
    const std::lock_guard lock(mutex_);
    auto*& before = generator->previous_ != nullptr ? generator->previous_->following_ : first_;
    before = generator->following_;
    if (generator->following_ != nullptr) generator->following_->previous_ = generator->previous_;
  }

 private:
  template <class Visit>
  void for_each(Visit visit) {
    for (CpuGenerator* it = first_; it != nullptr; it = it->following_) visit(*it);
  }

  std::mutex mutex_;
  CpuGenerator* first_ = nullptr;
};

CpuGenerator::CpuGenerator(uint64_t seed, Counted counted)
    : Generator({TENON_DEVICE_CPU, 0}, counted), engine_(static_cast<uint32_t>(seed)), seed_(seed) {
  CpuGenerators::all().add(this);
}

CpuGenerator::~CpuGenerator() { CpuGenerators::all().remove(this); }

void CpuGenerator::seed(uint64_t seed) {
  const std::lock_guard lock(mutex_);
  engine_ = MersenneTwister(static_cast<uint32_t>(seed));
  seed_ = seed;
  spare_.reset();
}

uint64_t CpuGenerator::initial_seed() const noexcept {
  const std::lock_guard lock(mutex_);
  return seed_;
}

int64_t CpuGenerator::state(void* data, int64_t capacity) const {
  if (data == nullptr) return kStateBytes;
  TENON_CHECK_ARG(capacity >= kStateBytes, "tenon_generator_state: capacity must be at least ",
                  kStateBytes, ", got ", capacity);
  State state{};
  {
    const std::lock_guard lock(mutex_);
    state.seed = seed_;
    state.next = engine_.next();
    state.left = static_cast<int32_t>(MersenneTwister::kWords + 1 - engine_.next());
    std::copy(engine_.words().begin(), engine_.words().end(), state.words);
    state.has_spare = spare_.has_value() ? 1 : 0;
    state.spare = spare_.value_or(0);
  }
  state.seeded = 1;
  std::memset(data, 0, kStateBytes);
  std::memcpy(data, &state, sizeof state);
  return kStateBytes;
}

void CpuGenerator::set_state(const void* data, int64_t nbytes) {
  constexpr const char* kSet = "tenon_generator_set_state: state ";
  TENON_CHECK_ARG(nbytes == kStateBytes, kSet, "of a cpu generator must be ", kStateBytes,
                  " bytes, got ", nbytes);
  State state;
  std::memcpy(&state, data, sizeof state);
  constexpr uint32_t kWords = MersenneTwister::kWords;
  // PyTorch writes the state of a freshly seeded generator as next = 0, left = 1: its first draw
  // starts a new block.
  const bool fresh = state.next == 0 && state.left == 1;
  TENON_CHECK_ARG(state.seeded == 1, kSet, "must have seeded = 1, got ", state.seeded);
  TENON_CHECK_ARG(fresh || (state.next >= 1 && state.next <= kWords &&
                            state.next + static_cast<uint32_t>(state.left) == kWords + 1),
                  kSet, "must have a position from 1 to ", kWords, ", got ", state.next, " with ",
                  state.left, " numbers left");
  MersenneTwister::Words words;
  uint32_t any = 0;
  for (uint32_t i = 0; i < kWords; ++i) {
    TENON_CHECK_ARG(state.words[i] <= UINT32_MAX, kSet, "must have words of 32 bits, got ",
                    state.words[i], " at ", i);
    words[i] = static_cast<uint32_t>(state.words[i]);
    any |= i == 0 ? words[i] & 0x80000000u : words[i];  // only the top bit of word 0 is state
  }
  TENON_CHECK_ARG(any != 0, kSet, "must have a word that is not 0, got none");
  TENON_CHECK_ARG(state.has_spare == 0 || (state.has_spare == 1 && std::isfinite(state.spare)),
                  kSet, "must have a finite spare sample or none, got ", state.spare);
  const std::lock_guard lock(mutex_);
  engine_ = MersenneTwister(words, fresh ? kWords : static_cast<uint32_t>(state.next));
  seed_ = state.seed;
  spare_ = state.has_spare == 1 ? std::optional(state.spare) : std::nullopt;
}

void CpuGenerator::random(uint32_t* out, int64_t count) {
  const std::lock_guard lock(mutex_);
  engine_.fill(out, count);
}

void CpuGenerator::normal(double* out, int64_t count) {
  const std::lock_guard lock(mutex_);
  double* const end = out + count;
  if (out != end && spare_.has_value()) {
    *out++ = *spare_;
    spare_.reset();
  }
  while (out != end) {
    uint32_t numbers[4];
    engine_.fill(numbers, 4);
    const NormalPair pair =
        normal_pair(uniform_double(numbers[0], numbers[1]), uniform_double(numbers[2], numbers[3]));
    *out++ = pair.first;
    if (out != end) {
      *out++ = pair.second;
    } else {
      spare_ = pair.second;
    }
  }
}

}  // namespace tenon::tensor
