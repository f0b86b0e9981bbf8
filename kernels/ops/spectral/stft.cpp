// SPDX-License-Identifier: Apache-2.0
// Implements aten::stft and aten::istft by calling other operators.
#include "kernels/ops/spectral/stft.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Pads with zeros at the start and end of the last dim.
Tensor with_zeros(const Tensor& self, const Dims& counts) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, const Scalar&)> pad(
      "aten::constant_pad_nd");
  return pad(self, counts, Scalar(0));
}

// Arguments 1 to 4, which both operators share: the length of frames, their distance, the length of
// the window, and the window.
struct Frames {
  int64_t length;
  int64_t step;
  int64_t seen;
  std::optional<Tensor> window;

  explicit Frames(const Call& call)
      : length(call.get<int64_t>(1)),
        step(call.get<std::optional<int64_t>>(2).value_or(length / 4)),
        seen(call.get<std::optional<int64_t>>(3).value_or(length)),
        window(call.get<std::optional<Tensor>>(4)) {
    if (step <= 0) fail_argument(call.op(), "hop_length", "at least 1", step);
    if (seen <= 0 || seen > length) {
      fail_argument(call.op(), "win_length",
                    "at least 1, and at most n_fft, " + std::to_string(length), seen);
    }
    if (window && (window->ndim() != 1 || window->sizes()[0] != seen)) {
      fail_argument(call.op(), "window",
                    "a vector of as many elements as win_length, " + std::to_string(seen),
                    window->sizes());
    }
  }

  bool has_complex_window() const { return window && is_complex(window->dtype()); }

  // Returns a window as long as a frame, padded with zeros at both ends; of ones if none is given.
  Tensor whole_window(const Tensor& like, Dtype dtype) const {
    Tensor whole;
    if (window) {
      whole = *window;
    } else {
      FactoryOptions options = options_like(kind_of(like), {});
      options.dtype = dtype;
      whole = call_empty(Dims{seen}, options);
      call_fill(whole, Scalar(1));
    }
    if (seen == length) return whole;
    const int64_t left = (length - seen) / 2;
    return with_zeros(whole, Dims{left, length - seen - left});
  }
};

Tensor padded(const Tensor& self, int64_t each, std::string_view mode) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, std::string_view,
                                       std::optional<double>)>
      pad("aten::pad");
  Dims sizes{1};  // padding modes require channels, and perhaps a batch
  if (self.ndim() == 1) sizes.push_back(1);
  for (const int64_t size : self.sizes()) sizes.push_back(size);
  const Tensor wide = pad(call_reshape(self, sizes), Dims{each, each}, mode, std::nullopt);
  Dims back(self.sizes());
  back[self.ndim() - 1] += 2 * each;
  return call_reshape(wide, back);
}

// Returns the frames of each signal, as rows.
Tensor framed(const Tensor& signals, const Frames& frames) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t, int64_t)> unfold(
      "aten::unfold");
  return unfold(signals, -1, frames.length, frames.step);
}

// Adds rows of overlapping frames to signals of a given length.
Tensor overlapped(const Tensor& rows, int64_t length, const Frames& frames) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, int64_t, int64_t)> fold(
      "aten::unfold_backward");
  return fold(rows, Dims{rows.sizes()[0], length}, 1, frames.length, frames.step);
}

constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, bool)> transform_complex(
    "aten::_fft_c2c"),
    transform_real("aten::_fft_r2c");

// Arguments from `next` on are normalized, onesided, return_complex and align_to_window.
void give_stft(const Call& call, bool center, std::string_view pad_mode, int next) {
  static constinit const LazyOp<Tensor(const Tensor&)> as_real("aten::view_as_real");
  const Tensor self = *call.get<Tensor>(0);
  check_inexact(call.op(), "self", self.dtype());
  const auto aligns = call.get<std::optional<bool>>(next + 3);
  if (center && aligns) {
    fail_argument(call.op(), "align_to_window", "None with center", static_cast<int64_t>(*aligns));
  }
  if (self.ndim() != 1 && self.ndim() != 2) {
    fail_argument(call.op(), "self", "have 1 dim, or 2 with a batch", self.sizes());
  }
  const Frames frames(call);
  const bool is_complex_here = is_complex(self.dtype()) || frames.has_complex_window();
  const auto gives_complex = call.get<std::optional<bool>>(next + 2);
  if (!gives_complex && !is_complex_here) {
    fail_argument(call.op(), "return_complex", "given for a real signal", "None");
  }
  const bool is_half = call.get<std::optional<bool>>(next + 1).value_or(!is_complex_here);
  if (is_half && is_complex_here) {
    fail_argument(call.op(), "onesided", "False for a complex signal or window", "True");
  }
  Tensor signals = center ? padded(self, frames.length / 2, pad_mode) : self;
  if (!center && aligns.value_or(false)) {
    signals = padded(signals, (frames.length - frames.seen) / 2, pad_mode);
  }
  const int64_t length = signals.sizes().back();
  if (frames.length <= 0 || frames.length > length) {
    fail_argument(call.op(), "n_fft",
                  "at least 1, and at most the length of the signal, " + std::to_string(length),
                  frames.length);
  }
  if (signals.ndim() == 1) signals = call_unsqueeze(signals, 0);
  Tensor rows = framed(signals, frames);
  if (frames.window || frames.seen < frames.length) {
    rows = call_mul(rows, frames.whole_window(self, self.dtype()));
  }
  const int64_t last[] = {2};
  const int64_t normalization = call.get<bool>(next) ? 1 : 0;
  const Tensor spectra = is_complex_here ? transform_complex(rows, last, normalization, true)
                                         : transform_real(rows, last, normalization, is_half);
  Tensor turned = call_transpose(spectra, 1, 2);
  if (self.ndim() == 1) turned = call_squeeze(turned, 0);
  call.give(0, gives_complex.value_or(true) ? turned : as_real(turned));
}

// The checked argument self of istft: spectra of shape (batch?, frequencies, frames).
struct Spectra {
  Tensor rows;  // a batch of frames of frequencies
  bool is_half;
  bool has_batch;

  Spectra(const Call& call, const Frames& frames) {
    const Tensor self = *call.get<Tensor>(0);
    if (!is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "complex");
    has_batch = self.ndim() == 3;
    if ((self.ndim() != 2 && !has_batch) || numel_of(self) == 0) {
      fail_argument(call.op(), "self", "have 2 dims, or 3 with a batch, and not be empty",
                    self.sizes());
    }
    const int64_t frequencies = self.sizes()[self.ndim() - 2];
    is_half = call.get<std::optional<bool>>(7).value_or(frequencies != frames.length);
    const int64_t wanted = is_half ? frames.length / 2 + 1 : frames.length;
    if (frequencies != wanted) {
      fail_argument(call.op(), "self", "have " + std::to_string(wanted) + " frequencies",
                    self.sizes());
    }
    rows = call_transpose(has_batch ? self : call_unsqueeze(self, 0), 1, 2);
  }
};

// Returns the frames of the signal, complex if argument 9 is true.
Tensor frames_of(const Call& call, const Spectra& spectra, const Frames& frames) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, int64_t)> c2r(
      "aten::_fft_c2r");
  const int64_t last[] = {2};
  const int64_t normalization = call.get<bool>(6) ? 1 : 2;
  if (call.get<bool>(9)) {
    if (spectra.is_half) {
      fail_argument(call.op(), "onesided", "False where return_complex is True", "True");
    }
    return transform_complex(spectra.rows, last, normalization, false);
  }
  if (frames.has_complex_window()) {
    fail_argument(call.op(), "window", "real if return_complex is False", frames.window->dtype());
  }
  const Tensor half =
      spectra.is_half ? spectra.rows : call_slice(spectra.rows, 2, 0, frames.length / 2 + 1);
  return c2r(half, last, normalization, frames.length);
}

// Refuses sums of squares that are zero, since they are a divisor. They cannot be checked if a vmap
// has several windows.
void check_envelope(const Call& call, const Tensor& envelope) {
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  constexpr tenon_keyset kMapped = tenon_keyset{1}
                                   << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_BATCHED);
  const bool is_mapped = (envelope.keys() & kMapped) != 0;
  if (is_mapped || !has_data(kind_of(envelope)) || numel_of(envelope) == 0) return;
  const Scalar least = item(call_amin(call_abs(envelope), Dims{}, false));
  if (!(least.to_double() > 1e-11)) {
    fail_argument(call.op(), "window", "nonzero in its sum of squares where frames overlap", least);
  }
}

}  // namespace

void stft(const Call& call) { give_stft(call, false, "constant", 5); }

void stft_center(const Call& call) {
  give_stft(call, call.get<bool>(5), call.get<std::string_view>(6), 7);
}

void istft(const Call& call) {
  const Frames frames(call);
  if (frames.step > frames.seen) {
    fail_argument(call.op(), "hop_length", "at most win_length, " + std::to_string(frames.seen),
                  frames.step);
  }
  const Spectra spectra(call, frames);
  const int64_t count = spectra.rows.sizes()[1];
  const int64_t whole = (CheckedSize(call.op(), frames.step) * (count - 1) + frames.length).value();
  const Tensor window = frames.whole_window(spectra.rows, to_real(spectra.rows.dtype()));
  const Tensor rows = call_mul(frames_of(call, spectra, frames), window);
  const Tensor squares = call_expand(call_pow(window, Scalar(2)), Dims{1, count, frames.length});
  const bool center = call.get<bool>(5);
  const int64_t start = center ? frames.length / 2 : 0;
  const auto length = call.get<std::optional<int64_t>>(8);
  if (length && *length < 0) fail_argument(call.op(), "length", "at least 0", *length);
  const int64_t end = length ? (CheckedSize(call.op(), start) + *length).value() : whole - start;
  const auto cut = [&](const Tensor& line) {
    return call_slice(overlapped(line, whole, frames), 1, start, std::min(end, whole));
  };
  const Tensor envelope = cut(squares);
  check_envelope(call, envelope);
  Tensor signals = call_div(cut(rows), envelope);
  if (!spectra.has_batch) signals = call_squeeze(signals, 0);
  call.give(0, end > whole ? with_zeros(signals, Dims{0, end - whole}) : signals);
}

}  // namespace tenon::kernels::ops
