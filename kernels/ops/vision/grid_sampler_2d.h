// SPDX-License-Identifier: Apache-2.0
// aten::grid_sampler_2d: samples images at the coordinates of a grid, from -1 at one edge to 1 at
// the other; aten::grid_sampler_3d, for volumes; their gradients, and aten::grid_sampler, which
// calls one of the two.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"

namespace tenon::kernels {

enum class SampledBy : uint8_t { Bilinear, Nearest, Bicubic };

// The elements beyond the edges: zeros, the elements at the edge, or the mirrored image.
enum class BeyondEdges : uint8_t { Zeros, Border, Reflection };

// One call: images of shape (N, C, H, W) with a grid of shape (N, height, width, 2) of coordinates
// x, y; or volumes of shape (N, C, D, H, W) with (N, depth, height, width, 3) of x, y, z.
struct GridSampling {
  Tensor result;
  tenon_tensor_info elements;  // elements to read: the input, or the gradient of the result
  tenon_tensor_info grid;
  int dims;          // number of sampled dims: 2 or 3
  int64_t sizes[5];  // sizes of the input; images have a depth of 1
  SampledBy by_what;
  BeyondEdges beyond;
  int64_t by[3];  // order of the derivative by x, y and z; 0 for the value itself
  // True: -1 and 1 are the centres of the outer elements; false: their outer edges.
  bool aligns_corners;

  int64_t depth() const { return dims == 3 ? grid.sizes[1] : 1; }
  int64_t height() const { return grid.sizes[dims - 1]; }
  int64_t width() const { return grid.sizes[dims]; }
};

// Checks the arguments and returns the result, which may be the call's `out`.
GridSampling grid_sampler_plan(const Call& call);
GridSampling grid_sampler_input_plan(const Call& call);

namespace ops {

void grid_sampler_meta(const Call& call);

inline constexpr Facts kGridSampler2d{
    .family = &kRoutine,
    .name = "grid_sampler_2d",
    .params =
        "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "input: grid_sampler_2d_backward_input(grad, grid, input.sizes(), interpolation_mode, "
        "padding_mode, align_corners, 0, 0); "
        "grid: grid_sampler_2d_backward_grid(grad, input, grid, interpolation_mode, padding_mode, "
        "align_corners, 0, 0)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&grid_sampler_meta},
};

void grid_sampler_input_meta(const Call& call);

// The gradient of the input: each element of `grad_output` is distributed to the elements that it
// was sampled from.
inline constexpr Facts kGridSampler2dBackwardInput{
    .family = &kRoutine,
    .name = "grid_sampler_2d_backward_input",
    .params =
        "Tensor grad_output, Tensor grid, SymInt[4] input_size, int interpolation_mode, "
        "int padding_mode, bool align_corners, int by_x, int by_y",
    .tags = "",
    .gradient =
        "grad_output: grid_sampler_2d_slope(grad, grid, interpolation_mode, padding_mode, "
        "align_corners, by_x, by_y); "
        "grid: grid_sampler_2d_backward_grid(grad_output, grad, grid, interpolation_mode, "
        "padding_mode, align_corners, by_x, by_y)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&grid_sampler_input_meta},
};

// A derivative of each element of the result, of the given orders by x and y of its coordinates.
inline constexpr Facts kGridSampler2dSlope{
    .family = &kRoutine,
    .name = "grid_sampler_2d_slope",
    .params =
        "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, "
        "int by_x, int by_y",
    .tags = "",
    .gradient =
        "input: grid_sampler_2d_backward_input(grad, grid, input.sizes(), interpolation_mode, "
        "padding_mode, align_corners, by_x, by_y); "
        "grid: grid_sampler_2d_backward_grid(grad, input, grid, interpolation_mode, padding_mode, "
        "align_corners, by_x, by_y)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&grid_sampler_meta},
};

void grid_sampler_backward_grid(const Call& call);

// The gradient of the grid.
inline constexpr Facts kGridSampler2dBackwardGrid{
    .family = &kComposite,
    .name = "grid_sampler_2d_backward_grid",
    .params =
        "Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, "
        "bool align_corners, int by_x, int by_y",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&grid_sampler_backward_grid},
};

void grid_sampler_backward(const Call& call);

// The gradients of both. That of the grid is computed even if it is not requested, as in PyTorch on
// the CPU.
inline constexpr Facts kGridSampler2dBackward{
    .family = &kComposite,
    .name = "grid_sampler_2d_backward",
    .params =
        "Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, "
        "bool align_corners, bool[2] output_mask",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&grid_sampler_backward},
};

inline constexpr Facts kGridSampler3d{
    .family = &kRoutine,
    .name = "grid_sampler_3d",
    .params =
        "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "input: grid_sampler_3d_backward_input(grad, grid, input.sizes(), interpolation_mode, "
        "padding_mode, align_corners, 0, 0, 0); "
        "grid: grid_sampler_3d_backward_grid(grad, input, grid, interpolation_mode, padding_mode, "
        "align_corners, 0, 0, 0)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&grid_sampler_meta},
};

inline constexpr Facts kGridSampler3dBackwardInput{
    .family = &kRoutine,
    .name = "grid_sampler_3d_backward_input",
    .params =
        "Tensor grad_output, Tensor grid, SymInt[5] input_size, int interpolation_mode, "
        "int padding_mode, bool align_corners, int by_x, int by_y, int by_z",
    .tags = "",
    .gradient =
        "grad_output: grid_sampler_3d_slope(grad, grid, interpolation_mode, padding_mode, "
        "align_corners, by_x, by_y, by_z); "
        "grid: grid_sampler_3d_backward_grid(grad_output, grad, grid, interpolation_mode, "
        "padding_mode, align_corners, by_x, by_y, by_z)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&grid_sampler_input_meta},
};

inline constexpr Facts kGridSampler3dSlope{
    .family = &kRoutine,
    .name = "grid_sampler_3d_slope",
    .params =
        "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, "
        "int by_x, int by_y, int by_z",
    .tags = "",
    .gradient =
        "input: grid_sampler_3d_backward_input(grad, grid, input.sizes(), interpolation_mode, "
        "padding_mode, align_corners, by_x, by_y, by_z); "
        "grid: grid_sampler_3d_backward_grid(grad, input, grid, interpolation_mode, padding_mode, "
        "align_corners, by_x, by_y, by_z)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&grid_sampler_meta},
};

inline constexpr Facts kGridSampler3dBackwardGrid{
    .family = &kComposite,
    .name = "grid_sampler_3d_backward_grid",
    .params =
        "Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, "
        "bool align_corners, int by_x, int by_y, int by_z",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&grid_sampler_backward_grid},
};

inline constexpr Facts kGridSampler3dBackward{
    .family = &kComposite,
    .name = "grid_sampler_3d_backward",
    .params =
        "Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, "
        "bool align_corners, bool[2] output_mask",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&grid_sampler_backward},
};

void grid_sampler(const Call& call);

inline constexpr Facts kGridSampler{
    .family = &kComposite,
    .name = "grid_sampler",
    .params =
        "Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&grid_sampler},
};

}  // namespace ops

}  // namespace tenon::kernels
