/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_program - the real program with its filter and its parser, between fake peers
 */

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/fdpass.h"
#include "shared/reasons.h"
#include "tests/unit/symbolizer/fake_peers.h"
#include "tests/unit/symbolizer/make.h"

static const char *program, *parser;

/* A function of this test, which is looked up by its offset in the file. */
int a_function_to_find(int value);

__attribute__((noinline, visibility("default"))) int a_function_to_find(int value)
{
	return value * 3 + 1;
}

struct place {
	uint64_t address;
	uint64_t offset;
};

/* The first object that is reported is the program itself. */
static int find_place(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct place *place = context;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address >= start &&
		    place->address - start < segment->p_filesz)
			place->offset = place->address - start + segment->p_offset;
	}
	return 1;
}

static uint64_t file_offset(const void *address)
{
	struct place place = {.address = (uint64_t)(uintptr_t)address};

	(void)dl_iterate_phdr(find_place, &place);
	assert_true(place.offset > 0);
	return place.offset;
}

static void push_sample(struct fake *fake, uint64_t ktime, const uint64_t *words, uint16_t kernel,
			uint16_t user)
{
	static union make_record record;

	make_sample(&record, ktime, 42, "worker", words, kernel, user);
	fake_push(fake, &record);
}

/* The file is this program. */
static void push_announcements(struct fake *fake)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	static union make_record record;

	make_process(&record, 42, "leader", 5, "prog\0bin\0", 9, "slice\0", 6);
	fake_push(fake, &record);
	make_file(&record, 5, 77, "prog\0bin\0", 9);
	make_identity_of(&record, self);
	fake_push(fake, &record);
	(void)close(self);
}

static void whole_recording_is_named_and_written(void **state)
{
	uint64_t here = file_offset((const void *)(uintptr_t)a_function_to_find);
	uint64_t words[] = {KERNEL_WORD(TM_FRAME_MODULE_UNKNOWN, 0),    FILE_WORD(5, here + 2),
			    FILE_WORD(5, 0x7fffffff) | TM_FRAME_RETURN, ANON_WORD(0x1234),
			    UNRESOLVED_WORD(TM_UNRESOLVED_NO_MAPPING),  FILE_WORD(6, 0x10)};
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_announcements(&fake);
	push_sample(&fake, 200, words, 1, 5);
	push_sample(&fake, 100, words, 1, 5);
	fake_publish(&fake, 1000);
	fake_wire(&fake, TM_WIRE_FILE, 5, 0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	fake_wire(&fake, TM_WIRE_NO_FILE, 6, TM_NO_FILE_GONE, -1);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_string_equal(folded, "worker;[unknown file]+0x10;[no_mapping];[anon];"
				    "prog+0x7fffffff;a_function_to_find;[kernel]_[k] 2\n");
	free(folded);
	assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0);
	assert_int_equal(end.outputs, FAKE_FORMATS);
	assert_true(end.done);
	assert_string_equal(end.notes, "");
	assert_int_equal(end.result.exported, 2);
	assert_int_equal(end.result.frames, 12);
	assert_int_equal(end.result.unnamed_frames, 10);
	assert_int_equal(end.result.unresolved[TM_UNRESOLVED_NO_MAPPING], 2);
	assert_int_equal(end.result.late_records, 0);
	assert_int_equal(end.result.parsers_lost, 0);
	assert_true(end.result.child_rss_bytes > 0);
	assert_string_equal(end.top[0].name, "[kernel]");
	assert_int_equal(end.top[0].self, 2);
}

/* The records decide the counts; tests/interop checks how each format writes them. */
static void each_reason_is_in_the_outputs_as_often_as_it_is_counted(void **state)
{
	static union make_record record;
	uint64_t word = ANON_WORD(1);
	struct fake fake = {0};
	struct fake_end end;
	char line[128], *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		for (unsigned i = 0; i <= stop; i++) {
			make_sample(&record, 100, 42, "worker", &word, 0, 1);
			record.sample.user_stop = (uint8_t)stop;
			fake_push(&fake, &record);
		}
	fake_publish(&fake, 150);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	for (unsigned stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++) {
		(void)snprintf(line, sizeof(line), "worker;[truncated: %s];[anon] %u\n",
			       tm_reasons_stop(stop), stop + 1);
		assert_non_null(strstr(folded, line));
		assert_int_equal(end.result.truncated[stop], stop + 1);
	}
	free(folded);
	assert_int_equal(end.result.truncated[TM_STOP_NONE], 0);
	assert_int_equal(end.outputs, FAKE_FORMATS);
}

static void vdso_frames_are_named_from_the_parsers_own_vdso(void **state)
{
	uint64_t words[128];
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	for (unsigned i = 0; i < 128; i++)
		words[i] = VDSO_WORD(0x400 + 0x20 * i);
	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 128);
	fake_publish(&fake, 150);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_non_null(strstr(folded, "__vdso_"));
	assert_non_null(strstr(folded, "[vdso]+0x400"));
	free(folded);
	assert_int_equal(end.result.parsers_lost, 0);
}

#define NUMBERS 50u
#define HELD    40u /* files; more than may be on their way, so the oldest has arrived */

/* Sends the file's descriptor and one sample; HELD files later its number is retired. */
static void use_file(struct fake *fake, uint64_t at, int self, uint64_t word)
{
	static union make_record record;
	uint64_t ktime = 1000 * (at + 1);
	uint32_t number = (uint32_t)at % NUMBERS;

	make_file(&record, number, at + 1, "prog\0bin\0", 9);
	make_identity_of(&record, self);
	record.event.ktime = ktime;
	fake_push(fake, &record);
	word |= (uint64_t)number << TM_FRAME_FILE_SHIFT;
	push_sample(fake, ktime + 1, &word, 0, 1);
	fake_publish(fake, ktime + 500);
	fake_wire(fake, TM_WIRE_FILE, number, ktime, self);
	if (at < HELD)
		return;
	make_retire(&record, ktime + 400, (uint32_t)(at - HELD) % NUMBERS);
	fake_push(fake, &record);
	fake_publish(fake, ktime + 501);
}

static void more_files_than_descriptors_are_all_named(void **state)
{
	const uint64_t files = 400;
	uint64_t here = file_offset((const void *)(uintptr_t)a_function_to_find);
	uint64_t credit = TM_FILES_IN_FLIGHT;
	struct fake fake = {.descriptors = 192};
	struct fake_end end;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	for (uint64_t i = 0; i < files; i++) {
		struct tm_wire message;

		for (; !credit; credit += message.value)
			fake_receive_wire(&fake, &message);
		use_file(&fake, i, self, FILE_WORD(0, here + 2));
		credit--;
	}
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	free(fake_folded(&fake));
	(void)close(self);
	assert_string_equal(end.notes, "");
	assert_int_equal(end.result.exported, files);
	assert_int_equal(end.result.files, files);
	assert_int_equal(end.result.parsers_lost, 0);
	assert_int_equal(end.result.unnamed_frames, 0);
	assert_string_equal(end.top[0].name, "a_function_to_find");
}

static void samples_of_a_dead_collector_are_written(void **state)
{
	uint64_t words[] = {ANON_WORD(1)};
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 1);
	push_sample(&fake, 200, words, 0, 1);
	fake.counts.taken += 3;   /* taken, but never pushed */
	fake_publish(&fake, 150); /* the second sample is still above W */
	(void)shutdown(fake.wire, SHUT_RDWR);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_string_equal(folded, "worker;[anon] 2\n");
	free(folded);
	assert_int_equal(end.outputs, FAKE_FORMATS);
	assert_int_equal(end.result.exported, 2);
	assert_int_equal(end.result.drops[TM_DROP_COLLECTOR_DIED], 3);
	assert_non_null(strstr(end.notes, "collector"));
}

static void without_the_command_nothing_is_written(void **state)
{
	uint64_t words[] = {ANON_WORD(1)};
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 1);
	fake_publish(&fake, 150);
	(void)shutdown(fake.control, SHUT_WR);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_string_equal(folded, "");
	free(folded);
	assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1);
	assert_int_equal(end.outputs, 0);
}

#define UNREAD 40u /* more messages than it reads between two looks at the ring */

/* With --every, a report may be requested just when the recording ends. */
static void result_arrives_although_messages_of_the_command_were_not_read(void **state)
{
	const struct tm_control resume = {.kind = TM_CONTROL_RESUME};
	uint64_t words[] = {ANON_WORD(1)};
	struct fake fake = {0};
	struct fake_end end;
	siginfo_t info;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 1);
	fake_publish(&fake, 150);
	assert_int_equal(kill(fake.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(fake.pid, &end.status, WUNTRACED), fake.pid);
	for (unsigned i = 0; i < UNREAD; i++)
		assert_int_equal(tm_fdpass_send(fake.control, &resume, sizeof(resume), -1, 0), 0);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	assert_int_equal(kill(fake.pid, SIGCONT), 0);
	assert_int_equal(waitid(P_PID, (id_t)fake.pid, &info, WEXITED | WNOWAIT), 0);
	fake_end(&fake, &end);
	free(fake_folded(&fake));
	assert_true(end.done);
	assert_int_equal(end.outputs, FAKE_FORMATS);
	assert_int_equal(end.result.exported, 1);
}

static void invalid_message_closes_the_wire_but_keeps_the_samples(void **state)
{
	uint64_t words[] = {ANON_WORD(1)};
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 1);
	fake_publish(&fake, 150);
	fake_wire(&fake, TM_WIRE_HELLO, 0, 1, -1);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_string_equal(folded, "worker;[anon] 1\n");
	free(folded);
	assert_non_null(strstr(end.notes, "does not check"));
}

static void bad_record_is_counted_and_balances(void **state)
{
	uint64_t words[] = {ANON_WORD(1)};
	static union make_record record;
	struct fake fake = {0};
	struct fake_end end;
	char *folded;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	push_sample(&fake, 100, words, 0, 1);
	make_sample(&record, 100, 42, "worker", words, 0, 1);
	record.sample.user_frames = 9;
	fake_push(&fake, &record);
	fake_publish(&fake, 150);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	folded = fake_folded(&fake);
	assert_string_equal(folded, "worker;[anon] 1\n");
	free(folded);
	assert_int_equal(end.result.exported, 1);
	assert_int_equal(end.result.drops[TM_DROP_BAD_RECORD], 1);
	assert_string_equal(end.notes, "");
}

static void unsealed_ring_is_refused(void **state)
{
	struct fake fake = {0};
	struct fake_end end;
	int open_memory = memfd_create("ring", MFD_CLOEXEC);

	assert_int_equal(ftruncate(open_memory, TM_RING_HEADER_BYTES + FAKE_RING_BYTES), 0);
	fake_start(&fake, program, parser);
	fake_wire(&fake, TM_WIRE_ATTACH, 0, 1, open_memory);
	fake_end(&fake, &end);
	free(fake_folded(&fake));
	assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1);
	assert_non_null(strstr(end.notes, "cannot attach to the collector"));
	(void)close(open_memory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_recording_is_named_and_written),
		cmocka_unit_test(each_reason_is_in_the_outputs_as_often_as_it_is_counted),
		cmocka_unit_test(vdso_frames_are_named_from_the_parsers_own_vdso),
		cmocka_unit_test(more_files_than_descriptors_are_all_named),
		cmocka_unit_test(samples_of_a_dead_collector_are_written),
		cmocka_unit_test(without_the_command_nothing_is_written),
		cmocka_unit_test(result_arrives_although_messages_of_the_command_were_not_read),
		cmocka_unit_test(invalid_message_closes_the_wire_but_keeps_the_samples),
		cmocka_unit_test(bad_record_is_counted_and_balances),
		cmocka_unit_test(unsealed_ring_is_refused),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
