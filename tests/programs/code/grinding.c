/* The library of in_library.c.
 *
 * build: cc -O2 -fPIC -shared grinding.c -o libgrinding.so
 */
double grinding_step(double x);
double grinding_check(double x);

double grinding_step(double x)
{
    for (int i = 0; i < 40000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

double grinding_check(double x)
{
    for (int i = 0; i < 1000; i++)
        x = x * 0.99 + 0.01;
    return x;
}
