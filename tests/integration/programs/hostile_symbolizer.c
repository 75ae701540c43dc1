/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_symbolizer - sends hostile unwind tables and messages to a real collector that is
 * sampling
 *
 * hostile_symbolizer COLLECTOR OPENER FOLDER: paths of the programs and where files may be made;
 * as root. Each attack must be refused with a count, install nothing and leave the collector
 * sampling. At the end a valid table must be accepted, or the refusals would prove nothing.
 * Well-formed tables whose rules lead the unwinder in circles or astray must do no harm.
 */

#include "tests/integration/programs/hostile_symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"

#define WISHES  10000u
#define SAMPLES 100 /* that must follow, to show that sampling continues */
#define ASTRAY  16  /* files that get rules which lead astray */

static struct harness harness;
static unsigned wrong;
static unsigned judged; /* attacks */

static uint64_t refusals(const struct harness *now)
{
	return now->counts.installs.refused + now->counts.installs.ahead_refused +
	       now->counts.violations;
}
static bool refuses(const struct harness *now, const void *until)
{
	return refusals(now) >= *(const uint64_t *)until;
}
static bool took(const struct harness *now, const void *until)
{
	return now->counts.taken >= *(const uint64_t *)until;
}
static bool installed(const struct harness *now, const void *until)
{
	return now->counts.installs.installed >= *(const uint64_t *)until;
}

static void complain(const char *name, const char *what, int error)
{
	(void)printf("  WRONG: %s: %s%s%s\n", name, what, error ? ": " : "",
		     error ? strerror(error < 0 ? -error : error) : "");
	wrong++;
}

/* Opens a new wire, so that everything is announced again. */
static int begin(const char *name)
{
	int r = harness_attach(&harness);

	if (r < 0)
		complain(name, "no new wire", r);
	return r;
}

static int answer(const struct tm_wire *file, int fd)
{
	return hostile_send(&harness, file->number, file->value, fd);
}

static void still_samples(const char *name)
{
	uint64_t until = harness.counts.taken + SAMPLES;
	int r = harness_until(&harness, took, &until);

	if (r < 0)
		complain(name, "the collector takes no samples any more", r);
}

/* Expects one more refusal, or with @many at least one, and that nothing was installed. */
static void judge(const char *name, uint64_t before, uint64_t from, bool many)
{
	uint64_t until = before + 1;
	int r = harness_until(&harness, refuses, &until);

	if (r < 0)
		complain(name, "not refused with a count", r);
	else if (!many && refusals(&harness) != until)
		complain(name, "counted more than once", 0);
	if (harness.counts.installs.installed != from || harness.counts.installs.ahead)
		complain(name, "installed", 0);
	judged++;
}

static int sealed(const void *bytes, size_t count)
{
	int fd;

	if (count)
		return tm_region_seal_blob("rows", bytes, count);
	fd = memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd >= 0 && fcntl(fd, F_ADD_SEALS,
				F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0
		       ? -errno
		       : fd;
}

static int valid_table(void)
{
	struct hostile_table table;

	hostile_table_make(&table);
	return sealed(&table, sizeof(table));
}

static int corrupted_table(const struct hostile_bytes *attack)
{
	static struct {
		struct hostile_table table;
		uint8_t more[1024];
	} blob;

	hostile_table_make(&blob.table);
	attack->spoil(&blob.table);
	return sealed(&blob, (size_t)((long)sizeof(blob.table) + attack->more));
}

/* Sends the table for a file of its own and judges the result. Takes @fd. */
static void send_table(const char *name, int fd)
{
	uint64_t before = refusals(&harness), from = harness.counts.installs.installed;
	_cleanup_(tm_closep) int taken = fd;
	struct tm_wire file;
	int r;

	if (taken < 0) {
		complain(name, "cannot be made", taken);
		return;
	}
	r = harness_next_file(&harness, &file);
	if (r == 0)
		r = answer(&file, taken);
	if (r != 0)
		complain(name, "cannot be sent", r);
	judge(name, before, from, false);
	if (harness.wire < 0)
		complain(name, "the wire is closed for it", 0);
}

static void send_tables(void)
{
	struct hostile_table table;

	hostile_table_make(&table);
	if (begin("tables") < 0)
		return;
	for (size_t i = 0; i < hostile_bytes_count; i++)
		send_table(hostile_bytes[i].name, corrupted_table(&hostile_bytes[i]));
	for (size_t i = 0; i < hostile_containers_count; i++)
		send_table(hostile_containers[i].name,
			   hostile_containers[i].open(&table, sizeof(table)));
	still_samples("hostile tables");
}

/* Refused, and the wire with it. */
static void send_question(const struct hostile_question *question)
{
	uint64_t before = refusals(&harness), from = harness.counts.installs.installed;
	struct tm_wire file;
	int r;

	r = begin(question->name);
	if (r == 0)
		r = harness_next_file(&harness, &file);
	if (r == 0)
		r = hostile_ask(&harness, &file, question);
	if (r != 0)
		complain(question->name, "cannot be sent", r);
	judge(question->name, before, from, false);
	if (harness.answers)
		complain(question->name, "answered", 0);
}

static void send_message(const struct hostile_message *attack)
{
	uint64_t before = refusals(&harness), from = harness.counts.installs.installed;
	_cleanup_(tm_closep) int fd = valid_table();
	struct tm_wire file;
	int r;

	r = begin(attack->name);
	if (r == 0)
		r = harness_next_file(&harness, &file);
	if (r == 0)
		r = attack->send(&harness, &file, fd);
	if (fd < 0 || r != 0)
		complain(attack->name, "cannot be sent", r);
	judge(attack->name, before, from, attack->many);
	still_samples(attack->name);
}

/* A well-formed table must be accepted, once. Takes @fd. */
static void send_valid(const char *name, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	uint64_t before, from, until = harness.counts.installs.installed;
	struct tm_wire file;
	int r = taken < 0 ? taken : begin(name);

	for (unsigned i = 0; i < ASTRAY && r == 0; i++, until++) {
		r = harness_next_file(&harness, &file);
		if (r == 0)
			r = answer(&file, taken);
	}
	if (r != 0)
		complain(name, "cannot be sent", r);
	r = harness_until(&harness, installed, &until);
	if (r < 0)
		complain(name, "well-formed tables are not accepted", r);
	before = refusals(&harness);
	from = harness.counts.installs.installed;
	if (answer(&file, taken) != 0)
		complain(name, "a replay cannot be sent", 0);
	judge("a replay", before, from, false);
	still_samples(name); /* by these rules */
}

/* A table with one rule for all code. */
static int one_rule(struct tm_rule rule)
{
	struct hostile_table table;

	hostile_table_make(&table);
	for (size_t i = 0; i < HOSTILE_RULES; i++)
		table.rules[i] = rule;
	return sealed(&table, sizeof(table));
}

static void lead_astray(void)
{
	static const struct {
		const char *name;
		struct tm_rule rule;
	} ways[] = {
		{"in circles", {.cfa = TM_CFA_SP, .ra = TM_SAVED_SP, .fp = TM_SAVED_SAME}},
		{"down the stack", {.cfa = TM_CFA_SP, .ra = TM_SAVED_CFA, .cfa_offset = -4096}},
		{"far away", {.cfa = TM_CFA_DEREF_SP, .ra = TM_SAVED_CFA, .cfa_offset = INT32_MAX}},
		{"into a register",
		 {.cfa = TM_CFA_REGISTER, .ra = TM_SAVED_REGISTER, .ra_offset = 127, .base = 127}},
		{"by a wild index",
		 {.cfa = TM_CFA_DEREF_INDEXED, .ra = TM_SAVED_CFA, .cfa_offset = INT32_MIN}},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		send_valid(ways[i].name, one_rule(ways[i].rule));
}

static void ask_allowed(const char *folder)
{
	uint64_t before = refusals(&harness);
	unsigned asked = 0;

	if (begin("allowed questions") == 0)
		asked = hostile_ask_allowed(&harness, folder, complain);
	still_samples("allowed questions");
	if (harness.wire < 0 || refusals(&harness) != before)
		complain("an allowed question", "refused", 0);
	(void)printf("  %u questions for debug files answered\n", asked);
}

/* The collector takes one of many wishes a second; the last one is for the full rate. */
static void wish_for_rates(void)
{
	struct tm_wire message = {.kind = TM_WIRE_RATE};
	uint64_t before = refusals(&harness);
	int r = begin("wishes for another rate");

	for (unsigned i = 0; i < WISHES && r == 0; i++) {
		message.number = (WISHES - 1 - i) % TM_WEIGHTS_N;
		r = tm_fdpass_send(harness.wire, &message, sizeof(message), -1, 0);
	}
	if (r != 0)
		complain("wishes for another rate", "not taken", r);
	still_samples("wishes for another rate");
	if (harness.wire < 0 || refusals(&harness) != before)
		complain("a wish for another rate", "refused", 0);
}

static void attack_all(const char *folder)
{
	uint64_t was = harness.counts.installs.installed;

	send_tables();
	for (size_t i = 0; i < hostile_questions_count; i++)
		send_question(&hostile_questions[i]);
	still_samples("questions for debug files");
	for (size_t i = 0; i < hostile_messages_count; i++)
		send_message(&hostile_messages[i]);
	if (judged != hostile_bytes_count + hostile_containers_count + hostile_messages_count +
			      hostile_questions_count)
		complain("all", "not every attack was judged", 0);
	(void)printf("  %u attacks, each refused by itself: %llu refused tables, "
		     "%llu broken messages, %llu installed\n",
		     judged, (unsigned long long)harness.counts.installs.refused,
		     (unsigned long long)harness.counts.violations,
		     (unsigned long long)(harness.counts.installs.installed - was));
	send_valid("a valid table", valid_table());
	lead_astray();
	ask_allowed(folder);
	wish_for_rates();
}

int main(int argc, char **argv)
{
	int r;

	(void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (argc != 4)
		return 2;
	r = harness_start(&harness, argv[1], argv[2], argv[3]);
	if (r == 0)
		attack_all(argv[3]);
	if (r < 0 || harness.over)
		complain("the collector", "is gone", r);
	(void)printf("  %llu samples taken, %llu malformed; steps by table %llu, "
		     "by frame pointer %llu; %llu tables now\n",
		     (unsigned long long)harness.counts.taken,
		     (unsigned long long)harness.counts.drops[TM_DROP_MALFORMED],
		     (unsigned long long)harness.counts.bpf.steps_by_table,
		     (unsigned long long)harness.counts.bpf.steps_by_frame_pointer,
		     (unsigned long long)harness.counts.tables);
	if (harness.counts.drops[TM_DROP_MALFORMED])
		complain("all", "malformed records", 0);
	r = harness_stop(&harness);
	if (r != 0)
		complain("the collector", "ended badly", 0);
	return wrong != 0;
}
