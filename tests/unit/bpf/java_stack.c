/* SPDX-License-Identifier: GPL-2.0 */
/*
 * java_stack - a sampled stack as a text, with the names of methods that were announced
 */

#include "tests/unit/bpf/java_stack.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX  1024u /* characters; the text of a longer stack is cut */
#define FRAME_MAX 100u  /* of a frame */

static char text[TEXT_MAX + FRAME_MAX + 32];

/* --- made ------------------------------------------------------------------------------------- */

uint64_t java_stack_stub(void)
{
	const struct java_blob stub = {.title = "StubRoutines (1)", .complete = -1, .bytes = 0x800};

	sampled_words(JAVA_STUB_FP, JAVA_STUB_FP + 0x80, CODE(CALLER + 8));
	sampled_words(JAVA_STUB_FP + 0x80, 0, CODE(START + 8));
	return JAVA_CODE(java_process_blob(0, &stub)) + 64;
}

void java_stack_compiled(uint64_t sp, uint64_t caller_fp, uint64_t ra)
{
	sampled_words(sp + 8ull * (JAVA_WORDS - 2), caller_fp, ra);
}

void java_stack_make(uint64_t ra)
{
	sampled_store(SAMPLED_SP, ra);
	java_stack_compiled(JAVA_COMPILED, JAVA_STUB_FP, java_stack_stub());
}

/* --- sampled ---------------------------------------------------------------------------------- */

static uint64_t number_of(uint64_t frame)
{
	return frame >> TM_FRAME_METHOD_SHIFT & TM_FRAME_METHOD_MAX;
}

static int put_method(char *to, size_t bytes, uint64_t frame)
{
	const struct tm_method *method = bpf_maps_method_of(number_of(frame));
	uint64_t place = frame & TM_FRAME_PLACE_MAX;
	char at[16] = "?";

	if (place != TM_FRAME_PLACE_MAX)
		(void)snprintf(at, sizeof(at), "%u", (unsigned)place);
	if (!method)
		return snprintf(to, bytes, "-@%s", at);
	return snprintf(to, bytes, "%.*s@%s", method->name_bytes,
			method->text + method->class_bytes, at);
}

static int put_frame(char *to, size_t bytes, uint64_t frame)
{
	uint64_t offset = frame & TM_FRAME_OFFSET_MAX;

	switch (frame >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_METHOD:
		return put_method(to, bytes, frame);
	case TM_FRAME_ANON:
		return snprintf(to, bytes, "jit+%llx", (unsigned long long)(offset - SAMPLED_JIT));
	case TM_FRAME_FILE:
		return snprintf(to, bytes, "%llx", (unsigned long long)offset);
	default:
		return snprintf(to, bytes, "unresolved");
	}
}

const char *java_stack_text(const struct tm_sample *sample)
{
	int at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < sample->user_frames && at < (int)TEXT_MAX; i++) {
		if (i)
			at += snprintf(text + at, sizeof(text) - (size_t)at, ", ");
		at += put_frame(text + at, FRAME_MAX, sample->frames[i]);
	}
	if (sample->user_stop != TM_STOP_NONE)
		(void)snprintf(text + at, sizeof(text) - (size_t)at, ", stop %u",
			       sample->user_stop);
	return text;
}

void java_stack_expect_at(const char *file, int line, const char *stack)
{
	const char *got = java_stack_text(sampled_take());

	if (!strcmp(got, stack))
		return;
	print_error("expected %s\n     got %s\n", stack, got);
	_fail(file, line);
}

uint64_t java_stack_number(void)
{
	const struct tm_sample *sample = bpf_maps_sample();

	for (unsigned i = 0; i < sample->user_frames; i++)
		if (sample->frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD)
			return number_of(sample->frames[i]);
	return 0;
}
