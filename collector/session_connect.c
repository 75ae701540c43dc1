/* SPDX-License-Identifier: Apache-2.0 */
/* session_connect - connects a session to a symbolizer and to CPUs that come online */

#include "collector/session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "shared/cleanup.h"

static uint64_t ring_bytes(const struct percpu *percpu)
{
	return tm_ring_bytes_for(2 * percpu->ring_bytes * percpu->count, SESSION_RING_MIN,
				 SESSION_RING_MAX);
}

/* Takes off the memory what the load has shown to be fixed, and divides the rest.
 * Return: 0, -ECANCELED. */
static int divide_memory(struct session *session)
{
	const struct options *options = session->options;
	const struct loader *loader = &session->loader;
	uint64_t fixed = options->process_bytes + loader->map_bytes + loader->percpu.map_bytes +
			 TM_RING_HEADER_BYTES + ring_bytes(&loader->percpu) +
			 session->symbols.table.bytes;
	uint64_t least = fixed + SESSION_REST_MIN, mib = 1 << 20;

	session->table_bytes = SESSION_TABLE_BYTES;
	if (!options->memory_bytes)
		return 0;
	if (options->memory_bytes < least)
		return tm_control_failure_set(
			&session->failure, TM_FAILURE_HOST,
			"--memory-max %llu is too small here: programs, BPF maps, rings and kernel "
			"symbols need %llu MiB, so at least %llu MiB are needed",
			(unsigned long long)(options->memory_bytes / mib),
			(unsigned long long)((fixed + mib - 1) / mib),
			(unsigned long long)((least + mib - 1) / mib));
	session->table_bytes = (options->memory_bytes - fixed) / SESSION_TABLE_PART;
	session->symbolizer_bytes = options->memory_bytes - fixed - session->table_bytes;
	return 0;
}

/* Sends the regions and the kernel symbols to the symbolizer. */
static void send_regions(struct session *session)
{
	const uint16_t form = (session->options->keep ? TM_WIRE_GOES_ON : 0) |
			      (session_has_begun(session) ? TM_WIRE_BEGUN : 0);
	const struct tm_wire memory = {.kind = TM_WIRE_MEMORY, .value = session->symbolizer_bytes};
	const struct tm_wire attach = {
		.kind = TM_WIRE_ATTACH, .form = form, .value = session->writer.header->generation};
	const struct tm_wire reader = {.kind = TM_WIRE_READER};
	const struct tm_wire resume = {.kind = TM_WIRE_RESUME};

	if (session->symbolizer_bytes)
		(void)symbolizer_link_send(&session->link, &memory, -1);
	(void)symbolizer_link_send(&session->link, &attach, session->ring.fd);
	(void)symbolizer_link_send(&session->link, &reader, session->reader.fd);
	if (session->reported >= 0)
		(void)symbolizer_link_send(&session->link, &resume, session->reported);
	session->table_unsent = true;
	(void)session_send_symbols(session);
	session->ring_waits = false;
	session->ring.fd = tm_close(session->ring.fd);
	session->reader.fd = tm_close(session->reader.fd);
	session->attached++;
}

/* The next collector needs the last ring, and how far that goes. */
static void keep_ring(struct session *session)
{
	session_count(session);
	session_note_progress(session);
	kept_keep(session->loader.kept, KEPT_SHARED, session->shared_index + 1, session->ring.fd);
	kept_drop(session->loader.kept, KEPT_SHARED, session->shared_index++);
}

/* Creates a new ring and reader page; unread records of the old ring are lost.
 * Return: 0, -ECANCELED. */
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
	if (r == 0)
		keep_ring(session);
	return tm_control_failure_check(&session->failure, TM_FAILURE_INTERNAL, r,
					"no memory for the ring to the symbolizer");
}

static int open_symbols(void *context)
{
	return loader_kernel_symbols(context, /* again= */ true);
}

int session_connect(struct session *session)
{
	const struct file_requests_kernel kernel = {&session->loader, loader_match_file,
						    loader_change, loader_number};
	const struct unwind_alloc_kernel chunks = {&session->loader, loader_make_chunk,
						   loader_drop_chunk};
	const struct percpu *percpu = &session->loader.percpu;

	if (divide_memory(session) < 0)
		return -ECANCELED;
	if (getrandom(&session->generation, sizeof(session->generation), 0) < 0 ||
	    drain_init(&session->drain, percpu->rings, percpu_rings(percpu, percpu->count),
		       percpu_rings(percpu, percpu->maps.possible)) < 0 ||
	    file_requests_init(&session->files, &session->opener, &session->link, kernel) < 0 ||
	    unwind_install_init(&session->tables, session->table_bytes, &session->files,
				&session->reclaim.queue, chunks) < 0)
		return tm_control_failure_set(&session->failure, TM_FAILURE_INTERNAL,
					      "no memory for the requests and tables of files");
	session->drain.writer = &session->writer;
	session->drain.symbols = &session->symbols;
	session->refresh = (struct kallsyms_refresh){
		.symbols = &session->symbols,
		.context = &session->loader,
		.open = open_symbols,
		.fd = -1,
	};
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
	session->ring_waits = true;
	if (session_adopt(session) < 0 || make_ring(session) < 0)
		return -ECANCELED;
	if (session->link.fd >= 0)
		send_regions(session);
	return 0;
}

void session_add_cpu(struct session *session, uint64_t cpu, int fd)
{
	struct percpu *percpu = &session->loader.percpu;
	int r = percpu_add_cpu(percpu, cpu, fd, session->loader.sample, session->running);

	if (r < 0) {
		(void)tm_close(fd);
		(void)tm_control_note(session->command,
				      "cannot sample CPU %llu, which came online: %s",
				      (unsigned long long)cpu, strerror(-r));
	}
	session->drain.count = percpu_rings(percpu, percpu->count);
}

/*
 * Samples of the old ring are lost with it. The epoch advances after the last round into the old
 * ring, so that no announcement of the new epoch is lost there, and before the first round into the
 * new one, so that its samples come with their announcements.
 */
int session_detach(struct session *session)
{
	struct tm_off_cpu_counts *off_cpu = &session->drain.off_cpu;

	(void)session_round(session);
	reclaim_advance_epoch(&session->reclaim);
	session->symbolizer_died += session->drain.pushed;
	session->drain.pushed = 0;
	off_cpu->drops[TM_DROP_SYMBOLIZER_DIED] += off_cpu->pushed;
	off_cpu->drops_ns[TM_DROP_SYMBOLIZER_DIED] += off_cpu->pushed_ns;
	off_cpu->pushed = off_cpu->pushed_ns = 0;
	session->violations += session->link.violations + session->writer.violations;
	symbolizer_link_deinit(&session->link);
	symbolizer_link_init(&session->link, -1);
	session->ring_waits = true;
	return make_ring(session);
}

int session_attach(struct session *session, int fd)
{
	int r = 0;

	if (session->ring_waits)
		reclaim_advance_epoch(&session->reclaim); /* files are opened from now on */
	else
		r = session_detach(session);
	symbolizer_link_init(&session->link, fd);
	if (r < 0)
		return r;
	file_requests_reset_all(&session->files);
	session->tables.vdso_answered = false;
	send_regions(session);
	return 0;
}
