// SPDX-License-Identifier: Apache-2.0
// Kernels of aten::copy_ and fill_: elements as they are, one kernel a size; and casts through one
// wide number, so that there is one kernel a target dtype instead of one a pair.
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/pointwise.cuh"

namespace tenon::kernels::cuda {
namespace {

template <class T>
struct Same {
  TENON_FUNCTOR T operator()(T x) const { return x; }
};

// A number as loaded: integers exactly, floating and complex ones in double precision.
struct Wide {
  double re;
  double im;
  int64_t i;
  bool integral;
};

template <class T>
TENON_FUNCTOR inline Wide widen(T value) {
  if constexpr (is_complex_element<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag()), 0, false};
  } else if constexpr (std::is_integral_v<T>) {
    return {0, 0, static_cast<int64_t>(value), true};
  } else {
    return {static_cast<double>(static_cast<Compute<T>>(value)), 0, 0, false};
  }
}

template <class T>
TENON_FUNCTOR inline T narrow(const Wide& wide) {
  if constexpr (std::is_same_v<T, bool>) {
    return wide.integral ? wide.i != 0 : wide.re != 0 || wide.im != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Through int64 as on the CPU: what is out of a narrow type's range wraps.
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

// The switch inside the kernel: every thread of a launch takes the same branch. Of dtypes that a
// launch takes one is there.
template <class... T>
TENON_FUNCTOR inline Wide load_wide(int32_t dtype, const char* at, ElementTypes<T...>) {
  Wide wide{};
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

}  // namespace

void launch_move(const char* op, int32_t dtype, const Strided& walk, Stream stream) {
  visit_element(op, dtype, AllTypes(), [&]<class T>(Element<T>) {
    using E = Moved<T>;
    Pointwise<E, Same<E>>::launch(op, walk, Same<E>(), stream);
  });
}

void launch_cast(const char* op, int32_t target, int32_t source, const Strided& walk,
                 Stream stream) {
  visit_element(op, source, AllTypes(), [](auto) {});
  visit_element(op, target, AllTypes(), [&]<class T>(Element<T>) {
    launch_each(op, CastTo<T>{Steps<2>(walk), source}, walk.numel, stream);
  });
}

}  // namespace tenon::kernels::cuda
