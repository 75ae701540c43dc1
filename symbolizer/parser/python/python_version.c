/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_version - which version of CPython a file contains
 */

#include "symbolizer/parser/python/python_version.h"

#include <string.h>

#include "symbolizer/parser/x86/decode.h"

#define RELEASED   0xfu /* PY_RELEASE_LEVEL_FINAL */
#define TEXT_BYTES 16u  /* "3.10.12+" and a NUL are fewer */

/* 3.11.2 is 0x030b02f0. */
static uint32_t version_of(uint64_t constant)
{
	return constant <= UINT32_MAX && (constant >> 4 & 15) == RELEASED
		       ? (uint32_t)(constant >> 16)
		       : 0;
}

static int read_constant(uint32_t *ret_version, const struct sections *sections, uint64_t vaddr)
{
	struct section section;
	uint64_t constant;
	int r = sections_load_at(sections, vaddr, sizeof(constant), &section);

	if (r || section.size < sizeof(constant))
		return r;
	memcpy(&constant, section.bytes, sizeof(constant));
	*ret_version = version_of(constant);
	return 0;
}

/* One or two digits. Return: what follows them; NULL: there are none. */
static const uint8_t *read_digits(const uint8_t *at, uint32_t *ret_number)
{
	const uint8_t *begin = at;

	*ret_number = 0;
	while (*at >= '0' && *at <= '9' && at - begin < 2)
		*ret_number = 10 * *ret_number + (uint32_t)(*at++ - '0');
	return at == begin ? NULL : at;
}

/* "3.9.2", or "3.9.2+" when it was built from a later commit. Return: 0: another text. */
static uint32_t version_of_text(const uint8_t *text)
{
	uint32_t minor, micro;
	const uint8_t *at = text[0] == '3' && text[1] == '.' ? read_digits(text + 2, &minor) : NULL;

	at = at && *at == '.' ? read_digits(at + 1, &micro) : NULL;
	if (!at || (at[0] && (at[0] != '+' || at[1])))
		return 0;
	return 3u << 8 | minor;
}

static int read_text(uint32_t *ret_version, const struct sections *sections, uint64_t vaddr)
{
	uint8_t text[TEXT_BYTES + 1] = {0};
	struct section section;
	int r = sections_load_at(sections, vaddr, TEXT_BYTES, &section);

	if (section.size)
		memcpy(text, section.bytes, section.size);
	*ret_version = r ? 0 : version_of_text(text);
	return r;
}

/* What an instruction may refer to: relative to itself, or absolute in its last four bytes. */
static uint64_t reference_of(const struct insn *insn, const uint8_t *code)
{
	uint32_t absolute = 0;

	if (insn->is_address)
		return insn->target;
	if (insn->bytes > sizeof(absolute))
		memcpy(&absolute, code + insn->bytes - sizeof(absolute), sizeof(absolute));
	return absolute;
}

static int read_printed(uint32_t *ret_version, const struct sections *sections, uint64_t vaddr,
			uint64_t bytes)
{
	struct section code;
	struct insn insn;
	int r = sections_load_at(sections, vaddr, bytes, &code);

	for (uint64_t at = 0; !r && !*ret_version && at < code.size; at += insn.bytes) {
		if (decode_insn(code.bytes + at, code.bytes + code.size, vaddr + at, &insn))
			return 0;
		r = read_text(ret_version, sections, reference_of(&insn, code.bytes + at));
	}
	return r;
}

int python_version_read(uint32_t *ret_version, const struct sections *sections,
			const struct python_symbols *symbols)
{
	const struct named_symbol *constant = &symbols->list[PYTHON_VERSION];
	const struct named_symbol *printer = &symbols->list[PYTHON_GET_VERSION];

	*ret_version = 0;
	if (constant->vaddr)
		return read_constant(ret_version, sections, constant->vaddr);
	if (!printer->vaddr || printer->bytes > PYTHON_VERSION_CODE_MAX)
		return 0;
	return read_printed(ret_version, sections, printer->vaddr, printer->bytes);
}
