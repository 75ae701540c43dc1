/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_maps - takes the perf maps of sampled processes, each of which must be its process's own
 */

#include "symbolizer/names/perf_maps.h"

#include <string.h>
#include <time.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

/*
 * Whether the map was last written while the process ran another program. Where that is too close
 * to say, it was if that program had anonymous code; a shell that became this one had none.
 */
static bool is_of_another_program(const struct perf_maps *maps, const struct process *process,
				  const struct statx *status)
{
	int64_t written = jit_files_written_ns(status, CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < maps->jit->processes->count; i++) {
		const struct process *other = &maps->jit->processes->items[i];
		int64_t slack = other->map_ktime ? JIT_FILES_SLACK_NS : -JIT_FILES_SLACK_NS;

		if (other->state != PROCESS_FREE && other->tgid == process->tgid &&
		    other->start_boottime == process->start_boottime &&
		    other->exec_id != process->exec_id &&
		    written <= (int64_t)other->seen_ktime + slack)
			return true;
	}
	return false;
}

/* Return: why the map is not that of the process; 0: it is. */
static enum tm_no_file refusal(const struct perf_maps *maps, const struct process *process,
			       const struct statx *status)
{
	if (status->stx_uid != process->euid)
		return TM_NO_FILE_OWNER;
	if (status->stx_nlink != 1)
		return TM_NO_FILE_OTHER;
	if (jit_files_written_ns(status, CLOCK_BOOTTIME) + JIT_FILES_SLACK_NS <
		    (int64_t)process->start_boottime ||
	    is_of_another_program(maps, process, status))
		return TM_NO_FILE_STALE;
	return TM_NO_FILE_UNANSWERED;
}

static void take_map(struct perf_maps *maps, struct process *process, int fd)
{
	_cleanup_(tm_closep) int owned = fd;
	struct statx status;

	process->map_refused = TM_NO_FILE_TYPE;
	if (jit_files_status(owned, &status))
		process->map_refused = (uint8_t)refusal(maps, process, &status);
	if (!process->map_refused &&
	    !jit_files_take(maps->jit, process, JIT_FILES_MAP, TM_TAKE_FD(owned)))
		process->map_refused = TM_NO_FILE_LIMIT;
}

/* Return: whether the announcement that it answers was read. Takes @fd then. */
static bool take(struct perf_maps *maps, const struct perf_maps_early *answer)
{
	struct process *process =
		process_of_announcement(maps->jit->processes, answer->tgid, answer->ktime);

	if (!process)
		return false;
	process->map_refused = answer->reason;
	if (answer->fd >= 0)
		take_map(maps, process, answer->fd);
	return true;
}

static void take_or_keep(struct perf_maps *maps, struct perf_maps_early answer)
{
	if (take(maps, &answer))
		return;
	answer.until_ms = now_ms() + PERF_MAPS_EARLY_MS;
	for (uint32_t i = 0; answer.ktime && i < PERF_MAPS_EARLY; i++) {
		if (maps->early[i].ktime)
			continue;
		maps->early[i] = answer;
		maps->waiting++;
		return;
	}
	(void)tm_close(answer.fd);
}

void perf_maps_init(struct perf_maps *maps, struct jit_files *jit)
{
	*maps = (struct perf_maps){.jit = jit};
	for (uint32_t i = 0; i < PERF_MAPS_EARLY; i++)
		maps->early[i].fd = -1;
}

void perf_maps_deinit(struct perf_maps *maps)
{
	if (!maps->jit)
		return;
	for (uint32_t i = 0; i < PERF_MAPS_EARLY; i++)
		maps->early[i].fd = tm_close(maps->early[i].fd);
}

void perf_maps_answer(void *context, const struct tm_wire *message, int fd)
{
	struct perf_maps_early answer = {
		.fd = fd, .tgid = message->number, .ktime = message->value};

	if (fd < 0)
		answer.reason =
			(uint8_t)(message->form < TM_NO_FILE_N ? message->form : TM_NO_FILE_ERROR);
	take_or_keep(context, answer);
}

void perf_maps_round(struct perf_maps *maps)
{
	for (uint32_t i = 0; maps->waiting && i < PERF_MAPS_EARLY; i++) {
		struct perf_maps_early *early = &maps->early[i];

		if (!early->ktime)
			continue;
		if (!take(maps, early)) {
			if (now_ms() < early->until_ms)
				continue;
			(void)tm_close(early->fd);
		}
		*early = (struct perf_maps_early){.fd = -1};
		maps->waiting--;
	}
}
