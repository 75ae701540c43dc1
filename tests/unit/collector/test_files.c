/* SPDX-License-Identifier: Apache-2.0 */
/* test_files - each announced file ends as a checked descriptor or as a reason, once */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/files.h"
#include "shared/fdpass.h"

struct world { /* the collector's side, with both its peers played here */
	struct files files;
	struct asker asker;
	struct handoff handoff;
	int opener;
	int symbolizer;
	int holds; /* what the kernel will say */
	unsigned asked_kernel;
	uint32_t forgotten;
};

static int holds(void *context, uint32_t pid, uint64_t address, const struct tm_identity *identity)
{
	struct world *world = context;

	world->asked_kernel++;
	assert_int_equal(pid, 4242);
	assert_int_equal(address, 0x7000);
	assert_int_equal(identity->ino, 99);
	return world->holds;
}

static void forget(void *context, uint32_t number)
{
	((struct world *)context)->forgotten = number;
}

static int retire(void *context, uint32_t number)
{
	return 0;
}

static int make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct files_kernel kernel = {world, holds, forget, retire};
	int a[2], b[2];

	if (!world || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, a) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, b) < 0)
		return -1;
	world->asker = (struct asker){.fd = a[0]};
	world->opener = a[1];
	handoff_init(&world->handoff, b[0]);
	world->symbolizer = b[1];
	world->holds = 1;
	world->forgotten = UINT32_MAX;
	*state = world;
	return files_init(&world->files, &world->asker, &world->handoff, kernel);
}

static int unmake(void **state)
{
	struct world *world = *state;

	files_deinit(&world->files);
	handoff_deinit(&world->handoff);
	if (world->asker.fd >= 0)
		(void)close(world->asker.fd);
	(void)close(world->opener);
	(void)close(world->symbolizer);
	free(world);
	return 0;
}

static void announce(struct world *world, uint32_t number, uint32_t flags, uint64_t now_ms)
{
	static const char path[] = "ls\0bin";
	_Alignas(8) uint8_t memory[sizeof(struct tm_file) + 8] = {0};
	struct tm_file *file = (void *)memory;

	file->event.type = TM_EVENT_FILE;
	file->event.bytes = sizeof(memory);
	file->event.flags = flags;
	file->identity.ino = 99;
	file->number = number;
	file->own_tid = 77;
	file->mnt_ns = 5;
	file->vm_start = 0x1000;
	file->vm_end = 0x2000;
	file->path_bytes = sizeof(path);
	memcpy(file->text, path, sizeof(path));
	files_announce(&world->files, file, now_ms);
	files_advance(&world->files, now_ms);
}

static struct opener_request request(struct world *world)
{
	struct opener_request got = {0};

	assert_int_equal(tm_fdpass_recv(world->opener, &got, sizeof(got), NULL, MSG_DONTWAIT), 0);
	return got;
}

static void answer(struct world *world, uint32_t id, uint32_t status, uint64_t now_ms)
{
	const struct opener_answer said = {
		.id = id, .status = status, .worker = 4242, .address = 0x7000};
	int fd = status == OPENER_OPENED ? STDIN_FILENO : -1;

	assert_int_equal(tm_fdpass_send(world->opener, &said, sizeof(said), fd, 0), 0);
	files_advance(&world->files, now_ms);
}

/* What the symbolizer got. Return: kind, 0 for nothing. */
static uint32_t delivered(struct world *world, struct tm_wire *ret_message)
{
	int fd = -1;
	int r = tm_fdpass_recv(world->symbolizer, ret_message, sizeof(*ret_message), &fd,
			       MSG_DONTWAIT);

	if (r != 0)
		return 0;
	assert_int_equal(fd >= 0, ret_message->kind == TM_WIRE_FILE);
	if (fd >= 0)
		(void)close(fd);
	return ret_message->kind;
}

static void opened_and_checked_file_is_handed_over_once(void **state)
{
	struct world *world = *state;
	struct opener_request ask;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	ask = request(world);
	assert_int_equal(ask.kind, OPENER_ASK);
	assert_string_equal(ask.path, "bin/ls");
	assert_int_equal(ask.path_bytes, 6);
	assert_int_equal(ask.own_tid, 77);
	assert_int_equal(ask.mnt_ns, 5);
	assert_int_equal(ask.vm_start, 0x1000);
	answer(world, ask.id, OPENER_OPENED, 1001);
	assert_int_equal(request(world).accepted, 1);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 12);
	assert_true(files_settled(&world->files));
	announce(world, 12, 0, 999999);
	assert_true(files_settled(&world->files));
	assert_int_equal(world->files.opened, 1);
}

static void another_file_is_refused_and_the_next_way_tried(void **state)
{
	struct world *world = *state;
	struct opener_request ask, verdict;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	ask = request(world);
	world->holds = 0;
	answer(world, ask.id, OPENER_OPENED, 1001);
	verdict = request(world);
	assert_int_equal(verdict.kind, OPENER_VERDICT);
	assert_int_equal(verdict.id, ask.id);
	assert_int_equal(verdict.accepted, 0);
	assert_int_equal(delivered(world, &message), 0);
	answer(world, ask.id, TM_NO_FILE_OTHER, 1002);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OTHER);
	assert_int_equal(world->files.refused, 1);
	assert_int_equal(world->files.failed, 1);
}

static void unanswered_kernel_question_hands_nothing_over(void **state)
{
	struct world *world = *state;
	struct tm_wire message;
	uint32_t id;

	announce(world, 12, 0, 1000);
	id = request(world).id;
	world->holds = -ESRCH;
	answer(world, id, OPENER_OPENED, 1001);
	assert_int_equal(request(world).accepted, 0);
	assert_int_equal(delivered(world, &message), 0);
	assert_int_equal(world->files.refused, 0);
}

static void unusable_paths_are_never_asked_for(void **state)
{
	static const uint32_t flags[] = {TM_PATH_CUT, TM_PATH_DELETED, TM_PATH_UNNAMED};
	struct world *world = *state;

	for (uint32_t i = 0; i < 3; i++) {
		struct opener_request ask;

		announce(world, i, flags[i], 1000);
		ask = request(world);
		assert_int_equal(ask.path_bytes, 0);
		assert_string_equal(ask.path, "");
		answer(world, ask.id, TM_NO_FILE_GONE, 1001);
	}
}

static void failed_file_waits_longer_each_time(void **state)
{
	struct world *world = *state;
	uint64_t now_ms = 1000, pause = FILES_PAUSE_MS;

	for (unsigned i = 0; i < 4; i++, pause *= 2) {
		announce(world, 3, 0, now_ms);
		answer(world, request(world).id, TM_NO_FILE_GONE, now_ms);
		announce(world, 3, 0, now_ms + pause - 1);
		assert_true(files_settled(&world->files)); /* not asked again yet */
		world->forgotten = UINT32_MAX;
		files_retry(&world->files, now_ms + pause - 1);
		assert_int_equal(world->forgotten, UINT32_MAX);
		files_retry(&world->files, now_ms + pause);
		assert_int_equal(world->forgotten, 3); /* the next sample announces it */
		now_ms += pause;
	}
	assert_int_equal(world->files.failed, 4);
}

static void denied_file_is_not_announced_anew(void **state)
{
	struct world *world = *state;

	announce(world, 3, 0, 1000);
	answer(world, request(world).id, TM_NO_FILE_DENIED, 1000);
	files_retry(&world->files, 1000000);
	assert_int_equal(world->forgotten, UINT32_MAX);
}

static void late_answer_is_dropped(void **state)
{
	struct world *world = *state;
	struct tm_wire message;
	uint32_t first, second;

	announce(world, 1, 0, 1000);
	first = request(world).id;
	answer(world, first, TM_NO_FILE_TIMEOUT, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	answer(world, first, OPENER_OPENED, 1002); /* nothing is open */
	announce(world, 2, 0, 1003);
	second = request(world).id;
	assert_int_not_equal(first, second);
	answer(world, first, OPENER_OPENED, 1004); /* something else is open */
	assert_int_equal(delivered(world, &message), 0);
	assert_int_equal(world->asked_kernel, 0);
	answer(world, second, OPENER_OPENED, 1005);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 2);
}

static void silent_opener_is_given_up(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 1, 0, 1000);
	files_advance(&world->files, 1000 + FILES_ASK_MS - 1);
	assert_false(files_settled(&world->files));
	files_advance(&world->files, 1000 + FILES_ASK_MS);
	assert_true(files_settled(&world->files));
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(world->asker.fd, -1);
	announce(world, 2, 0, 5000); /* without an opener every file has its reason at once */
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_GONE);
}

static void opener_that_breaks_the_form_is_closed(void **state)
{
	struct world *world = *state;
	const struct opener_answer lie = {.id = 1, .status = OPENER_OPENED}; /* no descriptor */

	announce(world, 1, 0, 1000);
	assert_int_equal(request(world).id, 1);
	assert_int_equal(tm_fdpass_send(world->opener, &lie, sizeof(lie), -1, 0), 0);
	files_advance(&world->files, 1001);
	assert_int_equal(world->asker.fd, -1);
	assert_true(files_settled(&world->files));
}

static void without_credit_nothing_is_opened(void **state)
{
	struct world *world = *state;
	struct opener_request ask;

	world->handoff.credit = 0;
	announce(world, 1, 0, 1000);
	assert_int_equal(tm_fdpass_recv(world->opener, &ask, sizeof(ask), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
	assert_false(files_settled(&world->files));
	world->handoff.credit = 1;
	files_advance(&world->files, 1001);
	assert_int_equal(request(world).own_tid, 77);
}

static void queue_is_bounded_and_out_of_range_numbers_ignored(void **state)
{
	struct world *world = *state;

	world->handoff.credit = 0;
	for (uint32_t number = 0; number < FILES_QUEUE + 100; number++)
		announce(world, number, 0, 1000);
	assert_int_equal(world->files.queue_tail - world->files.queue_head, FILES_QUEUE);
	assert_int_equal(world->files.entries[FILES_QUEUE + 1].state, FILES_UNSEEN);
	announce(world, FILES_MAX, 0, 1000);
	announce(world, UINT32_MAX, 0, 1000);
	assert_int_equal(world->files.queue_tail - world->files.queue_head, FILES_QUEUE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

static void new_symbolizer_gets_what_the_old_one_had(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 7, 0, 1000);
	answer(world, request(world).id, OPENER_OPENED, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(request(world).kind, OPENER_VERDICT);
	files_forget_sent(&world->files);
	announce(world, 7, 0, 1001);
	answer(world, request(world).id, OPENER_OPENED, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 7);
}

static void dropped_number_begins_anew(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 7, 0, 1000);
	assert_true(files_hold(&world->files, 7));
	assert_false(files_hold(&world->files, 8));
	answer(world, request(world).id, TM_NO_FILE_GONE, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_false(files_hold(&world->files, 7));
	assert_int_equal(world->files.retrying, 1);
	files_drop(&world->files, 7);
	assert_int_equal(world->files.retrying, 0);
	announce(world, 7, 0, 1001); /* another file: it owes nothing to the failure of the first */
	answer(world, request(world).id, OPENER_OPENED, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
}

static void file_under_way_goes_to_the_new_symbolizer_once(void **state)
{
	struct world *world = *state;
	struct tm_wire message;
	struct opener_request ask;

	announce(world, 7, 0, 1000);
	ask = request(world);
	files_forget_sent(&world->files);
	announce(world, 7, 0, 1001); /* waits for the answer to the first */
	answer(world, ask.id, OPENER_OPENED, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(files_settled(&world->files));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(opened_and_checked_file_is_handed_over_once),
		CASE(another_file_is_refused_and_the_next_way_tried),
		CASE(unanswered_kernel_question_hands_nothing_over),
		CASE(unusable_paths_are_never_asked_for),
		CASE(failed_file_waits_longer_each_time),
		CASE(denied_file_is_not_announced_anew),
		CASE(late_answer_is_dropped),
		CASE(silent_opener_is_given_up),
		CASE(opener_that_breaks_the_form_is_closed),
		CASE(without_credit_nothing_is_opened),
		CASE(queue_is_bounded_and_out_of_range_numbers_ignored),
		CASE(new_symbolizer_gets_what_the_old_one_had),
		CASE(dropped_number_begins_anew),
		CASE(file_under_way_goes_to_the_new_symbolizer_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
