/* An empty function, for a build that announces its calls. */
void announced(void);
void announced(void) { __asm__ volatile(""); }
