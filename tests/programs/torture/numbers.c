/* What <math.h>, <complex.h> and <fenv.h> declare beyond the usual: further operations, the precision of 128 bits. */
#define __STDC_WANT_IEC_60559_TYPES_EXT__ 1
#include "rounds.h"

#include <complex.h>
#include <fenv.h>
#include <math.h>

static const double values[] = { 0.0, -0.0, 0.3, 1.0, -1.0, 1.5, -2.5, 10.25, 170.5, 1e-310, 1e30, INFINITY, NAN };
enum { VALUES = sizeof values / sizeof *values };

/* Payloads and signs of what is no number may differ from one variant of a function to another. */
#define NOTE(value)                                        \
    do {                                                   \
        long double noted = (long double)(value);          \
        unsigned char bytes[16] = { 0 };                   \
        memcpy(bytes, &noted, 10);                         \
        note(bytes, noted != noted ? 0 : 10);              \
    } while (0)

/* The operations of one precision. `s` ends their names. */
#define OPERATIONS(type, s)                                                                                  \
    static void of_one##s(type x)                                                                            \
    {                                                                                                        \
        type y = 0, z = 0;                                                                                   \
        int number = 0;                                                                                      \
        note_number(canonicalize##s(&y, &x));                                                                \
        NOTE(y);                                                                                             \
        NOTE(nextup##s(x));                                                                                  \
        NOTE(nextdown##s(x));                                                                                \
        NOTE(logb##s(x));                                                                                    \
        NOTE(getpayload##s(&x));                                                                             \
        note_number(setpayload##s(&y, x));                                                                   \
        note_number(setpayloadsig##s(&z, 1));                                                                \
        NOTE(nan##s("7"));                                                                                   \
        if (x == x && x * x < 1e20) {                                                                        \
            note_number(llogb##s(x) + ilogb##s(x) + lrint##s(x) + llrint##s(x) + lround##s(x) + llround##s(x)); \
            note_number(fromfp##s(x, FP_INT_UPWARD, 20));                                                    \
            note_number(fromfpx##s(x, FP_INT_DOWNWARD, 20));                                                 \
            note_number((long long)ufromfp##s(x * x, FP_INT_TONEAREST, 20));                                 \
            note_number((long long)ufromfpx##s(x * x, FP_INT_TOWARDZERO, 20));                               \
            NOTE(frexp##s(x, &number));                                                                      \
            NOTE(lgamma##s##_r(x, &number));                                                                 \
            NOTE(remquo##s(x, (type)1.25, &number));                                                         \
            note_number(number);                                                                             \
        }                                                                                                    \
        NOTE(modf##s(x, &y));                                                                                \
        NOTE(y);                                                                                             \
        sincos##s(x, &y, &z);                                                                                \
        NOTE(y);                                                                                             \
        NOTE(z);                                                                                             \
        NOTE(ldexp##s(x, 3));                                                                                \
        NOTE(scalbn##s(x, -5));                                                                              \
        NOTE(scalbln##s(x, 7));                                                                              \
        NOTE(jn##s(3, x));                                                                                   \
        NOTE(yn##s(2, x));                                                                                   \
        EACH_OF_ONE(s)                                                                                       \
    }                                                                                                        \
    static void of_two##s(type x, type y)                                                                    \
    {                                                                                                        \
        note_number(totalorder##s(&x, &y) + 2 * totalordermag##s(&x, &y));                                   \
        EACH_OF_TWO(s)                                                                                       \
        NOTE(fma##s(x, y, (type)0.5));                                                                       \
    }                                                                                                        \
    static void of_complex##s(type x, type y)                                                                \
    {                                                                                                        \
        __complex__ type z, w;                                                                               \
        __real__ z = x;                                                                                      \
        __imag__ z = y;                                                                                      \
        NOTE(cabs##s(z));                                                                                    \
        NOTE(carg##s(z));                                                                                    \
        NOTE(creal##s(z));                                                                                   \
        NOTE(cimag##s(z));                                                                                   \
        w = cpow##s(z, z);                                                                                   \
        NOTE(__real__ w);                                                                                    \
        EACH_COMPLEX(s)                                                                                      \
    }

#define X(s, name) NOTE(name##s(x));
#define EACH_OF_ONE(s)                                                                                       \
    X(s, acos) X(s, asin) X(s, atan) X(s, cos) X(s, sin) X(s, tan) X(s, cosh) X(s, sinh) X(s, tanh)          \
    X(s, acosh) X(s, asinh) X(s, atanh) X(s, exp) X(s, exp2) X(s, exp10) X(s, expm1) X(s, log) X(s, log10)   \
    X(s, log1p) X(s, log2) X(s, sqrt) X(s, cbrt) X(s, fabs) X(s, erf) X(s, erfc) X(s, lgamma) X(s, tgamma)   \
    X(s, ceil) X(s, floor) X(s, trunc) X(s, round) X(s, rint) X(s, nearbyint) X(s, roundeven) X(s, j0)       \
    X(s, j1) X(s, y0) X(s, y1)
#define Y(s, name) NOTE(name##s(x, y));
#define EACH_OF_TWO(s)                                                                                       \
    Y(s, atan2) Y(s, copysign) Y(s, fdim) Y(s, fmax) Y(s, fmin) Y(s, fmod) Y(s, hypot) Y(s, nextafter)       \
    Y(s, pow) Y(s, remainder) Y(s, fmaxmag) Y(s, fminmag) Y(s, fmaximum) Y(s, fmaximum_num)                  \
    Y(s, fmaximum_mag) Y(s, fmaximum_mag_num) Y(s, fminimum) Y(s, fminimum_num) Y(s, fminimum_mag)           \
    Y(s, fminimum_mag_num)
#define Z(s, name)       \
    w = name##s(z);      \
    NOTE(__real__ w);    \
    NOTE(__imag__ w);
#define EACH_COMPLEX(s)                                                                                      \
    Z(s, cacos) Z(s, casin) Z(s, catan) Z(s, ccos) Z(s, csin) Z(s, ctan) Z(s, cacosh) Z(s, casinh)           \
    Z(s, catanh) Z(s, ccosh) Z(s, csinh) Z(s, ctanh) Z(s, cexp) Z(s, clog) Z(s, csqrt) Z(s, cproj)           \
    Z(s, conj) Z(s, clog10)

OPERATIONS(float, f)
OPERATIONS(double, )
OPERATIONS(long double, l)
OPERATIONS(_Float128, f128)

/* Results narrower than the operands. */
static void narrow(double x, double y)
{
    long double xl = x, yl = y;
    _Float128 xq = x, yq = y;
#define NARROW(name)                                                        \
    NOTE(f##name(x, y));                                                    \
    NOTE(f##name##l(xl, yl));                                               \
    NOTE(d##name##l(xl, yl));                                               \
    NOTE(f32##name##f128(xq, yq));                                          \
    NOTE(f64##name##f128(xq, yq));                                          \
    NOTE(f64x##name##f128(xq, yq));
    NOTE(f32xaddf64(x, y));
    NOTE(f32xsubf64(x, y));
    NOTE(f32xmulf64(x, y));
    NOTE(f32xdivf64(x, y));
    NARROW(add) NARROW(sub) NARROW(mul) NARROW(div)
    NOTE(fsqrt(x));
    NOTE(fsqrtl(xl));
    NOTE(dsqrtl(xl));
    NOTE(f32sqrtf128(xq));
    NOTE(f64sqrtf128(xq));
    NOTE(f64xsqrtf128(xq));
    NOTE(ffma(x, y, 0.5));
    NOTE(ffmal(xl, yl, 0.5L));
    NOTE(dfmal(xl, yl, 0.5L));
    NOTE(f32fmaf128(xq, yq, xq));
    NOTE(f64fmaf128(xq, yq, xq));
    NOTE(f64xfmaf128(xq, yq, xq));
    NOTE(nexttoward(x, yl));
    NOTE(nexttowardf((float)x, yl));
    NOTE(nexttowardl(xl, yl));
}

static void kinds(double x)
{
    float f = (float)x;
    long double l = x;
    note_number((finite)(x) * 2 + (finitef)(f) * 4 + (finitel)(l) * 8);
    note_number((isinf)(x) * 2 + (isinff)(f) * 4 + (isinfl)(l) * 8);
    note_number(!!(isnan)(x) * 2 + !!(isnanf)(f) * 4 + !!(isnanl)(l) * 8);
}

static void environment(void)
{
    fenv_t kept, held;
    femode_t mode;
    fexcept_t flags;
    fegetenv(&kept);
    feholdexcept(&held);
    fegetmode(&mode);
    fesetexcept(FE_INEXACT);
    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    note_number(fetestexceptflag(&flags, FE_INEXACT) != 0);
    feclearexcept(FE_ALL_EXCEPT);
    fesetexceptflag(&flags, FE_INEXACT);
    note_number(fetestexcept(FE_INEXACT) != 0);
    note_number(fegetexcept());
    feenableexcept(FE_DIVBYZERO);
    fedisableexcept(FE_ALL_EXCEPT);
    fesetmode(&mode);
    feupdateenv(&held);
    fesetenv(&kept);
}

static void work(void)
{
    for (int one = 0; one < VALUES; one++) {
        double x = values[one];
        of_onef((float)x);
        of_one(x);
        of_onel(x);
        of_onef128(x);
        kinds(x);
        for (int other = 0; other < VALUES; other += 3) {
            double y = values[other];
            of_twof((float)x, (float)y);
            of_two(x, y);
            of_twol(x, y);
            of_twof128(x, y);
            narrow(x, y);
            if (fabs(x) > 1e10 || fabs(y) > 1e10)
                continue;
            of_complexf((float)x, (float)y);
            of_complex(x, y);
            of_complexl(x, y);
            of_complexf128(x, y);
        }
    }
    environment();
}

int main(void) { return rounds_of(work); }
