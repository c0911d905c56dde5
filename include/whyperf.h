/* whyperf.h: regions, counters and phases of a program, for C and C++.
 *
 *     static whyperf_region solve = WHYPERF_REGION("solve");
 *     whyperf_begin(&solve);  ...  whyperf_end(&solve);
 *
 *     WHYPERF_SCOPE("solve");              until the end of the block, also when an exception leaves it
 *
 *     static whyperf_region load = WHYPERF_REGION_OF("io", "load");       of a group: `whyperf run --groups io=off`
 *     WHYPERF_SCOPE_OF("io", "load");
 *
 *     static whyperf_counter cells = WHYPERF_COUNTER("cells");
 *     whyperf_add(&cells, n);              a counter: what was added, in all
 *     static whyperf_counter heap = WHYPERF_COUNTER("heap [KiB]");
 *     whyperf_set(&heap, v);               a gauge: how often it was set, least, most, mean, deviation
 *
 *     whyperf_phase("assembly");  whyperf_pause();  whyperf_resume();
 *
 *     whyperf_metadata("mesh", "fine");    what this process says of itself: of a key the last value counts
 *
 * Needs nothing at link time. Where libwhyperf.so is not loaded, every call returns at once. A region is a
 * static object, one per name; its name is a string that stays. An end closes what is still open inside its
 * region; an end without begin is ignored; both are counted and reported. WHYPERF_SCOPE opens one region per
 * line, and inside a C++ template or inline function one per instance.
 */
#ifndef WHYPERF_H
#define WHYPERF_H

#include <dlfcn.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A region, a counter or a gauge: its name and what the library keeps of it. A name may say the unit. */
typedef struct whyperf_region {
    const char *name;
    uint32_t id;
    uint32_t kind;
} whyperf_region;

typedef struct whyperf_counter {
    whyperf_region region;
} whyperf_counter;

#define WHYPERF_REGION(name) {name, 0, 0}
#define WHYPERF_COUNTER(name) {{name, 0, 0}}

/* A region of a group, both of them literals: the name of the group stands behind that of the region. */
#define WHYPERF_GROUPED_ 0x67726f75u
#define WHYPERF_REGION_OF(group, name) {name "\0" group, 0, WHYPERF_GROUPED_}

/* What libwhyperf.so exports. Programs call the functions further down. */
bool whyperf_region_begin(whyperf_region *region) __attribute__((weak));
void whyperf_region_end(whyperf_region *region) __attribute__((weak));
void whyperf_counter_add(whyperf_counter *counter, int64_t amount) __attribute__((weak));
void whyperf_counter_set(whyperf_counter *counter, int64_t value) __attribute__((weak));
void whyperf_phase_begin(const char *name) __attribute__((weak));
void whyperf_metadata_set(const char *key, const char *value) __attribute__((weak));
void whyperf_measurement_pause(void) __attribute__((weak));
void whyperf_measurement_resume(void) __attribute__((weak));
#pragma weak dlsym
#pragma weak dlerror

/* The library as this executable or shared object found it, once for all of its files. */
struct whyperf_library {
    int looked;
    bool (*begin)(whyperf_region *);
    void (*end)(whyperf_region *);
    void (*add)(whyperf_counter *, int64_t);
    void (*set)(whyperf_counter *, int64_t);
    void (*phase)(const char *);
    void (*pause)(void);
    void (*resume)(void);
    void (*metadata)(const char *, const char *);
};
__attribute__((weak, visibility("hidden"))) struct whyperf_library whyperf_library;

/* A program linked at fixed addresses has its weak references settled by the linker, before the library can be
 * preloaded; there the functions are looked up by name. */
static inline void *whyperf_look_up_one(void *bound, const char *name)
{
    return bound || !dlsym ? bound : dlsym((void *)0, name);
}

__attribute__((cold, noinline, unused)) static void whyperf_look_up(void)
{
    void *begin = whyperf_look_up_one((void *)whyperf_region_begin, "whyperf_region_begin");
    if (begin) {
        void *end = whyperf_look_up_one((void *)whyperf_region_end, "whyperf_region_end");
        void *add = whyperf_look_up_one((void *)whyperf_counter_add, "whyperf_counter_add");
        void *set = whyperf_look_up_one((void *)whyperf_counter_set, "whyperf_counter_set");
        void *phase = whyperf_look_up_one((void *)whyperf_phase_begin, "whyperf_phase_begin");
        void *pause = whyperf_look_up_one((void *)whyperf_measurement_pause, "whyperf_measurement_pause");
        void *resume = whyperf_look_up_one((void *)whyperf_measurement_resume, "whyperf_measurement_resume");
        void *metadata = whyperf_look_up_one((void *)whyperf_metadata_set, "whyperf_metadata_set");
        __atomic_store(&whyperf_library.end, (void (**)(whyperf_region *))&end, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.add, (void (**)(whyperf_counter *, int64_t))&add, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.set, (void (**)(whyperf_counter *, int64_t))&set, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.phase, (void (**)(const char *))&phase, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.pause, (void (**)(void))&pause, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.resume, (void (**)(void))&resume, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.metadata, (void (**)(const char *, const char *))&metadata, __ATOMIC_RELAXED);
        __atomic_store(&whyperf_library.begin, (bool (**)(whyperf_region *))&begin, __ATOMIC_RELAXED);
    } else if (dlerror) {
        dlerror(); /* the failed search is not the program's */
    }
    __atomic_store_n(&whyperf_library.looked, 1, __ATOMIC_RELEASE);
}

/* Whether the library is there; the first call looks. */
static inline bool whyperf_is_loaded(void)
{
    if (__builtin_expect(!__atomic_load_n(&whyperf_library.looked, __ATOMIC_ACQUIRE), 0))
        whyperf_look_up();
    return whyperf_library.begin != 0;
}

/* Begins a visit of the region; true when it is recorded. */
static inline bool whyperf_begin(whyperf_region *region)
{
    return whyperf_is_loaded() && whyperf_library.begin(region);
}

/* Ends the visit, and what is still open inside it. */
static inline void whyperf_end(whyperf_region *region)
{
    if (whyperf_is_loaded())
        whyperf_library.end(region);
}

/* Adds to the counter, at the place where the thread is. */
static inline void whyperf_add(whyperf_counter *counter, int64_t amount)
{
    if (whyperf_is_loaded())
        whyperf_library.add(counter, amount);
}

/* Tells a value of the gauge, at the place where the thread is. */
static inline void whyperf_set(whyperf_counter *counter, int64_t value)
{
    if (whyperf_is_loaded())
        whyperf_library.set(counter, value);
}

/* The program enters a phase; it lasts until the next one. */
static inline void whyperf_phase(const char *name)
{
    if (whyperf_is_loaded())
        whyperf_library.phase(name);
}

/* Says of this process that the key has this value, as in what it computes and how it was set. Both are copied. A process may
 * say 128 keys, and 256 KiB in all; what is beyond is left out and told. */
static inline void whyperf_metadata(const char *key, const char *value)
{
    /* A library of before knows nothing of it. */
    if (whyperf_is_loaded() && whyperf_library.metadata)
        whyperf_library.metadata(key, value);
}

/* Records nothing until whyperf_resume; visits that are open still end. */
static inline void whyperf_pause(void)
{
    if (whyperf_is_loaded())
        whyperf_library.pause();
}

static inline void whyperf_resume(void)
{
    if (whyperf_is_loaded())
        whyperf_library.resume();
}

#define WHYPERF_JOIN_(a, b) a##b
#define WHYPERF_JOIN(a, b) WHYPERF_JOIN_(a, b)

#ifdef __cplusplus
} /* extern "C" */

/* A visit that ends with its block. */
class whyperf_scope {
public:
    explicit whyperf_scope(whyperf_region &region) : open(whyperf_begin(&region) ? &region : nullptr) {}
    ~whyperf_scope()
    {
        if (open)
            whyperf_end(open);
    }
    whyperf_scope(const whyperf_scope &) = delete;
    whyperf_scope &operator=(const whyperf_scope &) = delete;

private:
    whyperf_region *open;
};

#define WHYPERF_SCOPE(name)                                                             \
    static whyperf_region WHYPERF_JOIN(whyperf_region_, __LINE__) = WHYPERF_REGION(name); \
    const whyperf_scope WHYPERF_JOIN(whyperf_scope_, __LINE__)(WHYPERF_JOIN(whyperf_region_, __LINE__))
#define WHYPERF_SCOPE_OF(group, name)                                                   \
    static whyperf_region WHYPERF_JOIN(whyperf_region_, __LINE__) = WHYPERF_REGION_OF(group, name); \
    const whyperf_scope WHYPERF_JOIN(whyperf_scope_, __LINE__)(WHYPERF_JOIN(whyperf_region_, __LINE__))
#else

static inline void whyperf_end_scope(whyperf_region **open)
{
    if (*open)
        whyperf_end(*open);
}

#define WHYPERF_SCOPE(name)                                                             \
    static whyperf_region WHYPERF_JOIN(whyperf_region_, __LINE__) = WHYPERF_REGION(name); \
    __attribute__((cleanup(whyperf_end_scope), unused)) whyperf_region *WHYPERF_JOIN(whyperf_scope_, __LINE__) = \
        whyperf_begin(&WHYPERF_JOIN(whyperf_region_, __LINE__)) ? &WHYPERF_JOIN(whyperf_region_, __LINE__) : 0
#define WHYPERF_SCOPE_OF(group, name)                                                   \
    static whyperf_region WHYPERF_JOIN(whyperf_region_, __LINE__) = WHYPERF_REGION_OF(group, name); \
    __attribute__((cleanup(whyperf_end_scope), unused)) whyperf_region *WHYPERF_JOIN(whyperf_scope_, __LINE__) = \
        whyperf_begin(&WHYPERF_JOIN(whyperf_region_, __LINE__)) ? &WHYPERF_JOIN(whyperf_region_, __LINE__) : 0
#endif

#endif
