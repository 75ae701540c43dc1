/* SPDX-License-Identifier: Apache-2.0 */
/* thread_reader - reads what all threads do from a BPF iterator, for the symbolizer */

#include "collector/thread_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/event_check.h"
#include "shared/region.h"
#include "shared/wire.h"

/* Allocates for all that the limit allows: untouched pages cost nothing. */
void thread_reader_begin(struct thread_reader *reader, int fd)
{
	thread_reader_deinit(reader);
	*reader = (struct thread_reader){.fd = fd, .bytes = malloc(TM_THREADS_MAX_BYTES)};
}

int thread_reader_advance(struct thread_reader *reader)
{
	uint64_t from = tm_clock_ns();
	ssize_t n;

	if (reader->fd < 0)
		return -EBADF;
	if (!reader->bytes)
		return -ENOMEM;
	do {
		if (reader->count == TM_THREADS_MAX_BYTES)
			return THREAD_READER_E_END;
		n = read(reader->fd, reader->bytes + reader->count,
			 TM_THREADS_MAX_BYTES - reader->count);
		if (n == 0)
			return THREAD_READER_E_END;
		if (n > 0)
			reader->count += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
	} while (tm_clock_ns() - from < THREAD_READER_SLICE_NS);
	return 0;
}

/* Return: bytes of the records that check, moved to the front. */
static size_t check_all(struct thread_reader *reader, struct kallsyms *symbols)
{
	size_t from = 0, to = 0;

	while (reader->count - from >= sizeof(struct tm_thread)) {
		struct tm_thread *thread = (void *)(reader->bytes + from);
		uint32_t bytes = thread->event.bytes;

		if (bytes < sizeof(*thread) || bytes % 8 || bytes > reader->count - from)
			break;
		if (thread->event.type == TM_EVENT_THREAD &&
		    tm_event_check_from_bpf(thread, bytes) == 0) {
			kallsyms_rebase_stack(symbols, thread->frames, thread->kernel_frames,
					      thread->event.ktime);
			memmove(reader->bytes + to, thread, bytes);
			to += bytes;
		}
		from += bytes;
	}
	return to;
}

int thread_reader_seal(struct thread_reader *reader, struct kallsyms *symbols)
{
	_cleanup_(tm_region_close) struct tm_region made = TM_REGION_NULL;
	size_t bytes = check_all(reader, symbols);
	int r;

	if (!bytes)
		return -ENODATA;
	r = tm_region_begin_blob(&made, "tidemark-threads", bytes);
	if (r == 0) {
		memcpy(made.addr, reader->bytes, bytes);
		r = tm_region_end_blob(&made);
	}
	return r < 0 ? r : TM_TAKE_FD(made.fd);
}

void thread_reader_deinit(struct thread_reader *reader)
{
	reader->fd = tm_close(reader->fd);
	free(reader->bytes);
	*reader = THREAD_READER_NULL;
}
