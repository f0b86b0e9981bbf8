// SPDX-License-Identifier: Apache-2.0
// Incomplete gamma functions. The choice of the expansion follows A. R. DiDonato, A. H. Morris,
// "Computation of the incomplete gamma function ratios and their inverse", ACM Transactions on
// Mathematical Software 12 (1986), and Cephes by S. Moshier.
#include "kernels/common/maths/incomplete_gamma.h"

#include <cmath>

#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::maths {
namespace {

constexpr double kSmallest = 1.1e-16;  // half an ulp of 1
constexpr int kMostTerms = 20000;

// log(1 + d) - d for |d| below about 1/2, by the series in s = d / (2 + d).
double log1p_less(double d) {
  const double s = d / (2 + d), square = s * s;
  double sum = 0, power = 1;
  for (int k = 3; power > kSmallest; k += 2, power *= square) sum += power / k;
  return 2 * s * square * sum - d * s;
}

// The ratio of the gamma function at a > 20 to Stirling's formula: https://dlmf.nist.gov/5.11.E1
double stirling_rest(double a) {
  const double z = 1 / (a * a);
  return std::exp((1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) /
                  a);
}

// x^a e^-x / Gamma(a + 1)
double leading_factor(double a, double x) {
  if (a < 20) return std::exp(a * std::log(x) - x - lgamma(a + 1));
  const double d = (x - a) / a;
  const double exponent = std::abs(d) < 0.4 ? a * log1p_less(d) : a * std::log(x / a) - (x - a);
  return std::exp(exponent) / (std::sqrt(2 * kPi * a) * stirling_rest(a));
}

// P: https://dlmf.nist.gov/8.11.E4
double series_of_lower(double a, double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < kMostTerms && term > sum * kSmallest; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return leading_factor(a, x) * sum;
}

// Q: the even part of https://dlmf.nist.gov/8.9.E2, by Lentz's method.
double fraction_of_upper(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / (b != 0 ? b : kTiny), product = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    if (std::abs(d) < kTiny) d = kTiny;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    product *= d * c;
    if (std::abs(d * c - 1) < 2 * kSmallest) break;
  }
  return leading_factor(a, x) * a * product;
}

// log(Gamma(1 + a)); near 0 by https://dlmf.nist.gov/5.7.E3, to full precision.
double log_gamma_beside_1(double a) {
  if (a > 0.1) return lgamma(1 + a);
  constexpr double kEuler = 0.57721566490153286061;
  double sum = -kEuler * a, power = -a;
  for (int k = 2; k < 18; ++k) {
    power *= -a;
    sum += power * zeta(k, 1) / k;
  }
  return sum;
}

// Q for small a and x, where P is near 1: 1 - x^a / Gamma(1 + a), minus the terms of the series of
// https://dlmf.nist.gov/8.7.E1 after the first.
double series_of_upper(double a, double x) {
  double sum = 0, term = 1;
  for (int k = 1; k < kMostTerms; ++k) {
    term *= -x / k;
    sum += term / (a + k);
    if (std::abs(term) < kSmallest * std::abs(sum)) break;
  }
  const double exponent = a * std::log(x) - log_gamma_beside_1(a);
  return -std::expm1(exponent) - std::exp(exponent) * a * sum;
}

// N. M. Temme's expansion for large a and x near a: https://dlmf.nist.gov/8.12.E3 to E8. The table
// has the Taylor coefficients of the c_k(eta), which follow from https://dlmf.nist.gov/8.12.E12.
constexpr double kTemme[7][16] = {
    {-0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
     0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06,
     -1.85406221071516e-06, 8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
     1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10, -2.5514193994946248e-11},
    {-0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596,
     0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06,
     -1.6120900894563446e-06, 4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08,
     1.1951628599778148e-08, -1.7543241719747647e-11, -1.0091543710600413e-09,
     4.162792991842583e-10},
    {0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06,
     -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05, 3.423578734096138e-08,
     1.3721957309062934e-06, -6.298992138380055e-07, 1.4280614206064242e-07,
     -2.0477098421990866e-10, -1.409252991086752e-08, 6.228974084922022e-09,
     -1.3670488396617114e-09, 9.428356159014678e-13},
    {0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885,
     -7.561801671883977e-05, -2.396505113867297e-07, 1.1082654115347302e-05,
     -5.6749528269915965e-06, 1.4230900732435883e-06, -2.7861080291528143e-11,
     -1.6958404091930278e-07, 8.099464905388083e-08, -1.9111168485973655e-08,
     2.3928620439808118e-12, 2.0620131815488797e-09, -9.460496661855133e-10},
    {-0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902, -1.4638452578843418e-06,
     6.641498215465122e-05, -3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10,
     -1.6954149536558305e-06, 8.907507532205309e-07, -2.292934834000805e-07, 2.956794137544049e-11,
     2.8865829742708783e-08, -1.4189739437803219e-08, 3.4463580499464896e-09,
     -2.3024517174528067e-13},
    {-0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392,
     -0.00019932570516188847, 6.797780477937208e-05, 1.419062920643967e-07, -1.3594048189768693e-05,
     8.018470256334202e-06, -2.291481176508095e-06, -3.252473551298454e-10, 3.4652846491085265e-07,
     -1.8447187191171344e-07, 4.8240967037894184e-08, -1.7989466721743514e-14,
     -6.306194500013523e-09, 3.162417628774568e-09},
    {0.0005313079364639922, -0.0005921664373536939, 0.0002708782096718045, 7.902353232660328e-07,
     -8.153969367561969e-05, 5.61168275310625e-05, -1.8329116582843375e-05, -3.0796134506033047e-09,
     3.465155368803609e-06, -2.0291327396058603e-06, 5.788792863149004e-07, 2.338630673826657e-13,
     -8.828600746330484e-08, 4.7435958880408125e-08, -1.2545415020710383e-08,
     8.649648858010293e-14},
};

bool is_near(double a, double x) { return a > 200 && std::abs(x - a) < 0.3 * a; }

double near_expansion(double a, double x, bool is_upper) {
  const double d = (x - a) / a;
  const double half_square = -log1p_less(d);
  const double eta = std::copysign(std::sqrt(2 * half_square), d);
  double sum = 0;
  for (int k = 6; k >= 0; --k) {
    double c = 0;
    for (int n = 15; n >= 0; --n) c = c * eta + kTemme[k][n];
    sum = sum / a + c;
  }
  const double rest = std::exp(-a * half_square) / std::sqrt(2 * kPi * a) * sum;
  const double side = eta * std::sqrt(a / 2);
  return is_upper ? std::erfc(side) / 2 + rest : std::erfc(-side) / 2 - rest;
}

}  // namespace

double igamma(double a, double x) {
  if (!(a >= 0 && x >= 0)) return std::nan("");
  if (a == 0) return x > 0 ? 1 : std::nan("");
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? std::nan("") : 0;
  if (std::isinf(x)) return 1;
  if (is_near(a, x)) return near_expansion(a, x, false);
  return x > 1 && x > a ? 1 - igammac(a, x) : series_of_lower(a, x);
}

double igammac(double a, double x) {
  if (!(a >= 0 && x >= 0)) return std::nan("");
  if (a == 0) return x > 0 ? 0 : std::nan("");
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? std::nan("") : 1;
  if (std::isinf(x)) return 0;
  if (is_near(a, x)) return near_expansion(a, x, true);
  if (x > 1.1) return x < a ? 1 - series_of_lower(a, x) : fraction_of_upper(a, x);
  // P is smaller than Q if x is below the median, which is near a, or e^(-0.4 / a) for small a.
  const bool has_small_lower = x <= 0.5 ? -0.4 / std::log(x) < a : x * 1.1 < a;
  return has_small_lower ? 1 - series_of_lower(a, x) : series_of_upper(a, x);
}

}  // namespace tenon::kernels::maths
