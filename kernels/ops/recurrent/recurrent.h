// SPDX-License-Identifier: Apache-2.0
// aten::lstm, aten::gru, aten::rnn_tanh and aten::rnn_relu: recurrent layers, which read a sequence
// step by step, and their cells, one step of one layer.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void lstm(const Call& call);

inline constexpr Facts kLstmInput{
    .family = &kComposite,
    .name = "lstm.input",
    .params =
        "Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, "
        "float dropout, bool train, bool bidirectional, bool batch_first",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&lstm},
};

void gru(const Call& call);

inline constexpr Facts kGruInput{
    .family = &kComposite,
    .name = "gru.input",
    .params =
        "Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, "
        "float dropout, bool train, bool bidirectional, bool batch_first",
    .returns = "(Tensor, Tensor)",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&gru},
};

void rnn_tanh(const Call& call);

inline constexpr Facts kRnnTanhInput{
    .family = &kComposite,
    .name = "rnn_tanh.input",
    .params =
        "Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, "
        "float dropout, bool train, bool bidirectional, bool batch_first",
    .returns = "(Tensor, Tensor)",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rnn_tanh},
};

void rnn_relu(const Call& call);

inline constexpr Facts kRnnReluInput{
    .family = &kComposite,
    .name = "rnn_relu.input",
    .params =
        "Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, "
        "float dropout, bool train, bool bidirectional, bool batch_first",
    .returns = "(Tensor, Tensor)",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rnn_relu},
};

void lstm_cell(const Call& call);

inline constexpr Facts kLstmCell{
    .family = &kComposite,
    .name = "lstm_cell",
    .params =
        "Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, "
        "Tensor? b_hh=None",
    .returns = "(Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&lstm_cell},
};

void gru_cell(const Call& call);

inline constexpr Facts kGruCell{
    .family = &kComposite,
    .name = "gru_cell",
    .params =
        "Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? "
        "b_hh=None",
    .returns = "Tensor",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&gru_cell},
};

void rnn_tanh_cell(const Call& call);

inline constexpr Facts kRnnTanhCell{
    .family = &kComposite,
    .name = "rnn_tanh_cell",
    .params =
        "Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? "
        "b_hh=None",
    .returns = "Tensor",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&rnn_tanh_cell},
};

void rnn_relu_cell(const Call& call);

inline constexpr Facts kRnnReluCell{
    .family = &kComposite,
    .name = "rnn_relu_cell",
    .params =
        "Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? "
        "b_hh=None",
    .returns = "Tensor",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&rnn_relu_cell},
};

}  // namespace tenon::kernels::ops
