/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jitdump_builder - writes jitdump files in memory, record by record
 */

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define JITDUMP_BUILDER_BYTES (1u << 20)
#define JITDUMP_BUILDER_MAGIC 0x4a695444u
#define JITDUMP_BUILDER_PID   77u

struct jitdump_builder {
	uint8_t bytes[JITDUMP_BUILDER_BYTES];
	size_t count;
	size_t record; /* where the current one begins */
};

static inline void jitdump_builder_put(struct jitdump_builder *dump, const void *from, size_t bytes)
{
	memcpy(dump->bytes + dump->count, from, bytes);
	dump->count += bytes;
}

static inline void jitdump_builder_u32(struct jitdump_builder *dump, uint32_t value)
{
	jitdump_builder_put(dump, &value, sizeof(value));
}

static inline void jitdump_builder_u64(struct jitdump_builder *dump, uint64_t value)
{
	jitdump_builder_put(dump, &value, sizeof(value));
}

static inline void jitdump_builder_begin(struct jitdump_builder *dump, uint64_t flags)
{
	dump->count = 0;
	jitdump_builder_u32(dump, JITDUMP_BUILDER_MAGIC);
	jitdump_builder_u32(dump, 1);
	jitdump_builder_u32(dump, 40);
	jitdump_builder_u32(dump, EM_X86_64);
	jitdump_builder_u32(dump, 0);
	jitdump_builder_u32(dump, JITDUMP_BUILDER_PID);
	jitdump_builder_u64(dump, 1);
	jitdump_builder_u64(dump, flags);
}

static inline void jitdump_builder_record(struct jitdump_builder *dump, uint32_t kind,
					  uint64_t time)
{
	dump->record = dump->count;
	jitdump_builder_u32(dump, kind);
	jitdump_builder_u32(dump, 0);
	jitdump_builder_u64(dump, time);
}

/* The record is whole. */
static inline void jitdump_builder_end(struct jitdump_builder *dump)
{
	uint32_t bytes = (uint32_t)(dump->count - dump->record);

	memcpy(dump->bytes + dump->record + 4, &bytes, sizeof(bytes));
}

/* With @bytes of code, each an int3. */
static inline void jitdump_builder_load(struct jitdump_builder *dump, uint64_t time, uint64_t index,
					const char *name, uint64_t address, uint32_t bytes)
{
	jitdump_builder_record(dump, 0, time);
	jitdump_builder_u32(dump, JITDUMP_BUILDER_PID);
	jitdump_builder_u32(dump, JITDUMP_BUILDER_PID + 1);
	jitdump_builder_u64(dump, address);
	jitdump_builder_u64(dump, address);
	jitdump_builder_u64(dump, bytes);
	jitdump_builder_u64(dump, index);
	jitdump_builder_put(dump, name, strlen(name) + 1);
	memset(dump->bytes + dump->count, 0xcc, bytes);
	dump->count += bytes;
	jitdump_builder_end(dump);
}

static inline void jitdump_builder_move(struct jitdump_builder *dump, uint64_t time, uint64_t index,
					uint64_t from, uint64_t to, uint64_t bytes)
{
	jitdump_builder_record(dump, 1, time);
	jitdump_builder_u32(dump, JITDUMP_BUILDER_PID);
	jitdump_builder_u32(dump, JITDUMP_BUILDER_PID + 1);
	jitdump_builder_u64(dump, to);
	jitdump_builder_u64(dump, from);
	jitdump_builder_u64(dump, to);
	jitdump_builder_u64(dump, bytes);
	jitdump_builder_u64(dump, index);
	jitdump_builder_end(dump);
}

/* The lines of the code that is loaded next, at @address; @count times jitdump_builder_line. */
static inline void jitdump_builder_lines(struct jitdump_builder *dump, uint64_t time,
					 uint64_t address, uint64_t count)
{
	jitdump_builder_record(dump, 2, time);
	jitdump_builder_u64(dump, address);
	jitdump_builder_u64(dump, count);
}

static inline void jitdump_builder_line(struct jitdump_builder *dump, uint64_t address,
					uint32_t line, const char *path)
{
	jitdump_builder_u64(dump, address);
	jitdump_builder_u32(dump, line);
	jitdump_builder_u32(dump, 0);
	jitdump_builder_put(dump, path, strlen(path) + 1);
}
