/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exporter_client - what is handed over to the exporter, and what its answers count as
 */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "symbolizer/output/exporter_client.h"

#define FIRST_ID 1000u
#define FOREVER  60000u /* ms, against hangs */

struct pair {
	struct exporter_client client;
	int ours;   /* the client's end */
	int theirs; /* the exporter's */
};

static int set_up(void **state)
{
	static struct pair pair;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	pair.ours = ends[0];
	pair.theirs = ends[1];
	exporter_client_init(&pair.client, pair.ours, FIRST_ID);
	*state = &pair;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *pair = *state;

	pair->ours = tm_close(pair->ours);
	pair->theirs = tm_close(pair->theirs);
	return 0;
}

static void send_samples(struct pair *pair, uint64_t samples)
{
	struct exporter_message message = {
		.flags = EXPORTER_GZIP, .uncompressed_bytes = 10, .samples = samples};
	int body = exporter_client_body();

	assert_true(body >= 0);
	assert_int_equal(write(body, "body", 4), 4);
	message.body_bytes = exporter_client_seal(body);
	exporter_client_send(&pair->client, body, &message);
	(void)close(body);
}

static void answer(struct pair *pair, struct exporter_message message)
{
	message.kind = EXPORTER_OUTCOME;
	assert_int_equal(tm_fdpass_send(pair->theirs, &message, sizeof(message), -1, 0), 0);
}

static void assert_counts(const struct pair *pair, enum tm_export outcome, uint64_t requests,
			  uint64_t samples)
{
	assert_int_equal(pair->client.result.requests[outcome], requests);
	assert_int_equal(pair->client.result.samples[outcome], samples);
}

static void bodies_are_sealed_and_described(void **state)
{
	struct pair *pair = *state;
	struct exporter_message message;
	char body[8] = "";
	int fd;

	send_samples(pair, 7);
	assert_int_equal(tm_fdpass_recv(pair->theirs, &message, sizeof(message), &fd, 0), 0);
	assert_int_equal(message.kind, EXPORTER_SEND);
	assert_int_equal(message.flags, EXPORTER_GZIP);
	assert_int_equal(message.id, FIRST_ID + 1);
	assert_int_equal(message.body_bytes, 4);
	assert_int_equal(message.uncompressed_bytes, 10);
	assert_int_equal(message.samples, 7);
	assert_int_equal(pread(fd, body, sizeof(body), 0), 4);
	assert_string_equal(body, "body");
	assert_int_equal(fcntl(fd, F_GET_SEALS),
			 F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	(void)close(fd);
	assert_int_equal(pair->client.result.bytes, 4);
}

static void answers_are_counted_by_what_became_of_the_request(void **state)
{
	static const struct {
		enum exporter_status status;
		enum tm_export outcome;
	} cases[] = {
		{EXPORTER_DELIVERED, TM_EXPORT_DELIVERED},
		{EXPORTER_REFUSED, TM_EXPORT_REFUSED},
		{EXPORTER_UNTRUSTED, TM_EXPORT_UNTRUSTED},
		{EXPORTER_FAILED, TM_EXPORT_FAILED},
		{EXPORTER_EXPIRED, TM_EXPORT_EXPIRED},
		{EXPORTER_QUEUE_FULL, TM_EXPORT_QUEUE_FULL},
		{EXPORTER_TOO_LARGE, TM_EXPORT_TOO_LARGE},
		{EXPORTER_LEFT, TM_EXPORT_UNFINISHED},
	};
	struct pair *pair = *state;
	const unsigned count = sizeof(cases) / sizeof(*cases);

	for (unsigned i = 0; i < count; i++)
		send_samples(pair, 100 + i);
	for (unsigned i = count; i-- > 0;) /* in any order */
		answer(pair, (struct exporter_message){.id = FIRST_ID + 1 + i,
						       .status = cases[i].status});
	exporter_client_receive(&pair->client);
	for (unsigned i = 0; i < count; i++)
		assert_counts(pair, cases[i].outcome, 1, 100 + i);
	assert_int_equal(pair->client.open_count, 0);
}

static void rejected_profiles_are_counted(void **state)
{
	struct pair *pair = *state;

	send_samples(pair, 5);
	answer(pair, (struct exporter_message){.id = FIRST_ID + 1,
					       .status = EXPORTER_REJECTED_IN_PART,
					       .rejected = 2});
	exporter_client_finish(&pair->client, FOREVER);
	assert_counts(pair, TM_EXPORT_DELIVERED, 1, 5);
	assert_int_equal(pair->client.result.rejected, 2);
}

static void an_answer_to_the_client_before_is_not_counted(void **state)
{
	struct pair *pair = *state;

	send_samples(pair, 5);
	answer(pair, (struct exporter_message){.id = FIRST_ID - 3});
	answer(pair, (struct exporter_message){.id = FIRST_ID + 1});
	exporter_client_receive(&pair->client);
	assert_counts(pair, TM_EXPORT_DELIVERED, 1, 5);
}

static void assert_lost_by(struct pair *pair, struct exporter_message message)
{
	send_samples(pair, 5);
	assert_int_equal(tm_fdpass_send(pair->theirs, &message, sizeof(message), -1, 0), 0);
	exporter_client_receive(&pair->client);
	assert_int_equal(pair->client.socket, -1);
	assert_counts(pair, TM_EXPORT_NO_EXPORTER, 1, 5);
	send_samples(pair, 6);
	assert_counts(pair, TM_EXPORT_NO_EXPORTER, 2, 11);
}

static void an_answer_of_another_kind_ends_the_connection(void **state)
{
	assert_lost_by(*state,
		       (struct exporter_message){.kind = EXPORTER_SEND, .id = FIRST_ID + 1});
}

static void an_unknown_status_ends_the_connection(void **state)
{
	assert_lost_by(*state, (struct exporter_message){.kind = EXPORTER_OUTCOME,
							 .id = FIRST_ID + 1,
							 .status = EXPORTER_STATUS_N});
}

static void an_answer_to_nothing_ends_the_connection(void **state)
{
	assert_lost_by(*state,
		       (struct exporter_message){.kind = EXPORTER_OUTCOME, .id = FIRST_ID + 2});
}

static void an_exporter_that_dies_loses_what_is_open(void **state)
{
	struct pair *pair = *state;

	send_samples(pair, 5);
	send_samples(pair, 6);
	pair->theirs = tm_close(pair->theirs);
	exporter_client_finish(&pair->client, FOREVER);
	assert_counts(pair, TM_EXPORT_NO_EXPORTER, 2, 11);
	send_samples(pair, 7);
	assert_counts(pair, TM_EXPORT_NO_EXPORTER, 3, 18);
}

static void an_exporter_that_does_not_answer_leaves_requests_unfinished(void **state)
{
	struct pair *pair = *state;

	send_samples(pair, 5);
	exporter_client_finish(&pair->client, 1);
	assert_counts(pair, TM_EXPORT_UNFINISHED, 1, 5);
}

static void too_many_open_requests_are_not_handed_over(void **state)
{
	struct pair *pair = *state;
	struct exporter_message message;
	int fd;

	for (unsigned i = 0; i < EXPORTER_CLIENT_OPEN_MAX + 3; i++) {
		send_samples(pair, 1);
		if (tm_fdpass_recv(pair->theirs, &message, sizeof(message), &fd, MSG_DONTWAIT) == 0)
			(void)close(fd);
	}
	assert_counts(pair, TM_EXPORT_QUEUE_FULL, 3, 3);
	assert_int_equal(pair->client.open_count, EXPORTER_CLIENT_OPEN_MAX);
}

static void a_full_socket_counts_as_a_full_queue(void **state)
{
	struct pair *pair = *state;
	unsigned sent = 0;

	while (pair->client.result.requests[TM_EXPORT_QUEUE_FULL] == 0 &&
	       sent++ <= EXPORTER_CLIENT_OPEN_MAX)
		send_samples(pair, 1);
	assert_counts(pair, TM_EXPORT_QUEUE_FULL, 1, 1);
	exporter_client_finish(&pair->client, 1);
	assert_counts(pair, TM_EXPORT_UNFINISHED, sent - 1, sent - 1);
}

static void without_an_exporter_nothing_happens(void **state)
{
	struct exporter_client client;

	exporter_client_init(&client, -1, FIRST_ID);
	exporter_client_finish(&client, FOREVER);
	assert_int_equal(client.result.requests[TM_EXPORT_NO_EXPORTER], 0);
	exporter_client_fail(&client, TM_EXPORT_MEMORY, 9);
	assert_int_equal(client.result.samples[TM_EXPORT_MEMORY], 9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(bodies_are_sealed_and_described),
		TEST(answers_are_counted_by_what_became_of_the_request),
		TEST(rejected_profiles_are_counted),
		TEST(an_answer_to_the_client_before_is_not_counted),
		TEST(an_answer_of_another_kind_ends_the_connection),
		TEST(an_unknown_status_ends_the_connection),
		TEST(an_answer_to_nothing_ends_the_connection),
		TEST(an_exporter_that_dies_loses_what_is_open),
		TEST(an_exporter_that_does_not_answer_leaves_requests_unfinished),
		TEST(too_many_open_requests_are_not_handed_over),
		TEST(a_full_socket_counts_as_a_full_queue),
		cmocka_unit_test(without_an_exporter_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
