/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_delivery_service - parts wait for the next spool of a service, for a bounded time
 */

#include <sys/un.h>

#include "tests/unit/symbolizer/report_delivery_fixture.h"

/* The delivery may accept spools that connect to `listener`. */
static int serve_spools(struct peers *p, struct sockaddr_un *ret_address)
{
	socklen_t bytes = sizeof(*ret_address);
	const sa_family_t unnamed = AF_UNIX; /* the kernel chooses an abstract name */
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_int_equal(bind(listener, (const struct sockaddr *)&unnamed, sizeof(unnamed)), 0);
	assert_int_equal(listen(listener, 1), 0);
	memset(ret_address, 0, sizeof(*ret_address));
	assert_int_equal(getsockname(listener, (struct sockaddr *)ret_address, &bytes), 0);
	report_delivery_serve(&p->delivery, p->exporter_end, listener);
	return listener;
}

static void spool_ends(struct peers *p)
{
	p->spool = tm_close(p->spool);
	p->spool_end = -1; /* the delivery closes what it has accepted */
	step(p);
	assert_int_equal(p->delivery.spool.socket, -1);
}

static void spool_comes(struct peers *p, const struct sockaddr_un *address)
{
	const socklen_t bytes = offsetof(struct sockaddr_un, sun_path) + 6; /* of such a name */

	p->spool = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(p->spool, (const struct sockaddr *)address, bytes), 0);
	step(p);
	assert_true(p->delivery.spool.socket >= 0);
}

static void next_spool_gets_what_the_last_one_did_not_answer_and_what_was_made_since(void **state)
{
	struct peers *p = *state;
	struct sockaddr_un address;
	_cleanup_(tm_closep) int listener = serve_spools(p, &address);
	struct spool_message got, stored[2];

	assert_true(listener >= 0);
	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 1);
	send_part(p, 20);
	spool_ends(p);
	send_part(p, 30);
	exporter_got_nothing(p);
	assert_true(report_delivery_is_busy(&p->delivery));
	assert_true(report_delivery_wait_ms(&p->delivery, p->now_ms) > 0);
	spool_comes(p, &address);
	got = spool_got(p, SPOOL_STORE);
	assert_int_equal(got.samples, 20);
	assert_int_equal(got.end_ktime, 9);
	stored[0] = (struct spool_message){SPOOL_STORED, .id = got.id, .sequence = 2};
	got = spool_got(p, SPOOL_STORE);
	assert_int_equal(got.samples, 30);
	stored[1] = (struct spool_message){SPOOL_STORED, .id = got.id, .sequence = 3};
	assert_int_equal(spool_got(p, SPOOL_FETCH).sequence, 0);
	spool_sends(p, &stored[0], -1);
	spool_sends(p, &stored[1], -1);
	exporter_got_nothing(p);
	expect(p, TM_EXPORT_SPOOLED, 3, 60);
}

static void without_a_next_spool_what_waits_is_sent_directly_after_a_bounded_time(void **state)
{
	struct peers *p = *state;
	struct sockaddr_un address;
	_cleanup_(tm_closep) int listener = serve_spools(p, &address);

	assert_true(listener >= 0);
	send_part(p, 10);
	spool_ends(p);
	exporter_got_nothing(p);
	p->now_ms = tm_clock_ms() + REPORT_DELIVERY_SUCCESSOR_MS + 1000;
	step(p);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	p->delivery.spool_until_ms = 0; /* the next part is made at the time of the clock */
	send_part(p, 20);
	exporter_answers(p, 20, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 2, 30);
}

static void what_waits_for_a_spool_at_the_end_is_sent_directly(void **state)
{
	struct peers *p = *state;
	struct sockaddr_un address;
	_cleanup_(tm_closep) int listener = serve_spools(p, &address);

	assert_true(listener >= 0);
	spool_ends(p);
	send_part(p, 10);
	exporter_got_nothing(p);
	report_delivery_finish(&p->delivery, 2);
	expect(p, TM_EXPORT_UNFINISHED, 1, 10); /* the exporter has it, and did not answer */
	exporter_answers(p, 10, EXPORTER_DELIVERED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(next_spool_gets_what_the_last_one_did_not_answer_and_what_was_made_since),
		TEST(without_a_next_spool_what_waits_is_sent_directly_after_a_bounded_time),
		TEST(what_waits_for_a_spool_at_the_end_is_sent_directly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
