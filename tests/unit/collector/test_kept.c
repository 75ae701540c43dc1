/* SPDX-License-Identifier: Apache-2.0 */
/* test_kept - only a complete set of the same layout is used, and what is not leaves the store */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/kept.h"
#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"

static struct kept kept;
static int sockets[2];

static int make(void **state)
{
	memset(&kept, 0, sizeof(kept)); /* too large for a compound literal */
	kept.command = kept.layout_fd = kept.last_ring = -1;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets);
}

static int unmake(void **state)
{
	for (unsigned i = 0; i < kept.count; i++)
		(void)tm_close(kept.all[i].fd);
	(void)tm_close(kept.layout_fd);
	(void)close(sockets[0]);
	(void)close(sockets[1]);
	return 0;
}

/* A descriptor of its own, as systemd hands it over. */
static int hand_over(const char *name)
{
	char text[64];
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	(void)snprintf(text, sizeof(text), "%s:%d", name, fd);
	assert_int_equal(kept_parse(&kept, text), 0);
	return fd;
}

/* The next message. @ret_fd: NULL: none is to come. */
static void expect(enum tm_control_kind kind, const char *name, int *ret_fd)
{
	struct tm_control message;

	assert_int_equal(tm_fdpass_recv(sockets[1], &message, sizeof(message), ret_fd, 0), 0);
	assert_int_equal(message.kind, kind);
	assert_string_equal(message.body.text, name);
}

static void expect_nothing(void)
{
	struct tm_control message;

	assert_int_equal(tm_fdpass_recv(sockets[1], &message, sizeof(message), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

static void complete_set_of_the_same_layout_is_used_once(void **state)
{
	int ring = hand_over("r7");

	(void)hand_over("v1a");
	kept_begin(&kept, sockets[0], 0x1a);
	assert_true(kept.adopted);
	assert_false(kept.interrupted);
	expect(TM_CONTROL_DROP, "v1a", NULL);
	assert_int_equal(kept_take(&kept, KEPT_RING, 6), -1);
	assert_int_equal(kept_take(&kept, KEPT_SCRATCH, 7), -1);
	assert_int_equal(kept_take(&kept, KEPT_RING, 7), ring);
	assert_int_equal(kept_take(&kept, KEPT_RING, 7), -1);
	(void)close(ring);
	expect_nothing();
}

static void another_layout_leaves_the_store(void **state)
{
	int fd = -1;

	(void)hand_over("m0");
	(void)hand_over("v1b");
	kept_begin(&kept, sockets[0], 0x1a);
	assert_false(kept.adopted);
	assert_true(kept.interrupted);
	expect(TM_CONTROL_DROP, "m0", NULL);
	expect(TM_CONTROL_DROP, "v1b", NULL);
	assert_int_equal(kept_take(&kept, KEPT_MAP, 0), -1);
	kept_keep(&kept, KEPT_LAYOUT, kept.layout, kept.layout_fd);
	expect(TM_CONTROL_KEEP, "v1a", &fd);
	assert_true(fd >= 0);
	(void)close(fd);
}

static void incomplete_set_leaves_the_store(void **state)
{
	(void)hand_over("m0");
	kept_begin(&kept, sockets[0], 0x1a);
	assert_false(kept.adopted);
	assert_true(kept.interrupted);
	expect(TM_CONTROL_DROP, "m0", NULL);
	expect_nothing();
}

static void first_collector_of_all_was_not_interrupted(void **state)
{
	kept_begin(&kept, sockets[0], 0x1a);
	assert_false(kept.adopted);
	assert_false(kept.interrupted);
	expect_nothing();
}

static void without_a_manager_nothing_is_sent(void **state)
{
	kept_keep(&kept, KEPT_MAP, 0, STDIN_FILENO);
	kept_drop(&kept, KEPT_MAP, 0);
	expect_nothing();
}

static void last_index_is_the_highest(void **state)
{
	assert_int_equal(kept_last(&kept, KEPT_SHARED), 0);
	(void)hand_over("d9");
	(void)hand_over("d10");
	(void)hand_over("bff");
	assert_int_equal(kept_last(&kept, KEPT_SHARED), 0x10);
}

static void invalid_names_are_refused(void **state)
{
	static const char *const texts[] = {"", "m", "m1", "m1:", "m1:x", "mg:3", "m1:3x", ":3"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(kept_parse(&kept, texts[i]), -EINVAL);
	kept.count = KEPT_MAX;
	assert_int_equal(kept_parse(&kept, "m1:3"), -EINVAL);
	kept.count = 0;
}

static void digest_depends_on_each_byte(void **state)
{
	uint64_t one = kept_digest(KEPT_DIGEST, "ab", 2), two = kept_digest(KEPT_DIGEST, "ba", 2);

	assert_true(one != two);
	assert_true(kept_digest(kept_digest(KEPT_DIGEST, "a", 1), "b", 1) == one);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(complete_set_of_the_same_layout_is_used_once),
		CASE(another_layout_leaves_the_store),
		CASE(incomplete_set_leaves_the_store),
		CASE(first_collector_of_all_was_not_interrupted),
		CASE(without_a_manager_nothing_is_sent),
		CASE(last_index_is_the_highest),
		CASE(invalid_names_are_refused),
		CASE(digest_depends_on_each_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
