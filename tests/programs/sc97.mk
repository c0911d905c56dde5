# The programs of `cargo xtask study sc97`: an ocean by messages before and after a port, and three versions of a chain that folds by threads.

OCEAN = ocean strips
FOLD = 1 2 3

.PHONY: sc97
sc97: $(OCEAN:%=$(OUT)/sc97/%) $(FOLD:%=$(OUT)/sc97/fold_%)

ocean_c = sc97/ocean/ocean.c sc97/ocean/wind.c sc97/ocean/step.c
$(OUT)/sc97/ocean: sc97/ocean/rows.c $(ocean_c) sc97/ocean/ocean.h
	$(folder)
	$(MPICC) $(CFLAGS) $(ocean_c) $< -o $@ -lm

$(OUT)/sc97/strips: sc97/ocean/strips.c $(ocean_c) sc97/ocean/ocean.h
	$(folder)
	$(MPICC) $(CFLAGS) $(ocean_c) $< -o $@ -lm

fold_c = sc97/fold/fold.c sc97/fold/chain.c sc97/fold/matrix.c
$(FOLD:%=$(OUT)/sc97/fold_%): $(OUT)/sc97/fold_%: $(fold_c) sc97/fold/fold.h
	$(folder)
	$(CC) $(CFLAGS) -DVERSION=$* $(fold_c) -o $@ -pthread
