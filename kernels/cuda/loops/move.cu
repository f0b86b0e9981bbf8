// SPDX-License-Identifier: Apache-2.0
// Kernels of aten::copy_ and fill_: moves with one kernel for each element size, and casts through
// one wide number type, with one kernel for each target dtype instead of one for each pair.
#include "kernels/cuda/loops/elements.cuh"
#include "kernels/cuda/loops/pointwise.cuh"

namespace tenon::kernels::cuda {
namespace {

template <class T>
struct Identity {
  TENON_FUNCTOR T operator()(T x) const { return x; }
};

// A loaded number: integers are exact, floating and complex ones in double precision.
struct LoadedNumber {
  double re;
  double im;
  int64_t i;
  bool integral;
};

template <class T>
TENON_FUNCTOR inline LoadedNumber widen(T value) {
  if constexpr (is_complex_element<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag()), 0, false};
  } else if constexpr (std::is_integral_v<T>) {
    return {0, 0, static_cast<int64_t>(value), true};
  } else {
    return {static_cast<double>(static_cast<Compute<T>>(value)), 0, 0, false};
  }
}

template <class T>
TENON_FUNCTOR inline T narrow(const LoadedNumber& wide) {
  if constexpr (std::is_same_v<T, bool>) {
    return wide.integral ? wide.i != 0 : wide.re != 0 || wide.im != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Converts through int64 as on the CPU: values out of a narrow type's range wrap.
    return static_cast<T>(wide.integral ? wide.i : static_cast<int64_t>(wide.re));
  } else if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    return wide.integral ? T(static_cast<Part>(wide.i), Part(0))
                         : T(static_cast<Part>(wide.re), static_cast<Part>(wide.im));
  } else {
    return static_cast<T>(wide.integral ? static_cast<Compute<T>>(wide.i)
                                        : static_cast<Compute<T>>(wide.re));
  }
}

// Switches on the dtype inside the kernel, which does not diverge because all threads of a launch
// take the same branch. The dtype is one of the list.
template <class... T>
TENON_FUNCTOR inline LoadedNumber load_wide(int32_t dtype, const char* at, ElementTypes<T...>) {
  LoadedNumber wide{};
  ((dtype == dtype_of_element<T> ? (void)(wide = widen(load<T, T>(at))) : (void)0), ...);
  return wide;
}

template <class T>
struct CastTo {
  Steps<2> steps;
  int32_t source;

  TENON_FUNCTOR void operator()(int64_t i) const {
    char* at[2];
    steps.locate(i, at);
    *reinterpret_cast<T*>(at[0]) = narrow<T>(load_wide(source, at[1], AllTypes()));
  }
};

template <class T>
inline constexpr bool is_real_float = is_small_float<T> || std::is_floating_point_v<T>;

template <class T, class S>
TENON_FUNCTOR inline T converted(S value) {
  if constexpr (is_real_float<T> && is_real_float<S>) {
    return static_cast<T>(static_cast<Compute<T>>(static_cast<Compute<S>>(value)));
  } else {
    return narrow<T>(widen(value));
  }
}

// Casts several contiguous elements per thread, to switch on the dtype only once for them.
template <class T>
struct CastPacks {
  static constexpr int kCount = 4;
  char* target;
  const char* from;
  int64_t numel;
  int32_t source;

  TENON_FUNCTOR void operator()(int64_t i) const { cast_any(i * kCount, AllTypes()); }

 private:
  template <class... S>
  TENON_FUNCTOR void cast_any(int64_t first, ElementTypes<S...>) const {
    ((source == dtype_of_element<S> ? cast<S>(first) : (void)0), ...);
  }
  template <class S>
  TENON_FUNCTOR void cast(int64_t first) const {
    using In = Pack<Stored<S, S>, kCount>;
    T* const out = reinterpret_cast<T*>(target) + first;
    const auto* const in = reinterpret_cast<const Stored<S, S>*>(from) + first;
    if (numel - first >= kCount) {
      const In pack = load_pack<In>(reinterpret_cast<const char*>(in));
      Pack<T, kCount> made;
      for (int j = 0; j < kCount; ++j) made.at[j] = converted<T>(from_stored<S>(pack.at[j]));
      store_pack(reinterpret_cast<char*>(out), made);
    } else {
      for (int j = 0; j < numel - first; ++j) out[j] = converted<T>(from_stored<S>(in[j]));
    }
  }
};

bool is_line_of(const Strided& walk, int k, int32_t dtype) {
  return walk.ndim == 1 && walk.strides[k][0] == tenon_dtype_size(dtype) &&
         reinterpret_cast<uintptr_t>(walk.data[k]) % kWidest == 0;
}

}  // namespace

void launch_move(const char* op, int32_t dtype, const Strided& walk, Stream stream) {
  visit_element(op, dtype, AllTypes(), [&]<class T>(Element<T>) {
    using E = Moved<T>;
    Pointwise<E, Identity<E>>::launch(op, walk, Identity<E>(), stream);
  });
}

void launch_cast(const char* op, int32_t target, int32_t source, const Strided& walk,
                 Stream stream) {
  visit_element(op, source, AllTypes(), [](auto) {});
  const bool are_lines = is_line_of(walk, 0, target) && is_line_of(walk, 1, source);
  visit_element(op, target, AllTypes(), [&]<class T>(Element<T>) {
    if (are_lines) {
      using Body = CastPacks<T>;
      const int64_t packs = (walk.numel + Body::kCount - 1) / Body::kCount;
      launch_each(op, Body{walk.data[0], walk.data[1], walk.numel, source}, packs, stream);
    } else {
      launch_each(op, CastTo<T>{Steps<2>(walk), source}, walk.numel, stream);
    }
  });
}

}  // namespace tenon::kernels::cuda
