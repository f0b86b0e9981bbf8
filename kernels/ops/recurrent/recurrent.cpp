// SPDX-License-Identifier: Apache-2.0
// Implements aten::lstm, aten::gru and plain recurrent layers by calling other operators: one
// product for the inputs of all steps, then the dependent part step by step.
#include "kernels/ops/recurrent/recurrent.h"

#include <algorithm>
#include <vector>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

using Parts = std::vector<Tensor>;
using BiasOf = std::optional<Tensor>;

Tensor affine(const Tensor& input, const Tensor& weight, const BiasOf& bias) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const BiasOf&)> linear(
      "aten::linear");
  return linear(input, weight, bias);
}
Tensor gate(const Tensor& a) {
  static constinit const LazyOp<Tensor(const Tensor&)> sigmoid("aten::sigmoid");
  return sigmoid(a);
}
Tensor bent(const Tensor& a) {
  static constinit const LazyOp<Tensor(const Tensor&)> tanh("aten::tanh");
  return tanh(a);
}
Parts parts_of(const Tensor& a, int64_t count) {
  static constinit const LazyOp<Parts(const Tensor&, int64_t, int64_t)> chunk("aten::chunk");
  return chunk(a, count, -1);
}
Parts each_of(const Tensor& a) {
  static constinit const LazyOp<Parts(const Tensor&, int64_t)> unbind("aten::unbind.int");
  return unbind(a, 0);
}
Tensor together(const Parts& tensors, int64_t dim, bool stacked) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> stack("aten::stack");
  static constinit const LazyOp<Tensor(TensorList, int64_t)> cat("aten::cat");
  return (stacked ? stack : cat)(tensors, dim);
}

// The weights of one layer in one direction.
struct Weights {
  Tensor of_input, of_state;
  BiasOf input_bias, state_bias;
  BiasOf projection;  // maps the state to the layer's output
};

// The data that a layer passes from step to step: a state, and the cell of an LSTM.
struct CellState {
  Tensor state;
  Tensor cell;
};

// Returns the input's part plus a product with the state: in a single operator for matrices, if no
// bias remains to be added.
Tensor with_state(const Tensor& from_input, const Tensor& state, const Weights& weights) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, const Scalar&,
                                       const Scalar&)>
      product_and_sum("aten::addmm");
  if (!weights.state_bias && state.ndim() == 2 && from_input.ndim() == 2) {
    const Scalar one(1);
    return product_and_sum(from_input, state, call_transpose(weights.of_state, 0, 1), one, one);
  }
  return call_add(from_input, affine(state, weights.of_state, weights.state_bias));
}

enum class Kind { Lstm, Gru, Tanh, Relu };

int64_t gates_of(Kind kind) { return kind == Kind::Lstm ? 4 : kind == Kind::Gru ? 3 : 1; }

CellState lstm_step(const Tensor& from_input, const CellState& before, const Weights& weights) {
  const Parts gates = parts_of(with_state(from_input, before.state, weights), 4);
  const Tensor cell =
      call_add(call_mul(gate(gates[1]), before.cell), call_mul(gate(gates[0]), bent(gates[2])));
  Tensor state = call_mul(gate(gates[3]), bent(cell));
  if (weights.projection) state = affine(state, *weights.projection, std::nullopt);
  return {state, cell};
}

// https://arxiv.org/abs/1406.1078, with the reset gate applied after the product.
CellState gru_step(const Tensor& from_input, const CellState& before, const Weights& weights) {
  const Parts input = parts_of(from_input, 3);
  const Parts state = parts_of(affine(before.state, weights.of_state, weights.state_bias), 3);
  const Tensor reset = gate(call_add(input[0], state[0])),
               keep = gate(call_add(input[1], state[1]));
  const Tensor next = bent(call_add(input[2], call_mul(reset, state[2])));
  return {call_add(call_mul(call_sub(before.state, next), keep), next), Tensor()};
}

CellState step(Kind kind, const Tensor& from_input, const CellState& before,
               const Weights& weights) {
  static constinit const LazyOp<Tensor(const Tensor&)> relu("aten::relu");
  if (kind == Kind::Lstm) return lstm_step(from_input, before, weights);
  if (kind == Kind::Gru) return gru_step(from_input, before, weights);
  const Tensor both = with_state(from_input, before.state, weights);
  return {kind == Kind::Tanh ? bent(both) : relu(both), Tensor()};
}

struct Layer {
  Tensor output;  // of all steps
  CellState last;
};

Layer run_layer(Kind kind, const Tensor& input, const CellState& first, Weights weights,
                bool backwards) {
  Tensor from_inputs = affine(input, weights.of_input, weights.input_bias);
  // A GRU's reset gate is applied to the bias as well.
  if (kind != Kind::Gru && weights.state_bias) {
    from_inputs = call_add(from_inputs, *weights.state_bias);
    weights.state_bias.reset();
  }
  Parts steps = each_of(from_inputs);
  if (backwards) std::reverse(steps.begin(), steps.end());
  CellState carried = first;
  Parts outputs;
  for (const Tensor& from_input : steps) {
    carried = step(kind, from_input, carried, weights);
    outputs.push_back(carried.state);
  }
  if (backwards) std::reverse(outputs.begin(), outputs.end());
  return {together(outputs, 0, true), carried};
}

// ---- Whole nets ---------------------------------------------------------------------------------

struct Network {
  Kind kind;
  int64_t layers, directions;
  double dropout;
  bool train, batch_first;
  std::vector<Weights> weights;  // layer by layer, with both directions of each
  std::vector<CellState> first;
};

void check_states(const Call& call, const Network& net, const Tensor& input, const char* name,
                  const Tensor& state) {
  const SymbolicSize batch = word_along(input, net.batch_first ? 0 : 1);
  const bool fits = state.ndim() == 3 && word_along(state, 0) == net.layers * net.directions &&
                    word_along(state, 1) == batch;
  if (fits) return;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {call.op(), ": ", name, " must have ", net.layers * net.directions,
        " layers and a batch of ", text_of(batch), ", got sizes ", text_of(words_of(state))});
}

Network read_net(const Call& call, Kind kind, const Tensor& input) {
  Network net{kind,
              call.get<int64_t>(4),
              call.get<bool>(7) ? 2 : 1,
              call.get<double>(5),
              call.get<bool>(6),
              call.get<bool>(8),
              {},
              {}};
  if (input.ndim() != 3) fail_argument(call.op(), "input", "have 3 dims", text_of(words_of(input)));
  if (word_along(input, net.batch_first ? 1 : 0) == 0) {
    fail_argument(call.op(), "input", "have at least 1 step", text_of(words_of(input)));
  }
  if (net.layers < 1) fail_argument(call.op(), "num_layers", "above 0", net.layers);
  Parts states, cells;
  if (kind == Kind::Lstm) {
    const auto hx = call.get<TensorList>(1);
    if (hx.size() != 2) {
      fail_argument(call.op(), "hx", "have 2 tensors", hx.size());
    }
    const Tensor state = *hx[0], cell = *hx[1];
    check_states(call, net, input, "hx[0]", state);
    check_states(call, net, input, "hx[1]", cell);
    states = each_of(state);
    cells = each_of(cell);
  } else {
    const Tensor state = *call.get<Tensor>(1);
    check_states(call, net, input, "hx", state);
    states = each_of(state);
    cells.resize(states.size());
  }
  for (size_t i = 0; i < states.size(); ++i) net.first.push_back({states[i], cells[i]});
  return net;
}

// Reads the weights: for each layer and direction two weights, two biases if there are any, and a
// projection if the sizes of state and cell differ.
void read_weights(const Call& call, Network& net) {
  const auto params = call.get<TensorList>(2);
  const bool has_biases = call.get<bool>(3);
  const CellState& first = net.first[0];
  const bool projects =
      net.kind == Kind::Lstm && !(word_along(first.state, 1) == word_along(first.cell, 1));
  const size_t each = 2 + (has_biases ? 2 : 0) + (projects ? 1 : 0);
  const auto count = static_cast<size_t>(net.layers * net.directions);
  if (params.size() != static_cast<int64_t>(each * count)) {
    fail_argument(call.op(), "params", std::to_string(each * count) + " tensors", params.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const auto at = [&](size_t k) { return Tensor(*params[static_cast<int64_t>(i * each + k)]); };
    Weights weights{at(0), at(1), {}, {}, {}};
    if (has_biases) {
      weights.input_bias = at(2);
      weights.state_bias = at(3);
    }
    if (projects) weights.projection = at(each - 1);
    const Tensor& state = net.first[i].state;
    const SymbolicSize hidden = word_along(projects ? net.first[i].cell : state, 1);
    const bool fits = weights.of_state.ndim() == 2 &&
                      word_along(weights.of_state, 0) == hidden * gates_of(net.kind) &&
                      word_along(weights.of_state, 1) == word_along(state, 1);
    if (!fits) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": params must have weights for the state with ",
            text_of(hidden * gates_of(net.kind)), " rows and ", text_of(word_along(state, 1)),
            " columns, got sizes ", text_of(words_of(weights.of_state)), " for layer ",
            static_cast<int64_t>(i)});
    }
    net.weights.push_back(std::move(weights));
  }
}

void run_net(const Call& call, Kind kind) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transposed(
      "aten::transpose.int");
  static constinit const LazyOp<Tensor(const Tensor&, double, bool)> dropped("aten::dropout");
  Tensor input = *call.get<Tensor>(0);
  Network net = read_net(call, kind, input);
  read_weights(call, net);
  if (net.batch_first) input = transposed(input, 0, 1);
  Parts states, cells;
  for (int64_t layer = 0; layer < net.layers; ++layer) {
    Parts outputs;
    for (int64_t way = 0; way < net.directions; ++way) {
      const auto at = static_cast<size_t>(layer * net.directions + way);
      Layer made = run_layer(kind, input, net.first[at], net.weights[at], way == 1);
      outputs.push_back(made.output);
      states.push_back(made.last.state);
      cells.push_back(made.last.cell);
    }
    input = outputs.size() == 1 ? outputs[0] : together(outputs, -1, false);
    const bool drops = net.dropout != 0 && net.train && layer + 1 < net.layers;
    if (drops) input = dropped(input, net.dropout, true);
  }
  call.give(0, net.batch_first ? transposed(input, 0, 1) : input);
  call.give(1, together(states, 0, true));
  if (kind == Kind::Lstm) call.give(2, together(cells, 0, true));
}

// ---- One step -----------------------------------------------------------------------------------

void run_cell(const Call& call, Kind kind) {
  const Tensor input = *call.get<Tensor>(0);
  CellState before;
  if (kind == Kind::Lstm) {
    const auto hx = call.get<TensorList>(1);
    if (hx.size() != 2) {
      fail_argument(call.op(), "hx", "have 2 tensors", hx.size());
    }
    before = {*hx[0], *hx[1]};
  } else {
    before.state = *call.get<Tensor>(1);
  }
  const Weights weights{
      *call.get<Tensor>(2), *call.get<Tensor>(3), call.get<BiasOf>(4), call.get<BiasOf>(5), {}};
  const SymbolicDims sizes = words_of(before.state);
  const SymbolicSize hidden = sizes.empty() ? SymbolicSize(0) : sizes.back();
  if (weights.of_input.ndim() != 2 ||
      !(word_along(weights.of_input, 0) == hidden * gates_of(kind))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": w_ih must have ", text_of(hidden * gates_of(kind)),
          " rows for a state of sizes ", text_of(sizes), ", got sizes ",
          text_of(words_of(weights.of_input))});
  }
  const CellState after =
      step(kind, affine(input, weights.of_input, weights.input_bias), before, weights);
  call.give(0, after.state);
  if (kind == Kind::Lstm) call.give(1, after.cell);
}

}  // namespace

void lstm(const Call& call) { run_net(call, Kind::Lstm); }
void gru(const Call& call) { run_net(call, Kind::Gru); }
void rnn_tanh(const Call& call) { run_net(call, Kind::Tanh); }
void rnn_relu(const Call& call) { run_net(call, Kind::Relu); }
void lstm_cell(const Call& call) { run_cell(call, Kind::Lstm); }
void gru_cell(const Call& call) { run_cell(call, Kind::Gru); }
void rnn_tanh_cell(const Call& call) { run_cell(call, Kind::Tanh); }
void rnn_relu_cell(const Call& call) { run_cell(call, Kind::Relu); }

}  // namespace tenon::kernels::ops
