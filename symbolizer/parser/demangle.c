/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle - turns mangled names of C++, Rust and D into those that their sources have
 */

#include "symbolizer/parser/demangle.h"

#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MARK        "\xe2\x80\xa6#%016" PRIx64 /* an ellipsis */
#define MARK_BYTES  20u
#define CPP_OPTIONS (DMGL_PARAMS | DMGL_ANSI | DMGL_VERBOSE) /* those of c++filt */
#define FNV_BASIS   0xcbf29ce484222325ull
#define FNV_PRIME   0x100000001b3ull

struct output {
	char text[PARSER_DISPLAY_MAX];
	size_t used;
	bool is_full; /* and there was more */
	jmp_buf *end; /* where the library is left once it is full; NULL: it is not inside */
};

/* The library has no other way to be stopped, and some short names have endless texts. */
static void append(const char *bytes, size_t count, void *context)
{
	struct output *output = context;
	size_t left = sizeof(output->text) - output->used;

	output->is_full = count > left;
	count = output->is_full ? left : count;
	if (count) /* there may be no bytes then */
		memcpy(output->text + output->used, bytes, count);
	output->used += count;
	if (output->is_full && output->end)
		longjmp(*output->end, 1);
}

typedef int (*demangler_fn)(const char *mangled, int options, demangle_callbackref callback,
			    void *opaque);

static bool run(demangler_fn demangler, const char *mangled, int options, struct output *output)
{
	jmp_buf end;
	bool done;

	output->used = 0;
	output->end = &end;
	done = setjmp(end) != 0 || demangler(mangled, options, append, output) != 0;
	output->end = NULL;
	return done;
}

static bool run_dlang(const char *mangled, struct output *output)
{
	char *text = dlang_demangle(mangled, 0);

	output->used = 0;
	if (text)
		append(text, strlen(text), output);
	free(text);
	return text != NULL;
}

/* Rust's older names are valid C++ too, so it comes first, as in c++filt. */
static bool demangle(const char *mangled, struct output *output)
{
	if (mangled[0] != '_')
		return false;
	return run(rust_demangle_callback, mangled, 0, output) ||
	       run(cplus_demangle_v3_callback, mangled, CPP_OPTIONS, output) ||
	       (mangled[1] == 'D' && run_dlang(mangled, output));
}

static uint64_t hash(const char *text)
{
	uint64_t value = FNV_BASIS;

	for (; *text; text++)
		value = (value ^ (uint8_t)*text) * FNV_PRIME;
	return value;
}

/* Makes valid UTF-8 of the output, and cuts it where it is too long. */
static size_t finish(const struct output *output, const char *mangled, char *ret_text)
{
	size_t length = tm_utf8_clean(output->text, output->used, ret_text, DEMANGLE_TEXT_BYTES);

	if (!output->is_full && length <= PARSER_DISPLAY_MAX)
		return length;
	length = tm_utf8_clean(output->text, output->used, ret_text,
			       PARSER_DISPLAY_MAX - MARK_BYTES + 1);
	(void)snprintf(ret_text + length, MARK_BYTES + 1, MARK, hash(mangled));
	return length + MARK_BYTES;
}

size_t demangle_name(const char *mangled, char *ret_text)
{
	const char *suffix = strchrnul(mangled, '@');
	char name[PARSER_NAME_MAX + 1];
	struct output output = {.used = 0};

	if ((size_t)(suffix - mangled) > PARSER_NAME_MAX)
		return 0;
	memcpy(name, mangled, (size_t)(suffix - mangled));
	name[suffix - mangled] = '\0';
	if (!demangle(name, &output) || !output.used)
		return 0;
	if (!output.is_full)
		append(suffix, strlen(suffix), &output);
	return finish(&output, mangled, ret_text);
}

/* Whether the bytes are so many names, and nothing else. */
static bool are_names(const char *names, size_t bytes, uint32_t count)
{
	uint32_t found = 0;

	if (!bytes || names[bytes - 1])
		return false;
	for (const char *at = names; at < names + bytes; at += strlen(at) + 1)
		found++;
	return found == count;
}

int demangle_names(struct result_blob *result, const char *names, size_t bytes, uint32_t count)
{
	const size_t fixed = sizeof(struct parser_demangled) + count * sizeof(uint32_t);
	struct parser_demangled *header;
	uint32_t *texts, used = 0;
	char *text;

	*result = (struct result_blob){0};
	if (count > PARSER_DEMANGLE_MAX || !are_names(names, bytes, count))
		return PARSER_REFUSED;
	/* Pages that are not written cost nothing. */
	header = malloc(fixed + count * (PARSER_DISPLAY_MAX + 1ull) + DEMANGLE_TEXT_BYTES);
	if (!header)
		return PARSER_FAILED;
	texts = (uint32_t *)(header + 1);
	text = (char *)(texts + count);
	for (uint32_t i = 0; i < count; i++, names += strlen(names) + 1) {
		size_t length = demangle_name(names, text + used);

		texts[i] = length ? used : PARSER_NO_NAME;
		used += length ? (uint32_t)length + 1 : 0;
	}
	*header = (struct parser_demangled){PARSER_DEMANGLE_MAGIC, count, used, 0};
	*result = (struct result_blob){header, fixed + used};
	return PARSER_OK;
}
