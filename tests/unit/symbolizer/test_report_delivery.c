/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_delivery - parts go to the spool, from there in order to the exporter, and each is
 * counted once
 */

#include <sys/mman.h>

#include "tests/unit/symbolizer/full_socket.h"
#include "tests/unit/symbolizer/report_delivery_fixture.h"

/* --- with both -------------------------------------------------------------------------------- */

static void each_report_is_stored_then_sent_in_order_then_marked(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	send_part(p, 20);
	spool_stores(p, 1);
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
	spool_stores(p, 2);
	spool_reports(p, 1, 10);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	assert_int_equal(spool_got(p, SPOOL_DELIVERED).sequence, 1);
	expect(p, TM_EXPORT_DELIVERED, 1, 10);
	expect(p, TM_EXPORT_SPOOLED, 1, 20);
	spool_reports(p, 2, 20);
	exporter_answers(p, 20, EXPORTER_REFUSED); /* which is final, too */
	assert_int_equal(spool_got(p, SPOOL_DELIVERED).sequence, 2);
	spool_has_no_more(p);
	expect(p, TM_EXPORT_REFUSED, 1, 20);
	expect(p, TM_EXPORT_SPOOLED, 0, 0);
	assert_int_equal(p->delivery.exporter.result.bytes, 8);
	spool_got_nothing(p);
}

static void report_that_could_not_be_sent_is_sent_again_after_a_pause(void **state)
{
	static const enum exporter_status failures[] = {EXPORTER_EXPIRED, EXPORTER_UNTRUSTED,
							EXPORTER_FAILED, EXPORTER_LEFT,
							EXPORTER_QUEUE_FULL};
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 1);
	for (unsigned i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		uint64_t pause = p->delivery.pause_ms;

		spool_reports(p, 1, 10);
		exporter_answers(p, 10, failures[i]);
		spool_got_nothing(p);
		assert_true(p->delivery.pause_ms > pause);
		assert_false(report_delivery_is_busy(&p->delivery));
		assert_true(report_delivery_wait_ms(&p->delivery, p->now_ms) > 0);
		p->now_ms += REPORT_DELIVERY_PAUSE_MAX_MS + 1000;
		step(p);
	}
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
	spool_reports(p, 1, 10);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	assert_int_equal(spool_got(p, SPOOL_DELIVERED).sequence, 1);
	expect(p, TM_EXPORT_DELIVERED, 1, 10);
	assert_int_equal(p->delivery.pause_ms, 0);
}

static void reports_of_earlier_recordings_are_counted_apart(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_reports(p, 7, 70);
	exporter_answers(p, 70, EXPORTER_DELIVERED);
	assert_int_equal(spool_got(p, SPOOL_DELIVERED).sequence, 7);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 8);
	spool_reports(p, 8, 10);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 1, 10);
	assert_int_equal(p->delivery.exporter.result.replayed, 1);
}

static void what_the_spool_refuses_is_sent_directly(void **state)
{
	struct peers *p = *state;
	struct spool_message got;

	for (unsigned i = 0; i < 3; i++) {
		static const enum spool_status refusals[] = {SPOOL_TOO_LARGE, SPOOL_FULL,
							     SPOOL_BROKEN};

		send_part(p, 10);
		got = spool_got(p, SPOOL_STORE);
		spool_sends(
			p,
			&(struct spool_message){SPOOL_STORED, .id = got.id, .status = refusals[i]},
			-1);
		if (i == 0)
			spool_has_no_more(p);
		exporter_answers(p, 10, EXPORTER_DELIVERED);
		expect(p, TM_EXPORT_DELIVERED, i + 1, 10 * (i + 1));
	}
}

static void what_a_lost_spool_has_not_answered_for_is_sent_directly(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 1);
	send_part(p, 20);
	p->spool = tm_close(p->spool);
	step(p);
	exporter_answers(p, 20, EXPORTER_DELIVERED);
	send_part(p, 30);
	exporter_answers(p, 30, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 2, 50);
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
}

static void spool_that_does_not_answer_is_given_up(void **state)
{
	struct peers *p = *state;

	send_part(p, 10);
	step(p);
	exporter_got_nothing(p);
	p->now_ms += REPORT_DELIVERY_ANSWER_MS + 1000;
	step(p);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 1, 10);
}

static void what_a_full_socket_refuses_is_stored_when_the_spool_reads(void **state)
{
	struct peers *p = *state;
	unsigned count = full_socket_fill(p->spool_end);

	send_part(p, 10);
	step(p);
	full_socket_empty(p->spool, count);
	spool_got_nothing(p);
	exporter_got_nothing(p);
	step(p);
	spool_stores(p, 1);
	spool_reports(p, 1, 10);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 1, 10);
}

static void more_parts_than_may_wait_for_the_spool_are_sent_directly(void **state)
{
	struct peers *p = *state;

	for (unsigned i = 0; i < REPORT_DELIVERY_STORING; i++)
		send_part(p, 1);
	exporter_got_nothing(p);
	send_part(p, 2);
	exporter_answers(p, 2, EXPORTER_DELIVERED);
	expect(p, TM_EXPORT_DELIVERED, 1, 2);
}

static void what_the_spool_gave_up_is_lost(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	send_part(p, 20);
	send_part(p, 30);
	spool_stores(p, 1);
	spool_stores(p, 2);
	spool_stores(p, 3);
	spool_reports(p, 2, 20); /* 1 was removed, or is damaged */
	exporter_answers(p, 20, EXPORTER_DELIVERED);
	assert_int_equal(spool_got(p, SPOOL_DELIVERED).sequence, 2);
	expect(p, TM_EXPORT_SPOOL_LOST, 1, 10);
	spool_has_no_more(p);
	expect(p, TM_EXPORT_SPOOL_LOST, 2, 40);
	expect(p, TM_EXPORT_DELIVERED, 1, 20);
}

static void without_the_exporter_reports_stay_in_the_spool(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	p->exporter = tm_close(p->exporter);
	send_part(p, 10);
	step(p);
	spool_stores(p, 1);
	step(p);
	spool_got_nothing(p);
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
	expect(p, TM_EXPORT_NO_EXPORTER, 0, 0);
}

/* --- a hostile spool -------------------------------------------------------------------------- */

static void expect_given_up(struct peers *p, const struct spool_message *message, int fd)
{
	spool_sends(p, message, fd);
	assert_int_equal(p->delivery.spool.socket, -1);
	exporter_got_nothing(p);
	(void)tear_down(NULL);
	assert_int_equal(begin(p, true), 0);
}

static void hostile_spool_is_given_up(void **state)
{
	struct peers *p = *state;
	struct spool_message m = {SPOOL_REPORT, .sequence = 1, .body_bytes = 4,
				  .uncompressed_bytes = 4};
	const char *cases[] = {"fifth", "four"};

	expect_given_up(p, &(struct spool_message){SPOOL_STORED, .id = FIRST_ID + 1}, -1);
	expect_given_up(p, &(struct spool_message){.kind = 99}, -1);
	for (unsigned i = 0; i < 2; i++) { /* another length; not asked for */
		step(p);
		m.id = spool_got(p, SPOOL_FETCH).id + i;
		expect_given_up(p, &m, tm_region_seal_blob("otlp", cases[i], strlen(cases[i])));
	}
	step(p);
	m.id = spool_got(p, SPOOL_FETCH).id;
	expect_given_up(p, &m, -1);
	step(p);
	m.id = spool_got(p, SPOOL_FETCH).id;
	expect_given_up(p, &m, memfd_create("unsealed", MFD_CLOEXEC));
	send_part(p, 10);
	m = (struct spool_message){SPOOL_STORED, .sequence = 0};
	m.id = spool_got(p, SPOOL_STORE).id;
	spool_sends(p, &m, -1);
	exporter_answers(p, 10, EXPORTER_DELIVERED);
	assert_int_equal(p->delivery.spool.socket, -1);
}

static void answers_to_a_symbolizer_that_died_are_left_out(void **state)
{
	struct peers *p = *state;

	spool_sends(p, &(struct spool_message){SPOOL_STORED, .id = 4, .sequence = 3}, -1);
	assert_true(p->delivery.spool.socket >= 0);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 4);
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
}

/* --- the end, and a spool alone --------------------------------------------------------------- */

static void at_the_end_what_is_under_way_is_not_counted_as_delivered(void **state)
{
	struct peers *p = *state;

	step(p);
	spool_has_no_more(p);
	send_part(p, 10);
	spool_stores(p, 1);
	spool_reports(p, 1, 10);
	send_part(p, 20);
	report_delivery_finish(&p->delivery, 1);
	expect(p, TM_EXPORT_SPOOLED, 1, 10); /* whether it arrived, nobody knows: sent again */
	expect(p, TM_EXPORT_UNFINISHED, 1, 20);
}

static void without_an_exporter_reports_are_local_and_nothing_is_fetched(void **state)
{
	struct peers *p = *state;
	struct spool_message got;

	step(p);
	spool_got_nothing(p);
	send_part(p, 10);
	got = spool_got(p, SPOOL_STORE);
	assert_int_equal(got.flags, SPOOL_GZIP | SPOOL_LOCAL | 3 << SPOOL_SHARE_SHIFT);
	assert_int_equal(got.start_ktime, 5);
	assert_int_equal(got.end_ktime, 9);
	assert_int_equal(got.realtime_offset, 7);
	spool_sends(p, &(struct spool_message){SPOOL_STORED, .id = got.id, .sequence = 1}, -1);
	send_part(p, 20);
	got = spool_got(p, SPOOL_STORE);
	spool_sends(p, &(struct spool_message){SPOOL_STORED, .id = got.id, .status = SPOOL_FULL},
		    -1);
	spool_got_nothing(p);
	report_delivery_finish(&p->delivery, 1000);
	expect(p, TM_EXPORT_SPOOLED, 1, 10);
	expect(p, TM_EXPORT_SPOOL_LOST, 1, 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_report_is_stored_then_sent_in_order_then_marked),
		TEST(report_that_could_not_be_sent_is_sent_again_after_a_pause),
		TEST(reports_of_earlier_recordings_are_counted_apart),
		TEST(what_the_spool_refuses_is_sent_directly),
		TEST(what_a_lost_spool_has_not_answered_for_is_sent_directly),
		TEST(spool_that_does_not_answer_is_given_up),
		TEST(what_a_full_socket_refuses_is_stored_when_the_spool_reads),
		TEST(more_parts_than_may_wait_for_the_spool_are_sent_directly),
		TEST(what_the_spool_gave_up_is_lost),
		TEST(without_the_exporter_reports_stay_in_the_spool),
		TEST(hostile_spool_is_given_up),
		TEST(answers_to_a_symbolizer_that_died_are_left_out),
		TEST(at_the_end_what_is_under_way_is_not_counted_as_delivered),
		cmocka_unit_test_setup_teardown(
			without_an_exporter_reports_are_local_and_nothing_is_fetched, set_up_alone,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
