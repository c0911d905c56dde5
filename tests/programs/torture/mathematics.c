/* Every function of the mathematical library, in each of its three precisions, over ordinary and odd numbers. */
#include "rounds.h"

#include <complex.h>
#include <fenv.h>
#include <math.h>

static const double values[] = { 0.0, -0.0, 0.3, 1.0, -1.0, 1.5, -2.5, 3.0, 10.25, 170.5, 1e-310, 1e300,
    -1e300, 12345.678, INFINITY, -INFINITY, NAN };
enum { VALUES = sizeof values / sizeof *values };

/* Payloads and signs of what is no number may differ from one variant of a function to another. */
static void note_value(long double value)
{
    unsigned char bytes[16] = { 0 };
    if (isnan(value)) {
        note_number(-77);
        return;
    }
    memcpy(bytes, &value, 10);
    note(bytes, 10);
}

#define OF_ONE(X)                                                                                          \
    X(acos) X(asin) X(atan) X(cos) X(sin) X(tan) X(cosh) X(sinh) X(tanh) X(acosh) X(asinh) X(atanh) X(exp) \
    X(exp2) X(exp10) X(expm1) X(log) X(log10) X(log1p) X(log2) X(logb) X(sqrt) X(cbrt) X(fabs) X(erf)      \
    X(erfc) X(lgamma) X(tgamma) X(ceil) X(floor) X(trunc) X(round) X(rint) X(nearbyint) X(roundeven)       \
    X(significand) X(j0) X(j1) X(y0) X(y1) X(gamma)
#define OF_TWO(X)                                                                                          \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)         \
    X(drem) X(scalb)
#define COMPLEX(X)                                                                                         \
    X(cacos) X(casin) X(catan) X(ccos) X(csin) X(ctan) X(cacosh) X(casinh) X(catanh) X(ccosh) X(csinh)     \
    X(ctanh) X(cexp) X(clog) X(csqrt) X(cproj) X(conj) X(clog10)
#define WHOLE(X) X(lrint) X(llrint) X(lround) X(llround) X(ilogb)

static float as_float(double value) { return (float)value; }

static void of_one(double value)
{
#define X(name)                         \
    note_value(name(value));            \
    note_value(name##f(as_float(value))); \
    note_value(name##l((long double)value));
    OF_ONE(X)
#undef X
#define X(name)                          \
    note_number(name(value));            \
    note_number(name##f(as_float(value))); \
    note_number(name##l((long double)value));
    if (fabs(value) < 1e15) {
        WHOLE(X)
    }
#undef X
    int exponent = 0, sign = 0, quotient = 0;
    double part = 0, sine = 0, cosine = 0;
    if (isfinite(value)) {
        note_value(frexp(value, &exponent));
        note_number(exponent);
        note_value(lgamma_r(value, &sign));
        note_value(remquo(value, 1.25, &quotient));
    }
    note_value(modf(value, &part));
    note_value(part);
    sincos(value, &sine, &cosine);
    note_value(sine);
    note_value(cosine);
    note_value(ldexp(value, 3));
    note_value(scalbn(value, -5));
    note_value(jn(3, value));
    note_value(yn(2, value));
    note_number(fpclassify(value));
    note_number(signbit(value) != 0);
}

static void of_two(double one, double other)
{
#define X(name)                                           \
    note_value(name(one, other));                         \
    note_value(name##f(as_float(one), as_float(other)));  \
    note_value(name##l((long double)one, (long double)other));
    OF_TWO(X)
#undef X
    note_value(fma(one, other, 0.5));
    note_value(fmaf(as_float(one), as_float(other), 0.5f));
    note_value(fmal(one, other, 0.5L));
    double complex value = CMPLX(one, other);
    if (fabs(one) > 1e10 || fabs(other) > 1e10)
        return;
#define X(name)                                                    \
    note_value(creal(name(value)));                                \
    note_value(cimag(name(value)));                                \
    note_value(crealf(name##f((float complex)value)));             \
    note_value(cimagl(name##l((long double complex)value)));
    COMPLEX(X)
#undef X
    note_value(cabs(value));
    note_value(carg(value));
    note_value(creal(cpow(value, CMPLX(0.5, 1))));
}

static void work(void)
{
    for (int one = 0; one < VALUES; one++) {
        of_one(values[one]);
        for (int other = 0; other < VALUES; other++)
            of_two(values[one], values[other]);
    }
    fesetround(FE_UPWARD);
    note_value(rint(0.3));
    note_value(sqrt(2));
    fesetround(FE_TONEAREST);
    note_number(fegetround());
    fexcept_t flags;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    note_number(fetestexcept(FE_DIVBYZERO) != 0);
}

int main(void) { return rounds_of(work); }
