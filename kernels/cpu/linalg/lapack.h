// SPDX-License-Identifier: Apache-2.0
// Factorizations of column-major matrices of float, double and their complex types, by LAPACK: the
// OpenBLAS that the build found has it inside. Without, each call says so.
#pragma once

#include <type_traits>

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

template <class T>
using ComplexOf = std::conditional_t<sizeof(Real<T>) == sizeof(float), Complex64, Complex128>;

// Types as FloatAndComplexTypes without the small ones.
using LapackTypes = ElementTypes<float, double, Complex64, Complex128>;

// Each returns LAPACK's `info`: 0, or k > 0 where the k-th pivot, minor or value fails. Workspace
// is allocated by the call. `a` is overwritten by its factors.

// P L U = A of m rows and n columns.
template <class T>
int lapack_getrf(int m, int n, T* a, int lda, int* pivots);
// Solves A X = B with those factors; `trans` is 'N', 'T' or 'C'.
template <class T>
int lapack_getrs(char trans, int n, int columns, const T* lu, int lda, const int* pivots, T* b,
                 int ldb);
// Makes the inverse of those factors, in place.
template <class T>
int lapack_getri(int n, T* lu, int lda, const int* pivots);
// The Cholesky factor in the triangle `uplo`, 'L' or 'U'; the other triangle stays.
template <class T>
int lapack_potrf(char uplo, int n, T* a, int lda);
// Q R = A: R above, the reflectors of Q below and in `tau`, min(m, n) of them.
template <class T>
int lapack_geqrf(int m, int n, T* a, int lda, T* tau);
// The first n columns of Q, of k reflectors.
template <class T>
int lapack_orgqr(int m, int n, int k, T* a, int lda, const T* tau);
// C becomes Q C, of `side` 'L', or C Q, of 'R'; Q of k reflectors as those of geqrf. `trans` is
// 'N', or 'C' for Q^H.
template <class T>
int lapack_ormqr(char side, char trans, int m, int n, int k, const T* a, int lda, const T* tau,
                 T* c, int ldc);
// Eigenvalues of any square matrix, and for `job` 'V' vectors of length 1 in the columns of
// `vectors`; a is lost.
template <class T>
int lapack_geev(char job, int n, T* a, int lda, ComplexOf<T>* values, ComplexOf<T>* vectors,
                int ldv);
// L D L^T = A, or L D L^H of a Hermitian one, from its lower triangle; D has blocks of up to 2
// rows, which pivots < 0 tell.
template <class T>
int lapack_sytrf(bool is_hermitian, int n, T* a, int lda, int* pivots);
// Solves A X = B with those factors.
template <class T>
int lapack_sytrs(bool is_hermitian, int n, int columns, const T* ld, int lda, const int* pivots,
                 T* b, int ldb);
// U diag(s) Vh = A; `job` is 'A', 'S' or 'N', as many columns of U and rows of Vh.
template <class T>
int lapack_gesdd(char job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vh, int ldvh);
// Eigenvalues of a Hermitian matrix, ascending, from its triangle `uplo`; for `job` 'V' its vectors
// in the place of the matrix.
template <class T>
int lapack_heevd(char job, char uplo, int n, T* a, int lda, Real<T>* values);
// Solves A X = B with a triangle.
template <class T>
int lapack_trtrs(char uplo, char trans, char diag, int n, int columns, const T* a, int lda, T* b,
                 int ldb);
// The X of least norm and least |A X - B|; B has max(m, n) rows, singular values go to `s`, those
// below rcond times the largest count as 0.
template <class T>
int lapack_gelsd(int m, int n, int columns, T* a, int lda, T* b, int ldb, Real<T>* s, Real<T> rcond,
                 int* rank);

}  // namespace tenon::kernels::cpu
