/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_loader_run - the programs that the collector runs itself, and what it makes of their answers
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/bpf.h>

#include "collector/loader.h"
#include "shared/bpf_state.h"
#include <tidemark.skel.h>

#define THREAD  4711
#define ADDRESS 0x1000

int __wrap_bpf_prog_test_run_opts(int program, struct bpf_test_run_opts *opts);

static struct loader loader;
static int answer; /* what the program returns, or -errno: it is not run */
static unsigned runs;
static uint64_t arguments[3]; /* of the last run */

int __wrap_bpf_prog_test_run_opts(int program, struct bpf_test_run_opts *opts)
{
	assert_int_equal(opts->ctx_size_in, sizeof(arguments));
	memcpy(arguments, opts->ctx_in, sizeof(arguments));
	runs++;
	errno = -answer;
	opts->retval = (uint32_t)answer;
	return answer < 0 ? -1 : 0;
}

static int make(void **state)
{
	loader = (struct loader){.skeleton = tidemark_bpf__open()};
	runs = 0;
	return loader.skeleton ? 0 : -1;
}

static int unmake(void **state)
{
	tidemark_bpf__destroy(loader.skeleton);
	return 0;
}

static int match(int returned)
{
	static const struct tm_identity sampled = {.dev = 1, .ino = 2};
	int r;

	answer = returned;
	r = loader_match_file(&loader, THREAD, ADDRESS, &sampled);
	assert_int_equal(arguments[0], THREAD);
	assert_int_equal(arguments[1], ADDRESS);
	assert_int_equal(arguments[2], false);
	assert_memory_equal(&loader.skeleton->bss->check_identity, &sampled, sizeof(sampled));
	return r;
}

static void mapped_file_is_compared_with_the_sampled_one(void **state)
{
	assert_int_equal(match(TM_CHECK_OTHER), TM_CHECK_OTHER);
	assert_int_equal(match(TM_CHECK_SAME), TM_CHECK_SAME);
	assert_int_equal(match(TM_CHECK_CHANGED), TM_CHECK_CHANGED);
	assert_int_equal(runs, 3);
	assert_int_equal(loader_match_file(&loader, THREAD, ADDRESS, NULL), TM_CHECK_CHANGED);
	assert_int_equal(arguments[2], true);
}

static void mapping_that_stays_busy_is_given_up(void **state)
{
	assert_int_equal(match(TM_CHECK_BUSY), -EAGAIN);
	assert_int_equal(runs, 3);
}

static void thread_that_is_gone_is_not_looked_for_again(void **state)
{
	assert_int_equal(match(TM_CHECK_UNANSWERED), -EAGAIN);
	assert_int_equal(runs, 1);
}

static void refused_run_is_an_error(void **state)
{
	assert_int_equal(match(-EPERM), -EPERM);
	assert_int_equal(runs, 1);
	assert_int_equal(loader_change(&loader, 1, TM_FILE_FORGET, 0), -EPERM);
}

static void change_of_a_number_that_is_free_is_an_error(void **state)
{
	answer = 0;
	assert_int_equal(loader_change(&loader, 1, TM_FILE_FORGET, 0), -ENOENT);
	answer = 1;
	assert_int_equal(loader_change(&loader, 7, TM_FILE_TABLE, 8), 0);
	assert_int_equal(arguments[0], 7);
	assert_int_equal(arguments[1], TM_FILE_TABLE);
	assert_int_equal(arguments[2], 8);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)
	const struct CMUnitTest tests[] = {
		CASE(mapped_file_is_compared_with_the_sampled_one),
		CASE(mapping_that_stays_busy_is_given_up),
		CASE(thread_that_is_gone_is_not_looked_for_again),
		CASE(refused_run_is_an_error),
		CASE(change_of_a_number_that_is_free_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
