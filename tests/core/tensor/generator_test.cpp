// SPDX-License-Identifier: Apache-2.0
// Generators of the CPU and of providers, default generators, threads and forks. Expected numbers
// are PyTorch's.
#include "tensor/generator.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "tensor/device.h"
#include "tensor/device_provider.h"
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

using Numbers = std::vector<uint32_t>;

Numbers draw(Generator& generator, int64_t count) {
  Numbers numbers(static_cast<size_t>(count));
  generator.random(numbers.data(), count);
  return numbers;
}

std::vector<double> draw_normal(Generator& generator, int64_t count) {
  std::vector<double> samples(static_cast<size_t>(count));
  generator.normal(samples.data(), count);
  return samples;
}

std::vector<unsigned char> state_of(const Generator& generator) {
  std::vector<unsigned char> bytes(static_cast<size_t>(generator.state(nullptr, 0)));
  generator.state(bytes.data(), static_cast<int64_t>(bytes.size()));
  return bytes;
}

void set_state(Generator& generator, const std::vector<unsigned char>& bytes) {
  generator.set_state(bytes.data(), static_cast<int64_t>(bytes.size()));
}

Numbers expected_numbers(uint32_t seed, size_t count, size_t skipped = 0) {
  std::mt19937 engine(seed);
  engine.discard(skipped);
  Numbers numbers(count);
  std::generate(numbers.begin(), numbers.end(), engine);
  return numbers;
}

// ---- the CPU's

TEST(CpuGenerator, New_IsAtTheBeginningOfItsSeed) {
  const GeneratorPtr generator = new_generator(nullptr, 7);
  EXPECT_EQ(generator->device().type, TENON_DEVICE_CPU);
  EXPECT_EQ(generator->initial_seed(), 7u);
  EXPECT_EQ(generator->native(), nullptr);
  EXPECT_EQ(draw(*generator, 700), expected_numbers(7, 700));
}

TEST(CpuGenerator, SeedOfMoreThan32Bits_IsKeptWholeAndUsedLow) {
  const GeneratorPtr generator = new_generator(&kCpu, 0x123456789abcdef0);
  EXPECT_EQ(generator->initial_seed(), 0x123456789abcdef0u);
  EXPECT_EQ(draw(*generator, 3), expected_numbers(0x9abcdef0, 3));
}

TEST(CpuGenerator, Seed_BeginsAnewAndDropsTheSpare) {
  const GeneratorPtr generator = new_generator(nullptr, 1);
  draw_normal(*generator, 1);
  generator->seed(7);
  EXPECT_EQ(generator->initial_seed(), 7u);
  EXPECT_EQ(draw_normal(*generator, 1), (std::vector<double>{-0x1.2ca2e8774a1c0p-3}));
}

// torch.empty(5, dtype=torch.float64).normal_(generator=torch.Generator().manual_seed(7))
TEST(CpuGenerator, Normal_IsPyTorchs) {
  const std::vector<double> expected = {-0x1.2ca2e8774a1c0p-3, 0x1.92811cc01ae83p-1,
                                        0x1.e4c5cd4ba2dcfp-1, -0x1.1d45a657cf2b6p+0,
                                        0x1.b0d79f26af9afp+0};
  const GeneratorPtr whole = new_generator(nullptr, 7);
  EXPECT_EQ(draw_normal(*whole, 5), expected);
  const GeneratorPtr parts = new_generator(nullptr, 7);
  std::vector<double> joined;
  for (const int64_t count : {1, 0, 2, 1, 1}) {
    const std::vector<double> part = draw_normal(*parts, count);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, expected);
}

TEST(CpuGenerator, State_BringsBackPlaceSeedAndSpare) {
  const GeneratorPtr generator = new_generator(nullptr, 7);
  const GeneratorPtr other = new_generator(nullptr, 1);
  for (const int64_t skipped : {0, 1, 623, 624, 625, 10000}) {
    generator->seed(7);
    draw(*generator, skipped);
    draw_normal(*generator, 1);
    const std::vector<unsigned char> state = state_of(*generator);
    EXPECT_EQ(state.size(), 5056u);
    set_state(*other, state);
    EXPECT_EQ(other->initial_seed(), 7u);
    EXPECT_EQ(state_of(*other), state);
    EXPECT_EQ(draw_normal(*other, 4), draw_normal(*generator, 4));
    EXPECT_EQ(draw(*other, 700), draw(*generator, 700));
  }
}

TEST(CpuGenerator, StateWithTooLittleRoom_NamesBoth) {
  const GeneratorPtr generator = new_generator(nullptr, 7);
  unsigned char bytes[8] = {};
  EXPECT_EQ(error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { generator->state(bytes, 8); }),
            "tenon_generator_state: capacity must be at least 5056, got 8");
  EXPECT_EQ(bytes[0], 0);
}

// With these states a generator would read outside of its words, repeat one number forever, or
// return a NaN.
TEST(CpuGenerator, HostileStates_AreRefusedAndChangeNothing) {
  const GeneratorPtr generator = new_generator(nullptr, 7);
  draw_normal(*generator, 1);
  const std::vector<unsigned char> good = state_of(*generator);
  const auto poked = [&](size_t offset, auto value) {
    std::vector<unsigned char> bytes = good;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
  };
  std::vector<unsigned char> zeros = good;
  std::fill(zeros.begin() + 24, zeros.begin() + 24 + 624 * 8, 0);
  std::vector<unsigned char> shorter(good.begin(), good.end() - 1);
  std::vector<unsigned char> longer = good;
  longer.push_back(0);
  const std::pair<std::vector<unsigned char>, const char*> cases[] = {
      {{}, "5056 bytes, got 0"},
      {shorter, "5056 bytes, got 5055"},
      {longer, "5056 bytes, got 5057"},
      {std::vector<unsigned char>(5056), "seeded"},
      {poked(12, int32_t{2}), "seeded"},
      {poked(16, uint64_t{625}), "1 to 624, got 625"},
      {poked(16, uint64_t{3}), "1 to 624, got 3"},  // contradicts `left`
      {poked(16, uint64_t{0}), "1 to 624, got 0"},
      {poked(16, ~uint64_t{0}), "1 to 624"},
      {poked(8, int32_t{-1}), "-1 numbers left"},
      {poked(24 + 8 * 100, uint64_t{1} << 32), "32 bits, got 4294967296 at 100"},
      {zeros, "not 0"},
      {poked(5040, int32_t{2}), "spare"},
      {poked(5024, std::numeric_limits<double>::infinity()), "spare"},
      {poked(5024, std::numeric_limits<double>::quiet_NaN()), "spare"},
  };
  for (const auto& [state, expected] : cases) {
    const auto& bytes = state;  // clang 14 cannot capture a structured binding in a lambda
    const std::string message =
        error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { set_state(*generator, bytes); });
    EXPECT_NE(message.find(expected), std::string::npos) << message << " lacks " << expected;
    EXPECT_EQ(state_of(*generator), good) << expected;
  }
}

TEST(CpuGenerator, HandlesAreCounted) {
  const int64_t before = base::live_count(TENON_HANDLE_GENERATOR);
  {
    const GeneratorPtr generator = new_generator(nullptr, 7);
    const GeneratorPtr copy = generator;
    EXPECT_EQ(base::live_count(TENON_HANDLE_GENERATOR), before + 1);
  }
  EXPECT_EQ(base::live_count(TENON_HANDLE_GENERATOR), before);
}

TEST(CpuGenerator, ThereIsOneCpu) {
  const tenon_device second = {TENON_DEVICE_CPU, 1};
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_generator(&second, 7); });
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { new_generator(&kMeta, 7); });
}

// ---- threads and forks

// Concurrent draws return disjoint runs of one sequence, without gaps.
TEST(CpuGenerator, DrawsOfSeveralThreads_AreDisjointAndComplete) {
  constexpr int kThreads = 4, kDraws = 500, kCount = 130;
  const GeneratorPtr generator = new_generator(nullptr, 7);
  std::vector<std::vector<Numbers>> drawn(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kDraws; ++i)
        drawn[static_cast<size_t>(t)].push_back(draw(*generator, kCount));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Numbers> runs;
  for (const auto& of_thread : drawn) runs.insert(runs.end(), of_thread.begin(), of_thread.end());
  const Numbers all = expected_numbers(7, size_t{kThreads} * kDraws * kCount);
  std::vector<Numbers> expected;
  for (size_t i = 0; i < all.size(); i += kCount) {
    expected.emplace_back(all.begin() + static_cast<ptrdiff_t>(i),
                          all.begin() + static_cast<ptrdiff_t>(i) + kCount);
  }
  std::sort(runs.begin(), runs.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(runs == expected);
}

// Some threads create, draw from, seed and release generators while others read their states.
TEST(CpuGenerator, EverythingAtOnce_IsWhole) {
  const LeakCheck nothing_left;
  const GeneratorPtr shared = new_generator(nullptr, 7);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const GeneratorPtr own = new_generator(nullptr, static_cast<uint64_t>(i));
        if (t == 0) shared->seed(static_cast<uint64_t>(i));
        if (t == 1) set_state(*own, state_of(*shared));
        if (t == 2) set_state(*shared, state_of(*own));
        draw_normal(*shared, 3);
        manual_seed(static_cast<uint64_t>(i));
        EXPECT_EQ(draw(*default_generator(nullptr), 5).size(), 5u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A child finds each generator between two draws, with its lock free.
TEST(CpuGenerator, ChildOfBusyThreads_GoesOnDrawing) {
  const GeneratorPtr generator = new_generator(nullptr, 7);
  constexpr int64_t kCount = 1000;
  constexpr int kDraws = 20;
  const Numbers all = expected_numbers(7, (kDraws + 1) * kCount);
  std::atomic<bool> stop{false};
  std::thread drawer([&] {
    while (!stop.load()) {
      generator->seed(7);
      for (int i = 0; i < kDraws; ++i) draw(*generator, kCount);
    }
  });
  std::thread maker([&] {
    while (!stop.load()) new_generator(nullptr, 1);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // turns a deadlock on an orphaned lock into a signal
      const Numbers numbers = draw(*generator, kCount);
      bool found = false;
      for (size_t at = 0; at + numbers.size() <= all.size() && !found; at += kCount) {
        found =
            std::equal(numbers.begin(), numbers.end(), all.begin() + static_cast<ptrdiff_t>(at));
      }
      new_generator(nullptr, 1);
      default_generator(nullptr);
      _exit(found ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  stop.store(true);
  drawer.join();
  maker.join();
}

// ---- providers

// A device whose generators count: the n-th number for seed s is s + n.
struct Counting {
  std::atomic<int> made{0};
  std::atomic<int> released{0};
  bool fails = false;

  struct Place {
    uint64_t seed;
    uint64_t next;
  };

  tenon_device_provider provider(int32_t type) {
    tenon_device_provider provider{};
    provider.struct_size = sizeof provider;
    provider.device_type = type;
    provider.ctx = this;
    provider.device_count = [](void*, int32_t* out) -> tenon_status { return *out = 2, TENON_OK; };
    provider.current_device = [](void*, int32_t* out) -> tenon_status {
      return *out = 1, TENON_OK;
    };
    provider.generator_new = [](void* self, int32_t, uint64_t seed, void** out) -> tenon_status {
      ++static_cast<Counting*>(self)->made;
      return *out = new Place{seed, 0}, TENON_OK;
    };
    provider.generator_release = [](void* self, int32_t, void* generator) {
      ++static_cast<Counting*>(self)->released;
      delete static_cast<Place*>(generator);
    };
    provider.generator_seed = [](void* self, void* generator, uint64_t seed) -> tenon_status {
      if (static_cast<Counting*>(self)->fails) return TENON_ERROR_STATE;
      *static_cast<Place*>(generator) = {seed, 0};
      return TENON_OK;
    };
    provider.generator_state = [](void*, void* generator, void* data, int64_t capacity,
                                  int64_t* out_nbytes) -> tenon_status {
      *out_nbytes = sizeof(Place);
      if (data == nullptr) return TENON_OK;
      if (capacity < *out_nbytes) return TENON_ERROR_INVALID_ARGUMENT;
      std::memcpy(data, generator, sizeof(Place));
      return TENON_OK;
    };
    provider.generator_set_state = [](void*, void* generator, const void* data,
                                      int64_t nbytes) -> tenon_status {
      if (nbytes != sizeof(Place)) return TENON_ERROR_INVALID_ARGUMENT;
      std::memcpy(generator, data, sizeof(Place));
      return TENON_OK;
    };
    provider.generator_random = [](void*, void* generator, uint32_t* out,
                                   int64_t count) -> tenon_status {
      auto* place = static_cast<Place*>(generator);
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<uint32_t>(place->seed + place->next++);
      }
      return TENON_OK;
    };
    return provider;
  }
};

Counting& counting() {
  static Counting* const device = new Counting;  // providers cannot be unregistered
  return *device;
}
int32_t counting_type() {
  static const int32_t type = [] {
    const int32_t number = register_backend_name("counting");
    register_provider(counting().provider(number));
    return number;
  }();
  return type;
}

TEST(ProviderGenerator, AsksItsProvider) {
  const tenon_device current = {counting_type(), -1};
  const int before = counting().released;
  {
    const GeneratorPtr generator = new_generator(&current, 40);
    EXPECT_EQ(generator->device().index, 1);
    EXPECT_EQ(generator->initial_seed(), 40u);
    EXPECT_EQ(static_cast<Counting::Place*>(generator->native())->seed, 40u);
    EXPECT_EQ(draw(*generator, 3), (Numbers{40, 41, 42}));
    generator->seed(7);
    EXPECT_EQ(generator->initial_seed(), 7u);
    draw(*generator, 2);
    const std::vector<unsigned char> state = state_of(*generator);
    generator->seed(100);
    set_state(*generator, state);
    EXPECT_EQ(generator->initial_seed(), 7u);
    EXPECT_EQ(draw(*generator, 1), (Numbers{9}));
  }
  EXPECT_EQ(counting().released, before + 1);
}

// Samples are made in pairs, four numbers each; the second sample of the last pair is dropped.
TEST(ProviderGenerator, Normal_IsOfItsNumbers) {
  const tenon_device device = {counting_type(), 0};
  const GeneratorPtr generator = new_generator(&device, 1u << 31);
  const std::vector<double> samples = draw_normal(*generator, 3);
  const uint32_t one = 1u << 31;
  for (uint32_t pair = 0; pair < 2; ++pair) {
    const uint32_t first = one + 4 * pair;
    const NormalPair expected =
        normal_pair(uniform_double(first, first + 1), uniform_double(first + 2, first + 3));
    EXPECT_EQ(samples[2 * pair], expected.first);
    if (2 * pair + 1 < samples.size()) {
      EXPECT_EQ(samples[2 * pair + 1], expected.second);
    }
  }
  EXPECT_EQ(draw(*generator, 1), (Numbers{one + 8}));
}

TEST(ProviderGenerator, StatesOfOthers_AreRefused) {
  const tenon_device device = {counting_type(), 0};
  const GeneratorPtr generator = new_generator(&device, 7);
  const GeneratorPtr cpu = new_generator(nullptr, 7);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { set_state(*generator, state_of(*cpu)); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { set_state(*cpu, state_of(*generator)); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { set_state(*generator, {}); });
  std::vector<unsigned char> cut = state_of(*generator);
  cut.pop_back();
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { set_state(*generator, cut); });
  EXPECT_EQ(draw(*generator, 1), (Numbers{7}));
  unsigned char bytes[8];
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { generator->state(bytes, 8); });
}

TEST(ProviderGenerator, DeviceThatIsNotThere_IsNamed) {
  const tenon_device third = {counting_type(), 2};
  EXPECT_EQ(error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_generator(&third, 7); }),
            "tenon_generator_new: device must be one of 2 of counting, got counting:2");
}

// A provider that was built before generators existed: a shorter struct, or zeros in reserved
// words.
TEST(ProviderGenerator, OlderProviders_HaveNone) {
  for (const bool shorter : {false, true}) {
    const int32_t type = register_backend_name(shorter ? "older" : "old");
    tenon_device_provider provider = counting().provider(type);
    std::memset(&provider.generator_new, shorter ? 0xff : 0, 6 * sizeof(void*));
    if (shorter) provider.struct_size = offsetof(tenon_device_provider, generator_new);
    register_provider(provider);
    const tenon_device device = {type, 0};
    error_of(TENON_ERROR_NOT_SUPPORTED, [&] { new_generator(&device, 7); });
    error_of(TENON_ERROR_NOT_SUPPORTED, [&] { default_generator(&device); });
  }
}

// A function that a provider lacks is an error only when it is used.
TEST(ProviderGenerator, MissingFunctions_AreNamed) {
  const int32_t type = register_backend_name("terse");
  tenon_device_provider provider = counting().provider(type);
  provider.generator_seed = nullptr;
  provider.generator_state = nullptr;
  provider.generator_set_state = nullptr;
  provider.generator_random = nullptr;
  register_provider(provider);
  const tenon_device device = {type, 0};
  const GeneratorPtr generator = new_generator(&device, 7);
  const auto refused = [&](const char* function, auto body) {
    const std::string message = error_of(TENON_ERROR_NOT_SUPPORTED, body);
    EXPECT_NE(message.find(function), std::string::npos) << message;
    EXPECT_NE(message.find("terse"), std::string::npos) << message;
  };
  refused("tenon_generator_seed", [&] { generator->seed(1); });
  refused("tenon_generator_state", [&] { generator->state(nullptr, 0); });
  refused("tenon_generator_random", [&] { draw(*generator, 1); });
  refused("tenon_generator_normal", [&] { draw_normal(*generator, 1); });
  EXPECT_EQ(generator->initial_seed(), 7u);
}

// ---- defaults

TEST(DefaultGenerator, IsOnePerDeviceAndUncounted) {
  const LeakCheck nothing_left;
  const tenon_device first = {counting_type(), 0}, current = {counting_type(), -1},
                     second = {counting_type(), 1};
  EXPECT_TRUE(default_generator(nullptr) == default_generator(&kCpu));
  EXPECT_TRUE(default_generator(&current) == default_generator(&second));
  EXPECT_FALSE(default_generator(&first) == default_generator(&second));
}

TEST(DefaultGenerator, ManualSeed_ReachesThoseMadeAndThoseToCome) {
  const int32_t type = register_backend_name("late");
  register_provider(counting().provider(type));
  const tenon_device late = {type, 0}, first = {counting_type(), 0};
  default_generator(&first);
  manual_seed(7);
  EXPECT_EQ(draw(*default_generator(nullptr), 3), expected_numbers(7, 3));
  EXPECT_EQ(draw(*default_generator(&first), 1), (Numbers{7}));
  EXPECT_EQ(draw(*default_generator(&late), 1), (Numbers{7}));
}

TEST(DefaultGenerator, ProviderThatFailsToSeed_IsToldAndOthersAreSeeded) {
  const tenon_device first = {counting_type(), 0}, second = {counting_type(), 1};
  default_generator(&first);
  default_generator(&second);
  default_generator(nullptr);
  counting().fails = true;
  const std::string message = error_of(TENON_ERROR_STATE, [] { manual_seed(9); });
  counting().fails = false;
  EXPECT_NE(message.find("counting"), std::string::npos) << message;
  EXPECT_EQ(draw(*default_generator(nullptr), 2), expected_numbers(9, 2));
}

// Threads that concurrently request it for the first time get the same generator.
TEST(DefaultGenerator, FirstAskedForByManyThreads_IsOne) {
  for (int round = 0; round < 4; ++round) {
    const int32_t type =
        register_backend_name("raced" + std::string(1, static_cast<char>('a' + round)));
    register_provider(counting().provider(type));
    const tenon_device device = {type, 0};
    std::vector<GeneratorPtr> got(4);
    std::vector<std::thread> threads;
    for (GeneratorPtr& place : got) {
      threads.emplace_back([&] { place = default_generator(&device); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const GeneratorPtr& generator : got) EXPECT_TRUE(generator == got[0]);
  }
}

}  // namespace
}  // namespace tenon::tensor
