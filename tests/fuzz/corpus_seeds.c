/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus_seeds - writes the seeds of all corpora below a folder
 */

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/opener/opener.h"
#include "shared/control.h"
#include "shared/ring.h"
#include "shared/wire.h"
#include "symbolizer/parser/parser.h"
#include "tests/fuzz/context_seeds.h"
#include "tests/fuzz/event_seeds.h"
#include "tests/fuzz/symbol_seeds.h"
#include "tests/fuzz/unwind_seeds.h"
#include "tests/unit/parser/elf_builder.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_symbols.h"

static const char *root;

static void put(const char *target, const char *name, const void *bytes, size_t count, bool append)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", root, target);
	(void)mkdir(path, 0755);
	(void)snprintf(path, sizeof(path), "%s/%s/%s", root, target, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0644);
	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		perror(path);
	(void)close(fd);
}

static void elf_files(void)
{
	static struct elf_builder elf;
	const uint8_t function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "main", 0x10, 0x10, function);
	elf_builder_symbol(&elf, "label", 0x20, 0, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE));
	elf_builder_dynamic(&elf, "exported", 0x40, 0x20, function);
	put("elf", "plain", &elf, ELF_BUILDER_BYTES, false);
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = 6;
	put("elf", "extended_numbering", &elf, ELF_BUILDER_BYTES, false);
	elf.sections[2].sh_offset = elf.sections[3].sh_offset = 0;
	put("elf", "overlapping", &elf, ELF_BUILDER_BYTES, false);
	elf.sections[2].sh_size = 1ull << 60;
	put("elf", "huge_section", &elf, ELF_BUILDER_BYTES, false);
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "main", 0x10, 0x10, function);
	memset(elf.strings, 'x', sizeof(elf.strings));
	put("elf", "unterminated_strings", &elf, ELF_BUILDER_BYTES, false);
}

/* Interval reports; a file number that is retired, and its file under the next number. */
static void reports(void)
{
	static union make_record record;
	const uint64_t word = FILE_WORD(3, 0x40), next = FILE_WORD(4, 0x40);

	make_sample(&record, 10, 42, "thread", &word, 0, 1);
	put("event", "every", &record, record.event.bytes, true);
	make_exit(&record, 11, 42);
	record.event.cpu = 0xffff;
	put("event", "every", &record, record.event.bytes, true);
	make_sample(&record, 12, 42, "thread", &word, 0, 1);
	put("event", "every", &record, record.event.bytes, true);
	make_retire(&record, 13, 3);
	put("event", "every", &record, record.event.bytes, true);
	make_file(&record, 4, 77, "prog\0bin\0", 9);
	put("event", "every", &record, record.event.bytes, true);
	make_sample(&record, 14, 42, "thread", &next, 0, 1);
	put("event", "every", &record, record.event.bytes, true);
	make_exit(&record, 200 * TM_EPOCH_NS, 42);
	record.event.cpu = 0xffff;
	put("event", "every", &record, record.event.bytes, true);
}

static void containers(void)
{
#define ID  "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376"
#define POD "74c13223_5a00_11e9_b385_42010a80018d"
	static const char *const paths[][2] = {
		{"docker", "/docker/" ID "/init.scope"},
		{"podman", "/machine.slice/libpod-" ID ".scope/container"},
		{"kubernetes", "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
			       ".slice/cri-containerd-" ID ".scope"},
		{"colons", "/kubepods-pod" POD ".slice:cri-containerd:" ID},
		{"folders",
		 "/kubelet/kubepods/burstable/pod74c13223-5a00-11e9-b385-42010a80018d/" ID},
		{"fargate", "/ecs/8cd79a803caf4d2aa945152e934a5c00/"
			    "8cd79a803caf4d2aa945152e934a5c00-1053176469"},
		{"unit", "/system.slice/system-web.slice/_web@1.service/sub"},
		{"user", "/user.slice/user-1000.slice/user@1000.service/app.slice/x.service"},
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		put("container", paths[i][0], paths[i][1], strlen(paths[i][1]), false);
}

static void symbol_tables(void)
{
	struct symbols symbols = make_symbols();

	put("symbol_table", "three", &symbols, sizeof(symbols), false);
	symbols.header.symbol_count = 0;
	symbols.header.name_bytes = 0;
	put("symbol_table", "segments", &symbols,
	    sizeof(symbols) - sizeof(symbols.symbols) - sizeof(symbols.names), false);
}

static void kernels(void)
{
	struct {
		struct tm_kernel_table header;
		struct tm_kernel_module modules[2];
		struct tm_kernel_symbol symbols[4];
		char names[32];
	} table = {{TM_KERNEL_MAGIC, 2, 4, 32},
		   {{1, 0, 0x3000}, {8, 3, 0x100}},
		   {{0x10, 13, 0}, {0x20, 15, 0}, {0x1000, 17, 0}, {0x8, 19, 1}},
		   "\0kernel\0ext4\0a\0b\0c\0d"};

	put("ksyms", "two_modules", &table, sizeof(table), false);
}

static void messages(void)
{
	static const struct {
		uint8_t attached;
		enum tm_wire_kind kind;
	} sent[] = {{3, TM_WIRE_KERNEL},   {1, TM_WIRE_FILE},     {2, TM_WIRE_FILE},
		    {1, TM_WIRE_REOPENED}, {0, TM_WIRE_REOPENED}, {0, TM_WIRE_NO_FILE},
		    {1, TM_WIRE_PERF_MAP}, {0, TM_WIRE_PERF_MAP}, {2, TM_WIRE_PERF_MAP},
		    {0, TM_WIRE_END},      {2, TM_WIRE_REOPENED}, {0, TM_WIRE_FILE}};

	for (uint32_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
		struct tm_wire wire = {.kind = sent[i].kind, .number = i, .value = i % 2};

		if (wire.kind == TM_WIRE_PERF_MAP)
			wire.number = 42;

		put("collector_link", "messages", &sent[i].attached, 1, i > 0);
		put("collector_link", "messages", &wire, sizeof(wire), true);
	}
}

static void thread_answers(void)
{
	static union make_record record;
	const uint64_t words[] = {KERNEL_WORD(0, 0x10), KERNEL_WORD(1, 0x20) | TM_FRAME_RETURN};

	for (uint32_t state = 0; state <= TM_THREAD_STATES_N; state++) {
		make_thread(&record, 1000, 40 + state, "worker", (enum tm_thread_state)state, 400,
			    words, 2);
		record.event.tgid = 40;
		record.thread.ns[TM_THREAD_ON_CPU] = 100;
		record.thread.ns[TM_THREAD_IO_WAIT] = 299;
		put("threads", "every_state", &record, record.event.bytes, state > 0);
	}
}

static void rings(void)
{
	static union make_record record;
	uint64_t words[2] = {2 * sizeof(struct tm_exit), 100};
	const struct {
		uint32_t bytes;
		uint16_t type;
		uint64_t watermark;
	} stamp = {sizeof(stamp), TM_RING_STAMP, 5};

	put("ring", "two_exits", words, sizeof(words), false);
	make_exit(&record, 8, 42);
	put("ring", "two_exits", &record, record.event.bytes, true);
	put("ring", "two_exits", &record, record.event.bytes, true);
	words[0] += sizeof(stamp);
	put("ring", "stamped", words, sizeof(words), false);
	put("ring", "stamped", &record, record.event.bytes, true);
	put("ring", "stamped", &stamp, sizeof(stamp), true);
	put("ring", "stamped", &record, record.event.bytes, true);
}

static void put_answer(const char *name, uint8_t flags, uint32_t status, bool append)
{
	const struct opener_answer answer = {.status = status, .worker = 4242, .address = 0x7000};

	put("opener_client", name, &flags, 1, append);
	put("opener_client", name, &answer, sizeof(answer), true);
}

/* The flags are those of fuzz_opener_client.c. */
static void answers(void)
{
	enum {
		FD = 1,
		OLDEST = 2,
		TOO_SHORT = 4,
		LATE = 8,
		NEXT = 16,
		OTHER = 0,
		SAME = 1 << 5
	};

	put_answer("accepted", 0, OPENER_STARTED, false);
	put_answer("accepted", SAME, OPENER_OPENED, true);
	put_answer("accepted", FD, OPENER_HANDED, true);
	put_answer("refused", 0, OPENER_STARTED, false);
	put_answer("refused", OTHER, OPENER_OPENED, true);
	put_answer("refused", SAME, OPENER_OPENED, true);
	put_answer("refused", FD, OPENER_HANDED, true);
	put_answer("unaccepted", 0, OPENER_STARTED, false);
	put_answer("unaccepted", OTHER, OPENER_OPENED, true);
	put_answer("unaccepted", FD, OPENER_HANDED, true);
	put_answer("early", 0, OPENER_STARTED, false);
	put_answer("early", FD, OPENER_HANDED, true);
	put_answer("late", 0, OPENER_STARTED, false);
	put_answer("late", NEXT | LATE, OPENER_STARTED, true);
	put_answer("late", LATE, OPENER_OPENED, true);
	put_answer("several", 0, OPENER_STARTED, false);
	put_answer("several", NEXT, OPENER_STARTED, true);
	put_answer("several", OLDEST | SAME, OPENER_OPENED, true);
	put_answer("several", SAME, OPENER_OPENED, true);
	put_answer("several", FD, OPENER_HANDED, true);
	put_answer("several", OLDEST | FD, OPENER_HANDED, true);
	put_answer("unstarted", SAME, OPENER_OPENED, false);
	put_answer("short", TOO_SHORT, OPENER_STARTED, false);
	for (uint32_t reason = 1; reason <= OPENER_STARTED + 1; reason++) {
		put_answer("reasons", NEXT, OPENER_STARTED, reason > 1);
		put_answer("reasons", 0, reason, true);
	}
}

static void put_command(const char *name, uint8_t flags, uint32_t kind, bool append)
{
	const struct tm_control message = {.kind = kind, .value = 3};

	put("control", name, &flags, 1, append);
	put("control", name, &message, offsetof(struct tm_control, body), true);
}

/* The flags are those of fuzz_control.c. */
static void commands(void)
{
	put_command("session", 0, TM_CONTROL_SELECT, false);
	put_command("session", 0, TM_CONTROL_START, true);
	put_command("session", 0, TM_CONTROL_STOP, true);
	put_command("cpu", 1, TM_CONTROL_CPU, false);
	put_command("cpu", 0, TM_CONTROL_CPU, true);
	put_command("attach", 1, TM_CONTROL_ATTACH, false);
	put_command("attach", 0, TM_CONTROL_ATTACH, true);
	put_command("extra_descriptor", 1, TM_CONTROL_STOP, false);
	put_command("short", 2, TM_CONTROL_START, false);
	for (uint32_t kind = 0; kind <= TM_CONTROL_PARSER_LOST + 1; kind++)
		put_command("every_kind", kind & 1, kind, kind > 0);
}

static void put_sent(const char *name, uint8_t flags, const struct tm_control *message,
		     size_t body_bytes)
{
	uint8_t words = (uint8_t)(body_bytes / 4);

	put("command", name, &flags, 1, true);
	put("command", name, message, offsetof(struct tm_control, body), true);
	put("command", name, &words, 1, true);
	put("command", name, &message->body, 4u * words, true);
}

/* The state and the flags are those of fuzz_command.c. */
static void programs_messages(void)
{
	enum {
		FD = 1,
		TOO_SHORT = 2,
		SYMBOLIZER = 4,
		FILL = 8
	};
	static const uint32_t collector[] = {TM_CONTROL_READY, TM_CONTROL_STARTED,
					     TM_CONTROL_COUNTS, TM_CONTROL_EMPTY, TM_CONTROL_DONE};
	static const uint32_t symbolizer[] = {
		TM_CONTROL_READY,  TM_CONTROL_PARSER_LOST, TM_CONTROL_OUTPUT, TM_CONTROL_TOP,
		TM_CONTROL_COUNTS, TM_CONTROL_RESULT,      TM_CONTROL_FLUSHED};
	static const char *const names[] = {"orderly", "flushed", "workload_ended",
					    "collector_died"};
	struct tm_control message = {.value = 1};

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint8_t state = (uint8_t)(1 | (1 << i));

		put("command", names[i], &state, 1, false);
		for (size_t k = 0; k < sizeof(collector) / sizeof(collector[0]); k++) {
			message.kind = collector[k];
			message.body.counts.taken = 100 * k;
			put_sent(names[i], i == 3 ? FILL : 0, &message, 256);
		}
		message.body = (typeof(message.body)){0};
		for (size_t k = 0; k < sizeof(symbolizer) / sizeof(symbolizer[0]); k++) {
			message.kind = symbolizer[k];
			put_sent(names[i], SYMBOLIZER | (i == 3 ? FILL : 0), &message, 256);
		}
		message.kind = TM_CONTROL_DONE;
		put_sent(names[i], SYMBOLIZER, &message, 0);
	}
	put("command", "failed", "\1", 1, false);
	memcpy(message.body.text, "\33[31mcannot", 12);
	for (int32_t code = 0; code <= TM_FAILURE_PEER; code++) {
		message.kind = code ? TM_CONTROL_FAILED : TM_CONTROL_NOTE;
		message.code = code;
		put_sent("failed", code & 1 ? SYMBOLIZER : 0, &message, 12);
	}
	put("command", "short", "\1", 1, false);
	put_sent("short", FD, &message, 12);
	put_sent("short", TOO_SHORT, &message, 12);
	put_sent("short", SYMBOLIZER | TOO_SHORT, &message, 12);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	root = argv[1];
	elf_files();
	event_seeds_put(put);
	context_seeds_put(put);
	symbol_tables();
	kernels();
	messages();
	thread_answers();
	rings();
	containers();
	reports();
	answers();
	commands();
	programs_messages();
	unwind_seeds_put(put);
	symbol_seeds_put(put);
	return 0;
}
