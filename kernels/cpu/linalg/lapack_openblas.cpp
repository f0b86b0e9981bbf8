// SPDX-License-Identifier: Apache-2.0
// LAPACK, from OpenBLAS.
#include <algorithm>
#include <vector>

#include "kernels/cpu/lazy_library.h"
#include "kernels/cpu/linalg/lapack.h"
#include "kernels/cpu/matmul/blas.h"

namespace tenon::kernels::cpu {
namespace {

// Selects a Fortran function by type. Such functions take the addresses of all arguments, followed
// by the lengths of character arguments, which are 1. OpenBLAS is restricted to the calling thread:
// results then do not depend on the number of threads, and its own threads would spin for longer
// than most matrices take.
template <class T, class Float, class Double, class C64, class C128>
const auto& of_type(const Float& f, const Double& d, const C64& c, const C128& z) {
  set_openblas_threads(1);
  if constexpr (std::is_same_v<T, float>) return f;
  if constexpr (std::is_same_v<T, double>) return d;
  if constexpr (std::is_same_v<T, Complex64>) return c;
  if constexpr (std::is_same_v<T, Complex128>) return z;
}

constexpr size_t kOne = 1;

// Calls `run` with a workspace of the size that a query call reports.
template <class T, class Run>
void with_workspace(Run&& run) {
  T wanted(0);
  run(&wanted, -1);
  double size;
  if constexpr (is_complex_element<T>) {
    size = static_cast<double>(wanted.re);
  } else {
    size = static_cast<double>(wanted);
  }
  std::vector<T> work(static_cast<size_t>(std::max(size, 1.0)));
  run(work.data(), static_cast<int>(work.size()));
}

template <class T>
using Ormqr = void(const char*, const char*, const int*, const int*, const int*, const T*,
                   const int*, const T*, T*, const int*, T*, const int*, int*, size_t, size_t);
template <class T>
using Sytrf = void(const char*, const int*, T*, const int*, int*, T*, const int*, int*, size_t);
template <class T>
using Sytrs = void(const char*, const int*, const int*, const T*, const int*, const int*, T*,
                   const int*, int*, size_t);
template <class T>
using RealGeev = void(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*,
                      T*, const int*, T*, const int*, int*, size_t, size_t);
template <class T>
using ComplexGeev = void(const char*, const char*, const int*, T*, const int*, T*, T*, const int*,
                         T*, const int*, T*, const int*, Real<T>*, int*, size_t, size_t);

// Converts eigenvectors of a real matrix from LAPACK's format: for an eigenvalue with an imaginary
// part, two columns are the real and imaginary parts of a vector and its conjugate.
template <class T>
void join_pairs(int n, const T* im, const T* columns, ComplexOf<T>* vectors) {
  for (int k = 0; k < n; ++k) {
    const T* const part = columns + int64_t{k} * n;
    ComplexOf<T>* const to = vectors + int64_t{k} * n;
    const bool is_pair = im[k] != 0 && k + 1 < n;
    for (int i = 0; i < n; ++i) {
      to[i] = ComplexOf<T>(part[i], is_pair ? part[i + n] : T(0));
      if (is_pair) to[i + n] = ComplexOf<T>(part[i], -part[i + n]);
    }
    if (is_pair) ++k;
  }
}

}  // namespace

template <class T>
int lapack_getrf(int m, int n, T* a, int lda, int* pivots) {
  static constinit const LazyFunction<void(const int*, const int*, float*, const int*, int*, int*)>
      f(TENON_OPENBLAS, "sgetrf_");
  static constinit const LazyFunction<void(const int*, const int*, double*, const int*, int*, int*)>
      d(TENON_OPENBLAS, "dgetrf_");
  static constinit const LazyFunction<void(const int*, const int*, Complex64*, const int*, int*,
                                           int*)>
      c(TENON_OPENBLAS, "cgetrf_");
  static constinit const LazyFunction<void(const int*, const int*, Complex128*, const int*, int*,
                                           int*)>
      z(TENON_OPENBLAS, "zgetrf_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  function(&m, &n, a, &lda, pivots, &info);
  return info;
}

template <class T>
int lapack_getrs(char trans, int n, int columns, const T* lu, int lda, const int* pivots, T* b,
                 int ldb) {
  static constinit const LazyFunction<void(const char*, const int*, const int*, const float*,
                                           const int*, const int*, float*, const int*, int*,
                                           size_t)>
      f(TENON_OPENBLAS, "sgetrs_");
  static constinit const LazyFunction<void(const char*, const int*, const int*, const double*,
                                           const int*, const int*, double*, const int*, int*,
                                           size_t)>
      d(TENON_OPENBLAS, "dgetrs_");
  static constinit const LazyFunction<void(const char*, const int*, const int*, const Complex64*,
                                           const int*, const int*, Complex64*, const int*, int*,
                                           size_t)>
      c(TENON_OPENBLAS, "cgetrs_");
  static constinit const LazyFunction<void(const char*, const int*, const int*, const Complex128*,
                                           const int*, const int*, Complex128*, const int*, int*,
                                           size_t)>
      z(TENON_OPENBLAS, "zgetrs_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  function(&trans, &n, &columns, lu, &lda, pivots, b, &ldb, &info, kOne);
  return info;
}

template <class T>
int lapack_getri(int n, T* lu, int lda, const int* pivots) {
  static constinit const LazyFunction<void(const int*, float*, const int*, const int*, float*,
                                           const int*, int*)>
      f(TENON_OPENBLAS, "sgetri_");
  static constinit const LazyFunction<void(const int*, double*, const int*, const int*, double*,
                                           const int*, int*)>
      d(TENON_OPENBLAS, "dgetri_");
  static constinit const LazyFunction<void(const int*, Complex64*, const int*, const int*,
                                           Complex64*, const int*, int*)>
      c(TENON_OPENBLAS, "cgetri_");
  static constinit const LazyFunction<void(const int*, Complex128*, const int*, const int*,
                                           Complex128*, const int*, int*)>
      z(TENON_OPENBLAS, "zgetri_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  with_workspace<T>([&](T* work, int size) { function(&n, lu, &lda, pivots, work, &size, &info); });
  return info;
}

template <class T>
int lapack_potrf(char uplo, int n, T* a, int lda) {
  static constinit const LazyFunction<void(const char*, const int*, float*, const int*, int*,
                                           size_t)>
      f(TENON_OPENBLAS, "spotrf_");
  static constinit const LazyFunction<void(const char*, const int*, double*, const int*, int*,
                                           size_t)>
      d(TENON_OPENBLAS, "dpotrf_");
  static constinit const LazyFunction<void(const char*, const int*, Complex64*, const int*, int*,
                                           size_t)>
      c(TENON_OPENBLAS, "cpotrf_");
  static constinit const LazyFunction<void(const char*, const int*, Complex128*, const int*, int*,
                                           size_t)>
      z(TENON_OPENBLAS, "zpotrf_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  function(&uplo, &n, a, &lda, &info, kOne);
  return info;
}

template <class T>
int lapack_geqrf(int m, int n, T* a, int lda, T* tau) {
  static constinit const LazyFunction<void(const int*, const int*, float*, const int*, float*,
                                           float*, const int*, int*)>
      f(TENON_OPENBLAS, "sgeqrf_");
  static constinit const LazyFunction<void(const int*, const int*, double*, const int*, double*,
                                           double*, const int*, int*)>
      d(TENON_OPENBLAS, "dgeqrf_");
  static constinit const LazyFunction<void(const int*, const int*, Complex64*, const int*,
                                           Complex64*, Complex64*, const int*, int*)>
      c(TENON_OPENBLAS, "cgeqrf_");
  static constinit const LazyFunction<void(const int*, const int*, Complex128*, const int*,
                                           Complex128*, Complex128*, const int*, int*)>
      z(TENON_OPENBLAS, "zgeqrf_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  with_workspace<T>([&](T* work, int size) { function(&m, &n, a, &lda, tau, work, &size, &info); });
  return info;
}

template <class T>
int lapack_orgqr(int m, int n, int k, T* a, int lda, const T* tau) {
  static constinit const LazyFunction<void(const int*, const int*, const int*, float*, const int*,
                                           const float*, float*, const int*, int*)>
      f(TENON_OPENBLAS, "sorgqr_");
  static constinit const LazyFunction<void(const int*, const int*, const int*, double*, const int*,
                                           const double*, double*, const int*, int*)>
      d(TENON_OPENBLAS, "dorgqr_");
  static constinit const LazyFunction<void(const int*, const int*, const int*, Complex64*,
                                           const int*, const Complex64*, Complex64*, const int*,
                                           int*)>
      c(TENON_OPENBLAS, "cungqr_");
  static constinit const LazyFunction<void(const int*, const int*, const int*, Complex128*,
                                           const int*, const Complex128*, Complex128*, const int*,
                                           int*)>
      z(TENON_OPENBLAS, "zungqr_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  with_workspace<T>(
      [&](T* work, int size) { function(&m, &n, &k, a, &lda, tau, work, &size, &info); });
  return info;
}

template <class T>
int lapack_ormqr(char side, char trans, int m, int n, int k, const T* a, int lda, const T* tau,
                 T* c, int ldc) {
  static constinit const LazyFunction<Ormqr<float>> f(TENON_OPENBLAS, "sormqr_");
  static constinit const LazyFunction<Ormqr<double>> d(TENON_OPENBLAS, "dormqr_");
  static constinit const LazyFunction<Ormqr<Complex64>> of_c(TENON_OPENBLAS, "cunmqr_");
  static constinit const LazyFunction<Ormqr<Complex128>> z(TENON_OPENBLAS, "zunmqr_");
  const auto& function = of_type<T>(f, d, of_c, z);
  const char turn = trans == 'C' && !is_complex_element<T> ? 'T' : trans;
  int info = 0;
  with_workspace<T>([&](T* work, int size) {
    function(&side, &turn, &m, &n, &k, a, &lda, tau, c, &ldc, work, &size, &info, kOne, kOne);
  });
  return info;
}

template <class T>
int lapack_geev(char job, int n, T* a, int lda, ComplexOf<T>* values, ComplexOf<T>* vectors,
                int ldv) {
  static constinit const LazyFunction<RealGeev<float>> f(TENON_OPENBLAS, "sgeev_");
  static constinit const LazyFunction<RealGeev<double>> d(TENON_OPENBLAS, "dgeev_");
  static constinit const LazyFunction<ComplexGeev<Complex64>> c(TENON_OPENBLAS, "cgeev_");
  static constinit const LazyFunction<ComplexGeev<Complex128>> z(TENON_OPENBLAS, "zgeev_");
  const auto& function = of_type<T>(f, d, c, z);
  const char left = 'N';
  const int one = 1;
  int info = 0;
  if constexpr (is_complex_element<T>) {
    std::vector<Real<T>> reals(static_cast<size_t>(std::max(2 * n, 1)));
    with_workspace<T>([&](T* work, int size) {
      function(&left, &job, &n, a, &lda, values, nullptr, &one, vectors, &ldv, work, &size,
               reals.data(), &info, kOne, kOne);
    });
  } else {
    const auto size_of_vectors = static_cast<size_t>(job == 'V' ? int64_t{n} * n : 0);
    std::vector<T> re(static_cast<size_t>(n) + 1), im(re.size()), columns(size_of_vectors + 1);
    with_workspace<T>([&](T* work, int size) {
      function(&left, &job, &n, a, &lda, re.data(), im.data(), nullptr, &one, columns.data(), &ldv,
               work, &size, &info, kOne, kOne);
    });
    for (int k = 0; k < n; ++k) values[k] = ComplexOf<T>(re[size_t(k)], im[size_t(k)]);
    if (job == 'V') join_pairs(n, im.data(), columns.data(), vectors);
  }
  return info;
}

template <class T>
int lapack_sytrf(bool is_hermitian, int n, T* a, int lda, int* pivots) {
  static constinit const LazyFunction<Sytrf<float>> f(TENON_OPENBLAS, "ssytrf_");
  static constinit const LazyFunction<Sytrf<double>> d(TENON_OPENBLAS, "dsytrf_");
  static constinit const LazyFunction<Sytrf<Complex64>> c(TENON_OPENBLAS, "csytrf_");
  static constinit const LazyFunction<Sytrf<Complex128>> z(TENON_OPENBLAS, "zsytrf_");
  static constinit const LazyFunction<Sytrf<Complex64>> c_hermitian(TENON_OPENBLAS, "chetrf_");
  static constinit const LazyFunction<Sytrf<Complex128>> z_hermitian(TENON_OPENBLAS, "zhetrf_");
  const auto& function =
      is_hermitian ? of_type<T>(f, d, c_hermitian, z_hermitian) : of_type<T>(f, d, c, z);
  const char uplo = 'L';
  int info = 0;
  with_workspace<T>(
      [&](T* work, int size) { function(&uplo, &n, a, &lda, pivots, work, &size, &info, kOne); });
  return info;
}

template <class T>
int lapack_sytrs(bool is_hermitian, int n, int columns, const T* ld, int lda, const int* pivots,
                 T* b, int ldb) {
  static constinit const LazyFunction<Sytrs<float>> f(TENON_OPENBLAS, "ssytrs_");
  static constinit const LazyFunction<Sytrs<double>> d(TENON_OPENBLAS, "dsytrs_");
  static constinit const LazyFunction<Sytrs<Complex64>> c(TENON_OPENBLAS, "csytrs_");
  static constinit const LazyFunction<Sytrs<Complex128>> z(TENON_OPENBLAS, "zsytrs_");
  static constinit const LazyFunction<Sytrs<Complex64>> c_hermitian(TENON_OPENBLAS, "chetrs_");
  static constinit const LazyFunction<Sytrs<Complex128>> z_hermitian(TENON_OPENBLAS, "zhetrs_");
  const auto& function =
      is_hermitian ? of_type<T>(f, d, c_hermitian, z_hermitian) : of_type<T>(f, d, c, z);
  const char uplo = 'L';
  int info = 0;
  function(&uplo, &n, &columns, ld, &lda, pivots, b, &ldb, &info, kOne);
  return info;
}

template <class T>
int lapack_trtrs(char uplo, char trans, char diag, int n, int columns, const T* a, int lda, T* b,
                 int ldb) {
  static constinit const LazyFunction<void(const char*, const char*, const char*, const int*,
                                           const int*, const float*, const int*, float*, const int*,
                                           int*, size_t, size_t, size_t)>
      f(TENON_OPENBLAS, "strtrs_");
  static constinit const LazyFunction<void(const char*, const char*, const char*, const int*,
                                           const int*, const double*, const int*, double*,
                                           const int*, int*, size_t, size_t, size_t)>
      d(TENON_OPENBLAS, "dtrtrs_");
  static constinit const LazyFunction<void(const char*, const char*, const char*, const int*,
                                           const int*, const Complex64*, const int*, Complex64*,
                                           const int*, int*, size_t, size_t, size_t)>
      c(TENON_OPENBLAS, "ctrtrs_");
  static constinit const LazyFunction<void(const char*, const char*, const char*, const int*,
                                           const int*, const Complex128*, const int*, Complex128*,
                                           const int*, int*, size_t, size_t, size_t)>
      z(TENON_OPENBLAS, "ztrtrs_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  function(&uplo, &trans, &diag, &n, &columns, a, &lda, b, &ldb, &info, kOne, kOne, kOne);
  return info;
}

template <class T>
int lapack_gesdd(char job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vh,
                 int ldvh) {
  static constinit const LazyFunction<void(const char*, const int*, const int*, float*, const int*,
                                           float*, float*, const int*, float*, const int*, float*,
                                           const int*, int*, int*, size_t)>
      f(TENON_OPENBLAS, "sgesdd_");
  static constinit const LazyFunction<void(const char*, const int*, const int*, double*, const int*,
                                           double*, double*, const int*, double*, const int*,
                                           double*, const int*, int*, int*, size_t)>
      d(TENON_OPENBLAS, "dgesdd_");
  static constinit const LazyFunction<void(
      const char*, const int*, const int*, Complex64*, const int*, float*, Complex64*, const int*,
      Complex64*, const int*, Complex64*, const int*, float*, int*, int*, size_t)>
      c(TENON_OPENBLAS, "cgesdd_");
  static constinit const LazyFunction<void(
      const char*, const int*, const int*, Complex128*, const int*, double*, Complex128*,
      const int*, Complex128*, const int*, Complex128*, const int*, double*, int*, int*, size_t)>
      z(TENON_OPENBLAS, "zgesdd_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  const size_t small = static_cast<size_t>(std::min(m, n)),
               large = static_cast<size_t>(std::max(m, n));
  std::vector<int> places(std::max<size_t>(8 * small, 1));
  [[maybe_unused]] std::vector<Real<T>> reals;
  if constexpr (is_complex_element<T>) {
    reals.resize(std::max<size_t>(small * std::max(5 * small + 7, 2 * large + 2 * small + 1), 1));
  }
  with_workspace<T>([&](T* work, int size) {
    if constexpr (is_complex_element<T>) {
      function(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldvh, work, &size, reals.data(),
               places.data(), &info, kOne);
    } else {
      function(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldvh, work, &size, places.data(), &info,
               kOne);
    }
  });
  return info;
}

template <class T>
int lapack_heevd(char job, char uplo, int n, T* a, int lda, Real<T>* values) {
  static constinit const LazyFunction<void(const char*, const char*, const int*, float*, const int*,
                                           float*, float*, const int*, int*, const int*, int*,
                                           size_t, size_t)>
      f(TENON_OPENBLAS, "ssyevd_");
  static constinit const LazyFunction<void(const char*, const char*, const int*, double*,
                                           const int*, double*, double*, const int*, int*,
                                           const int*, int*, size_t, size_t)>
      d(TENON_OPENBLAS, "dsyevd_");
  static constinit const LazyFunction<void(const char*, const char*, const int*, Complex64*,
                                           const int*, float*, Complex64*, const int*, float*,
                                           const int*, int*, const int*, int*, size_t, size_t)>
      c(TENON_OPENBLAS, "cheevd_");
  static constinit const LazyFunction<void(const char*, const char*, const int*, Complex128*,
                                           const int*, double*, Complex128*, const int*, double*,
                                           const int*, int*, const int*, int*, size_t, size_t)>
      z(TENON_OPENBLAS, "zheevd_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  // The sizes are from LAPACK's documentation.
  const int integers = job == 'V' ? 3 + 5 * n : 1;
  const int64_t numbers = job == 'V' ? 1 + 5 * int64_t{n} + 2 * int64_t{n} * n : std::max(n, 1);
  std::vector<int> places(static_cast<size_t>(std::max(integers, 1)));
  [[maybe_unused]] std::vector<Real<T>> reals;
  if constexpr (is_complex_element<T>)
    reals.resize(static_cast<size_t>(std::max<int64_t>(numbers, 1)));
  with_workspace<T>([&](T* work, int size) {
    const int counts = size < 0 ? -1 : static_cast<int>(places.size());
    int wanted = 0;
    if constexpr (is_complex_element<T>) {
      Real<T> real = 0;
      const int real_size = size < 0 ? -1 : static_cast<int>(reals.size());
      function(&job, &uplo, &n, a, &lda, values, work, &size, size < 0 ? &real : reals.data(),
               &real_size, size < 0 ? &wanted : places.data(), &counts, &info, kOne, kOne);
      if (size < 0) reals.resize(std::max(reals.size(), static_cast<size_t>(real)));
    } else {
      function(&job, &uplo, &n, a, &lda, values, work, &size, size < 0 ? &wanted : places.data(),
               &counts, &info, kOne, kOne);
    }
    if (size < 0) places.resize(std::max(places.size(), static_cast<size_t>(wanted)));
  });
  return info;
}

template <class T>
int lapack_gelsd(int m, int n, int columns, T* a, int lda, T* b, int ldb, Real<T>* s, Real<T> rcond,
                 int* rank) {
  static constinit const LazyFunction<void(const int*, const int*, const int*, float*, const int*,
                                           float*, const int*, float*, const float*, int*, float*,
                                           const int*, int*, int*)>
      f(TENON_OPENBLAS, "sgelsd_");
  static constinit const LazyFunction<void(const int*, const int*, const int*, double*, const int*,
                                           double*, const int*, double*, const double*, int*,
                                           double*, const int*, int*, int*)>
      d(TENON_OPENBLAS, "dgelsd_");
  static constinit const LazyFunction<void(const int*, const int*, const int*, Complex64*,
                                           const int*, Complex64*, const int*, float*, const float*,
                                           int*, Complex64*, const int*, float*, int*, int*)>
      c(TENON_OPENBLAS, "cgelsd_");
  static constinit const LazyFunction<void(
      const int*, const int*, const int*, Complex128*, const int*, Complex128*, const int*, double*,
      const double*, int*, Complex128*, const int*, double*, int*, int*)>
      z(TENON_OPENBLAS, "zgelsd_");
  const auto& function = of_type<T>(f, d, c, z);
  int info = 0;
  std::vector<int> places;
  [[maybe_unused]] std::vector<Real<T>> reals;
  with_workspace<T>([&](T* work, int size) {
    int wanted = 0;
    int* const integers = size < 0 ? &wanted : places.data();
    if constexpr (is_complex_element<T>) {
      Real<T> real = 0;
      function(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, &size,
               size < 0 ? &real : reals.data(), integers, &info);
      if (size < 0) reals.resize(static_cast<size_t>(std::max<Real<T>>(real, 1)));
    } else {
      function(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, &size, integers, &info);
    }
    if (size < 0) places.resize(static_cast<size_t>(std::max(wanted, 1)));
  });
  return info;
}

#define TENON_LAPACK(T)                                                                      \
  template int lapack_getrf<T>(int, int, T*, int, int*);                                     \
  template int lapack_getrs<T>(char, int, int, const T*, int, const int*, T*, int);          \
  template int lapack_getri<T>(int, T*, int, const int*);                                    \
  template int lapack_potrf<T>(char, int, T*, int);                                          \
  template int lapack_geqrf<T>(int, int, T*, int, T*);                                       \
  template int lapack_orgqr<T>(int, int, int, T*, int, const T*);                            \
  template int lapack_ormqr<T>(char, char, int, int, int, const T*, int, const T*, T*, int); \
  template int lapack_geev<T>(char, int, T*, int, ComplexOf<T>*, ComplexOf<T>*, int);        \
  template int lapack_sytrf<T>(bool, int, T*, int, int*);                                    \
  template int lapack_sytrs<T>(bool, int, int, const T*, int, const int*, T*, int);          \
  template int lapack_gesdd<T>(char, int, int, T*, int, Real<T>*, T*, int, T*, int);         \
  template int lapack_heevd<T>(char, char, int, T*, int, Real<T>*);                          \
  template int lapack_trtrs<T>(char, char, char, int, int, const T*, int, T*, int);          \
  template int lapack_gelsd<T>(int, int, int, T*, int, T*, int, Real<T>*, Real<T>, int*);
TENON_LAPACK(float)
TENON_LAPACK(double)
TENON_LAPACK(Complex64)
TENON_LAPACK(Complex128)
#undef TENON_LAPACK

}  // namespace tenon::kernels::cpu
