/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_layout - where the fields lie that the unwinder reads, by version of CPython
 */

#include "symbolizer/parser/python/python_layout.h"

#include <string.h>

#define FIRST    0x0308u
#define VERSIONS 8u
#define NONE     TM_RUNTIME_NONE
#define AT(word) (0x8000u | (word)) /* the value is that word of the table of offsets */

static const char cookie[8] = "xdebugpy";
enum {
	WORD_VERSION = 1,
	WORD_FREE_THREADED = 2,
	WORDS = PYTHON_LAYOUT_HEAD / 8,
};
#define FREE_THREADED_BYTES 16u /* by which objects are longer where threads have no lock */

struct field {
	uint16_t at; /* in struct tm_python */
	uint16_t values[VERSIONS];
};
#define FIELD(name, ...)                          \
	{                                         \
		offsetof(struct tm_python, name), \
		{                                 \
			__VA_ARGS__               \
		}                                 \
	}

/* clang-format off */
static const struct field fields[] = {
	/*                           3.8   3.9  3.10  3.11  3.12   3.13    3.14    3.15 */
	FIELD(entry, TM_PYTHON_ONE, TM_PYTHON_ONE, TM_PYTHON_ONE, TM_PYTHON_FLAG,
	      TM_PYTHON_OWNER, TM_PYTHON_OWNER, TM_PYTHON_OWNER, TM_PYTHON_OWNER),
	FIELD(flags, TM_PYTHON_INDEX, TM_PYTHON_INDEX, TM_PYTHON_INDEX | TM_PYTHON_CHAIN,
	      TM_PYTHON_CHAIN, TM_PYTHON_CHAIN, 0, 0, 0),
	/* FRAME_OWNED_BY_CSTACK, from 3.14 on FRAME_OWNED_BY_INTERPRETER */
	FIELD(owner_entry,             0,    0,    0,    0,    3,      3,      3,      3),
	FIELD(unit_shift,              1,    1,    0,    1,    1,      1,      1,      1),
	FIELD(runtime_interpreters,   32,   32,   32,   40,   40,  AT(5),  AT(5),  AT(5)),
	FIELD(interpreter_next,        0,    0,    0,    0,    0,  AT(8),  AT(8),  AT(8)),
	FIELD(interpreter_threads,     8,    8,    8,   16,   72,  AT(9),  AT(9),  AT(9)),
	FIELD(thread_previous,         0,    0,    0,    0,    0, AT(20), AT(23), AT(23)),
	FIELD(thread_next,             8,    8,    8,    8,    8, AT(21), AT(24), AT(24)),
	FIELD(thread_interpreter,     16,   16,   16,   16,   16, AT(22), AT(25), AT(25)),
	FIELD(thread_id,             176,  176,  176,  152,  136, AT(24), AT(27), AT(30)),
	FIELD(thread_frame,           24,   24,   24, NONE, NONE, AT(23), AT(26), AT(26)),
	FIELD(thread_chain,         NONE, NONE,   48,   56,   56,   NONE,   NONE,   NONE),
	FIELD(chain_frame,          NONE, NONE, NONE,    8,    0,   NONE,   NONE,   NONE),
	FIELD(chain_previous,       NONE, NONE,    8,   16,    8,   NONE,   NONE,   NONE),
	FIELD(frame_previous,         24,   24,   24,   48,    8, AT(29), AT(32), AT(40)),
	FIELD(frame_code,             32,   32,   32,   32,    0, AT(30), AT(33), AT(41)),
	FIELD(frame_instruction,     104,  104,   96,   56,   56, AT(31), AT(34), AT(42)),
	FIELD(frame_owner,          NONE, NONE, NONE,   68,   70, AT(33), AT(36), AT(44)),
	FIELD(code_file,             104,  104,  104,  112,  112, AT(35), AT(40), AT(48)),
	FIELD(code_name,             112,  112,  112,  128,  128, AT(37), AT(42), AT(50)),
	FIELD(code_lines,            120,  120,  120,  136,  136, AT(38), AT(43), AT(51)),
	FIELD(code_first_line,        40,   40,   40,   72,   68, AT(39), AT(44), AT(52)),
	FIELD(code_instructions,    NONE, NONE, NONE,  184,  192, AT(43), AT(48), AT(56)),
	FIELD(string_length,          16,   16,   16,   16,   16, AT(69), AT(79), AT(91)),
	FIELD(string_hash,            24,   24,   24,   24,   24,     24,     24,     24),
	FIELD(string_state,           32,   32,   32,   32,   32, AT(68), AT(78), AT(90)),
	FIELD(string_ascii,           48,   48,   48,   48,   40, AT(70), AT(80), AT(92)),
	FIELD(string_wide,            72,   72,   72,   72,   56,     56,     56,     56),
	FIELD(bytes_length,           16,   16,   16,   16,   16, AT(65), AT(75), AT(87)),
	FIELD(bytes_data,             32,   32,   32,   32,   32, AT(66), AT(76), AT(88)),
	FIELD(string_kind,             2,    2,    2,    2,    2,      2,      2,      2),
	FIELD(frame_copy,           NONE, NONE, NONE, NONE, NONE,   NONE, AT(38), AT(46)),
	FIELD(code_copies,          NONE, NONE, NONE, NONE, NONE,   NONE, AT(49), AT(57)),
};
/* clang-format on */

static bool is_published(uint32_t version, const uint64_t *words, size_t bytes)
{
	return bytes == PYTHON_LAYOUT_HEAD && memcmp(words, cookie, sizeof(cookie)) == 0 &&
	       words[WORD_VERSION] >> 16 == version;
}

/* What the table does not say where threads run without the lock. */
static void set_free_threaded(struct tm_python *python)
{
	python->string_hash += FREE_THREADED_BYTES;
	python->string_wide += FREE_THREADED_BYTES;
	if (python->code_copies != NONE) /* 3.14: the bits before it have a byte of their own */
		python->string_kind = 8;
}

bool python_layout_find(struct tm_python *ret_python, uint32_t version, const void *head,
			size_t bytes)
{
	uint64_t words[WORDS] = {0};
	uint32_t column = version - FIRST;

	*ret_python = (struct tm_python){0};
	if (column >= VERSIONS || bytes > sizeof(words))
		return false;
	if (bytes)
		memcpy(words, head, bytes);
	if (version >= PYTHON_LAYOUT_PUBLISHED && !is_published(version, words, bytes))
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint16_t value = fields[i].values[column];
		uint64_t word = value >= AT(0) && value < AT(WORDS) ? words[value - AT(0)] : 0;

		if (word >= NONE)
			return false;
		if (value >= AT(0) && value < AT(WORDS))
			value = (uint16_t)word;
		memcpy((uint8_t *)ret_python + fields[i].at, &value, sizeof(value));
	}
	if (version >= PYTHON_LAYOUT_PUBLISHED && words[WORD_FREE_THREADED])
		set_free_threaded(ret_python);
	else
		ret_python->frame_copy = ret_python->code_copies = NONE;
	return true;
}
