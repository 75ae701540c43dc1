/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_names - names of anonymous code in one report, by process generation
 */

#include "symbolizer/names/jit_names.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/names/jit_files.h"
#include "symbolizer/profile/aggregate_rewrite.h"

#define NO_PIN \
	((struct symbol_store_pin){.entry = SYMBOL_STORE_NO_ENTRY, .reason = TM_UNNAMED_PENDING})

void jit_names_init(struct jit_names *names, struct budget *budget, struct symbol_store *store)
{
	*names = (struct jit_names){.budget = budget, .store = store};
}

void jit_names_deinit(struct jit_names *names)
{
	for (uint32_t i = 0; i < names->count; i++) {
		symbol_store_unpin(names->store, &names->items[i].map);
		symbol_store_unpin(names->store, &names->items[i].dump);
	}
	budget_drop(names->budget, &names->items, &names->capacity, sizeof(*names->items));
	names->count = 0;
}

uint64_t jit_names_address(uint64_t word)
{
	uint64_t address = word & (TM_FRAME_RETURN - 1);

	return word & TM_FRAME_RETURN && address ? address - 1 : address;
}

static bool process_is_behind(const void *items, uint32_t index, uint64_t process)
{
	return ((const struct jit_names_process *)items)[index].process >= process;
}

static const struct jit_names_process *find_process(const struct jit_names *names, uint32_t process)
{
	uint32_t at = search_first(names->items, names->count, process, process_is_behind);

	return at < names->count && names->items[at].process == process ? &names->items[at] : NULL;
}

/* --- before anything is named ----------------------------------------------------------------- */

static int add_process(struct jit_names *names, uint32_t process)
{
	if (budget_grow(names->budget, &names->items, &names->capacity, names->count + 1,
			sizeof(*names->items)))
		return BUDGET_E_SPENT;
	names->items[names->count++] =
		(struct jit_names_process){.process = process, .map = NO_PIN, .dump = NO_PIN};
	return 0;
}

static void collect(struct jit_names *names, const struct aggregate *aggregate)
{
	const struct process_table *processes = aggregate->processes;
	uint8_t *seen = calloc(processes->count + 1ull, sizeof(*seen));
	int r = seen ? 0 : BUDGET_E_SPENT;

	names->processes = processes;
	for (uint32_t i = 0; !r && i < aggregate->stack_count; i++)
		if (aggregate->stacks[i].process != AGGREGATE_NO_PROCESS)
			seen[aggregate->stacks[i].process] = 1;
	for (uint32_t i = 0; !r && i < processes->count; i++)
		if (seen[i] &&
		    (processes->items[i].map_version || processes->items[i].dump_version))
			r = add_process(names, i);
	free(seen);
}

static void wait_for_files(const struct jit_names *names, int64_t timeout_ms)
{
	struct tm_identity *identities =
		calloc((uint64_t)names->count * JIT_FILES_KINDS + 1, sizeof(*identities));
	uint32_t count = 0;

	for (uint32_t i = 0; identities && i < names->count; i++) {
		const struct process *process = &names->processes->items[names->items[i].process];

		for (enum jit_files_kind kind = 0; kind < JIT_FILES_KINDS; kind++)
			if (jit_files_version(process, kind))
				identities[count++] = jit_files_identity(
					process, kind, jit_files_version(process, kind));
	}
	if (count)
		(void)symbol_store_wait(names->store, identities, count, timeout_ms);
	free(identities);
}

static void pin(const struct jit_names *names, uint32_t process, enum jit_files_kind kind,
		struct symbol_store_pin *pin)
{
	const struct process *of = &names->processes->items[process];
	uint32_t version = jit_files_version(of, kind);
	struct tm_identity identity = jit_files_identity(of, kind, version);
	enum tm_unnamed reason;

	if (!version)
		return;
	symbol_store_pin(names->store, &identity, pin);
	if (pin->entry != SYMBOL_STORE_NO_ENTRY || --identity.generation == 0)
		return;
	reason = pin->reason;
	symbol_store_pin(names->store, &identity, pin);
	pin->reason = reason;
}

/* Return: the codes of the process; NULL: they are not known, or not its own. */
static const struct code_table *codes_of(const struct jit_names *names,
					 const struct jit_names_process *item)
{
	const struct process *process = &names->processes->items[item->process];
	const struct code_table *codes = &item->dump.table.code;

	if (item->dump.entry == SYMBOL_STORE_NO_ENTRY || !codes->header)
		return NULL;
	return codes->header->pid == process->ns_tgid || codes->header->pid == process->tgid ? codes
											     : NULL;
}

static uint64_t code_word(const void *context, uint32_t process, uint64_t ktime, uint64_t word)
{
	const struct jit_names *names = context;
	const struct jit_names_process *item = find_process(names, process);
	const struct code_table *codes = item ? codes_of(names, item) : NULL;
	uint32_t version, offset;

	if (!codes || word & JIT_NAMES_CODE)
		return word;
	version = code_table_find(codes, jit_names_address(word), ktime, &offset);
	if (version == CODE_TABLE_NONE)
		return word;
	return (word & ~(TM_FRAME_RETURN - 1)) | JIT_NAMES_CODE |
	       (uint64_t)version << JIT_NAMES_VERSION_SHIFT | offset;
}

void jit_names_prepare(struct jit_names *names, struct aggregate *aggregate, int64_t timeout_ms)
{
	collect(names, aggregate);
	if (!names->count && !aggregate->timed)
		return;
	wait_for_files(names, timeout_ms);
	for (uint32_t i = 0; i < names->count; i++) {
		struct jit_names_process *item = &names->items[i];

		pin(names, item->process, JIT_FILES_MAP, &item->map);
		pin(names, item->process, JIT_FILES_DUMP, &item->dump);
	}
	aggregate_rewrite(aggregate, code_word, names);
}

/* --- one frame -------------------------------------------------------------------------------- */

static enum tm_unnamed reason_without_files(const struct jit_names *names, uint32_t process)
{
	uint8_t refused = names->processes ? names->processes->items[process].map_refused
					   : TM_NO_FILE_UNANSWERED;

	return refused == TM_NO_FILE_UNANSWERED || refused == TM_NO_FILE_GONE
		       ? TM_UNNAMED_ANONYMOUS
		       : TM_UNNAMED_MAP_REFUSED;
}

/* Return: whether the word names a code. */
static bool find_code(const struct code_table *codes, uint64_t word, struct jit_name *name)
{
	uint32_t version = (uint32_t)(word >> JIT_NAMES_VERSION_SHIFT) & JIT_NAMES_VERSION_MASK;
	const struct parser_code_line *line;
	const struct parser_code *code;

	if (!codes || !(word & JIT_NAMES_CODE))
		return false;
	code = code_table_code(codes, version, (uint32_t)word, &name->address);
	if (!code)
		return false;
	line = code_table_line(codes, code, name->address);
	name->text = codes->names + code->name;
	name->path = line ? codes->names + line->path : NULL;
	name->line = line ? line->line : 0;
	return true;
}

/* Why a jitdump names nothing. */
static enum tm_unnamed reason_of_dump(const struct jit_names *names,
				      const struct jit_names_process *item)
{
	const struct code_table *codes = codes_of(names, item);

	if (item->dump.entry == SYMBOL_STORE_NO_ENTRY)
		return item->dump.reason;
	if (!codes || codes->header->flags & PARSER_CODES_OTHER_CLOCK)
		return TM_UNNAMED_MAP_REFUSED;
	return codes->header->flags & PARSER_CODES_TRUNCATED ? TM_UNNAMED_TOO_LARGE
							     : TM_UNNAMED_NO_SYMBOL;
}

static void find_in_map(const struct jit_names *names, const struct jit_names_process *item,
			struct jit_name *name)
{
	const struct symbol_table *table = &item->map.table;
	const struct parser_symbol *symbol;

	if (item->map.entry == SYMBOL_STORE_NO_ENTRY) {
		name->reason = names->processes->items[item->process].dump_version
				       ? reason_of_dump(names, item)
				       : item->map.reason;
		return;
	}
	symbol = symbol_table_find(table, name->address);
	name->reason = table->header->flags & PARSER_SYMBOLS_TRUNCATED ? TM_UNNAMED_TOO_LARGE
								       : TM_UNNAMED_NO_SYMBOL;
	name->text = symbol ? symbol_table_name(table, symbol) : NULL;
}

struct jit_name jit_names_find(const struct jit_names *names, uint32_t process, uint64_t word)
{
	struct jit_name name = {.address = jit_names_address(word), .reason = TM_UNNAMED_NO_SYMBOL};
	const struct jit_names_process *item = find_process(names, process);

	if (!item)
		name.reason = reason_without_files(names, process);
	else if (!find_code(codes_of(names, item), word, &name))
		find_in_map(names, item, &name);
	if (name.text && !*name.text)
		name.text = NULL;
	return name;
}
