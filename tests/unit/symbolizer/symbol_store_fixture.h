/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_store_fixture - a store of its own for each test, and files by their inode numbers
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/symbol_store.h"
#include "tests/unit/symbolizer/make_symbols.h"

#define BUDGET (1u << 20)

static struct symbol_store store;
static struct hash_seed seed = {{4, 2}};

static inline int begin(void **state)
{
	return symbol_store_init(&store, BUDGET, &seed);
}

static inline int end(void **state)
{
	assert_int_equal(store.pinned, 0);
	symbol_store_deinit(&store);
	return store.budget.used == 0 ? 0 : -1;
}

static inline struct tm_identity identity_of(uint64_t ino)
{
	return (struct tm_identity){.dev = 8, .ino = ino};
}

static inline int ask(uint64_t ino, int64_t now_ms)
{
	const struct tm_identity identity = identity_of(ino);

	return symbol_store_begin(&store, &identity, now_ms);
}

/* A table whose first name is @name, in a blob of at least @bytes. */
static inline void put(uint64_t ino, const char *name, size_t bytes)
{
	const struct tm_identity identity = identity_of(ino);
	struct symbols symbols = make_symbols();
	size_t names = bytes > sizeof(symbols) ? bytes - sizeof(symbols) : 0;
	char *blob = calloc(1, sizeof(symbols) + names);

	assert_non_null(blob);
	memcpy(symbols.names + 1, name, 4);
	symbols.header.name_bytes += (uint32_t)names;
	memcpy(blob, &symbols, sizeof(symbols));
	symbol_store_put(&store, &identity,
			 tm_region_seal_blob("symbols", blob, sizeof(symbols) + names), 0);
	free(blob);
}

static inline struct symbol_store_pin pin(uint64_t ino)
{
	const struct tm_identity identity = identity_of(ino);
	struct symbol_store_pin pin;

	symbol_store_pin(&store, &identity, &pin);
	return pin;
}

static inline enum tm_unnamed reason(uint64_t ino)
{
	struct symbol_store_pin found = pin(ino);

	assert_int_equal(found.entry, SYMBOL_STORE_NO_ENTRY);
	symbol_store_unpin(&store, &found);
	return found.reason;
}

static inline void named(uint64_t ino, const char *name)
{
	struct symbol_store_pin found = pin(ino);

	assert_int_not_equal(found.entry, SYMBOL_STORE_NO_ENTRY);
	assert_string_equal(found.table.names + 1, name);
	symbol_store_unpin(&store, &found);
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)
