/* What a library of the program's means by names that the C library has, too. */
struct three { double x, y, z; };
double splice(int a, double b, long c, float d, int e, int f, long g, long h, double i);
double remove(double from, int what, const char *name);
struct three rename(struct three from, int times);
const char *open(int count, ...);
long double truncate(long double value);
float access(float x);
int dprintf(double first, ...);
double execv(double x);
double setuid(double x, int y);
double prctl(int first, ...);
double syscall(double first, int second);
double unshare(void);
void elsewhere(void);
void show(const char *whose);
