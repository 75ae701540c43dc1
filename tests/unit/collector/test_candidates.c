/* SPDX-License-Identifier: Apache-2.0 */
/* test_candidates - the opener finds regular files beneath a root, and nothing else */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/opener/candidates.h"

static char folder[] = "/tmp/tidemark-candidates-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int make(void **state)
{
	int fd;

	if (!mkdtemp(folder))
		return -1;
	fd = open(in_folder("regular"), O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) < 0)
		return -1;
	return mkdir(in_folder("sub"), 0700) || mkfifo(in_folder("fifo"), 0600) ||
	       symlink("regular", in_folder("link"));
}

static int unmake(void **state)
{
	(void)unlink(in_folder("regular"));
	(void)unlink(in_folder("fifo"));
	(void)unlink(in_folder("link"));
	(void)rmdir(in_folder("sub"));
	return rmdir(folder);
}

static struct opener_request request(uint32_t tid, const char *path)
{
	struct opener_request r = {.own_tid = tid};

	r.path_bytes = (uint32_t)snprintf(r.path, sizeof(r.path), "%s", path + 1);
	return r;
}

static int open_candidate(unsigned which, uint32_t tid, const char *path)
{
	struct opener_request r = request(tid, path);

	return candidates_open(which, &r);
}

static void regular_file_is_opened_for_reading_only(void **state)
{
	int fd = open_candidate(0, (uint32_t)getpid(), in_folder("regular"));
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH), O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	(void)close(fd);
}

static void file_that_is_not_regular_is_refused(void **state)
{
	uint32_t tid = (uint32_t)getpid();

	assert_int_equal(open_candidate(0, tid, in_folder("sub")), -EMEDIUMTYPE);
	assert_int_equal(open_candidate(0, tid, in_folder("fifo")),
			 -EMEDIUMTYPE); /* without waiting for a writer */
	assert_int_equal(open_candidate(0, tid, "/dev/null"), -EMEDIUMTYPE);
}

static void symbolic_links_are_not_followed(void **state)
{
	assert_true(open_candidate(0, (uint32_t)getpid(), in_folder("link")) < 0);
	assert_true(open_candidate(0, (uint32_t)getpid(), "/proc/self/exe") < 0);
}

static void missing_file_is_gone(void **state)
{
	int missing = open_candidate(0, (uint32_t)getpid(), in_folder("missing"));
	int nobody = open_candidate(0, INT_MAX, in_folder("regular"));
	int invisible = open_candidate(0, 0, in_folder("regular"));

	assert_int_equal(missing, -ENOENT);
	assert_int_equal(nobody, -ENOENT);
	assert_int_equal(invisible, -ESRCH);
	assert_int_equal(candidates_reason(missing), TM_NO_FILE_GONE);
	assert_int_equal(candidates_reason(nobody), TM_NO_FILE_GONE);
	assert_int_equal(candidates_reason(-EACCES), TM_NO_FILE_DENIED);
	assert_int_equal(candidates_reason(-EMEDIUMTYPE), TM_NO_FILE_TYPE);
	assert_int_equal(candidates_reason(-ELOOP), TM_NO_FILE_OTHER);
	assert_int_equal(candidates_reason(-EIO), TM_NO_FILE_ERROR);
}

static void own_root_is_used_only_within_the_same_namespace(void **state)
{
	struct opener_request r = request(0, in_folder("regular"));
	struct stat st;
	int fd;

	assert_int_equal(stat("/proc/self/ns/mnt", &st), 0);
	r.mnt_ns = (uint32_t)st.st_ino;
	fd = candidates_open(3, &r);
	assert_true(fd >= 0);
	(void)close(fd);
	r.mnt_ns++;
	assert_int_equal(candidates_open(3, &r), -ESRCH);
}

static void empty_mapping_is_not_opened(void **state)
{
	struct opener_request r = {.own_tid = (uint32_t)getpid()};

	assert_int_equal(candidates_open(1, &r), -ESRCH);
	assert_int_equal(candidates_open(CANDIDATES_N, &r), -ESRCH);
}

static void empty_path_is_not_the_root(void **state)
{
	struct opener_request r = {.own_tid = (uint32_t)getpid()};

	assert_int_equal(candidates_open(0, &r), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_file_is_opened_for_reading_only),
		cmocka_unit_test(file_that_is_not_regular_is_refused),
		cmocka_unit_test(symbolic_links_are_not_followed),
		cmocka_unit_test(missing_file_is_gone),
		cmocka_unit_test(own_root_is_used_only_within_the_same_namespace),
		cmocka_unit_test(empty_mapping_is_not_opened),
		cmocka_unit_test(empty_path_is_not_the_root),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
