// SPDX-License-Identifier: Apache-2.0
// Compares tenon_op_explain with real calls: the path that its text describes, key by key and
// kernel by kernel, must equal the recorded profile of the call, for random registrations,
// arguments, guards, layers and modes. Two keys with thread defaults are declared, which last for
// the life of the process, so this is a separate program.
#include <memory>
#include <random>

#include "../override/support.h"
#include "dispatch/transform.h"

namespace tenon::test {
namespace {

// ---- The path in the explanation ----------------------------------------------------------------

enum class End {
  kLast,     // nothing is below, or the kernel is composed of other operators
  kMissing,  // a redispatch from the last kernel fails
  kAnew,     // the last kernel continues with new calls
  kRefused,  // the call fails before any kernel
};

struct Chain {
  std::string keys;
  std::vector<std::string> steps;  // "KEY kernel"
  End end = End::kAnew;
};

// Returns the text between `from` and `to`, or all text after `from` if `to` does not occur.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Parses "KEY: NAME (LANGUAGE at FILE:LINE) runs [PROVENANCE]", in which the place may be missing.
std::string step_of(const std::string& key, const std::string& line) {
  const std::string kernel = between(line, ": ", " [");
  return key + " " + kernel.substr(0, kernel.find(' '));
}

Chain parse_chain(const std::string& text) {
  Chain chain;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (has(line, "  the call has ")) chain.keys = between(line, "the call has ", "\n");
    if (has(line, "the call fails")) {
      chain.end = End::kRefused;
    } else if (has(line, "  the highest key is ")) {
      chain.steps.push_back(step_of(between(line, "highest key is ", ": "), line));
    } else if (has(line, "  no key is left")) {
      chain.steps.push_back(step_of("Undefined", line));
      chain.end = End::kLast;
    } else if (has(line, ": redispatching")) {
      chain.end = End::kMissing;
    } else if (has(line, "  below it, no key is left")) {
      chain.steps.push_back(step_of("Undefined", line));
      chain.end = End::kLast;
    } else if (has(line, "  below it, ")) {
      chain.steps.push_back(step_of(between(line, "below it, ", ": "), line));
    } else if (has(line, "  nothing is below ") || has(line, "    it is a composite kernel: ")) {
      chain.end = End::kLast;
    }
  }
  return chain;
}

std::string print(const Chain& chain) {
  std::string text;
  for (const std::string& step : chain.steps) text += step + " > ";
  const char* const ends[] = {"last", "missing", "anew", "refused"};
  return text + ends[static_cast<int>(chain.end)];
}

// ---- The path of the call -----------------------------------------------------------------------

std::vector<std::string> steps_taken(tenon_profile* profile, std::string* out_keys) {
  int64_t count = 0;
  int64_t dropped = 0;
  EXPECT_EQ(tenon_profile_span_count(profile, &count, &dropped), TENON_OK) << take_error();
  std::vector<std::string> steps;
  for (int64_t i = 0; i < count; ++i) {
    tenon_profile_span span{};
    span.struct_size = sizeof span;
    EXPECT_EQ(tenon_profile_get_span(profile, i, &span), TENON_OK) << take_error();
    if (i == 0) *out_keys = tenon::test::print(span.keys);
    EXPECT_EQ(span.depth, static_cast<int32_t>(i)) << "each runs inside the one before";
    steps.push_back(std::string(tenon_key_name(span.key)) + " " + span.kernel);
  }
  return steps;
}

// Redispatches until no key is left that calls do not skip, according to the current table.
tenon_status go_on(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  keys &= tenon_keyset_below(tenon_keyset_highest(keys));
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  tenon_keyset left = keys;
  for (tenon_key key; (key = tenon_keyset_highest(left)) != TENON_KEY_UNDEFINED;) {
    EXPECT_EQ(tenon_introspect_get_slot(op, key, &info), TENON_OK);
    if (info.fallthrough == 0) return tenon_op_redispatch(op, keys, stack);
    left = tenon_keyset_remove(left, key);
  }
  return TENON_OK;
}

tenon_status stop(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_OK; }

Chain expect_explained(const tenon_op* op, const std::vector<tenon_value>& args, uint32_t nrets) {
  tenon_buffer* words = nullptr;
  const tenon_status explained =
      tenon_op_explain(op, args.data(), static_cast<int64_t>(args.size()), &words);
  EXPECT_EQ(explained, TENON_OK) << take_error();
  if (explained != TENON_OK) return {};
  const std::string text = take_text(words);
  const Chain expected = parse_chain(text);
  tenon_profile* profile = nullptr;
  TENON_EXPECT_OK(tenon_profile_begin(0, &profile));
  Call one(args, nrets);
  const tenon_status status = tenon_op_call(op, one.stack());
  TENON_EXPECT_OK(tenon_profile_end(profile));
  std::string keys;
  std::vector<std::string> taken = steps_taken(profile, &keys);
  tenon_profile_release(profile);
  const std::string error = take_error();
  const std::string all = print(expected) + "\n" + text + error;
  switch (expected.end) {
    case End::kRefused:
      EXPECT_NE(status, TENON_OK) << all;
      break;
    case End::kMissing:
      EXPECT_EQ(status, TENON_ERROR_NO_KERNEL) << all;
      break;
    case End::kLast:
      if (!has(expected.steps.back(), " run_")) {
        EXPECT_EQ(status, TENON_OK) << all;
        break;
      }
      [[fallthrough]];  // a handler of these tests calls again, whatever keys are left
    case End::kAnew:    // with calls that the text does not describe
      if (taken.size() > expected.steps.size()) taken.resize(expected.steps.size());
      break;
  }
  EXPECT_EQ(taken, expected.steps) << all;
  if (!taken.empty()) {
    EXPECT_EQ(keys, expected.keys) << all;
  }
  return expected;
}

// ---- Random cases -------------------------------------------------------------------------------

struct Schema {
  const char* text;
  const char* name;
  const char* arguments;  // T Tensor, o Tensor?, L Tensor[], A Any, i int, d Device?
  uint32_t nrets;
};

constexpr Schema kSchemas[] = {
    {"f(Tensor x) -> ()", "f", "T", 0},
    {"g(Tensor x, Tensor? y, int n) -> ()", "g", "Toi", 0},
    {"h(Tensor[] x, *, Tensor y) -> ()", "h", "LT", 0},
    {"i(Any x, *, Any y, int n) -> ()", "i", "AAi", 0},
    {"w_(Tensor(a!) self, Tensor x) -> Tensor(a!)", "w_", "TT", 1},
    {"m(Device? d, int n) -> ()", "m", "di", 0},
    {"n(int n) -> ()", "n", "i", 0},
    {"v(Tensor x, ...) -> ()", "v", "TTL", 0},
};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t below(size_t count) { return engine_() % count; }
  bool one_in(size_t count) { return below(count) == 0; }
  template <class Container>
  const auto& of(const Container& container) {
    return container[below(std::size(container))];
  }

 private:
  std::mt19937 engine_;
};

tenon_key declared(const char* name, const char* anchor, uint32_t flags) {
  tenon_key key = TENON_KEY_NONE;
  EXPECT_EQ(tenon_functionality_register(name, anchor, flags, &key), TENON_OK) << take_error();
  return key;
}

const std::vector<tenon_key>& runtime_keys() {
  static const std::vector<tenon_key> all = {
      TENON_KEY_CPU,
      TENON_KEY_CUDA,
      TENON_KEY_META,
      TENON_KEY_AUTOGRAD_CPU,
      TENON_KEY_AUTOGRAD_META,
      TENON_KEY_AD_INPLACE_OR_VIEW,
      TENON_KEY_BATCHED,
      TENON_KEY_TRACER,
      TENON_KEY_AUTOCAST_CPU,
      TENON_KEY_FUNCTIONALIZE,
      TENON_KEY_BACKEND_SELECT,
      declared("WayIncluded", "Override", TENON_KEY_FLAG_INCLUDED),
      declared("WayExcluded", "Batched", TENON_KEY_FLAG_EXCLUDED | TENON_KEY_FLAG_PER_BACKEND)};
  return all;
}

constexpr tenon_key kAliases[] = {TENON_KEY_AUTOGRAD,
                                  TENON_KEY_AUTOCAST,
                                  TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                  TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                                  TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL,
                                  TENON_KEY_BATCHED_DECOMPOSITION};

tenon_status accept(const tenon_op*, tenon_stack*) { return TENON_OK; }

// Tensors of all kinds, and objects that replace a tensor argument, created once.
class Tensors {
 public:
  Tensors() : object_(overrides_, "object", &accept), carrier_(object_.value()) {
    const int64_t size = 2;
    tenon_wrapper_options options{};
    options.struct_size = sizeof options;
    options.ndim = 1;
    options.sizes = &size;
    options.dtype = TENON_DTYPE_F32;
    EXPECT_EQ(tenon_wrapper_new(&dispatches_, &actor_, &options, &wrapper_), TENON_OK);
    made_.push_back(std::make_unique<TestTensor>());
    for (const auto& list : std::initializer_list<std::initializer_list<tenon_key>>{
             {TENON_KEY_META, TENON_KEY_AD_INPLACE_OR_VIEW},
             {TENON_KEY_CUDA},
             {TENON_KEY_CPU, TENON_KEY_AUTOGRAD_CPU, TENON_KEY_AD_INPLACE_OR_VIEW},
             {TENON_KEY_BATCHED, TENON_KEY_CPU},
             {TENON_KEY_FUNCTIONALIZE},
             {TENON_KEY_META, TENON_KEY_AUTOCAST_CPU}}) {
      made_.push_back(std::make_unique<TestTensor>(list));
    }
  }
  ~Tensors() { tenon_tensor_release(wrapper_); }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  tenon_value any(Random& random) const {
    if (random.one_in(16)) return carrier_.value();
    tenon_value value = tensor_value(*random.of(made_));
    if (random.one_in(12)) value.as.tensor = wrapper_;
    return value;
  }
  tenon_value any_or_object(Random& random) const {
    return random.one_in(12) ? object_.value() : any(random);
  }

 private:
  const tenon_object_type overrides_ = overriding("way.Object");
  const tenon_object_type dispatches_ = dispatching("way.Wrapped");
  Actor actor_{"wrapped", &accept};
  const ActorObject object_;
  const Carrier carrier_;
  tenon_tensor* wrapper_ = nullptr;
  std::vector<std::unique_ptr<TestTensor>> made_;
};

const dispatch::LayerKind kLayer{
    "scaling", dispatch::functionality_bit(TENON_FUNCTIONALITY_BATCHED), 0, nullptr, false};

// Registrations, fallbacks, layers, guards and modes of one case; the destructor removes them.
class RandomSetup {
 public:
  RandomSetup(Random& random, const Schema& schema) : op_(library_.define(schema.text)) {
    for (size_t i = random.below(6); i-- > 0;) add_kernel(random, schema.name);
    for (size_t i = random.below(3); i-- > 0;) add_fallback(random);
    if (random.one_in(4)) modes_.emplace_back(new ModeOn(TENON_MODE_OVERRIDE));
    if (random.one_in(4)) modes_.emplace_back(new ModeOn(TENON_MODE_WRAPPER));
    if (random.one_in(8)) layers_.push_back(dispatch::enter_layer(kLayer));
    if (layers_.size() == 1 && random.one_in(2)) layers_.push_back(dispatch::enter_layer(kLayer));
    for (size_t i = random.below(3); i-- > 0;) enter_guard(random);
  }
  ~RandomSetup() {
    while (!guards_.empty()) {
      tenon_key_guard_leave(&guards_.back());
      guards_.pop_back();
    }
    while (!layers_.empty()) {
      dispatch::leave_layer(*layers_.back());
      layers_.pop_back();
    }
  }
  RandomSetup(const RandomSetup&) = delete;
  RandomSetup& operator=(const RandomSetup&) = delete;
  const tenon_op* op() const { return op_; }

 private:
  struct ModeOn {
    explicit ModeOn(uint32_t kind)
        : type(kind == TENON_MODE_OVERRIDE ? overriding("way.Mode") : dispatching("way.Mode")),
          object(type, "mode", calling_again()),
          on(kind, object) {}
    tenon_object_type type;
    ActorObject object;
    ActorObject::On on;
  };

  tenon_kernel kernel(Random& random, tenon_key key) {
    if (random.one_in(5)) return fallthrough();
    names_.push_back(std::make_unique<std::string>("k" + std::to_string(names_.size())));
    const bool composed = key == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD;
    return kernel_of(composed ? &stop : &go_on, nullptr, names_.back()->c_str());
  }

  void add_kernel(Random& random, const char* name) {
    const tenon_key key = random.one_in(3) ? random.of(kAliases) : random.of(runtime_keys());
    tenon_registration* kept = library_.keep(name, key, kernel(random, key));
    if (random.one_in(5)) tenon_registration_remove(kept);
  }

  void add_fallback(Random& random) {
    const tenon_key key = random.of(runtime_keys());
    const tenon_kernel one = kernel(random, key);
    // A second fallback at one key is refused, which is acceptable here.
    if (tenon_library_fallback(wildcard_.get(), key, &one, nullptr, nullptr) != TENON_OK) {
      take_error();
    }
  }

  void enter_guard(Random& random) {
    tenon_keyset set = 0;
    for (size_t i = random.below(3) + 1; i-- > 0;) set |= keys({random.of(runtime_keys())});
    guards_.emplace_back();
    tenon_key_guard* guard = &guards_.back();
    TENON_EXPECT_OK(random.one_in(2) ? tenon_key_guard_include(set, guard)
                                     : tenon_key_guard_exclude(set, guard));
  }

  TestLibrary library_;
  FallbackLibrary wildcard_;
  const tenon_op* op_;
  std::vector<std::unique_ptr<std::string>> names_;
  std::vector<std::unique_ptr<ModeOn>> modes_;
  std::vector<dispatch::LayerPtr> layers_;
  std::vector<tenon_key_guard> guards_;
};

class Arguments {
 public:
  Arguments(Random& random, const Tensors& tensors, const char* letters) {
    for (const char* letter = letters; *letter != '\0'; ++letter) {
      values_.push_back(one(random, tensors, *letter));
    }
  }
  const std::vector<tenon_value>& values() const { return values_; }

 private:
  tenon_value one(Random& random, const Tensors& tensors, char letter) {
    switch (letter) {
      case 'o':
        return random.one_in(3) ? tenon_value{} : tensors.any_or_object(random);
      case 'L':
        lists_.push_back(std::make_unique<std::vector<tenon_tensor*>>());
        for (size_t i = random.below(3); i-- > 0;) {
          lists_.back()->push_back(tensors.any(random).as.tensor);
        }
        return list_value(TENON_TAG_TENSOR_LIST, lists_.back()->data(),
                          static_cast<uint32_t>(lists_.back()->size()));
      case 'A':
        return random.one_in(3) ? int_value(1) : one(random, tensors, random.one_in(2) ? 'T' : 'L');
      case 'i':
        return int_value(3);
      case 'd':
        return random.one_in(2) ? tenon_value{} : device_value(random.one_in(2) ? 0 : 23);
      default:
        return tensors.any_or_object(random);
    }
  }

  std::vector<tenon_value> values_;
  std::vector<std::unique_ptr<std::vector<tenon_tensor*>>> lists_;
};

class ExplainedChain : public DispatchTest {};

TEST_F(ExplainedChain, IsTheProfiledOne_AtRandom) {
  const Tensors tensors;
  int ends[4] = {};
  int long_ones = 0;
  for (uint32_t seed = 0; seed < 6000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Schema& schema = random.of(kSchemas);
    const RandomSetup setup(random, schema);
    for (int call = 0; call < 3; ++call) {
      const Arguments arguments(random, tensors, schema.arguments);
      const Chain expected = expect_explained(setup.op(), arguments.values(), schema.nrets);
      ++ends[static_cast<int>(expected.end)];
      long_ones += expected.steps.size() >= 3 ? 1 : 0;
    }
  }
  // Each kind of end must have occurred often.
  for (const int times : ends) EXPECT_GE(times, 500);
  EXPECT_GE(long_ones, 500);
}

}  // namespace
}  // namespace tenon::test
