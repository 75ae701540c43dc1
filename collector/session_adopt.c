/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_adopt - goes on where the last collector stopped, and keeps what the next one needs
 */

#include "collector/loader_kept.h"
#include "collector/session.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

void session_keep(struct session *session)
{
	if (!session->loader.kept->adopted) {
		loader_kept_keep(session->loader.skeleton, session->loader.kept,
				 session->loader.sample);
		percpu_keep_events(&session->loader.percpu);
	}
	kept_keep(session->loader.kept, KEPT_LAYOUT, session->loader.kept->layout,
		  session->loader.kept->layout_fd);
}

/* The samples of the last ring are those of the symbolizer that has it: for the next one they are
 * like those of a symbolizer that died (session_detach). */
static void end_ring(struct tm_counts *counts)
{
	struct tm_off_cpu_counts *off_cpu = &counts->off_cpu;

	counts->drops[TM_DROP_SYMBOLIZER_DIED] += counts->pushed;
	off_cpu->drops[TM_DROP_SYMBOLIZER_DIED] += off_cpu->pushed;
	off_cpu->drops_ns[TM_DROP_SYMBOLIZER_DIED] += off_cpu->pushed_ns;
	counts->pushed = off_cpu->pushed = off_cpu->pushed_ns = 0;
	percpu_leave_in_flight(counts);
}

/* What @counts has beyond @kernel, which only grows. */
static uint64_t ours(uint64_t counts, uint64_t kernel)
{
	return counts > kernel ? counts - kernel : 0;
}

static void adopt_off_cpu_counts(struct tm_off_cpu_counts *mine,
				 const struct tm_off_cpu_counts *counts,
				 const struct tm_off_cpu_counts *kernel)
{
	for (unsigned i = 0; i < TM_DROP_N; i++) {
		mine->drops[i] = ours(counts->drops[i], kernel->drops[i]);
		mine->drops_ns[i] = ours(counts->drops_ns[i], kernel->drops_ns[i]);
	}
	mine->seen.ends_lost = ours(counts->seen.ends_lost, kernel->seen.ends_lost);
	mine->seen.wakers_lost = ours(counts->seen.wakers_lost, kernel->seen.wakers_lost);
}

/* Counters of the kernel's side go on by themselves. */
static void adopt_counts(struct session *session, const struct tm_counts *counts)
{
	struct drain *drain = &session->drain;
	struct tm_counts kernel = {0};

	percpu_count(&session->loader.percpu, &kernel);
	drain->malformed = counts->drops[TM_DROP_MALFORMED];
	drain->shared_full = counts->drops[TM_DROP_SHARED_FULL];
	drain->announce_lost = ours(counts->bpf.announce_lost, kernel.bpf.announce_lost);
	drain->methods_lost = ours(counts->bpf.methods_lost, kernel.bpf.methods_lost);
	adopt_off_cpu_counts(&drain->off_cpu, &counts->off_cpu, &kernel.off_cpu);
	session->symbolizer_died = counts->drops[TM_DROP_SYMBOLIZER_DIED];
	session->violations = counts->violations;
	session->rounds = counts->rounds;
	session->attached = counts->attached;
	session->cpu_before_ns = counts->cpu_ns;
	session->symbols.unknown = counts->kernel_unknown;
	session->refresh.readings = counts->kernel_readings;
	session->files.counts = counts->files;
	session->tables.counts = counts->installs;
	session->counts = *counts;
	percpu_adopt_events(&session->loader.percpu,
			    kernel.hits + ours(counts->owed, counts->hits));
}

/* Reads the last collector's ring. Takes @fd. Return: 0, -errno. */
static int read_last(int fd, uint64_t *ret_seq, struct tm_ring_progress *ret_progress,
		     uint64_t *ret_watermark)
{
	_cleanup_(tm_region_close) struct tm_region ring = TM_REGION_NULL;
	const struct tm_ring_header *header;
	int r = tm_region_open(&ring, fd, TM_RING_HEADER_BYTES + TM_RING_MIN_BYTES,
			       TM_RING_HEADER_BYTES + (size_t)TM_RING_MAX_BYTES);

	if (r < 0) {
		(void)tm_close(fd);
		return r;
	}
	header = ring.addr;
	/* relaxed: its writer has ended */
	*ret_watermark = atomic_load_explicit(&header->watermark, memory_order_relaxed);
	return tm_ring_read_progress(header, ring.bytes, ret_seq, ret_progress);
}

/* Takes @fd. Return: 0, -errno. */
static int adopt_ring(struct session *session, int fd)
{
	struct tm_ring_progress progress;
	uint64_t w;
	int r = read_last(fd, &session->progress, &progress, &w);

	if (r < 0)
		return r;
	end_ring(&progress.counts);
	percpu_set_drained(&session->loader.percpu, session->progress & 1);
	session->generation = progress.generation;
	session->weighed_ns = progress.weighed_ns;
	adopt_counts(session, &progress.counts);
	return 0;
}

void session_count_gap(struct session *session)
{
	struct percpu *percpu = &session->loader.percpu;
	int fd = TM_TAKE_FD(session->loader.kept->last_ring);
	struct tm_ring_progress progress;
	uint64_t seq, w;

	if (fd >= 0 && read_last(fd, &seq, &progress, &w) == 0 && w)
		percpu->owed_before += (tm_clock_ns() - w) / percpu->period_ns * percpu->count;
}

int session_adopt(struct session *session)
{
	struct kept *kept = session->loader.kept;
	int r;

	if (!kept->adopted)
		return 0;
	session->reported_index = kept_last(kept, KEPT_REPORTED);
	session->reported = kept_take(kept, KEPT_REPORTED, session->reported_index);
	session->shared_index = kept_last(kept, KEPT_SHARED);
	r = adopt_ring(session, kept_take(kept, KEPT_SHARED, session->shared_index));
	if (r < 0)
		return tm_control_failure_check(&session->failure, TM_FAILURE_INTERNAL, r,
						"what the last collector left is unusable");
	if (session->options->off_cpu)
		session->off_cpu.shift = (unsigned)*session->loader.off_cpu_shift;
	unwind_install_adopt(&session->tables, TM_UNWIND_MAP_VDSO, *session->loader.vdso_table,
			     loader_adopt_chunk);
	reclaim_adopt(&session->reclaim, loader_adopt_chunk);
	return 0;
}
