/* SPDX-License-Identifier: Apache-2.0 */
/* file_requests_again - when a file is opened once more: after a failure, or since it is wanted */

#include "collector/file_requests.h"

void file_requests_note_failure(struct file_requests *files, struct file_requests_entry *entry,
				enum file_requests_state state, uint64_t now_ms)
{
	unsigned pauses = entry->failures < FILE_REQUESTS_PAUSES_MAX ? entry->failures
								     : FILE_REQUESTS_PAUSES_MAX;

	if (state == FILE_REQUESTS_RETIRE)
		pauses = FILE_REQUESTS_PAUSES_NEW; /* old numbers take up places until W passed */
	entry->state = (uint8_t)state;
	files->retrying += state != FILE_REQUESTS_FAILED;
	if (entry->failures < UINT8_MAX)
		entry->failures++;
	entry->retry_ms = (uint32_t)(now_ms + ((uint64_t)FILE_REQUESTS_PAUSE_MS << pauses));
}

void file_requests_retry(struct file_requests *files, uint64_t now_ms)
{
	for (uint32_t number = 0; files->retrying && number <= files->highest; number++) {
		struct file_requests_entry *entry = &files->entries[number];

		if (entry->state < FILE_REQUESTS_RETRY ||
		    (int32_t)((uint32_t)now_ms - entry->retry_ms) < 0)
			continue;
		(void)files->kernel.change(
			files->kernel.context, number,
			entry->state == FILE_REQUESTS_RETIRE ? TM_FILE_RETIRE : TM_FILE_FORGET, 0);
		entry->state = FILE_REQUESTS_FAILED;
		files->retrying--;
	}
}

/* Whether @value is that of the last FILE message, which is in @state. */
static bool is_last(const struct file_requests_entry *entry, enum file_requests_state state,
		    uint64_t value)
{
	return entry->state == state && entry->sent == (uint32_t)(value >> 10);
}

bool file_requests_answered(struct file_requests *files, uint32_t number, uint64_t value)
{
	struct file_requests_entry *entry = &files->entries[number];

	if (!is_last(entry, FILE_REQUESTS_SENT, value))
		return false;
	entry->state = FILE_REQUESTS_ANSWERED;
	return true;
}

bool file_requests_unparsed(struct file_requests *files, uint32_t number, uint64_t value,
			    uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[number];

	if (!is_last(entry, FILE_REQUESTS_SENT, value))
		return false;
	file_requests_note_failure(files, entry, FILE_REQUESTS_RETRY, now_ms);
	return true;
}

bool file_requests_again(struct file_requests *files, uint32_t number, uint64_t value,
			 uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[number];
	const struct file_record *record = file_records_find(&files->records, number, value);

	if (!is_last(entry, FILE_REQUESTS_ANSWERED, value) || entry->again ||
	    files->queue.count >= FILE_QUEUE_MAX / 2)
		return false;
	entry->again = record && file_queue_add(&files->queue, record->file);
	if (!entry->again)
		file_requests_note_failure(files, entry, FILE_REQUESTS_RETRY, now_ms);
	return true;
}
