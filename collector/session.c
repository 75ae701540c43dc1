/* SPDX-License-Identifier: Apache-2.0 */
/* session - the loop, and the end of it */

#include "collector/session.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/control.h"
#include "shared/fdpass.h"

static uint64_t ring_bytes(const struct percpu *percpu)
{
	return tm_ring_bytes_for(2 * percpu->ring_bytes * percpu->count, SESSION_RING_MIN,
				 SESSION_RING_MAX);
}

/* Hands the regions and the kernel table to the symbolizer. */
static void introduce(struct session *session)
{
	const struct tm_wire attach = {.kind = TM_WIRE_ATTACH,
				       .value = session->writer.header->generation};
	const struct tm_wire reader = {.kind = TM_WIRE_READER};
	const struct tm_wire kernel = {.kind = TM_WIRE_KERNEL};

	(void)symbolizer_link_send(&session->link, &attach, session->ring.fd);
	(void)symbolizer_link_send(&session->link, &reader, session->reader.fd);
	(void)symbolizer_link_send(&session->link, &kernel, session->kernel_table);
	session->ring.fd = tm_close(session->ring.fd);
	session->reader.fd = tm_close(session->reader.fd);
	if (!session->options->restart)
		session->kernel_table = tm_close(session->kernel_table);
	session->attached++;
}

/* A fresh ring and reader page; what was in the old ones is lost. Return: 0, -errno. */
static int make_ring(struct session *session)
{
	uint64_t bytes = TM_RING_HEADER_BYTES + ring_bytes(&session->loader.percpu);
	int r;

	tm_region_close(&session->ring);
	tm_region_close(&session->reader);
	r = tm_region_create(&session->ring, "tidemark-ring", bytes);
	if (r == 0)
		r = tm_region_create_for_peer(&session->reader, "tidemark-reader",
					      (size_t)sysconf(_SC_PAGESIZE));
	if (r == 0)
		r = tm_ring_writer_init(&session->writer, session->ring.addr, session->ring.bytes,
					session->reader.addr, session->generation);
	return tm_control_failure_check(&session->failure, TM_FAILURE_INTERNAL, r,
					"no memory for the ring to the symbolizer");
}

int session_connect(struct session *session)
{
	const struct file_requests_kernel kernel = {&session->loader, loader_match_file,
						    loader_change};
	const struct unwind_alloc_kernel chunks = {&session->loader, loader_make_chunk,
						   loader_drop_chunk};
	const struct percpu *percpu = &session->loader.percpu;

	if (getrandom(&session->generation, sizeof(session->generation), 0) < 0 ||
	    drain_init(&session->drain, percpu->rings, percpu->count, percpu->maps.possible) < 0 ||
	    file_requests_init(&session->files, &session->opener, &session->link, kernel) < 0 ||
	    unwind_install_init(&session->tables, session->options->table_bytes, &session->files,
				&session->reclaim.queue, chunks) < 0)
		return tm_control_failure_set(&session->failure, TM_FAILURE_INTERNAL,
					      "no memory for the files");
	if (make_ring(session) < 0)
		return -ECANCELED;
	session->drain.writer = &session->writer;
	session->drain.symbols = &session->symbols;
	session->drain.files = &session->files;
	session->drain.reclaim = &session->reclaim;
	session->reclaim = (struct reclaim){
		.processes = session->loader.processes,
		.numbers = session->loader.numbers,
		.epoch_bumps = session->loader.epoch_bumps,
		.files = &session->files,
		.tables = &session->tables,
		.writer = &session->writer,
	};
	introduce(session);
	return 0;
}

void session_add_cpu(struct session *session, uint64_t cpu, int fd)
{
	struct percpu *percpu = &session->loader.percpu;
	int r = percpu_add_cpu(percpu, cpu, fd, session->loader.sample, session->running);

	if (r < 0) {
		(void)tm_close(fd);
		(void)tm_control_note(session->command, "CPU %llu is not sampled: %s",
				      (unsigned long long)cpu, strerror(-r));
	}
	session->drain.count = percpu->count;
}

/* What was sampled until now goes down with the old ring. The epoch turns behind that round, or announcements
 * of the new one would go down as well, and right behind it: nothing is drained before the new ring is
 * there, and what is drained then should come with its announcements. */
int session_attach(struct session *session, int fd)
{
	(void)session_round(session);
	reclaim_advance_epoch(&session->reclaim);
	session->symbolizer_died += session->drain.pushed;
	session->drain.pushed = 0;
	session->violations += session->link.violations + session->writer.violations;
	symbolizer_link_deinit(&session->link);
	symbolizer_link_init(&session->link, fd);
	if (make_ring(session) < 0)
		return -ECANCELED;
	file_requests_reset_all(&session->files);
	session->tables.vdso_answered = false;
	introduce(session);
	return 0;
}

/* What costs a call per CPU or program: reading an event interrupts its CPU. */
static void measure(struct session *session)
{
	session->counts.owed = percpu_owed(&session->loader.percpu);
	session->counts.bpf_ns = loader_run_ns(&session->loader);
	session->counts.bpf_ns_valid = session->counts.bpf_ns > 0;
}

static void report(struct session *session, bool may_skip)
{
	if (tm_control_counts(session->command, &session->counts, &session->cost, may_skip) < 0 &&
	    session->end == SESSION_GOES_ON)
		session->end = SESSION_COMMAND_GONE;
}

static void now_and_then(struct session *session, uint64_t now_ms)
{
	if (now_ms - session->counted_ms < SESSION_COUNTS_MS)
		return;
	session->counted_ms = now_ms;
	if (session->reports++ % SESSION_MEASURE == 0)
		measure(session);
	report(session, /* may_skip= */ true);
	file_requests_retry(&session->files, now_ms);
	if (session->options->selecting && session->running && !session->emptied &&
	    *session->loader.selected_count == 0) {
		session->emptied = true;
		(void)tm_control_send(session->command, TM_CONTROL_EMPTY, 0, 0);
	}
	if (session->opener.pid > 0 && session->opener.fd < 0 && !session->opener_missed) {
		session->opener_missed = true;
		(void)tm_control_note(session->command,
				      "tidemark-opener died: files met from now on stay unnamed");
	}
}

static int poll_ms(const struct session *session)
{
	if (session->drain.fullest_percent > SESSION_QUARTER_PERCENT)
		return SESSION_POLL_FULL_MS;
	return session->options->hz >= SESSION_FAST_HZ ? SESSION_POLL_FAST_MS : SESSION_POLL_MS;
}

/* What the symbolizer says: no more of it at a time than the rounds can bear, and none while rows wait for units. */
static void hear_symbolizer(struct session *session)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r = symbolizer_link_receive(&session->link, &message, &fd);

	session->tokens -= SESSION_MESSAGE_TOKENS;
	if (session->end != SESSION_GOES_ON)
		return;
	if (r == SYMBOLIZER_LINK_E_TABLE)
		session->tokens -= (int64_t)unwind_install_take(&session->tables, &message, fd);
	else if (r == SYMBOLIZER_LINK_E_FAILED)
		unwind_install_failed(&session->tables, &message, tm_clock_ms());
}

/* Waits for messages, at most @milliseconds, and takes them. */
static void wait_and_hear(struct session *session, int milliseconds)
{
	struct pollfd fds[] = {
		{.fd = session->end == SESSION_GOES_ON ? session->command : -1, .events = POLLIN},
		{.fd = session->tokens > 0 && !session->tables.pending ? session->link.fd : -1,
		 .events = POLLIN},
		{.fd = session->opener.fd, .events = POLLIN},
		{.fd = session->loader.percpu.wake, .events = POLLIN},
	};

	if (poll(fds, sizeof(fds) / sizeof(*fds), milliseconds) > 0) {
		if (fds[0].revents)
			session_receive_commands(session);
		if (fds[1].revents)
			hear_symbolizer(session);
		if (fds[3].revents)
			session->woken = percpu_clear_wake(&session->loader.percpu);
	}
	file_requests_advance(&session->files, tm_clock_ms());
	if (session->link.fd < 0 && session->end == SESSION_GOES_ON && !session->options->restart)
		session->end = SESSION_SYMBOLIZER_GONE;
}

void session_run(struct session *session)
{
	uint64_t next_ms = tm_clock_ms(), soon_ms = next_ms;

	while (session->end == SESSION_GOES_ON) {
		uint64_t now_ms = tm_clock_ms();

		if (now_ms >= next_ms) {
			(void)session_round(session);
			file_requests_advance(&session->files, now_ms); /* not after the wait */
			next_ms = now_ms + (uint64_t)poll_ms(session);
			soon_ms = now_ms + SESSION_POLL_WOKEN_MS;
			session->woken = false;
			now_and_then(session, now_ms);
		}
		wait_and_hear(session, (int)(next_ms > now_ms ? next_ms - now_ms : 0));
		if ((session->woken || session->tables.pending) && soon_ms < next_ms)
			next_ms = soon_ms;
	}
}

/* Rounds until nothing is on its way and W has passed the end of sampling. */
static void run_dry(struct session *session)
{
	uint64_t from_ms = tm_clock_ms();
	uint64_t w;

	do {
		w = session_round(session);
		(void)poll(NULL, 0, 1);
	} while ((percpu_in_flight(&session->counts) > 0 || w / 1000000 <= from_ms) &&
		 tm_clock_ms() - from_ms < SESSION_QUIET_MS);
}

static bool files_are_out(struct session *session)
{
	return file_requests_idle(&session->files) || session->link.fd < 0;
}

static bool end_is_out(struct session *session)
{
	const struct tm_wire message = {.kind = TM_WIRE_END};

	return symbolizer_link_send(&session->link, &message, -1) != SYMBOLIZER_LINK_E_AGAIN;
}

static void settle(struct session *session, bool (*is_out)(struct session *session))
{
	uint64_t from_ms = tm_clock_ms();

	file_requests_advance(&session->files, from_ms);
	while (!is_out(session) && tm_clock_ms() - from_ms < SESSION_SETTLE_MS) {
		session->tokens = SESSION_TOKENS_MAX; /* there are no rounds any more */
		wait_and_hear(session, SESSION_POLL_FULL_MS);
	}
}

void session_finish(struct session *session)
{
	(void)percpu_ioctl(&session->loader.percpu, PERF_EVENT_IOC_DISABLE, 0);
	loader_detach(&session->loader);
	run_dry(session);
	unwind_install_drop(&session->tables);
	settle(session, files_are_out);
	opener_client_stop(&session->opener, &session->cost);
	measure(session);
	(void)session_round(session); /* the last one: what became of the files counts as well */
	report(session, /* may_skip= */ false);
	if (*session->loader.selected_full)
		(void)tm_control_note(session->command,
				      "%llu later children found no room in the selection",
				      (unsigned long long)*session->loader.selected_full);
	settle(session, end_is_out);
	if (session->end == SESSION_SYMBOLIZER_GONE)
		(void)tm_control_failure_set(&session->failure, TM_FAILURE_PEER,
					     "the symbolizer went away");
	if (session->failure.code)
		(void)tm_control_failed(session->command, &session->failure);
	else
		(void)tm_control_send(session->command, TM_CONTROL_DONE, 0, 0);
}

void session_deinit(struct session *session)
{
	opener_client_stop(&session->opener, &session->cost);
	drain_deinit(&session->drain);
	reclaim_deinit(&session->reclaim);
	file_requests_deinit(&session->files);
	kallsyms_deinit(&session->symbols);
	loader_deinit(&session->loader);
	unwind_install_deinit(&session->tables);
	symbolizer_link_deinit(&session->link);
	session->command = tm_fdpass_part(session->command);
	session->kernel_table = tm_close(session->kernel_table);
	tm_region_close(&session->ring);
	tm_region_close(&session->reader);
}
