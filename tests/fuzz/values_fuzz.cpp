// SPDX-License-Identifier: Apache-2.0
// Values on stacks against schemas: whatever the arguments, a call serves them or refuses them with
// a type error; copies equal their originals; no reference is lost or kept.
#include <deque>
#include <vector>

#include "fuzz.h"

namespace tenon::fuzz {
namespace {

constexpr int kMaxNesting = 6;

void release_nothing(void*) {}
tenon_status decline(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_DECLINED; }
tenon_object_type object_type(const char* name, const tenon_object_type* base, bool overrides) {
  tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = name;
  type.base = base;
  type.release = &release_nothing;
  if (overrides) type.override = &decline;
  return type;
}

// Makes values of all kinds; owns the objects that the values borrow.
class Values {
 public:
  explicit Values(Input& input) : input_(input) {
    const int64_t sizes[2] = {2, 3};
    const tenon_device meta = {TENON_DEVICE_META, 0};
    FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 2, sizes, nullptr, &tensors_[0]) == 0);
    FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_I64, &meta, 1, sizes, nullptr, &tensors_[1]) == 0);
    tensors_[2] = tenon_tensor_undefined();
    static const tenon_object_type kBase = object_type("fuzz.Base", nullptr, false);
    static const tenon_object_type kDerived = object_type("fuzz.Derived", &kBase, false);
    static const tenon_object_type kOverriding = object_type("fuzz.Overriding", &kBase, true);
    const tenon_value hints[3] = {tenon_value_of_int(5), tenon_value_of_float(2.5),
                                  tenon_value_of_bool(1)};
    FUZZ_CHECK(tenon_shape_env_new(0, &env_) == 0);
    for (uint16_t i = 0; i < 3; ++i) {
      const auto tag = static_cast<uint16_t>(TENON_TAG_SYMINT + i);
      FUZZ_CHECK(tenon_symbol_new(env_, tag, nullptr, &hints[i], 0, 9, &symbols_[i]) == 0);
    }
    FUZZ_CHECK(tenon_generator_new(nullptr, 7, &generator_) == 0);
    FUZZ_CHECK(tenon_object_new(&kBase, nullptr, &objects_[0]) == 0);
    FUZZ_CHECK(tenon_object_new(&kDerived, nullptr, &objects_[1]) == 0);
    FUZZ_CHECK(tenon_object_new(&kOverriding, nullptr, &objects_[2]) == 0);
  }
  ~Values() {
    for (int i = 0; i < 2; ++i) tenon_tensor_release(tensors_[i]);
    tenon_generator_release(generator_);
    for (tenon_symbol* symbol : symbols_) tenon_symbol_release(symbol);
    tenon_shape_env_release(env_);
    for (tenon_object* object : objects_) tenon_object_release(object);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  tenon_value make(int depth = 0);
  /// Returns true if a value with a NULL handle was made; only the checking functions accept it.
  bool made_null() const { return made_null_; }
  /// Returns true if an overriding object was made. For an argument that is not a tensor, only the
  /// checking call detects it.
  bool made_overriding() const { return made_overriding_; }

 private:
  tenon_tensor* tensor() {
    const uint32_t pick = input_.below(16);
    if (pick == 15) made_null_ = true;
    return pick == 15 ? nullptr : tensors_[pick % 3];
  }
  tenon_object* object() {
    const uint32_t pick = input_.below(16);
    if (pick == 15) made_null_ = true;
    if (pick != 15 && pick % 3 == 2) made_overriding_ = true;
    return pick == 15 ? nullptr : objects_[pick % 3];
  }
  template <class Element, class Make>
  void fill_list(tenon_value* value, uint32_t count, Make make);

  Input& input_;
  tenon_tensor* tensors_[3];
  tenon_shape_env* env_ = nullptr;
  tenon_symbol* symbols_[3];  // an int, a float and a bool
  tenon_generator* generator_ = nullptr;
  tenon_object* objects_[3];
  bool made_null_ = false;
  bool made_overriding_ = false;
  std::deque<std::vector<uint64_t>> memory_;  // elements of lists, exactly sized
};

template <class Element, class Make>
void Values::fill_list(tenon_value* value, uint32_t count, Make make) {
  std::vector<Element> elements;
  for (uint32_t i = 0; i < count; ++i) elements.push_back(make());
  const size_t bytes = elements.size() * sizeof(Element);
  memory_.emplace_back((bytes + 7) / 8);
  if (bytes != 0) std::memcpy(memory_.back().data(), elements.data(), bytes);
  value->as.list.data = memory_.back().data();
}

tenon_value Values::make(int depth) {
  tenon_value value{};
  constexpr uint16_t kTags = TENON_TAG_OBJECT + 1;
  const uint8_t pick = input_.byte();
  value.tag =
      pick < 128 ? pick % kTags : static_cast<uint16_t>(TENON_TAG_INT_LIST + (pick - 128) % 7);
  if (pick >= 250) value.tag = input_.number<uint16_t>();
  const uint32_t count = input_.below(5);
  switch (value.tag) {
    case TENON_TAG_FLOAT:
      value.as.f = input_.number<double>();
      break;
    case TENON_TAG_COMPLEX:
      value.as.c = {input_.number<double>(), input_.number<double>()};
      break;
    case TENON_TAG_STRING: {
      value.count = count * 3;
      fill_list<char>(&value, value.count, [&] { return static_cast<char>(input_.byte()); });
      break;
    }
    case TENON_TAG_DEVICE:
      value.as.device = {static_cast<int32_t>(input_.interesting()),
                         static_cast<int32_t>(input_.interesting())};
      break;
    case TENON_TAG_TENSOR:
      value.as.tensor = tensor();
      break;
    case TENON_TAG_STORAGE:
      value.as.storage = tenon_tensor_storage(tensors_[0]);
      break;
    case TENON_TAG_GENERATOR:
      if (input_.below(16) == 15) {
        made_null_ = true;
      } else {
        value.as.generator = generator_;
      }
      break;
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      if (input_.below(16) == 15) {
        made_null_ = true;
      } else {
        value.as.symbol = symbols_[value.tag - TENON_TAG_SYMINT];
      }
      break;
    case TENON_TAG_FUNCTION:
    case TENON_TAG_OBJECT:
      value.as.object = object();
      break;
    case TENON_TAG_INT_LIST:
      value.count = count;
      fill_list<int64_t>(&value, count, [&] { return input_.interesting(); });
      break;
    case TENON_TAG_FLOAT_LIST:
      value.count = count;
      fill_list<double>(&value, count, [&] { return input_.number<double>(); });
      break;
    case TENON_TAG_BOOL_LIST:
      value.count = count;
      fill_list<uint8_t>(&value, count, [&] { return input_.byte(); });
      break;
    case TENON_TAG_TENSOR_LIST:
      value.count = count;
      fill_list<tenon_tensor*>(&value, count, [&] {  // NULL is an absent optional
        return input_.below(4) == 0 ? nullptr : tensors_[input_.below(3)];
      });
      break;
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT: {
      value.count = depth < kMaxNesting ? count : 0;
      const uint32_t total = value.tag == TENON_TAG_DICT ? 2 * value.count : value.count;
      fill_list<tenon_value>(&value, total, [&] { return make(depth + 1); });
      break;
    }
    default:
      value.as.i = input_.interesting();
      break;
  }
  return value;
}

// The results that one call returns, as read from the input.
struct Results {
  std::vector<tenon_value> values;
};

tenon_status give_results(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const auto& values = static_cast<Results*>(ctx)->values;
  for (uint32_t i = 0; i < stack->nrets && i < values.size(); ++i) {
    const tenon_status status = tenon_value_copy(&values[i], &stack->rets[i]);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

std::string print(const tenon_value& value) {
  tenon_buffer* text = nullptr;
  const tenon_status status = tenon_value_print(&value, &text);
  FUZZ_CHECK(status == TENON_OK, settle(status));
  return take_text(text);
}

void check_copy(const tenon_value& value) {
  tenon_value copy;
  const tenon_status status = tenon_value_copy(&value, &copy);
  settle(status);
  if (status == TENON_OK) {
    FUZZ_CHECK(print(copy) == print(value));
    FUZZ_CHECK(copy.tag == value.tag && copy.count == value.count);
  } else {
    FUZZ_CHECK(copy.tag == TENON_TAG_NONE);
  }
  tenon_value_clear(&copy);
}

tenon_status run(tenon_status (*call)(const tenon_op*, tenon_stack*), const tenon_op* op,
                 const std::vector<tenon_value>& args, uint32_t nrets) {
  std::vector<tenon_value> own = args;
  std::vector<tenon_value> rets(nrets);
  tenon_stack stack{};
  stack.args = own.data();
  stack.nargs = static_cast<uint32_t>(own.size());
  stack.rets = rets.data();
  stack.nrets = nrets;
  const tenon_status status = call(op, &stack);
  settle(status);
  FUZZ_CHECK(stack.error == nullptr && stack.args == own.data());
  for (tenon_value& ret : rets) {
    if (status != TENON_OK) FUZZ_CHECK(ret.tag == TENON_TAG_NONE && ret.flags == 0);
    print(ret);
    tenon_value_clear(&ret);
  }
  return status;
}

}  // namespace

// The first line is a schema; the remaining bytes encode the arguments and the kernel's results.
void fuzz_values(const uint8_t* data, size_t size) {
  const LeakCheck nothing_left;
  Input input(data, size);
  std::string schema = input.line();
  if (schema.find("::") == std::string::npos) schema.insert(0, "fuzz_values::");
  tenon_schema* parsed = nullptr;
  settle(tenon_schema_parse(schema.data(), static_cast<int64_t>(schema.size()), &parsed));
  if (parsed == nullptr) return;
  // Operator names are never freed, so all inputs share one name.
  const std::string text = tenon_schema_text(parsed);
  const std::string own = "fuzz_values::x" + text.substr(text.find('('));
  const int64_t wanted = tenon_schema_argument_count(parsed);
  const auto nrets = static_cast<uint32_t>(tenon_schema_return_count(parsed));
  tenon_schema_release(parsed);
  Values values(input);
  Results results;
  tenon_library* library = nullptr;
  FUZZ_CHECK(tenon_library_new(TENON_LIBRARY_FRAGMENT, "fuzz_values", TENON_KEY_NONE, "fuzz", 1,
                               &library) == TENON_OK);
  const tenon_op* op = nullptr;
  tenon_status status = tenon_library_define(library, own.c_str(), nullptr, &op);
  settle(status);
  if (status == TENON_OK) {
    tenon_kernel kernel{};
    kernel.struct_size = sizeof kernel;
    kernel.boxed = &give_results;
    kernel.ctx = &results;
    kernel.language = TENON_LANGUAGE_CPP;
    const tenon_key key =
        input.coin() ? TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD : tenon_key{TENON_KEY_CPU};
    FUZZ_CHECK(tenon_library_impl(library, "x", key, &kernel, nullptr) == TENON_OK);
    // Mostly the right number.
    const uint32_t off = input.below(16);
    int64_t nargs = wanted + (off == 0 ? -1 : off == 1 ? 1 : 0);
    if (nargs < 0) nargs = 0;
    std::vector<tenon_value> args;
    for (int64_t i = 0; i < nargs; ++i) args.push_back(values.make());
    for (uint32_t i = 0; i < nrets; ++i) results.values.push_back(values.make());
    for (const tenon_value& value : args) check_copy(value);
    const tenon_status checked = tenon_op_check_arguments(op, args.data(), nargs);
    FUZZ_CHECK(checked == TENON_OK || checked == TENON_ERROR_TYPE, tenon_status_name(checked));
    settle(checked);
    tenon_keyset keys = 0;
    tenon_status computed = TENON_OK;
    if (!values.made_null()) computed = tenon_op_compute_keys(op, args.data(), nargs, &keys);
    settle(computed);
    if (checked == TENON_OK) {
      FUZZ_CHECK(computed == TENON_OK);
      const tenon_status first = run(&tenon_op_call_fast, op, args, nrets);
      const tenon_status second = run(&tenon_op_call, op, args, nrets);
      FUZZ_CHECK(first == second || values.made_overriding(),
                 std::string(tenon_status_name(first)) + ", " + tenon_status_name(second));
    } else {
      const tenon_status refused = run(&tenon_op_call, op, args, nrets);
      FUZZ_CHECK(refused == TENON_ERROR_TYPE, tenon_status_name(refused));
      if (!values.made_null()) run(&tenon_op_call_fast, op, args, nrets);
    }
  }
  tenon_library_release(library);
}

}  // namespace tenon::fuzz
