# The programs in which a function is to be found: `make code OUT=<folder>`. Those in C are built in six ways,
# so that each compiler has met each amount of information and either way of placing a program.

BUILDS = gcc_debug gcc_plain gcc_stripped clang_debug clang_plain clang_stripped
IN_C = hot_procedure recursion deep_chain pointer_only in_library called_once
OF_BUILDS = $(foreach build,$(BUILDS),$(IN_C:%=$(OUT)/code/$(build)/%) $(OUT)/code/$(build)/diffuse_procedure)
CODE = hot_method hot_module counted faults clocked simulated_counters.so hot_procedure hot_template hot_crate hot_trait in_threads thread_body main_leaves parallel_loop \
	kernel_cg kernel_ep kernel_mg cartesian libgrinding.so odd_code in_region jumps_on main_jumps_on calls_back tiny sleeps_at_times without_samples

.PHONY: code
code: $(CODE:%=$(OUT)/code/%) $(OF_BUILDS)

# Clang has no word for a function that keeps its name and arguments, and needs none.
CLANG = clang-14 -Wno-unknown-attributes -Wno-unused-command-line-argument
PLAIN = -O2 $(CALLS)
OPTIONS_gcc_debug = $(CC) -g -pie -fPIE
OPTIONS_gcc_plain = $(CC) -no-pie -fno-pie
OPTIONS_gcc_stripped = $(CC) -pie -fPIE
OPTIONS_clang_debug = $(CLANG) -g -no-pie -fno-pie
OPTIONS_clang_plain = $(CLANG) -pie -fPIE
OPTIONS_clang_stripped = $(CLANG) -no-pie -fno-pie
# What is stripped stays beside it as it was: there its functions have names.
FINISH_gcc_stripped = cp $@ $@.named && strip $@
FINISH_clang_stripped = $(FINISH_gcc_stripped)

define built
$(OUT)/code/$(1)/libgrinding.so: code/grinding.c
	@mkdir -p $$(@D)
	$$(OPTIONS_$(1)) $$(PLAIN) -fPIC -shared $$< -o $$@
	$$(FINISH_$(1))

$(OUT)/code/$(1)/in_library: code/in_library.c $(OUT)/code/$(1)/libgrinding.so
	$$(OPTIONS_$(1)) $$(PLAIN) $$< -o $$@ -L$$(@D) -lgrinding -Wl,-rpath,'$$$$ORIGIN'
	$$(FINISH_$(1))

$(OUT)/code/$(1)/diffuse_procedure: code/diffuse_procedure.c
	@mkdir -p $$(@D)
	OMPI_CC="$$(OPTIONS_$(1))" MPICH_CC="$$(OPTIONS_$(1))" $$(MPICC) $$(PLAIN) $$< -o $$@
	$$(FINISH_$(1))

$(OUT)/code/$(1)/%: code/%.c
	@mkdir -p $$(@D)
	$$(OPTIONS_$(1)) $$(PLAIN) $$< -o $$@
	$$(FINISH_$(1))
endef
$(foreach build,$(BUILDS),$(eval $(call built,$(build))))

$(OUT)/code/libgrinding.so: code/grinding.c
$(OUT)/code/simulated_counters.so: code/simulated_counters.c
$(OUT)/code/libgrinding.so $(OUT)/code/simulated_counters.so:
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared $< -o $@

$(OUT)/code/hot_method $(OUT)/code/hot_template $(OUT)/code/in_threads: $(OUT)/code/%: code/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) -pthread $< -o $@

$(OUT)/code/hot_crate $(OUT)/code/hot_trait: $(OUT)/code/%: code/%.rs
	@mkdir -p $(@D)
	+rustc -O -g $< -o $@

$(OUT)/code/hot_module: code/hot_module.f90 code/asked.f90
	@mkdir -p $@.modules
	$(FORTRAN) $(FFLAGS) -J $@.modules code/asked.f90 $< -o $@

$(OUT)/code/kernel_cg $(OUT)/code/kernel_ep $(OUT)/code/kernel_mg: $(OUT)/code/%: code/%.f90 code/asked.f90
	@mkdir -p $@.modules
	$(MPIFORT) -g -O2 $(CALLS) -fno-inline -J $@.modules code/asked.f90 $< -o $@

$(OUT)/code/cartesian: code/cartesian.c
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $< -o $@

$(OUT)/code/counted $(OUT)/code/sleeps_at_times $(OUT)/code/thread_body $(OUT)/code/main_leaves $(OUT)/code/tiny $(OUT)/code/without_samples: $(OUT)/code/%: code/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ -pthread

# Its functions end in jumps.
$(OUT)/code/jumps_on $(OUT)/code/main_jumps_on: $(OUT)/code/%: code/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -foptimize-sibling-calls $< -o $@

$(OUT)/code/in_region: code/in_region.c $(INCLUDE)/whyperf.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I$(INCLUDE) $< -o $@

$(OUT)/code/odd_code: code/odd_code.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ -ldl

$(OUT)/code/parallel_loop: code/parallel_loop.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fopenmp $< -o $@

$(OUT)/code/%: code/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@
