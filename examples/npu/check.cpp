// SPDX-License-Identifier: Apache-2.0
// Uses the npu backend like any program, which knows only the plugin's path and the device's name.
#include <cmath>
#include <cstdio>

#include <tenon/tenon.hpp>

namespace {

using tenon::Op;
using tenon::Tensor;
using tenon::Value;

int failures = 0;

void expect(bool good, const char* what) {
  std::printf("%-58s %s\n", what, good ? "ok" : "FAILED");
  failures += good ? 0 : 1;
}

Tensor one(const char* op, std::vector<Value> arguments,
           std::vector<tenon::Keyword> keywords = {}) {
  return Op(op).call(std::move(arguments), std::move(keywords))[0].tensor();
}
Tensor to(const Tensor& tensor, const char* device) {
  return one("aten::_to_copy", {tensor}, {tenon::kw("device", tenon::Device(device))});
}
int64_t fallback_calls() { return Op("npu::fallback_calls")()[0].to_int(); }

bool holds(const Tensor& tensor, std::vector<float> expected) {
  if (std::string(tenon_device_type_name(tensor.device().type)) != "npu") return false;
  const Tensor host = one("aten::contiguous", {to(tensor, "cpu")});
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(host.elements<float>()[i] - expected[i]) > 1e-5f) return false;
  }
  return host.numel() == static_cast<int64_t>(expected.size());
}

void check_random(const Tensor& x) {
  const tenon::Device npu("npu:0");
  const tenon::Generator generator(0, npu);
  std::vector<uint32_t> numbers(4);
  generator.random(numbers);
  expect(numbers == std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
         "a generator draws Philox's published numbers");
  const std::vector<uint8_t> state = generator.state();
  const Tensor drawn = one("aten::rand.generator", {std::vector<int64_t>{2, 2}},
                           {tenon::kw("generator", generator), tenon::kw("device", npu)});
  const Tensor host = one("aten::contiguous", {to(drawn, "cpu")});
  bool inside = true;
  for (const float number : host.elements<float>()) inside = inside && number >= 0 && number < 1;
  expect(inside && holds(drawn, {host.elements<float>().begin(), host.elements<float>().end()}),
         "rand draws on the device, in [0, 1)");
  generator.set_state(state);
  const Tensor again = to(Tensor::from({9.0, 9.0, 9.0, 9.0}, {2, 2}), "npu");
  one("aten::uniform_", {again, 0.0, 1.0}, {tenon::kw("generator", generator)});
  const Tensor floats = one("aten::_to_copy", {again}, {tenon::kw("dtype", tenon::Dtype::F32)});
  expect(holds(floats, {host.elements<float>().begin(), host.elements<float>().end()}),
         "a state brings the same numbers back, for doubles too");
  tenon::manual_seed(7);
  const Tensor first = one("aten::rand", {std::vector<int64_t>{4}}, {tenon::kw("device", npu)});
  tenon::manual_seed(7);
  const Tensor second = one("aten::rand", {std::vector<int64_t>{4}}, {tenon::kw("device", npu)});
  const Tensor on_cpu = one("aten::contiguous", {to(first, "cpu")});
  expect(holds(second, {on_cpu.elements<float>().begin(), on_cpu.elements<float>().end()}),
         "the seed of all devices reaches the default generator");
  try {
    one("aten::uniform_", {x, 0.0, 1.0}, {tenon::kw("generator", tenon::Generator(7))});
    expect(false, "a generator of the CPU is refused by name");
  } catch (const tenon::Error& error) {
    const std::string message = error.what();
    expect(message.find("npu:0") != std::string::npos && message.find("cpu") != std::string::npos,
           "a generator of the CPU is refused by name");
  }
}

void run() {
  const Tensor x = to(Tensor::from({1.0f, -2.0f, 3.0f, 4.0f}, {2, 2}), "npu");
  expect(holds(x, {1, -2, 3, 4}), "a tensor goes to the device and back");
  expect(holds(one("aten::add.Tensor", {x, x}), {2, -4, 6, 8}), "add runs on the device");
  expect(holds(one("aten::mul.Tensor", {x, x}), {1, 4, 9, 16}), "mul runs on the device");
  expect(holds(one("aten::relu", {x}), {1, 0, 3, 4}), "relu runs on the device");
  expect(holds(one("aten::neg", {x}), {-1, 2, -3, -4}), "neg runs on the device");
  expect(holds(one("aten::mm", {x, x}), {-5, -10, 15, 10}), "mm runs on the device");
  expect(holds(one("aten::zeros_like", {x}), {0, 0, 0, 0}),
         "composites reach the device's kernels");
  expect(fallback_calls() == 0, "none of these needed the fallback");

  expect(holds(one("aten::exp", {one("aten::zeros_like", {x})}), {1, 1, 1, 1}),
         "exp has no kernel: the CPU's runs on copies");
  expect(fallback_calls() == 1, "and the fallback was asked once");
  expect(holds(one("aten::cat", {std::vector<Tensor>{x, x}, 0}), {1, -2, 3, 4, 1, -2, 3, 4}),
         "lists of tensors go through it too");
  const Tensor y = to(Tensor::from({1.0f, 1.0f, 1.0f, 1.0f}, {2, 2}), "npu");
  expect(one("aten::sub_.Tensor", {y, x}).get() == y.get() && holds(y, {0, 3, -2, -3}),
         "in-place operators write the device's tensor");
  const Tensor transposed = one("aten::transpose.int", {x, 0, 1});
  expect(holds(one("aten::add.Tensor", {transposed, x}), {2, 1, 1, 8}),
         "what the device cannot do, strides, goes to the CPU");
  const Tensor doubles = one("aten::_to_copy", {x}, {tenon::kw("dtype", tenon::Dtype::F64)});
  expect(doubles.dtype() == tenon::Dtype::F64, "and so do other dtypes");
  expect(Op("aten::sum").call({Value(x)})[0].tensor().ndim() == 0, "sum");

  tenon_stream stream{};
  const tenon::Device device("npu");
  tenon_stream before{};
  tenon::check(tenon_stream_current(&device, &before));
  tenon::check(tenon_stream_new(&device, &stream));
  tenon::check(tenon_stream_set_current(&stream));
  Tensor sum = x;
  for (int i = 0; i < 100; ++i) sum = one("aten::add.Tensor", {sum, x});
  tenon::check(tenon_stream_synchronize(&stream));
  expect(holds(sum, {101, -202, 303, 404}), "a stream of one's own keeps its order");
  tenon::check(tenon_stream_set_current(&before));
  tenon_stream_release(&stream);

  check_random(x);

  const tenon_key autograd = tenon::key("Autogradnpu");
  expect(std::string(tenon_key_name(autograd)) == "Autogradnpu",
         "the backend has its own Autograd key");
  try {
    one("aten::mm", {x, to(Tensor::from({1.0f}, {1}), "npu")});
    expect(false, "errors of the CPU's kernel come home");
  } catch (const tenon::Error& error) {
    expect(std::string(error.what()).find("mm") != std::string::npos,
           "errors of the CPU's kernel come home");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: npu_check PLUGIN\n");
    return 2;
  }
  try {
    tenon_plugin* plugin = nullptr;
    tenon::check(tenon_plugin_load(argv[1], &plugin));
    run();
  } catch (const tenon::Error& error) {
    std::fprintf(stderr, "%s\n", error.format().c_str());
    return 1;
  }
  std::printf(failures == 0 ? "npu: all good\n" : "npu: %d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
