/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_check - records as shared/event.h describes them pass, and no others */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/event_check.h"
#include "shared/event_check_ring.h"

static _Alignas(8) uint8_t memory[TM_EVENT_MAX_BYTES + 64];

static struct tm_sample *sample(unsigned kernel, unsigned user)
{
	struct tm_sample *s = (void *)memory;

	memset(memory, 0, sizeof(memory));
	s->event.type = TM_EVENT_SAMPLE;
	s->kernel_frames = (uint16_t)kernel;
	s->user_frames = (uint16_t)user;
	s->event.bytes = (uint32_t)(sizeof(*s) + 8 * (kernel + user));
	for (unsigned i = 0; i < kernel; i++)
		s->frames[i] = 0xffffffff81000000ull + i;
	for (unsigned i = 0; i < user; i++)
		s->frames[kernel + i] = (uint64_t)TM_FRAME_FILE << TM_FRAME_KIND_SHIFT;
	return s;
}

static int verdict(const struct tm_event *event)
{
	return tm_event_check_from_bpf(event, event->bytes);
}

static void samples_of_any_legal_depth_pass(void **state)
{
	assert_int_equal(verdict(&sample(0, 0)->event), 0);
	assert_int_equal(verdict(&sample(5, 9)->event), 0);
	assert_int_equal(verdict(&sample(TM_KERNEL_FRAMES_MAX, TM_USER_FRAMES_MAX)->event), 0);
}

static void frames_must_fill_their_record_exactly(void **state)
{
	struct tm_sample *s = sample(3, 3);

	s->user_frames = 4;
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s->user_frames = 2;
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s = sample(0, 0);
	s->kernel_frames = TM_KERNEL_FRAMES_MAX + 1;
	s->event.bytes = (uint32_t)(sizeof(*s) + 8 * (TM_KERNEL_FRAMES_MAX + 1));
	assert_int_equal(verdict(&s->event), -EBADMSG);
}

static void lengths_must_agree(void **state)
{
	struct tm_sample *s = sample(1, 1);

	assert_int_equal(tm_event_check_from_bpf(s, s->event.bytes - 8), -EBADMSG);
	assert_int_equal(tm_event_check_from_bpf(s, s->event.bytes + 8), -EBADMSG);
	assert_int_equal(tm_event_check_from_bpf(s, 4), -EBADMSG);
	assert_int_equal(tm_event_check_from_bpf(s, 0), -EBADMSG);
}

static void unknown_reasons_are_refused(void **state)
{
	struct tm_sample *s = sample(0, 1);

	s->user_stop = TM_STOP_N;
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s->user_stop = TM_STOP_N - 1;
	assert_int_equal(verdict(&s->event), 0);
	s->kernel_stop = 255;
	assert_int_equal(verdict(&s->event), -EBADMSG);
}

static void user_frames_must_be_of_a_user_kind(void **state)
{
	static const uint64_t kinds[] = {TM_FRAME_FILE, TM_FRAME_ANON, TM_FRAME_VDSO,
					 TM_FRAME_UNRESOLVED};
	struct tm_sample *s = sample(1, 1);

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		s->frames[1] = kinds[i] << TM_FRAME_KIND_SHIFT;
		assert_int_equal(verdict(&s->event), 0);
	}
	s->frames[1] = 0xffffffff81000000ull; /* a raw kernel address must not slip through */
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s->frames[1] = (uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT;
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s->frames[1] = (uint64_t)TM_FRAME_UNRESOLVED << TM_FRAME_KIND_SHIFT | TM_UNRESOLVED_N;
	assert_int_equal(verdict(&s->event), -EBADMSG);
	s->frames[1] = 0;
	assert_int_equal(verdict(&s->event), -EBADMSG);
}

static struct tm_process *process(const char *path, size_t path_bytes, const char *cgroup,
				  size_t cgroup_bytes)
{
	struct tm_process *p = (void *)memory;

	memset(memory, 0, sizeof(memory));
	p->event.type = TM_EVENT_PROCESS;
	p->exe_file = TM_FILE_NONE;
	p->jitdump_file = TM_FILE_NONE;
	p->path_bytes = (uint16_t)path_bytes;
	p->cgroup_bytes = (uint16_t)cgroup_bytes;
	memcpy(p->text, path, path_bytes);
	memcpy(p->text + path_bytes, cgroup, cgroup_bytes);
	p->event.bytes = (uint32_t)((sizeof(*p) + path_bytes + cgroup_bytes + 7) & ~(size_t)7);
	return p;
}

static void texts_must_end_in_a_nul_within_their_limits(void **state)
{
	struct tm_process *p = process("ls\0bin", 7, "a\0b", 4);

	assert_int_equal(verdict(&p->event), 0);
	p->text[6] = 'x';
	assert_int_equal(verdict(&p->event), -EBADMSG);
	p = process("ls\0bin", 7, "a\0b", 3);
	assert_int_equal(verdict(&p->event), -EBADMSG);
	assert_int_equal(verdict(&process("", 0, "", 0)->event), 0);
	p = process("", 0, "", 0);
	p->path_bytes = TM_PATH_MAX + 1;
	p->event.bytes = (uint32_t)((sizeof(*p) + TM_PATH_MAX + 8) & ~(size_t)7);
	assert_int_equal(verdict(&p->event), -EBADMSG);
}

static void processes_name_files_by_a_number_or_none(void **state)
{
	struct tm_process *p = process("", 0, "", 0);

	p->exe_file = TM_FRAME_FILE_MAX;
	p->jitdump_file = 0;
	assert_int_equal(verdict(&p->event), 0);
	p->exe_file++;
	assert_int_equal(verdict(&p->event), -EBADMSG);
	p = process("", 0, "", 0);
	p->jitdump_file = TM_FRAME_FILE_MAX;
	assert_int_equal(verdict(&p->event), 0);
	p->jitdump_file++;
	assert_int_equal(verdict(&p->event), -EBADMSG);
}

static void files_need_a_number_that_frames_can_hold(void **state)
{
	struct tm_file *f = (void *)memory;

	memset(memory, 0, sizeof(memory));
	f->event.type = TM_EVENT_FILE;
	f->path_bytes = 3;
	memcpy(f->text, "ls", 3);
	f->event.bytes = (uint32_t)((offsetof(struct tm_file, text) + 3 + 7) & ~(size_t)7);
	f->number = TM_FRAME_FILE_MAX;
	assert_int_equal(verdict(&f->event), 0);
	f->number++;
	assert_int_equal(verdict(&f->event), -EBADMSG);
}

static int context_verdict(uint32_t text_bytes, uint32_t bytes)
{
	struct tm_context *c = (void *)memory;

	memset(memory, 0, sizeof(memory));
	c->event.type = TM_EVENT_CONTEXT;
	c->event.bytes = bytes;
	c->text_bytes = text_bytes;
	return verdict(&c->event);
}

static void contexts_fill_their_record_within_their_limit(void **state)
{
	for (uint32_t text = 1; text <= TM_CONTEXT_MAX; text++) {
		const uint32_t bytes = (uint32_t)(sizeof(struct tm_context) + text + 7) & ~7u;

		assert_int_equal(context_verdict(text, bytes), 0);
		assert_int_equal(tm_event_check_from_ring(memory, bytes), 0);
		assert_int_equal(context_verdict(text, bytes + 8), -EBADMSG);
		if (text > 8) /* otherwise it is the record without text */
			assert_int_equal(context_verdict(text, bytes - 8), -EBADMSG);
	}
}

static void contexts_may_have_no_text(void **state)
{
	static const uint32_t said[] = {0, 1, TM_CONTEXT_MAX, TM_CONTEXT_MAX + 1, UINT32_MAX};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		assert_int_equal(context_verdict(said[i], sizeof(struct tm_context)), 0);
}

static void contexts_of_other_sizes_than_they_say_are_refused(void **state)
{
	const uint32_t fixed = sizeof(struct tm_context);

	assert_int_equal(context_verdict(0, fixed + 8), -EBADMSG);
	assert_int_equal(context_verdict(TM_CONTEXT_MAX + 1, fixed + TM_CONTEXT_MAX + 8), -EBADMSG);
	assert_int_equal(context_verdict(TM_CONTEXT_MAX + 8, fixed + TM_CONTEXT_MAX + 8), -EBADMSG);
	assert_int_equal(context_verdict(UINT32_MAX, fixed + 8), -EBADMSG);
	assert_int_equal(context_verdict(UINT32_MAX - 7, fixed - 8), -EBADMSG);
	for (uint32_t bytes = 8; bytes < fixed; bytes += 8)
		assert_int_equal(context_verdict(1, bytes), -EBADMSG);
}

static void exits_have_one_size_and_unknown_types_are_refused(void **state)
{
	struct tm_event *event = (void *)memory;

	memset(memory, 0, sizeof(memory));
	event->bytes = sizeof(struct tm_exit);
	event->type = TM_EVENT_EXIT;
	assert_int_equal(verdict(event), 0);
	event->bytes += 8;
	assert_int_equal(verdict(event), -EBADMSG);
	event->bytes = sizeof(struct tm_exit);
	for (unsigned type = 0; type < 0x10000; type++) {
		event->type = (uint16_t)type;
		assert_int_equal(verdict(event), type == TM_EVENT_EXIT ? 0 : -EBADMSG);
	}
}

static void retire_comes_from_the_collector_alone(void **state)
{
	struct tm_retire *r = (void *)memory;

	memset(memory, 0, sizeof(memory));
	r->event.type = TM_EVENT_RETIRE;
	r->event.bytes = sizeof(*r);
	r->number = TM_FRAME_FILE_MAX;
	assert_int_equal(verdict(&r->event), -EBADMSG);
	assert_int_equal(tm_event_check_from_ring(r, sizeof(*r)), 0);
	r->number++;
	assert_int_equal(tm_event_check_from_ring(r, sizeof(*r)), -EBADMSG);
	r->number = 0;
	assert_int_equal(tm_event_check_from_ring(r, sizeof(*r) - 8), -EBADMSG);
	r->event.bytes += 8;
	assert_int_equal(tm_event_check_from_ring(r, sizeof(*r) + 8), -EBADMSG);
}

static void kernel_frames_are_rebased_in_the_ring(void **state)
{
	struct tm_sample *s = sample(2, 1);

	assert_int_equal(tm_event_check_from_ring(s, s->event.bytes), -EBADMSG);
	s->frames[0] = (uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT;
	assert_int_equal(tm_event_check_from_ring(s, s->event.bytes), -EBADMSG);
	s->frames[1] = s->frames[0];
	assert_int_equal(tm_event_check_from_ring(s, s->event.bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_any_legal_depth_pass),
		cmocka_unit_test(frames_must_fill_their_record_exactly),
		cmocka_unit_test(lengths_must_agree),
		cmocka_unit_test(unknown_reasons_are_refused),
		cmocka_unit_test(user_frames_must_be_of_a_user_kind),
		cmocka_unit_test(texts_must_end_in_a_nul_within_their_limits),
		cmocka_unit_test(processes_name_files_by_a_number_or_none),
		cmocka_unit_test(files_need_a_number_that_frames_can_hold),
		cmocka_unit_test(contexts_fill_their_record_within_their_limit),
		cmocka_unit_test(contexts_may_have_no_text),
		cmocka_unit_test(contexts_of_other_sizes_than_they_say_are_refused),
		cmocka_unit_test(exits_have_one_size_and_unknown_types_are_refused),
		cmocka_unit_test(retire_comes_from_the_collector_alone),
		cmocka_unit_test(kernel_frames_are_rebased_in_the_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
