/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sandbox - what the two filters of tidemark-spool allow, and what its io_uring ring takes
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/landlock.h"
#include "shared/sandbox.h"
#include "spool_filter.h"
#include "spool_uring_filter.h"
#include "symbolizer/spool/folder.h"
#include "symbolizer/spool/writer.h"
#include "tests/unit/filter_probe.h"

struct probe {
	const char *what;
	long number;
	long arguments[5];
	bool calls, ring; /* allowed with system calls alone; with a ring */
};

#define READ  (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define CUT   (O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define MAKE  (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define OTHER (FOLDER_FD + 1)

static char name[] = "name", empty[] = "";
static struct stat status;

static const struct probe probes[] = {
	{"a segment", SYS_openat, {FOLDER_FD, (long)name, READ}, true, true},
	{"a segment to cut off", SYS_openat, {FOLDER_FD, (long)name, CUT}, true, true},
	{"a new segment", SYS_openat, {FOLDER_FD, (long)name, MAKE, 0640}, true, true},
	{"a segment through a link",
	 SYS_openat,
	 {FOLDER_FD, (long)name, READ & ~O_NOFOLLOW},
	 false,
	 false},
	{"a new segment over another",
	 SYS_openat,
	 {FOLDER_FD, (long)name, MAKE & ~O_EXCL},
	 false,
	 false},
	{"an emptied segment", SYS_openat, {FOLDER_FD, (long)name, CUT | O_TRUNC}, false, false},
	{"a file elsewhere", SYS_openat, {AT_FDCWD, (long)name, READ}, false, false},
	{"a file of another folder", SYS_openat, {OTHER, (long)name, READ}, false, false},
	{"a new file elsewhere", SYS_openat, {AT_FDCWD, (long)name, MAKE, 0640}, false, false},
	{"open", SYS_open, {(long)name, O_RDONLY}, false, false},
	{"openat2", SYS_openat2, {FOLDER_FD, 0, 0, 0}, false, false},
	{"a segment removed", SYS_unlinkat, {FOLDER_FD, (long)name, 0}, true, true},
	{"a folder removed", SYS_unlinkat, {FOLDER_FD, (long)name, AT_REMOVEDIR}, false, false},
	{"a file elsewhere removed", SYS_unlinkat, {AT_FDCWD, (long)name, 0}, false, false},
	{"unlink", SYS_unlink, {(long)name}, false, false},
	{"renameat", SYS_renameat, {FOLDER_FD, (long)name, FOLDER_FD, (long)name}, false, false},
	{"linkat", SYS_linkat, {FOLDER_FD, (long)name, FOLDER_FD, (long)name, 0}, false, false},
	{"symlinkat", SYS_symlinkat, {(long)name, FOLDER_FD, (long)name}, false, false},
	{"mkdirat", SYS_mkdirat, {FOLDER_FD, (long)name, 0700}, false, false},
	{"fchmod", SYS_fchmod, {-1, 0777}, false, false},
	{"fchown", SYS_fchown, {-1, 0, 0}, false, false},
	{"the folder synced", SYS_fsync, {FOLDER_FD}, true, true},
	{"another file synced", SYS_fsync, {OTHER}, false, false},
	{"a segment synced", SYS_fdatasync, {-1}, true, false},
	{"pwrite64", SYS_pwrite64, {-1, 0, 0, 0}, true, false},
	{"pread64", SYS_pread64, {-1, 0, 0, 0}, true, true},
	{"ftruncate", SYS_ftruncate, {-1, 0}, true, true},
	{"a ring used", SYS_io_uring_enter, {-1, 0, 0, 0}, false, true},
	{"a ring's file",
	 SYS_io_uring_register,
	 {-1, IORING_REGISTER_FILES_UPDATE, 0, 0},
	 false,
	 true},
	{"a ring's buffers",
	 SYS_io_uring_register,
	 {-1, IORING_REGISTER_BUFFERS, 0, 0},
	 false,
	 false},
	{"another ring", SYS_io_uring_setup, {1, 0}, false, false},
	{"a memfd", SYS_memfd_create, {(long)name, MFD_CLOEXEC}, true, true},
	{"seals", SYS_fcntl, {-1, F_ADD_SEALS, 0}, true, true},
	{"a copied descriptor", SYS_fcntl, {-1, F_DUPFD, 0}, false, false},
	{"the size of a descriptor",
	 SYS_newfstatat,
	 {1, (long)empty, (long)&status, AT_EMPTY_PATH},
	 true,
	 true},
	{"the size of a file",
	 SYS_newfstatat,
	 {AT_FDCWD, (long)name, (long)&status, 0},
	 false,
	 false},
	{"a socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}, false, false},
	{"a unix socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, false, false},
	{"connect", SYS_connect, {-1, 0, 0}, false, false},
	{"execve", SYS_execve, {0, 0, 0}, false, false},
	{"fork", SYS_clone, {SIGCHLD, 0, 0, 0}, false, false},
	{"clone3", SYS_clone3, {0, 0}, false, false},
	{"kill", SYS_kill, {0, 0}, false, false},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, false, false},
	{"bpf", SYS_bpf, {0, 0, 0}, false, false},
	{"unshare", SYS_unshare, {0}, false, false},
	{"setuid", SYS_setuid, {0}, false, false},
	{"executable memory",
	 SYS_mmap,
	 {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1},
	 false,
	 false},
	{"memory", SYS_mprotect, {0, 0, PROT_READ}, true, true},
};

static void each_call_without_a_ring_is_allowed_or_kills(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		filter_probe(&spool_filter, probes[i].what, probes[i].number, probes[i].arguments,
			     probes[i].calls);
}

static void each_call_with_a_ring_is_allowed_or_kills(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		filter_probe(&spool_uring_filter, probes[i].what, probes[i].number,
			     probes[i].arguments, probes[i].ring);
}

/* --- the ring --------------------------------------------------------------------------------- */

static struct io_uring_sqe *next(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (!sqe)
		abort();
	return sqe;
}

static int submit(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int r;

	assert_int_equal(io_uring_submit_and_wait(ring, 1), 1);
	assert_int_equal(io_uring_wait_cqe(ring, &cqe), 0);
	r = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return r;
}

static void ring_takes_writing_and_syncing_of_its_file_and_nothing_else(void **state)
{
	_cleanup_(tm_closep) int file = memfd_create("file", MFD_CLOEXEC);
	struct writer writer;
	struct io_uring_sqe *sqe;
	char bytes[4] = {0};

	writer_init(&writer, false);
	if (!writer.has_ring)
		skip();
	assert_int_equal(writer_write(&writer, "four", 4, 0), -EBADF); /* none is set */
	assert_int_equal(writer_set_file(&writer, file), 0);
	assert_int_equal(writer_write(&writer, "four", 4, 10), 0);
	assert_int_equal(writer_sync(&writer), 0);
	assert_int_equal(pread(file, bytes, 4, 10), 4);
	assert_memory_equal(bytes, "four", 4);

	sqe = next(&writer.ring);
	io_uring_prep_write(sqe, file, bytes, 4, 0); /* by its number, not registered */
	assert_int_equal(submit(&writer.ring), -EACCES);
	sqe = next(&writer.ring);
	io_uring_prep_read(sqe, 0, bytes, 4, 0);
	sqe->flags = IOSQE_FIXED_FILE;
	assert_int_equal(submit(&writer.ring), -EACCES);
	sqe = next(&writer.ring);
	io_uring_prep_openat(sqe, AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
	assert_int_equal(submit(&writer.ring), -EACCES);
	sqe = next(&writer.ring);
	io_uring_prep_socket(sqe, AF_INET, SOCK_STREAM, 0, 0);
	assert_int_equal(submit(&writer.ring), -EACCES);
	writer_deinit(&writer);
}

/* --- Landlock --------------------------------------------------------------------------------- */

static int result(int r)
{
	return r < 0 ? errno : 0;
}

static _Noreturn void try_folder(int folder, const char *outside)
{
	const struct tm_landlock_allowed allowed = {.folder = &folder};
	char path[256];
	int fd;

	if (tm_sandbox_harden() < 0 || tm_landlock_enter(&allowed) != 0)
		_exit(77);
	fd = openat(folder, "new", MAKE, 0640);
	if (fd < 0 || write(fd, "x", 1) != 1 || ftruncate(fd, 0) < 0 ||
	    openat(folder, "new", READ) < 0 || unlinkat(folder, "new", 0) < 0)
		_exit(1);
	if (result(openat(folder, "../passwd", MAKE, 0640)) != EACCES ||
	    result(open("/etc/passwd", O_RDONLY)) != EACCES ||
	    result(mkdirat(folder, "folder", 0700)) != EACCES ||
	    result(symlinkat("x", folder, "link")) != EACCES)
		_exit(2);
	(void)snprintf(path, sizeof(path), "%s/kept", outside);
	if (result(unlink(path)) != EACCES || result(open(path, O_WRONLY)) != EACCES)
		_exit(3);
	_exit(0);
}

static void landlock_leaves_the_folder_alone(void **state)
{
	char outside[] = "/tmp/spool-XXXXXX", inside[64], kept[64];
	int folder, fd, ended;
	pid_t pid;

	assert_non_null(mkdtemp(outside));
	(void)snprintf(inside, sizeof(inside), "%s/spool", outside);
	(void)snprintf(kept, sizeof(kept), "%s/kept", outside);
	assert_int_equal(mkdir(inside, 0750), 0);
	fd = open(kept, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	folder = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder >= 0);
	pid = fork();
	if (pid == 0)
		try_folder(folder, outside);
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	assert_int_equal(close(folder), 0);
	assert_int_equal(unlink(kept), 0);
	assert_int_equal(rmdir(inside), 0);
	assert_int_equal(rmdir(outside), 0);
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 77)
		skip(); /* the kernel has no Landlock */
	assert_int_equal(ended, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_without_a_ring_is_allowed_or_kills),
		cmocka_unit_test(each_call_with_a_ring_is_allowed_or_kills),
		cmocka_unit_test(ring_takes_writing_and_syncing_of_its_file_and_nothing_else),
		cmocka_unit_test(landlock_leaves_the_folder_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
