/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_server_limits - time and memory of the parser's workers
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>

#include "shared/sandbox.h"
#include "tests/unit/parser/server_requests.h"

/* Return: the last of the parser's children, and *ret_count of them. */
static pid_t last_worker(unsigned *ret_count)
{
	char path[64], children[256], *at = children, *end;
	pid_t last = 0, next;
	ssize_t count;
	int list;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parser.pid, parser.pid);
	list = open(path, O_RDONLY | O_CLOEXEC);
	count = read(list, children, sizeof(children) - 1);
	(void)close(list);
	assert_true(count >= 0);
	children[count] = '\0';
	for (*ret_count = 0; (next = (pid_t)strtol(at, &end, 10)) > 0; at = end, last = next)
		++*ret_count;
	return last;
}

/* Has the parser work on @target, and stops that worker, which is the @number-th one. */
static void hang(uint32_t id, int target, unsigned number)
{
	unsigned count;
	pid_t worker;

	send_request(id, PARSER_ROWS, target);
	do
		worker = last_worker(&count);
	while (count < number);
	assert_int_equal(kill(worker, SIGSTOP), 0);
}

static void workers_that_hang_do_not_keep_others_waiting(void **state)
{
	int target = slow_file();
	struct parser_message result;

	for (unsigned i = 0; i <= PARSER_SLOW_MAX; i++)
		hang(20 + i, target, i + 1);
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
	result = receive(NULL); /* one too many: the oldest ends early */
	assert_int_equal(result.id, 20);
	assert_int_equal(result.status, PARSER_TIMEOUT);
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
	assert_false(has_answer());
	(void)close(target);
}

/* Return: the status of a request with @memory_kib. */
static uint32_t status_within(int target, enum parser_kind kind, uint32_t memory_kib)
{
	const struct parser_message message = {.kind = kind, .id = 9, .memory_kib = memory_kib};
	uint32_t status;
	int fd;

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	status = receive(&fd).status;
	if (fd >= 0)
		(void)close(fd);
	return status;
}

static void worker_has_the_memory_that_its_request_grants(void **state)
{
	int slow = slow_file(), sparse = file_of(&elf, ELF_BUILDER_BYTES);

	if (!TM_SANITIZED) /* it has no limit then */
		assert_int_equal(status_within(slow, PARSER_ROWS, 8 << 10), PARSER_MEMORY);
	assert_int_equal(status_within(slow, PARSER_ROWS, 0), PARSER_OK);
	/* What is not read of a file needs none. */
	assert_int_equal(ftruncate(sparse, 3ll << 30), 0);
	assert_int_equal(status_within(sparse, PARSER_SYMBOLS, 1 << 10), PARSER_OK);
	(void)close(slow);
	(void)close(sparse);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(workers_that_hang_do_not_keep_others_waiting),
		with_parser(worker_has_the_memory_that_its_request_grants),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
