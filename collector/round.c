/* SPDX-License-Identifier: Apache-2.0 */
/* round - one round: computes the watermark, drains the rings and publishes, in this order */

#include <errno.h>
#include <string.h>

#include "collector/session.h"
#include "collector/watermark.h"
#include "shared/clock.h"
#include "shared/histogram.h"

void session_weigh(struct session *session)
{
	uint64_t now_ns = tm_clock_ns();

	if (!session->running)
		return;
	session->counts.weight_ns[session->loader.percpu.shift] += now_ns - session->weighed_ns;
	session->weighed_ns = now_ns;
}

/* After the drain, so that `taken` is never below pushed + drops. */
void session_count(struct session *session)
{
	const struct drain *drain = &session->drain;
	struct tm_counts counts = {
		.pushed = drain->pushed,
		.bpf.announce_lost = drain->announce_lost,
		.bpf.methods_lost = drain->methods_lost,
		.files = session->files.counts,
		.kernel_unknown = session->symbols.unknown,
		.kernel_readings = session->refresh.readings,
		.violations =
			session->violations + session->link.violations + session->writer.violations,
		.owed = session->counts.owed,
		.cpu_ns = session->counts.cpu_ns,
		.measured_ns = session->counts.measured_ns,
		.bpf_map_bytes = session->loader.map_bytes + session->loader.percpu.map_bytes,
		.cpus = session->loader.percpu.count,
		.selected = *session->loader.selected_count,
		.rounds = ++session->rounds,
		.lag_max_ns = session->counts.lag_max_ns,
		.files_retired = session->reclaim.numbers.gone,
		.processes_known = reclaim_entries(&session->reclaim.processes),
		.files_known = reclaim_entries(&session->reclaim.numbers),
		.attached = session->attached,
		.tables = session->tables.count,
		.table_bytes = session->tables.alloc.taken * (uint64_t)TM_UNWIND_UNIT_BYTES,
		.installs = session->tables.counts,
		.off_cpu = drain->off_cpu,
	};

	counts.drops[TM_DROP_MALFORMED] = drain->malformed;
	counts.drops[TM_DROP_SHARED_FULL] = drain->shared_full;
	counts.drops[TM_DROP_SYMBOLIZER_DIED] = session->symbolizer_died;
	counts.off_cpu.stratum_ns = 1ull << session->off_cpu.shift;
	percpu_count(&session->loader.percpu, &counts);
	memcpy(counts.weight_ns, session->counts.weight_ns, sizeof(counts.weight_ns));
	memcpy(counts.lags, session->counts.lags, sizeof(counts.lags));
	if (session->parting)
		percpu_leave_in_flight(&counts);
	session->counts = counts;
	session_weigh(session);
}

static void note_lag(struct tm_counts *counts, uint64_t ns)
{
	counts->lags[tm_histogram_bucket(ns)]++;
	if (ns > counts->lag_max_ns)
		counts->lag_max_ns = ns;
}

static void adapt_off_cpu(struct session *session, uint64_t now_ms)
{
	const struct tm_off_cpu_counts *counts = &session->counts.off_cpu;

	if (!session->off_cpu.target)
		return;
	off_cpu_rate_adapt(&session->off_cpu, counts->taken, counts->drops[TM_DROP_RING_FULL],
			   now_ms);
	*session->loader.off_cpu_shift = session->off_cpu.shift;
}

/*
 * An unfinished record blocks its ring, and finished ones behind it have to wait. Its mark is no
 * lower bound for them: the fast clock may have stepped back, and an older sample of another CPU
 * may rely on an announcement among them. So W rises only once no ring is blocked.
 * Return: whether none is.
 */
static bool drain_past_busy(struct session *session, uint64_t now_ms)
{
	session->drain.fullest_percent = 0;
	for (unsigned i = 0; i < SESSION_BUSY_TRIES; i++) {
		drain_note(&session->drain);
		if (drain_run(&session->drain, now_ms) == 0)
			return true;
	}
	return false;
}

bool session_send_symbols(struct session *session)
{
	const struct tm_wire message = {.kind = TM_WIRE_KERNEL};

	if (session->table_unsent)
		session->table_unsent =
			symbolizer_link_send(&session->link, &message, session->symbols.table.fd) ==
			SYMBOLIZER_LINK_E_AGAIN;
	return !session->table_unsent;
}

/* After the publish. */
static void refresh_symbols(struct session *session, uint64_t now_ms)
{
	if (kallsyms_refresh_advance(&session->refresh, now_ms))
		session->table_unsent = true;
	(void)session_send_symbols(session);
	if (session->refresh.failed && !session->refresh_missed) {
		session->refresh_missed = true;
		(void)tm_control_note(session->command,
				      "kernel modules and BPF programs loaded during the recording "
				      "stay unnamed: reading the kernel's symbols again %s",
				      session->refresh.error == -EOPNOTSUPP
					      ? "needs Linux 6.0"
					      : strerror(-session->refresh.error));
	}
}

void session_note_progress(struct session *session)
{
	const struct tm_ring_progress progress = {
		.tail_pos = session->writer.tail_pos,
		.weighed_ns = session->weighed_ns,
		.generation = session->generation,
		.counts = session->counts,
	};

	if (!session->options->keep)
		return; /* nobody goes on */
	session->progress++;
	percpu_note_drained(&session->loader.percpu, session->progress & 1);
	tm_ring_note_progress(session->writer.header, session->progress, &progress);
}

uint64_t session_round(struct session *session)
{
	const struct percpu *percpu = &session->loader.percpu;
	uint64_t now_ms = tm_clock_ms();
	uint64_t w;

	tm_ring_writer_refresh(&session->writer);
	w = watermark_read(percpu->slots, percpu->maps.possible);
	if (!drain_past_busy(session, now_ms))
		w = session->writer.watermark;
	if (session->writer.watermark) /* its lag is largest now */
		note_lag(&session->counts, tm_clock_ns() - session->writer.watermark);
	session_count(session);
	adapt_off_cpu(session, now_ms);
	session_note_progress(session);
	tm_ring_publish_counts(&session->writer, &session->counts);
	tm_ring_publish(&session->writer, w);
	drain_commit(&session->drain);
	reclaim_advance(&session->reclaim, session->writer.watermark,
			session->counts.bpf.announce_lost, now_ms);
	unwind_install_advance(&session->tables);
	refresh_symbols(session, now_ms);
	session->tokens += (int64_t)(now_ms - session->tokens_ms) * SESSION_TOKENS_PER_MS;
	if (session->tokens > SESSION_TOKENS_MAX)
		session->tokens = SESSION_TOKENS_MAX;
	session->tokens_ms = now_ms;
	return w;
}
