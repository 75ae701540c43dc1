/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_ring_fork - the ring between two processes over real memfds, where either dies or writes
 * false values
 *
 * The process that creates the data region is the only one that can write it, so the writer always
 * hands its regions over a socket, as the collector does. Killing waits for progress, never for
 * time.
 */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/ring_reader.h"
#include "tests/model/random.h"

#define ITERATIONS 60
#define REGION     (TM_RING_MIN_BYTES + TM_RING_HEADER_BYTES)
#define PAGE       4096u

#define CHECK(what)                                                                      \
	do {                                                                             \
		if (!(what)) {                                                           \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			_exit(1);                                                        \
		}                                                                        \
	} while (0)

struct writer {
	struct tm_region data, page;
	struct tm_ring_writer w;
	uint64_t next; /* id of the next record */
	uint64_t dropped;
};

struct reader {
	struct tm_region data, page;
	struct tm_ring_reader r;
	uint64_t next; /* ids below were seen or dropped */
	uint64_t popped;
};

static uint64_t words[TM_EVENT_MAX_BYTES / 8];

static uint32_t make(uint64_t id, uint64_t *record)
{
	uint64_t state = id;
	uint32_t bytes = 48 + 8 * random_below(&state, 200), i;
	struct tm_event event = {.bytes = bytes, .type = TM_EVENT_SAMPLE, .ktime = id};

	for (i = 0; i < bytes / 8; i++)
		record[i] = id ^ i;
	memcpy(record, &event, 16);
	return bytes;
}

/* --- the two ends --- */

static void writer_create(struct writer *writer)
{
	memset(writer, 0, sizeof(*writer));
	CHECK(tm_region_create(&writer->data, "ring", REGION) == 0);
	CHECK(tm_region_create_for_peer(&writer->page, "reader", PAGE) == 0);
	CHECK(tm_ring_writer_init(&writer->w, writer->data.addr, REGION, writer->page.addr, 1) ==
	      0);
}

static void writer_hand_over(const struct writer *writer, int socket)
{
	uint64_t message = 1;

	CHECK(tm_fdpass_send(socket, &message, 8, writer->data.fd, 0) == 0);
	CHECK(tm_fdpass_send(socket, &message, 8, writer->page.fd, 0) == 0);
}

/* One round: never waits, whatever the reader does. */
static void writer_round(struct writer *writer)
{
	struct tm_counts counts = {.taken = writer->next};
	int i;

	tm_ring_writer_refresh(&writer->w);
	for (i = 0; i < 50; i++) {
		int r = tm_ring_push(&writer->w, words, make(writer->next, words), 0);

		CHECK(r == 0 || r == TM_RING_E_FULL);
		writer->dropped += r == TM_RING_E_FULL;
		writer->next++;
	}
	tm_ring_publish(&writer->w, writer->next);
	counts.pushed = writer->next - writer->dropped;
	counts.drops[TM_DROP_SHARED_FULL] = writer->dropped;
	counts.taken = writer->next;
	tm_ring_publish_counts(&writer->w, &counts);
	CHECK(writer->w.tail_pos - writer->w.head_pos <= writer->w.capacity);
}

static void writer_close(struct writer *writer)
{
	tm_region_close(&writer->data);
	tm_region_close(&writer->page);
}

static void reader_attach(struct reader *reader, int socket)
{
	uint64_t message;
	int data = -1, page = -1;

	memset(reader, 0, sizeof(*reader));
	CHECK(tm_fdpass_recv(socket, &message, 8, &data, 0) == 0);
	CHECK(tm_fdpass_recv(socket, &message, 8, &page, 0) == 0);
	CHECK(tm_region_open(&reader->data, data, REGION, REGION) == 0);
	CHECK(tm_region_open_writable(&reader->page, page, PAGE) == 0);
	CHECK(tm_ring_reader_init(&reader->r, reader->data.addr, REGION, reader->page.addr) == 0);
}

/* Every record is whole and newer than the one before; everything below W has been seen. */
static uint64_t reader_round(struct reader *reader)
{
	static uint64_t expected[TM_EVENT_MAX_BYTES / 8];
	struct tm_event event;
	uint64_t watermark = 0, popped = 0;
	uint32_t bytes;
	int r;

	CHECK(tm_ring_reader_begin(&reader->r, &watermark) == 0);
	while ((r = tm_ring_pop(&reader->r, words, sizeof(words), &bytes)) == 0) {
		memcpy(&event, words, sizeof(event));
		CHECK(event.ktime >= reader->next);
		CHECK(bytes == make(event.ktime, expected));
		CHECK(memcmp(words, expected, bytes) == 0);
		reader->next = event.ktime + 1;
		popped++;
	}
	CHECK(r == TM_RING_E_EMPTY);
	tm_ring_reader_commit(&reader->r);
	reader->popped += popped;
	return popped;
}

static void reader_close(struct reader *reader)
{
	tm_region_close(&reader->data);
	tm_region_close(&reader->page);
}

/* --- processes --- */

static pid_t start(void (*body)(int socket, uint64_t seed), int socket, uint64_t seed)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		body(socket, seed);
		_exit(0);
	}
	return pid;
}

static void kill_hard(pid_t pid)
{
	int status = 0;

	CHECK(kill(pid, SIGKILL) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void read_for_ever(int socket, uint64_t seed)
{
	struct reader reader;

	(void)seed;
	reader_attach(&reader, socket);
	for (;;)
		if (reader_round(&reader) == 0)
			sched_yield();
}

static void write_for_ever(int socket, uint64_t seed)
{
	struct writer writer;

	(void)seed;
	writer_create(&writer);
	writer_hand_over(&writer, socket);
	for (;;)
		writer_round(&writer);
}

/* A reader that writes anything into its page. */
static void scribble_head(int socket, uint64_t seed)
{
	struct reader reader;
	struct tm_ring_reader_page *page;

	reader_attach(&reader, socket);
	page = reader.page.addr;
	for (;;) {
		uint64_t tail =
			atomic_load_explicit(&reader.r.header->tail_pos, memory_order_relaxed);
		uint64_t lie = random_next(&seed);

		if (random_below(&seed, 2) == 0)
			lie = tail + random_below(&seed, 4096) - 2048;
		atomic_store_explicit(&page->head_pos, lie, memory_order_relaxed);
	}
}

/* A writer that, once the reader has attached, writes anything anywhere in its region. */
static void scribble_region(int socket, uint64_t seed)
{
	struct writer writer;
	uint64_t attached;

	writer_create(&writer);
	writer_hand_over(&writer, socket);
	CHECK(tm_fdpass_recv(socket, &attached, 8, NULL, 0) == 0);
	for (;;) {
		uint64_t lie = random_next(&seed);
		uint32_t at = 8 * random_below(&seed, REGION / 8);

		writer_round(&writer);
		if (random_below(&seed, 4) == 0)
			at = 64 + 64 * random_below(&seed, 3); /* tail_pos, watermark, counts_seq */
		if (random_below(&seed, 2) == 0)
			lie = 8 * random_below(&seed, 3 * TM_RING_MIN_BYTES / 8);
		memcpy((uint8_t *)writer.data.addr + at, &lie, 8);
	}
}

/* --- who dies, who lies --- */

static void killed_reader_costs_only_what_it_had(uint64_t seed)
{
	uint64_t until = 1000 + random_below(&seed, 100000);
	struct writer writer;
	struct reader second;
	int ends[2], round;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	writer_create(&writer);
	writer_hand_over(&writer, ends[0]);
	pid = start(read_for_ever, ends[1], seed);
	while (writer.w.head_pos < until)
		writer_round(&writer);
	kill_hard(pid);
	for (round = 0; round < 50; round++) /* nobody reads: it fills up, drops, and never waits */
		writer_round(&writer);
	CHECK(writer.dropped > 0);
	writer_hand_over(&writer, ends[0]);
	reader_attach(&second, ends[1]);
	CHECK(reader_round(&second) > 0); /* goes on where the dead one had committed */
	writer_round(&writer);
	CHECK(reader_round(&second) == 50);
	CHECK(writer.w.violations == 0);
	reader_close(&second);
	writer_close(&writer);
	tm_close(ends[0]);
	tm_close(ends[1]);
}

static void killed_writer_leaves_whole_records(uint64_t seed)
{
	uint64_t until = 100 + random_below(&seed, 5000);
	struct tm_counts counts = {0};
	struct reader reader;
	int ends[2], r;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	pid = start(write_for_ever, ends[0], seed);
	reader_attach(&reader, ends[1]);
	while (reader.popped < until) {
		reader_round(&reader);
		(void)tm_ring_counts(&reader.r, &counts);
		CHECK(counts.taken == counts.pushed + counts.drops[TM_DROP_SHARED_FULL]);
	}
	kill_hard(pid);
	reader_round(&reader); /* all that it had published, and then nothing more */
	CHECK(reader_round(&reader) == 0);
	r = tm_ring_counts(&reader.r, &counts);
	CHECK(r == 0 || r == TM_RING_E_TORN);
	CHECK(counts.taken == counts.pushed + counts.drops[TM_DROP_SHARED_FULL]);
	reader_close(&reader);
	tm_close(ends[0]);
	tm_close(ends[1]);
}

static void lying_reader_never_moves_the_writer_out_of_its_ring(uint64_t seed)
{
	struct writer writer;
	int ends[2], round;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	writer_create(&writer);
	writer_hand_over(&writer, ends[0]);
	pid = start(scribble_head, ends[1], seed);
	for (round = 0; round < 200 || writer.w.violations < 20; round++)
		writer_round(&writer);
	kill_hard(pid);
	writer_close(&writer);
	tm_close(ends[0]);
	tm_close(ends[1]);
}

static void lying_writer_gets_a_refusal_and_nothing_else(uint64_t seed)
{
	struct reader reader;
	uint64_t watermark, refusals = 0, attached = 1;
	uint32_t bytes, said;
	int ends[2], r;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	pid = start(scribble_region, ends[0], seed);
	reader_attach(&reader, ends[1]);
	CHECK(tm_fdpass_send(ends[1], &attached, 8, -1, 0) == 0);
	while (refusals < 10) {
		r = tm_ring_reader_begin(&reader.r, &watermark);
		while (r == 0) {
			r = tm_ring_pop(&reader.r, words, sizeof(words), &bytes);
			memcpy(&said, words, sizeof(said));
			CHECK(r != 0 ||
			      (bytes == said && bytes % 8 == 0 && bytes <= sizeof(words)));
		}
		tm_ring_reader_commit(&reader.r);
		if (r == TM_RING_E_EMPTY)
			continue;
		CHECK(r == -EBADMSG);
		refusals++;
		/* A real reader stops here; this one continues at the published end. */
		reader.r.head_pos = reader.r.tail_pos =
			atomic_load_explicit(&reader.r.header->tail_pos, memory_order_acquire) &
			~7ull;
		reader.r.watermark = 0;
	}
	kill_hard(pid);
	reader_close(&reader);
	tm_close(ends[0]);
	tm_close(ends[1]);
}

int main(void)
{
	uint64_t seed = random_seed("stress_ring_fork");
	int i;

	for (i = 0; i < ITERATIONS; i++) {
		killed_reader_costs_only_what_it_had(random_next(&seed));
		killed_writer_leaves_whole_records(random_next(&seed));
		lying_reader_never_moves_the_writer_out_of_its_ring(random_next(&seed));
		lying_writer_gets_a_refusal_and_nothing_else(random_next(&seed));
	}
	return 0;
}
