/* Another library that uses the first one. */
#include "clash.h"

void show_here(const char *whose);
void elsewhere(void) { show_here("library"); }
