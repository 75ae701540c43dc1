/* SPDX-License-Identifier: Apache-2.0 */
/* test_root_paths - paths are opened below their root, without capabilities, and only for an owner
 * who is trusted
 */

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
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/opener/candidates.h"
#include "collector/opener/root_paths.h"
#include "shared/cleanup.h"

/* FOLDER/secret lies outside of the root, which is FOLDER/root. */
static char folder[] = "/tmp/tidemark-root-XXXXXX";
static int root = -1;

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int write_file(const char *name, const char *text)
{
	_cleanup_(tm_closep) int fd = open(in_folder(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	return fd < 0 || write(fd, text, 1) != 1 ? -1 : 0;
}

static int make(void **state)
{
	if (!mkdtemp(folder) || write_file("secret", "s") || mkdir(in_folder("root"), 0700) ||
	    mkdir(in_folder("root/etc"), 0700) || write_file("root/file", "f") ||
	    write_file("root/etc/shadow", "i") || write_file("root/common", "c") ||
	    chmod(in_folder("root/common"), 0666) || mkfifo(in_folder("root/fifo"), 0600) ||
	    symlink("file", in_folder("root/link")) ||
	    symlink("../secret", in_folder("root/out")) ||
	    symlink("../../../../../../etc/shadow", in_folder("root/shadow")) ||
	    symlink("/etc/shadow", in_folder("root/absolute")) ||
	    symlink("/proc/self/exe", in_folder("root/magic")))
		return -1;
	root = open(in_folder("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -1 : 0;
}

static int unmake(void **state)
{
	static const char *const files[] = {
		"secret",    "root/file", "root/etc/shadow", "root/common",   "root/fifo",
		"root/link", "root/out",  "root/shadow",     "root/absolute", "root/magic"};

	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++)
		(void)unlink(in_folder(files[i]));
	root = tm_close(root);
	return rmdir(in_folder("root/etc")) || rmdir(in_folder("root")) || rmdir(folder);
}

/* @paths: each with its NUL, @bytes in all. */
static struct opener_request request_of(const char *paths, size_t bytes, uint32_t owner)
{
	struct opener_request request = {.kind = OPENER_PATHS, .owner = owner};

	request.path_bytes = (uint32_t)bytes;
	memcpy(request.path, paths, bytes);
	return request;
}

static int open_as(const char *path, uint32_t owner)
{
	const struct opener_request request = request_of(path, strlen(path) + 1, owner);
	const struct root_paths paths = {.request = &request, .roots = {root, -ESRCH}, .count = 2};

	return root_paths_open(&paths, 0);
}

static int open_path(const char *path)
{
	return open_as(path, getuid());
}

static void expect_content(int fd, char content)
{
	char byte = 0;

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH), O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, content);
	(void)close(fd);
}

static void symbolic_links_lead_nowhere_outside_the_root(void **state)
{
	expect_content(open_path("file"), 'f');
	expect_content(open_path("link"), 'f');
	assert_int_equal(open_path("out"), -ENOENT);
	expect_content(open_path("shadow"), 'i'); /* that of the root */
	expect_content(open_path("absolute"), 'i');
	expect_content(open_path("../../../etc/shadow"), 'i');
	assert_int_equal(open_path("../secret"), -ENOENT);
	assert_int_equal(open_path("magic"), -ENOENT); /* there is no /proc in it */
}

static void magic_links_are_not_followed(void **state)
{
	const struct opener_request request = request_of("proc/self/exe", 14, getuid());
	const int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct root_paths paths = {.request = &request, .roots = {slash, -ESRCH}, .count = 2};

	assert_int_equal(root_paths_open(&paths, 0), -ELOOP);
	(void)close(slash);
}

static void what_is_not_regular_or_everybody_may_write_is_refused(void **state)
{
	assert_int_equal(open_path("fifo"), -EMEDIUMTYPE); /* without waiting for a writer */
	assert_int_equal(open_path("etc"), -EMEDIUMTYPE);
	assert_int_equal(open_path("common"), -EPERM);
	assert_int_equal(candidates_reason(-EPERM), TM_NO_FILE_DENIED);
}

static void file_of_another_user_is_refused(void **state)
{
	if (getuid() == 0)
		assert_int_equal(chown(in_folder("root/file"), 4242, 0), 0);
	assert_int_equal(open_as("file", getuid() + 1), -EPERM);
	assert_int_equal(open_as("file", UINT32_MAX), -EPERM);
	expect_content(open_as("file", getuid() == 0 ? 4242 : getuid()), 'f');
	if (getuid() == 0)
		assert_int_equal(chown(in_folder("root/file"), 0, 0), 0);
}

static void each_path_is_tried_below_each_root(void **state)
{
	const struct opener_request request = request_of("missing\0file\0", 13, getuid());
	struct root_paths paths = {.request = &request, .roots = {-ESRCH, root}, .count = 4};

	assert_int_equal(root_paths_open(&paths, 0), -ESRCH);
	assert_int_equal(root_paths_open(&paths, 1), -ESRCH);
	assert_int_equal(root_paths_open(&paths, 2), -ENOENT);
	expect_content(root_paths_open(&paths, 3), 'f');
}

static int open_map(const char *path, unsigned which)
{
	struct opener_request request = request_of(path, strlen(path) + 1, UINT32_MAX);
	const struct root_paths paths = {.request = &request, .roots = {root, root}, .count = 2};

	request.kind = OPENER_PERF_MAP;
	return root_paths_open(&paths, which);
}

/* It is for the symbolizer to see whose it is. */
static void perf_map_is_no_link_and_lies_below_the_root_of_its_process(void **state)
{
	expect_content(open_map("file", 0), 'f');
	assert_int_equal(open_map("link", 0), -EMEDIUMTYPE);
	assert_int_equal(open_map("fifo", 0), -EMEDIUMTYPE);
	assert_int_equal(open_map("etc", 0), -EMEDIUMTYPE);
	assert_int_equal(open_map("missing", 0), -ENOENT);
	assert_int_equal(open_map("file", 1), -ESRCH);
}

/* Runs in a child. Return: 0: the claims hold. */
static int begin(const struct opener_request *request, unsigned count, bool thread_root)
{
	cap_t none = cap_init(), now;
	struct root_paths paths;

	if (root_paths_begin(&paths, request) < 0 || paths.count != count || paths.roots[1] < 0 ||
	    (paths.roots[0] >= 0) != thread_root)
		return 1;
	now = cap_get_proc();
	return cap_compare(now, none) != 0;
}

static void expect_begin(struct opener_request request, unsigned count, bool thread_root)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(begin(&request, count, thread_root));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void capabilities_are_given_up_and_a_thread_of_another_namespace_is_not_asked(void **state)
{
	struct opener_request request = request_of("a\0b\0c", 6, 0);
	struct stat namespace;

	assert_int_equal(stat("/proc/self/ns/mnt", &namespace), 0);
	request.own_tid = (uint32_t)getpid();
	request.mnt_ns = (uint32_t) namespace.st_ino;
	expect_begin(request, 6, true);
	request.mnt_ns++;
	expect_begin(request, 6, false);
	request.path_bytes = 0;
	expect_begin(request, 0, false);
	memset(request.path, '/', sizeof(request.path)); /* no NUL at all */
	request.path_bytes = UINT32_MAX;
	expect_begin(request, 2, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbolic_links_lead_nowhere_outside_the_root),
		cmocka_unit_test(magic_links_are_not_followed),
		cmocka_unit_test(what_is_not_regular_or_everybody_may_write_is_refused),
		cmocka_unit_test(file_of_another_user_is_refused),
		cmocka_unit_test(each_path_is_tried_below_each_root),
		cmocka_unit_test(perf_map_is_no_link_and_lies_below_the_root_of_its_process),
		cmocka_unit_test(
			capabilities_are_given_up_and_a_thread_of_another_namespace_is_not_asked),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
