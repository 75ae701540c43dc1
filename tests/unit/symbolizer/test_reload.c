/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reload - root changes what runs over the reload socket; nobody else does, and no other bytes
 *
 * Linked with -Wl,--wrap=getsockopt: who connects is whom the test says.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/fdpass.h"
#include "symbolizer/service.h"
#include "symbolizer/session.h"
#include "tests/unit/symbolizer/make_reload.h"

#define NOW_MS 1000u

static struct options options;
static struct service service;
static struct reload *const reload = &service.reload;
static struct session session;
static struct interval interval; /* only that there is one counts */
static bool ended;               /* the interval is to */
static uid_t peer_uid;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char folder[] = "/tmp/tidemark-reload.XXXXXX";

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *bytes);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *bytes)
{
	const struct ucred peer = {.uid = peer_uid};

	assert_int_equal(level, SOL_SOCKET);
	assert_int_equal(name, SO_PEERCRED);
	assert_int_equal(*bytes, sizeof(peer));
	memcpy(value, &peer, sizeof(peer));
	return 0;
}

/* A service that runs with the values of make_reload. */
static int start(void **state)
{
	static struct resource_options resource = {.resource.service_name = ""};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 8) < 0)
		return -1;
	options = (struct options){.hz = 19, .spools = true};
	memset(&service, 0, sizeof(service)); /* too large for a compound literal */
	service.manager.notify = service.manager.signals = -1;
	service.parser_listener = service.status_listener = -1;
	service.every_ms = 5000;
	service.next_ms = UINT64_MAX;
	service.reload = RELOAD_NULL;
	reload->listener = fd;
	reload->interval_ms = 5000;
	reload->memory_bytes = 512u << 20;
	session.options = &options;
	session.service = &service;
	session.interval = &interval;
	session.flush_pending = false;
	governor_init(&session.governor, 10000, 19);
	peer_uid = 0;
	if (report_settings_new(&resource, &session.settings) < 0)
		return -1;
	session.next_settings = report_settings_ref(session.settings);
	return 0;
}

static int stop(void **state)
{
	session.settings = report_settings_unref(session.settings);
	session.next_settings = report_settings_unref(session.next_settings);
	reload_deinit(reload);
	return unlink(address.sun_path);
}

static int connected(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Return: the answer; all 0: the connection was closed without one. */
static struct tm_reload_answer answer_to(const void *message, size_t bytes)
{
	struct tm_reload_answer answer = {0};
	int fd = connected();

	assert_int_equal(send(fd, message, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
	ended = reload_round(&session, reload, NOW_MS);
	if (tm_fdpass_recv(fd, &answer, sizeof(answer), NULL, MSG_DONTWAIT) != 0)
		answer = (struct tm_reload_answer){0};
	else
		assert_int_equal(answer.magic, TM_RELOAD_MAGIC);
	assert_int_equal(recv(fd, &answer.version, 1, MSG_DONTWAIT), 0); /* closed */
	(void)close(fd);
	return answer;
}

/* --- what is taken ---------------------------------------------------------------------------- */

static void values_that_run_already_change_nothing(void **state)
{
	const struct tm_reload message = make_reload();
	struct tm_reload_answer answer = answer_to(&message, sizeof(message));

	assert_int_equal(answer.bytes, sizeof(answer));
	assert_int_equal(answer.changed, 0);
	assert_int_equal(answer.differ, 0);
	assert_false(ended);
	assert_int_equal(reload->taken, 1);
}

static void limit_of_cpu_time_changes_at_once_and_the_interval_goes_on(void **state)
{
	struct tm_reload message = make_reload();

	message.cpu_max_ppm = 1;
	assert_int_equal(answer_to(&message, sizeof(message)).changed, TM_RELOAD_CPU_MAX);
	assert_int_equal(session.governor.limit_ppm, 1);
	assert_false(ended);
	assert_int_equal(answer_to(&message, sizeof(message)).changed, 0);
}

static void new_interval_begins_at_once(void **state)
{
	struct tm_reload message = make_reload();
	int fd = connected();

	message.interval_ms = 200;
	assert_int_equal(send(fd, &message, sizeof(message), 0), (ssize_t)sizeof(message));
	assert_int_equal(service_round(&session), 0);
	assert_int_equal(service.every_ms, 200);
	assert_true(session.flush_pending);
	assert_true(service.next_ms < UINT64_MAX);
	(void)close(fd);
}

/* A report that is asked for already has been promised for after the old interval. */
static void new_interval_counts_while_a_report_waits(void **state)
{
	struct tm_reload message = make_reload();
	int fd = connected();

	session.flush_pending = true;
	message.interval_ms = 200;
	assert_int_equal(send(fd, &message, sizeof(message), 0), (ssize_t)sizeof(message));
	assert_int_equal(service_round(&session), 0);
	assert_true(service.next_ms < UINT64_MAX);
	(void)close(fd);
}

static void open_interval_keeps_what_its_report_says(void **state)
{
	struct tm_reload message = make_reload();
	struct report_settings *first = session.settings;

	(void)snprintf(message.labels, sizeof(message.labels), "team=a");
	assert_int_equal(answer_to(&message, sizeof(message)).changed, TM_RELOAD_LABELS);
	assert_ptr_equal(session.settings, first);
	assert_int_equal(session.next_settings->resource.resource.attribute_count, 1);
	assert_true(ended);
	assert_int_equal(reload->interval_ms, 5000);
	/* once more, before that interval has ended */
	assert_int_equal(answer_to(&message, sizeof(message)).changed, 0);
}

static void what_needs_a_restart_is_compared(void **state)
{
	struct tm_reload message = make_reload();

	message.hz = 20;
	assert_int_equal(answer_to(&message, sizeof(message)).differ, TM_RELOAD_RATE);
	message = make_reload();
	message.memory_bytes++;
	assert_int_equal(answer_to(&message, sizeof(message)).differ, TM_RELOAD_MEMORY);
	message = make_reload();
	message.off_cpu = 1;
	assert_int_equal(answer_to(&message, sizeof(message)).differ, TM_RELOAD_OFF_CPU);
	message = make_reload();
	message.sends = 1;
	assert_int_equal(answer_to(&message, sizeof(message)).differ, TM_RELOAD_SENDS);
	message = make_reload();
	message.keeps = 0;
	assert_int_equal(answer_to(&message, sizeof(message)).differ, TM_RELOAD_KEEPS);
	assert_false(ended);
}

/* --- what is not ------------------------------------------------------------------------------ */

static void nothing_of_a_wrong_message_is_taken(void **state)
{
	struct tm_reload message = make_reload();

	message.interval_ms = 200;
	message.cpu_max_ppm = 1;
	(void)snprintf(message.labels, sizeof(message.labels), "team=a,team=b");
	assert_int_equal(answer_to(&message, sizeof(message)).magic, 0);
	message.labels[0] = '\0';
	message.keeps = 2;
	assert_int_equal(answer_to(&message, sizeof(message)).magic, 0);
	assert_int_equal(reload->refused, 2);
	assert_int_equal(reload->taken, 0);
	assert_int_equal(reload->interval_ms, 5000);
	assert_int_equal(session.governor.limit_ppm, 10000);
	assert_ptr_equal(session.settings, session.next_settings);
	assert_false(ended);
}

static void message_of_another_size_is_refused(void **state)
{
	static char bytes[sizeof(struct tm_reload) + 1];
	const struct tm_reload message = make_reload();

	memcpy(bytes, &message, sizeof(message));
	assert_int_equal(answer_to(bytes, 1).magic, 0);
	assert_int_equal(answer_to(bytes, sizeof(message) - 1).magic, 0);
	assert_int_equal(answer_to(bytes, sizeof(message) + 1).magic, 0);
	assert_int_equal(reload->refused, 3);
}

static void message_with_a_descriptor_is_refused(void **state)
{
	const struct tm_reload message = make_reload();
	int fd = connected();

	assert_int_equal(tm_fdpass_send(fd, &message, sizeof(message), STDIN_FILENO, 0), 0);
	(void)reload_round(&session, reload, NOW_MS);
	assert_int_equal(reload->refused, 1);
	assert_int_equal(reload->peer, -1);
	(void)close(fd);
}

static void nobody_but_root_changes_anything(void **state)
{
	struct tm_reload message = make_reload();

	message.interval_ms = 200;
	peer_uid = 1;
	assert_int_equal(answer_to(&message, sizeof(message)).magic, 0);
	assert_int_equal(reload->refused, 1);
	assert_int_equal(reload->interval_ms, 5000);
}

/* --- when ------------------------------------------------------------------------------------- */

static void who_says_nothing_is_not_waited_for(void **state)
{
	const struct tm_reload message = make_reload();
	int silent = connected();

	(void)reload_round(&session, reload, NOW_MS);
	assert_int_equal(reload_fd(reload), reload->peer);
	(void)reload_round(&session, reload, NOW_MS + RELOAD_WAIT_MS - 1);
	assert_true(reload->peer >= 0);
	(void)reload_round(&session, reload, NOW_MS + RELOAD_WAIT_MS);
	assert_int_equal(reload->refused, 1);
	assert_int_equal(reload_fd(reload), reload->listener);
	assert_int_equal(answer_to(&message, sizeof(message)).magic, TM_RELOAD_MAGIC);
	(void)close(silent);
}

/* While the symbolizer waited for the collector, the command has given up. */
static void message_of_somebody_who_has_gone_is_dropped(void **state)
{
	struct tm_reload message = make_reload();
	int fd = connected();

	message.interval_ms = 200;
	assert_int_equal(send(fd, &message, sizeof(message), 0), (ssize_t)sizeof(message));
	(void)close(fd);
	(void)reload_round(&session, reload, NOW_MS);
	assert_int_equal(reload->interval_ms, 5000);
	assert_int_equal(reload->taken, 0);
	assert_int_equal(reload->refused, 0);
	assert_int_equal(reload->peer, -1);
}

static void service_without_the_socket_has_no_reload(void **state)
{
	struct reload none = RELOAD_NULL;

	assert_false(reload_round(&session, &none, NOW_MS));
	assert_int_equal(reload_fd(&none), -1);
	assert_int_equal(none.taken + none.refused, 0);
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	return 0;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_that_run_already_change_nothing),
		TEST(limit_of_cpu_time_changes_at_once_and_the_interval_goes_on),
		TEST(new_interval_begins_at_once),
		TEST(new_interval_counts_while_a_report_waits),
		TEST(open_interval_keeps_what_its_report_says),
		TEST(what_needs_a_restart_is_compared),
		TEST(nothing_of_a_wrong_message_is_taken),
		TEST(message_of_another_size_is_refused),
		TEST(message_with_a_descriptor_is_refused),
		TEST(nobody_but_root_changes_anything),
		TEST(who_says_nothing_is_not_waited_for),
		TEST(message_of_somebody_who_has_gone_is_dropped),
		TEST(service_without_the_socket_has_no_reload),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
