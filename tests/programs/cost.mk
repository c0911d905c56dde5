# The programs under which measuring shall not cost too much: `make cost OUT=<folder>`.

COST = tiny_leaf many_warm busy_threads many_names knows_its_cost known_calls
COST_IN_CODE = hot_procedure recursion deep_chain

.PHONY: cost
cost: $(COST:%=$(OUT)/cost/%) $(COST_IN_CODE:%=$(OUT)/cost/%)

$(COST:%=$(OUT)/cost/%): $(OUT)/cost/%: cost/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I $(INCLUDE) -pthread $< -o $@ -lm

$(COST_IN_CODE:%=$(OUT)/cost/%): $(OUT)/cost/%: code/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ -lm
