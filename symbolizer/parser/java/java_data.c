/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_data - a file's writable data as they are when its initializers have run
 */

#include "symbolizer/parser/java/java_data.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/constant_stores.h"

/* Relocations of x86-64. */
#define ABSOLUTE_64 1u
#define RELATIVE    8u

enum state {
	STATE_OF_FILE,
	STATE_STORED,
	STATE_UNKNOWN,
};

static const struct java_segment *segment_at(const struct java_data *data, uint64_t vaddr)
{
	for (uint32_t i = 0; i < data->segment_count; i++)
		if (vaddr - data->segments[i].vaddr < data->segments[i].size)
			return &data->segments[i];
	return NULL;
}

static uint64_t writable_bytes(const struct image *image)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < image->segment_count && bytes <= JAVA_DATA_BYTES_MAX; i++)
		if (image->segments[i].p_type == PT_LOAD && image->segments[i].p_flags & PF_W)
			bytes += image->segments[i].p_filesz <= JAVA_DATA_BYTES_MAX
					 ? image->segments[i].p_filesz
					 : JAVA_DATA_BYTES_MAX + 1ull;
	return bytes;
}

static int copy_segments(struct java_data *data, const struct sections *sections)
{
	const struct image *image = sections->image;
	uint64_t bytes = writable_bytes(image), used = 0;
	int r = 0;

	if (bytes > JAVA_DATA_BYTES_MAX)
		return 0;
	data->memory = calloc(2, bytes + 1);
	if (!data->memory)
		return PARSER_FAILED;
	for (uint32_t i = 0; !r && i < image->segment_count; i++) {
		const Elf64_Phdr segment = image->segments[i];
		struct section part;

		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W) ||
		    data->segment_count == JAVA_DATA_SEGMENTS)
			continue;
		r = sections_load_at(sections, segment.p_vaddr, segment.p_filesz, &part);
		if (r || part.size > bytes - used || !part.size)
			continue;
		data->segments[data->segment_count++] =
			(struct java_segment){segment.p_vaddr, part.size, data->memory + used,
					      data->memory + bytes + used};
		memcpy(data->memory + used, part.bytes, part.size);
		used += part.size;
	}
	return r;
}

/* Return: whether the address does not depend on other files. */
static bool address_of(const Elf64_Rela *relocation, const struct section *dynsym,
		       uint64_t *ret_address)
{
	uint64_t type = ELF64_R_TYPE(relocation->r_info);
	uint64_t number = ELF64_R_SYM(relocation->r_info);
	Elf64_Sym symbol;

	*ret_address = (uint64_t)relocation->r_addend;
	if (type == RELATIVE)
		return true;
	if (type != ABSOLUTE_64 || number >= dynsym->size / sizeof(symbol))
		return false;
	memcpy(&symbol, dynsym->bytes + number * sizeof(symbol), sizeof(symbol));
	*ret_address += symbol.st_value;
	return symbol.st_shndx != SHN_UNDEF;
}

static void relocate(const struct java_data *data, const Elf64_Rela *relocation,
		     const struct section *dynsym)
{
	const struct java_segment *segment = segment_at(data, relocation->r_offset);
	uint64_t at = segment ? relocation->r_offset - segment->vaddr : 0, address;
	bool is_known = address_of(relocation, dynsym, &address);

	if (!segment || segment->size - at < sizeof(address))
		return;
	memcpy(segment->bytes + at, &address, sizeof(address));
	if (!is_known)
		memset(segment->states + at, STATE_UNKNOWN, sizeof(address));
}

static int relocate_all(const struct java_data *data, const struct sections *sections)
{
	const Elf64_Shdr *header = sections_header(sections, ".rela.dyn");
	struct section relocations, dynsym;
	int r;

	if (!header || header->sh_size > JAVA_DATA_RELOCATIONS_MAX)
		return 0;
	r = sections_load_header(sections, header, &relocations);
	if (!r)
		r = sections_load(sections, ".dynsym", &dynsym);
	for (uint64_t at = 0; !r && relocations.size - at >= sizeof(Elf64_Rela);
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela relocation;

		memcpy(&relocation, relocations.bytes + at, sizeof(relocation));
		relocate(data, &relocation, &dynsym);
	}
	return r;
}

/* Once a byte is not known, it stays so. */
static void take_store(void *context, const struct constant_store *store)
{
	const struct java_data *data = context;
	const struct java_segment *segment;

	for (uint32_t i = 0; i < store->bytes; i++) {
		uint8_t byte = store->is_known ? (uint8_t)(store->value >> 8 * i) : 0;
		uint64_t at;

		segment = segment_at(data, store->vaddr + i);
		if (!segment)
			continue;
		at = store->vaddr + i - segment->vaddr;
		if (!store->is_known || segment->states[at] == STATE_UNKNOWN ||
		    (segment->states[at] == STATE_STORED && segment->bytes[at] != byte)) {
			segment->states[at] = STATE_UNKNOWN;
		} else {
			segment->states[at] = STATE_STORED;
			segment->bytes[at] = byte;
		}
	}
}

static int initialize(struct java_data *data, const struct sections *sections,
		      const uint64_t *functions, uint32_t count)
{
	uint64_t lowest = UINT64_MAX, highest = 0, bytes;
	struct section code;
	const struct constant_stores stores = {&code, take_store, data};
	int r;

	for (uint32_t i = 0; i < count; i++) {
		lowest = functions[i] < lowest ? functions[i] : lowest;
		highest = functions[i] > highest ? functions[i] : highest;
	}
	bytes = highest - lowest + JAVA_DATA_INITIALIZER_BYTES;
	bytes = bytes < CONSTANT_STORES_CODE_MAX ? bytes : CONSTANT_STORES_CODE_MAX;
	r = sections_load_at(sections, lowest, bytes, &code);
	return r || !code.size ? r : constant_stores_read(&stores, functions, count);
}

static int initialize_all(struct java_data *data, const struct sections *sections)
{
	const Elf64_Shdr *header = sections_header(sections, ".init_array");
	uint64_t *functions, bytes = header ? header->sh_size : 0, vaddr;
	uint32_t count = 0;
	int r;

	if (!bytes || bytes > 8 * JAVA_DATA_INITIALIZERS_MAX)
		return 0;
	vaddr = header->sh_addr;
	functions = calloc(bytes / 8 + 1, sizeof(*functions));
	if (!functions)
		return PARSER_FAILED;
	for (uint64_t at = 0; bytes - at >= 8; at += 8)
		count += java_data_read(data, vaddr + at, 8, &functions[count]);
	r = initialize(data, sections, functions, count);
	free(functions);
	return r;
}

int java_data_open(struct java_data *data, const struct sections *sections)
{
	int r;

	*data = (struct java_data){0};
	r = copy_segments(data, sections);
	if (!r)
		r = relocate_all(data, sections);
	return r ? r : initialize_all(data, sections);
}

bool java_data_read(const struct java_data *data, uint64_t vaddr, uint32_t bytes,
		    uint64_t *ret_number)
{
	const struct java_segment *segment = segment_at(data, vaddr);
	uint64_t at = segment ? vaddr - segment->vaddr : 0;

	*ret_number = 0;
	if (!segment || segment->size - at < bytes)
		return false;
	for (uint32_t i = 0; i < bytes; i++)
		if (segment->states[at + i] == STATE_UNKNOWN)
			return false;
	memcpy(ret_number, segment->bytes + at, bytes);
	return true;
}

bool java_data_is_stored(const struct java_data *data, uint64_t vaddr)
{
	const struct java_segment *segment = segment_at(data, vaddr);

	return segment && segment->states[vaddr - segment->vaddr] == STATE_STORED;
}

void java_data_close(struct java_data *data)
{
	free(data->memory);
	*data = (struct java_data){0};
}
