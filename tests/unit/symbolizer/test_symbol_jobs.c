/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_jobs - files that are asked for once, after their unwind tables, and then closed
 */

#include "tests/unit/symbolizer/symbol_jobs_fixture.h"

static void file_is_read_once_and_its_descriptor_closed(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);

	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_OK);
	assert_int_equal(recording.files.open, 1);
	round_of_symbols();
	assert_int_equal(recording.files.open, 0);
	assert_true(has_table(&identity));
	(void)hand_over(2, 7, 20); /* the same file under another number */
	round_of_symbols();
	(void)request_of(PARSER_ROWS);
	round_of_symbols();
	no_request();
	assert_int_equal(recording.files.open, 0);
}

static void unwind_tables_go_first(void **state)
{
	for (uint32_t i = 1; i <= 4; i++)
		(void)hand_over(i, i, 10);
	for (uint32_t i = 1; i <= 4; i++) {
		round_of_symbols();
		answer(request_of(PARSER_ROWS), PARSER_NOT_ELF, NULL);
	}
	round_of_symbols();
	for (uint32_t i = 1; i <= 4; i++) {
		answer_symbols(request_of(PARSER_SYMBOLS), PARSER_OK);
		round_of_symbols();
	}
	assert_int_equal(recording.files.open, 0);
}

static void end_of_the_recording_waits_for_no_unwind_table(void **state)
{
	(void)hand_over(1, 7, 10);
	symbol_jobs_round(&symbols, true);
	no_request();
	symbol_jobs_round(&symbols, false);
	answer_symbols(request_of(PARSER_SYMBOLS), PARSER_OK);
}

static void file_that_is_none_has_none_for_good(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);

	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_NOT_ELF);
	round_of_symbols();
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_ELF);
	assert_int_equal(recording.files.open, 0);
}

static void file_that_failed_keeps_its_descriptor_for_the_next_attempt(void **state)
{
	char path[] = "/tmp/tidemark-symbols.XXXXXX";
	struct tm_identity identity;

	(void)close(target);
	target = mkostemp(path, O_CLOEXEC);
	assert_true(target >= 0);
	identity = hand_over(1, 7, 10);
	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_TIMEOUT);
	round_of_symbols();
	no_request();
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_PARSED);
	assert_int_equal(recording.files.open, 1);
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 1);
	recording.store.entries[0].retry_ms = 0; /* as if the pause were over */
	round_of_symbols();
	answer_symbols(request_of(PARSER_SYMBOLS), PARSER_OK);
	round_of_symbols();
	assert_true(has_table(&identity));
	assert_int_equal(recording.files.open, 0);
	(void)unlink(path);
}

static void file_is_in_quarantine_after(uint32_t status, enum tm_parse_failure failure)
{
	char path[] = "/tmp/tidemark-symbols.XXXXXX";
	struct tm_identity identity;

	(void)close(target);
	target = mkostemp(path, O_CLOEXEC);
	assert_true(target >= 0);
	identity = hand_over(1, 7, 10);
	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), status);
	round_of_symbols();
	assert_int_equal(recording.files.open, 1);
	recording.store.entries[0].retry_ms = 0; /* as if the pause were over */
	round_of_symbols();
	no_request();
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_PARSED);
	assert_int_equal(recording.files.open, 0);
	assert_int_equal(client.counts.failures[failure], 1);
	assert_int_equal(client.counts.failures[TM_PARSE_QUARANTINED], 1);
	(void)unlink(path);
}

static void file_in_quarantine_is_neither_asked_for_nor_held(void **state)
{
	file_is_in_quarantine_after(PARSER_CPU, TM_PARSE_CPU);
}

/* Each of its workers would stay, also when their parser is replaced. */
static void file_whose_worker_does_not_die_is_in_quarantine(void **state)
{
	file_is_in_quarantine_after(PARSER_ABANDONED, TM_PARSE_DEADLINE);
}

static void deleted_file_that_failed_is_not_held(void **state)
{
	char path[] = "/tmp/tidemark-symbols.XXXXXX";
	struct tm_identity identity;
	uint32_t id;

	(void)close(target);
	target = mkostemp(path, O_CLOEXEC);
	assert_true(target >= 0);
	identity = hand_over(1, 7, 10);
	round_of_symbols();
	id = symbols_are_asked_for();
	(void)unlink(path);
	answer_symbols(id, PARSER_CRASHED);
	round_of_symbols();
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_PARSED);
	assert_int_equal(recording.files.open, 0);
}

static void file_that_changed_before_it_is_read_names_nothing(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);
	struct tm_wire message;
	int fd;

	assert_int_equal(ftruncate(target, 101), 0);
	round_of_symbols();
	no_request();
	says_failed(1, 10); /* it has no unwind table either */
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_FILE_AGAIN); /* it needs another number */
	assert_int_equal(message.number, 1);
	round_of_symbols();
	nothing_is_sent();
	assert_int_equal(reason(&identity), TM_UNNAMED_CHANGED);
	assert_int_equal(recording.files.open, 0);
}

static void file_that_changed_while_it_was_read_names_nothing(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);
	uint32_t id;

	round_of_symbols();
	id = symbols_are_asked_for();
	assert_int_equal(ftruncate(target, 101), 0);
	answer_symbols(id, PARSER_OK);
	round_of_symbols();
	assert_int_equal(reason(&identity), TM_UNNAMED_CHANGED);
}

static void sampled_file_that_ended_meanwhile_gets_its_symbols(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);
	uint32_t id, file;

	assert_int_equal(files_find(&recording.files, 1, 11, &file), 0);
	round_of_symbols();
	id = symbols_are_asked_for();
	files_retire(&recording.files, 1, 20);
	assert_int_equal(recording.files.open, 1);
	answer_symbols(id, PARSER_OK);
	round_of_symbols();
	assert_true(has_table(&identity));
	assert_int_equal(recording.files.open, 0);
}

/* The place of a file that was asked for may stand for another one by the time of the answer. */
static void answer_for_a_file_that_is_forgotten_goes_to_its_identity(void **state)
{
	struct tm_identity first = hand_over(1, 7, 10), second;
	uint32_t id;

	round_of_symbols();
	id = symbols_are_asked_for();
	files_retire(&recording.files, 1, 20);
	second = hand_over(1, 8, 30);
	answer_symbols(id, PARSER_OK);
	round_of_symbols();
	assert_true(has_table(&first));
	assert_false(has_table(&second));
	answer_symbols(symbols_are_asked_for(), PARSER_OK);
	round_of_symbols();
	assert_true(has_table(&second));
	assert_int_equal(recording.files.open, 0);
}

static void without_a_parser_everything_fails_for_now(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;

	symbols.vdso_wanted = true;
	client.socket = tm_close(client.socket);
	symbol_jobs_round(&symbols, false);
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_PARSED);
	assert_int_equal(reason(&vdso), TM_UNNAMED_NOT_PARSED);
	assert_true(symbols.vdso_wanted);
	assert_int_equal(client.counts.failures[TM_PARSE_NO_PARSER], 2);
}

static void vdso_is_asked_for_without_a_file(void **state)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	struct parser_message request;
	int fd;

	symbols.vdso_wanted = true;
	round_of_symbols();
	assert_int_equal(take_request(&request, &fd), 0);
	assert_int_equal(request.kind, PARSER_SYMBOLS);
	assert_int_equal(fd, -1);
	answer_symbols(request.id, PARSER_OK);
	round_of_symbols();
	no_request();
	assert_true(has_table(&vdso));
	assert_false(symbols.vdso_wanted);
}

static void file_whose_evicted_table_a_report_missed_is_requested_from_the_collector(void **state)
{
	struct tm_identity identity = hand_over(1, 7, 10);
	struct symbol_table table, debug;
	struct tm_wire message;
	int fd;

	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_OK);
	round_of_symbols();
	(void)pages_of(1, 10);
	symbol_entries_take_tables(&recording.store, &recording.store.entries[0], &table, &debug);
	symbol_table_close(&table);
	recording.store.entries[0].state = SYMBOL_STORE_EVICTED;
	round_of_symbols();
	nothing_is_sent(); /* nobody missed it yet */
	assert_int_equal(reason(&identity), TM_UNNAMED_EVICTED);
	round_of_symbols();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_FILE_AGAIN);
	assert_int_equal(message.number, 1);
	assert_int_equal(message.value, 10);
	round_of_symbols();
	nothing_is_sent();
	(void)hand_over(1, 7, 30);
	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_OK);
	round_of_symbols();
	assert_true(has_table(&identity));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_symbols(file_is_read_once_and_its_descriptor_closed),
		with_symbols(unwind_tables_go_first),
		with_symbols(end_of_the_recording_waits_for_no_unwind_table),
		with_symbols(file_that_is_none_has_none_for_good),
		with_symbols(file_that_failed_keeps_its_descriptor_for_the_next_attempt),
		with_symbols(file_in_quarantine_is_neither_asked_for_nor_held),
		with_symbols(file_whose_worker_does_not_die_is_in_quarantine),
		with_symbols(deleted_file_that_failed_is_not_held),
		with_symbols(file_that_changed_before_it_is_read_names_nothing),
		with_symbols(file_that_changed_while_it_was_read_names_nothing),
		with_symbols(sampled_file_that_ended_meanwhile_gets_its_symbols),
		with_symbols(answer_for_a_file_that_is_forgotten_goes_to_its_identity),
		with_symbols(without_a_parser_everything_fails_for_now),
		with_symbols(
			file_whose_evicted_table_a_report_missed_is_requested_from_the_collector),
		with_symbols(vdso_is_asked_for_without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
