/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_many_reports - a day of reports with room for 64 symbol tables is, byte by byte, what it
 * is with room for all
 *
 * 100,000 functions lie in 2,000 files, of which each report sees 40. Some are seen in one of the
 * first reports and then in one of the last only. This program does what the reader does: it makes
 * the table of a file when the file is first seen, and again when a report waits for it. Every
 * frame must have its name in every report, no pin may be left after it, and each pprof file must
 * decode by itself. TM_REPORTS: how many; 17,280 are 24 hours of one every 5 s.
 *
 * stress_many_reports [PARSER]: the path of the parser, which then makes the tables of ELF files.
 * Each request is a process, so then a report sees most of the files of the one before.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "shared/cleanup.h"
#include "shared/region.h"
#include "shared/sha256.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/output/outputs.h"
#include "symbolizer/output/pprof_message.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/interval.h"
#include "tests/stress/generated_elf.h"
#include "tests/stress/stress.h"
#include "tests/unit/symbolizer/make.h"

#define REPORTS       1728u
#define FILES         2000u
#define FUNCTIONS     50u /* of each file */
#define REPORT_FILES  40u
#define REPORT_STACKS 200u
#define STACK_FRAMES  5u
#define STUBS         8u /* files that only the first reports and the last ones see */
#define SMALL_TABLES  64u
#define KEPT_REPORTS  8u /* that see a file in turn, where the parser makes the tables */
#define TOTAL_BYTES   (256ull << 20)
#define LARGE_BYTES   (256ull << 20)

struct blob { /* the parser's answer for one file */
	struct parser_symbol_table header;
	struct parser_segment segment;
	struct parser_symbol symbols[FUNCTIONS];
	char names[1 + FUNCTIONS * GENERATED_ELF_NAME];
};

struct digest {
	uint8_t bytes[TM_SHA256_BYTES];
};

static struct tm_identity identities[FILES];
static bool seen[FILES];
static uint32_t report_count = REPORTS;
static bool asks_parser;

/* What the parser would answer. */
static int make_blob(uint32_t file)
{
	struct blob blob = {
		.header = {.magic = PARSER_SYMBOLS_MAGIC,
			   .flags = PARSER_SYMBOLS_HAS_SYMTAB,
			   .segment_count = 1,
			   .symbol_count = FUNCTIONS,
			   .name_bytes = sizeof(blob.names),
			   .debuglink = PARSER_NO_NAME,
			   .altlink = PARSER_NO_NAME,
			   .go_build_id = PARSER_NO_NAME},
		.segment = {.vaddr = GENERATED_ELF_VADDR,
			    .bytes = FUNCTIONS * GENERATED_ELF_STEP,
			    .flags = 5},
	};

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		uint32_t name = 1 + i * GENERATED_ELF_NAME;

		blob.symbols[i] = (struct parser_symbol){
			GENERATED_ELF_VADDR + i * GENERATED_ELF_STEP, GENERATED_ELF_STEP, name};
		generated_elf_name(blob.names + name, file, i);
	}
	return tm_region_seal_blob("symbols", &blob,
				   offsetof(struct blob, names) + sizeof(blob.names));
}

static void serve(uint32_t file)
{
	const struct generated_elf elf = {.number = file, .functions = FUNCTIONS};
	int fd = asks_parser ? generated_elf_table(&elf) : make_blob(file);

	CHECK(fd >= 0);
	CHECK(symbol_store_begin(&stress.store, &identities[file], INT32_MAX) == 0);
	symbol_store_put(&stress.store, &identities[file], fd, INT32_MAX);
}

/* The reader's part while a report waits. */
static void serve_all(struct name_table *names, const struct files *of)
{
	struct tm_identity identity;
	bool served;

	do {
		served = false;
		name_table_wait(names, of, 0);
		while (symbol_store_next_again(&stress.store, &identity) == 0) {
			serve((uint32_t)identity.ino - 1);
			served = true;
		}
	} while (served);
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Which files a report sees. */
static void choose_files(uint32_t report, uint64_t *random, uint32_t *ret_files)
{
	const uint32_t stubs = FILES / 10;
	uint64_t kept[REPORT_FILES];

	for (uint32_t i = 0; i < REPORT_FILES; i++)
		kept[i] = (uint64_t)((report + i) / KEPT_REPORTS) * REPORT_FILES + i;
	for (uint32_t i = 0; i < REPORT_FILES; i++)
		ret_files[i] =
			stubs + next_random(asks_parser ? &kept[i] : random) % (FILES - stubs);
	for (uint32_t i = 0; i < STUBS; i++) {
		if (report < stubs / STUBS)
			ret_files[i] = report * STUBS + i;
		else if (report_count - 1 - report < stubs / STUBS)
			ret_files[i] = (report_count - 1 - report) * STUBS + i;
	}
}

static void take_samples(uint32_t report)
{
	static union make_record record;
	uint64_t random = report, words[STACK_FRAMES];
	uint32_t chosen[REPORT_FILES];

	choose_files(report, &random, chosen);
	for (uint32_t i = 0; i < REPORT_FILES; i++) {
		if (!seen[chosen[i]])
			serve(chosen[i]);
		seen[chosen[i]] = true;
	}
	for (uint32_t i = 0; i < REPORT_STACKS; i++) {
		for (uint32_t j = 0; j < STACK_FRAMES; j++) {
			uint32_t file = chosen[(i * STACK_FRAMES + j) % REPORT_FILES];
			uint32_t function = next_random(&random) % FUNCTIONS;

			words[j] = FILE_WORD(file + 1, function * GENERATED_ELF_STEP + 4);
		}
		make_sample(&record, 1000 + report, 42, "worker", words, 0, STACK_FRAMES);
		CHECK(aggregate_add(&stress.interval->aggregate, &record.sample) == 0);
	}
}

/* Each frame has the name of its own function. */
static void check_names(const struct report *report)
{
	CHECK(report->unnamed_frames == 0);
	CHECK(report->exported == REPORT_STACKS);
	for (uint32_t i = 0; i < report->frame_count; i++) {
		const struct report_frame *frame = &report->frames[i];
		const char *path = report->strings[report->files[frame->file].path];
		char name[GENERATED_ELF_NAME];

		generated_elf_name(name, (uint32_t)strtoul(path + strlen("/file"), NULL, 10),
				   (uint32_t)(frame->address - GENERATED_ELF_VADDR) /
					   GENERATED_ELF_STEP);
		CHECK(strcmp(report->strings[report_outermost(report, frame)->name], name) == 0);
	}
}

static void check_functions(const Pprof__Profile *profile)
{
	for (size_t i = 0; i < profile->n_function; i++) {
		uint64_t name = (uint64_t)profile->function[i]->name;

		CHECK(profile->function[i]->id && name && name < profile->n_string_table);
	}
	for (size_t i = 0; i < profile->n_location; i++) {
		CHECK(profile->location[i]->id == i + 1 && profile->location[i]->n_line == 1);
		CHECK(profile->location[i]->line[0]->function_id != 0);
	}
}

/* A pprof file is gzip, then the message, and needs nothing else. */
static void check_pprof(const uint8_t *packed, size_t bytes)
{
	static uint8_t plain[1 << 20];
	z_stream stream = {.next_in = (uint8_t *)(uintptr_t)packed,
			   .avail_in = (unsigned)bytes,
			   .next_out = plain,
			   .avail_out = sizeof(plain)};
	Pprof__Profile *profile;
	uint64_t samples = 0;

	CHECK(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
	CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
	CHECK(inflateEnd(&stream) == Z_OK);
	profile = pprof__profile__unpack(NULL, stream.total_out, plain);
	CHECK(profile != NULL);
	for (size_t i = 0; i < profile->n_sample; i++) {
		samples += (uint64_t)profile->sample[i]->value[0];
		for (size_t j = 0; j < profile->sample[i]->n_location_id; j++)
			CHECK(profile->sample[i]->location_id[j] <= profile->n_location);
	}
	CHECK(samples == REPORT_STACKS);
	check_functions(profile);
	pprof__profile__free_unpacked(profile, NULL);
}

static void add_output(const struct report *report, enum outputs_format format,
		       struct tm_sha256 *digest)
{
	_cleanup_(tm_closep) int fd = memfd_create("report", MFD_CLOEXEC);
	uint8_t *bytes;
	off_t end;

	CHECK(fd >= 0 && outputs_write(format, fd, report) == 0);
	end = lseek(fd, 0, SEEK_END);
	CHECK(end > 0);
	bytes = mmap(NULL, (size_t)end, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(bytes != MAP_FAILED);
	tm_sha256_add(digest, bytes, (size_t)end);
	if (format == OUTPUTS_PPROF)
		check_pprof(bytes, (size_t)end);
	(void)munmap(bytes, (size_t)end);
}

static void make_report(struct digest *ret_digest)
{
	struct interval *closed = stress.interval;
	struct name_table names;
	struct report_build build;
	struct tm_sha256 digest;

	CHECK(interval_close(closed, &stress.interval) == 0);
	name_table_init(&names, &closed->strings, &stress.store);
	CHECK(name_table_collect(&names, &closed->aggregate) == 0);
	serve_all(&names, closed->aggregate.files);
	name_table_resolve(&names, closed->aggregate.files);
	CHECK(report_build_init(&build, &closed->aggregate, &names, &stress.kernel) == 0);
	build.report.hz = 99;
	build.report.title = "";
	build.report.taken = build.report.exported;
	check_names(&build.report);
	tm_sha256_init(&digest);
	add_output(&build.report, OUTPUTS_FOLDED, &digest);
	add_output(&build.report, OUTPUTS_PPROF, &digest);
	tm_sha256_end(&digest, ret_digest->bytes);
	report_build_deinit(&build);
	name_table_deinit(&names);
	CHECK(stress.store.pinned == 0);
	closed = interval_free(closed);
}

/* Every file has a number, and an entry in the store, so that only tables take room from now on. */
static void announce_files(void)
{
	static union make_record record;
	char path[16];
	uint32_t index;

	for (uint32_t i = 0; i < FILES; i++) {
		int bytes = snprintf(path, sizeof(path), "file%u", i);

		make_file(&record, i + 1, i + 1, path, (uint16_t)(bytes + 1));
		CHECK(files_announce(&stress.files, &record.file) == 0);
		identities[i] = record.file.identity;
		index = files_of_identity(&stress.files, &identities[i]);
		stress.files.items[index].opened =
			true; /* its descriptor came, and is closed by now */
		CHECK(symbol_store_begin(&stress.store, &identities[i], 0) == 0);
		symbol_store_fail(&stress.store, &identities[i], TM_UNNAMED_NOT_PARSED, 0);
		seen[i] = false;
	}
}

/* Return: how many tables were evicted. */
static uint64_t record(uint32_t room, struct digest *ret_digests)
{
	struct symbol_store_counts counts;

	stress.total.limit = TOTAL_BYTES;
	stress_begin(LARGE_BYTES);
	announce_files();
	if (room)
		stress.store.budget.limit =
			stress.store.budget.used + room * budget_pages(sizeof(struct blob));
	(void)symbol_store_take_counts(&stress.store);
	for (uint32_t i = 0; i < report_count; i++) {
		take_samples(i);
		make_report(&ret_digests[i]);
	}
	counts = symbol_store_take_counts(&stress.store);
	stress_end();
	CHECK(counts.none == 0 && counts.failed == 0);
	(void)printf("room for %u tables (0: all): %u reports, %llu tables made, %llu evicted\n",
		     room, report_count, (unsigned long long)counts.made,
		     (unsigned long long)counts.evicted);
	return counts.evicted;
}

int main(int argc, char **argv)
{
	const char *count = getenv("TM_REPORTS");
	struct digest *small, *large;

	if (count)
		report_count = (uint32_t)strtoul(count, NULL, 10);
	asks_parser = argc > 1;
	CHECK(!asks_parser || generated_elf_start(argv[1]) == 0);
	small = calloc(report_count, sizeof(*small));
	large = calloc(report_count, sizeof(*large));
	CHECK(small != NULL && large != NULL);
	CHECK(record(SMALL_TABLES, small) > 0);
	CHECK(record(0, large) == 0);
	for (uint32_t i = 0; i < report_count; i++)
		CHECK(memcmp(&small[i], &large[i], sizeof(small[i])) == 0);
	if (asks_parser)
		generated_elf_stop();
	free(small);
	free(large);
	return 0;
}
