/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_debuginfod_client - a process that answers, has nothing, lies, hangs or dies
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/debuginfod_client.h"
#include "tests/unit/symbolizer/full_socket.h"

#define ID_BYTES 20u
#define MINUTE   60000
#define HOUR     3600000

static struct debuginfod_client client;
static int process; /* its end */
static int64_t clock_ms;
static unsigned answered;
static uint32_t last_value;
static bool had_file;

int __wrap_clock_gettime(clockid_t id, struct timespec *ret_now);

int __wrap_clock_gettime(clockid_t id, struct timespec *ret_now)
{
	(void)id;
	*ret_now = (struct timespec){clock_ms / 1000, clock_ms % 1000 * 1000000};
	return 0;
}

static int begin(void **state)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	debuginfod_client_init(&client, ends[0]);
	process = ends[1];
	clock_ms = 1000000;
	answered = 0;
	return 0;
}

static int end(void **state)
{
	debuginfod_client_deinit(&client);
	(void)close(process);
	return 0;
}

static void on_answer(void *context, uint32_t value, int fd)
{
	assert_ptr_equal(context, &answered);
	answered++;
	last_value = value;
	had_file = fd >= 0;
	if (fd >= 0)
		assert_int_equal(close(fd), 0);
}

/* @number: of the build id, and the request's value. */
static int ask(uint8_t number)
{
	const uint8_t build_id[ID_BYTES] = {number};

	return debuginfod_client_ask(&client, build_id, ID_BYTES, on_answer, &answered, number);
}

/* The process's side. Return: the id of the next request, which is for @number. */
static uint32_t take_request(uint8_t number)
{
	const uint8_t build_id[DEBUGINFOD_BUILD_ID_MAX] = {number};
	struct debuginfod_message request;

	assert_int_equal(tm_fdpass_recv(process, &request, sizeof(request), NULL, MSG_DONTWAIT), 0);
	assert_int_equal(request.kind, DEBUGINFOD_REQUEST);
	assert_int_equal(request.build_id_bytes, ID_BYTES);
	assert_memory_equal(request.build_id, build_id, sizeof(build_id));
	return request.id;
}

static void send_result(uint32_t id, uint32_t status, int fd)
{
	const struct debuginfod_message result = {DEBUGINFOD_RESULT, id, status, 0, {0}};

	assert_int_equal(tm_fdpass_send(process, &result, sizeof(result), fd, 0), 0);
	debuginfod_client_round(&client);
}

static void answer(uint8_t number, enum debuginfod_status status)
{
	assert_int_equal(ask(number), 0);
	send_result(take_request(number), status, -1);
}

static void a_sealed_file_is_handed_over(void **state)
{
	int fd = tm_region_seal_blob("file", "content", 7);
	uint32_t id;

	assert_true(fd >= 0);
	assert_int_equal(ask(7), 0);
	id = take_request(7);
	debuginfod_client_round(&client);
	assert_int_equal(answered, 0);
	send_result(id, DEBUGINFOD_OK, fd);
	(void)close(fd);
	assert_int_equal(answered, 1);
	assert_int_equal(last_value, 7);
	assert_true(had_file);
	assert_int_equal(client.counts[TM_DEBUGINFOD_FOUND], 1);
	assert_int_equal(ask(7), 0); /* it may be asked for again */
}

static void a_negative_answer_is_kept_for_an_hour(void **state)
{
	static const enum debuginfod_status final[] = {DEBUGINFOD_NOT_FOUND, DEBUGINFOD_TOO_LARGE};

	for (uint8_t i = 0; i < 2; i++) {
		answer(i, final[i]);
		assert_int_equal(answered, i + 1);
		assert_false(had_file);
		assert_int_equal(ask(i), DEBUGINFOD_CLIENT_E_NONE);
	}
	clock_ms += HOUR - 1;
	assert_int_equal(ask(0), DEBUGINFOD_CLIENT_E_NONE);
	assert_int_equal(ask(1), DEBUGINFOD_CLIENT_E_NONE);
	clock_ms++;
	assert_int_equal(ask(0), 0);
	assert_int_equal(ask(1), 0);
	assert_int_equal(client.counts[TM_DEBUGINFOD_MISSING], 1);
	assert_int_equal(client.counts[TM_DEBUGINFOD_TOO_LARGE], 1);
}

static void a_failure_is_tried_again_ever_later(void **state)
{
	answer(1, DEBUGINFOD_FAILED);
	for (int64_t pause_ms = MINUTE; pause_ms < HOUR / 2; pause_ms *= 2) {
		clock_ms += pause_ms - 1;
		assert_int_equal(ask(1), DEBUGINFOD_CLIENT_E_NONE);
		clock_ms++;
		answer(1, DEBUGINFOD_FAILED);
	}
	clock_ms += HOUR;
	assert_int_equal(ask(1), 0);
}

static void a_file_with_another_build_id_is_refused_for_an_hour(void **state)
{
	const uint8_t build_id[ID_BYTES] = {3};

	debuginfod_client_refuse(&client, build_id, ID_BYTES);
	clock_ms += HOUR - 1;
	assert_int_equal(ask(3), DEBUGINFOD_CLIENT_E_NONE);
	clock_ms++;
	assert_int_equal(ask(3), 0);
	assert_int_equal(client.counts[TM_DEBUGINFOD_REFUSED], 1);
}

static void the_oldest_negative_answer_is_forgotten(void **state)
{
	uint8_t build_id[ID_BYTES] = {0, 1};

	answer(0, DEBUGINFOD_NOT_FOUND);
	for (unsigned i = 0; i < DEBUGINFOD_CLIENT_NEGATIVES - 1; i++) {
		memcpy(build_id + 2, &i, sizeof(i));
		debuginfod_client_refuse(&client, build_id, ID_BYTES);
	}
	assert_int_equal(ask(0), DEBUGINFOD_CLIENT_E_NONE);
	build_id[1] = 2;
	debuginfod_client_refuse(&client, build_id, ID_BYTES);
	assert_int_equal(ask(0), 0);
}

static void two_are_open_and_none_twice(void **state)
{
	assert_int_equal(ask(1), 0);
	assert_int_equal(ask(1), DEBUGINFOD_CLIENT_E_BUSY);
	assert_int_equal(ask(2), 0);
	assert_int_equal(ask(3), DEBUGINFOD_CLIENT_E_BUSY);
	send_result(take_request(1), DEBUGINFOD_NOT_FOUND, -1);
	assert_int_equal(ask(3), 0);
	assert_int_equal(DEBUGINFOD_AT_ONCE, 2);
}

static void a_build_id_of_another_length_is_not_asked_for(void **state)
{
	static const uint8_t build_id[DEBUGINFOD_BUILD_ID_MAX + 1] = {1};

	for (uint32_t bytes = 0; bytes <= sizeof(build_id); bytes++) {
		int r = debuginfod_client_ask(&client, build_id, bytes, on_answer, &answered, 0);

		if (bytes < DEBUGINFOD_BUILD_ID_MIN || bytes > DEBUGINFOD_BUILD_ID_MAX)
			assert_int_equal(r, DEBUGINFOD_CLIENT_E_NONE);
		else
			assert_int_not_equal(r, DEBUGINFOD_CLIENT_E_NONE);
	}
}

static void when_the_process_dies_its_requests_fail_and_no_more_are_made(void **state)
{
	assert_int_equal(ask(1), 0);
	assert_int_equal(ask(2), 0);
	(void)close(process);
	debuginfod_client_round(&client);
	assert_int_equal(answered, 2);
	assert_false(had_file);
	assert_int_equal(client.socket, -1);
	assert_int_equal(ask(3), DEBUGINFOD_CLIENT_E_NONE);
	assert_int_equal(client.counts[TM_DEBUGINFOD_FAILED], 2);
}

static void a_process_that_hangs_is_given_up(void **state)
{
	assert_int_equal(ask(1), 0);
	clock_ms += DEBUGINFOD_REQUEST_MS + DEBUGINFOD_CLIENT_GRACE_MS;
	debuginfod_client_round(&client);
	assert_int_equal(answered, 0);
	clock_ms++;
	debuginfod_client_round(&client);
	assert_int_equal(answered, 1);
	assert_int_equal(client.socket, -1);
}

static void a_cancelled_request_calls_nobody(void **state)
{
	assert_int_equal(ask(1), 0);
	debuginfod_client_cancel(&client, &answered);
	send_result(take_request(1), DEBUGINFOD_NOT_FOUND, -1);
	assert_int_equal(answered, 0);
	assert_int_equal(ask(2), 0);
	assert_int_equal(ask(3), 0);
}

/* Return: whether the client gives the process up for this answer, and the request fails. */
static bool is_refused(uint32_t kind, uint32_t id, uint32_t status, int fd)
{
	const struct debuginfod_message result = {kind, id, status, 0, {0}};
	bool refused;

	assert_int_equal(begin(NULL), 0);
	assert_int_equal(ask(1), 0);
	assert_int_equal(take_request(1), 0);
	assert_int_equal(tm_fdpass_send(process, &result, sizeof(result), fd, 0), 0);
	debuginfod_client_round(&client);
	refused = client.socket < 0;
	assert_int_equal(answered, 1);
	assert_int_equal(had_file, !refused);
	assert_int_equal(end(NULL), 0);
	return refused;
}

static void invalid_answers_end_the_connection(void **state)
{
	int sealed = tm_region_seal_blob("file", "content", 7);
	int loose = memfd_create("file", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int vast = memfd_create("file", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	assert_true(sealed >= 0 && loose >= 0 && vast >= 0 && other >= 0);
	assert_int_equal(ftruncate(loose, 7), 0);
	assert_int_equal(fcntl(loose, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	assert_int_equal(ftruncate(vast, (off_t)DEBUGINFOD_FILE_MAX + 1), 0);
	assert_int_equal(fcntl(vast, F_ADD_SEALS, seals), 0);
	assert_false(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_OK, sealed));
	assert_true(is_refused(DEBUGINFOD_REQUEST, 0, DEBUGINFOD_OK, sealed));
	assert_true(is_refused(DEBUGINFOD_RESULT, 1, DEBUGINFOD_OK, sealed));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_STATUS_N, -1));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_OK, -1));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_NOT_FOUND, sealed));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_OK, loose));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_OK, vast));
	assert_true(is_refused(DEBUGINFOD_RESULT, 0, DEBUGINFOD_OK, other));
	(void)close(sealed);
	(void)close(loose);
	(void)close(vast);
	(void)close(other);
}

static void without_a_process_there_is_nothing(void **state)
{
	debuginfod_client_init(&client, -1);
	debuginfod_client_round(&client);
	assert_int_equal(ask(1), DEBUGINFOD_CLIENT_E_NONE);
	debuginfod_client_deinit(&client);
}

static void a_process_that_does_not_read_is_kept(void **state)
{
	unsigned count = full_socket_fill(client.socket);

	assert_int_equal(ask(1), DEBUGINFOD_CLIENT_E_BUSY);
	full_socket_empty(process, count);
	answer(1, DEBUGINFOD_NOT_FOUND);
	assert_int_equal(answered, 1);
	assert_int_equal(client.counts[TM_DEBUGINFOD_ASKED], 1);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CLAIM(a_sealed_file_is_handed_over),
		CLAIM(a_negative_answer_is_kept_for_an_hour),
		CLAIM(a_failure_is_tried_again_ever_later),
		CLAIM(a_file_with_another_build_id_is_refused_for_an_hour),
		CLAIM(the_oldest_negative_answer_is_forgotten),
		CLAIM(two_are_open_and_none_twice),
		CLAIM(a_build_id_of_another_length_is_not_asked_for),
		CLAIM(when_the_process_dies_its_requests_fail_and_no_more_are_made),
		CLAIM(a_process_that_hangs_is_given_up),
		CLAIM(a_cancelled_request_calls_nobody),
		CLAIM(a_process_that_does_not_read_is_kept),
		cmocka_unit_test(invalid_answers_end_the_connection),
		cmocka_unit_test(without_a_process_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
