/* SPDX-License-Identifier: Apache-2.0 */
/* file_records - the records of files whose descriptors were sent */

#include "collector/file_records.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/path.h"

int file_records_init(struct file_records *records, uint32_t count)
{
	*records = (struct file_records){.items = calloc(count, sizeof(*records->items))};
	return records->items ? 0 : -ENOMEM;
}

void file_records_drop(struct file_records *records, uint32_t number)
{
	struct file_record *record = &records->items[number];

	records->bytes -= record->file ? record->file->event.bytes : 0;
	free(record->file);
	record->file = NULL;
}

void file_records_deinit(struct file_records *records)
{
	for (uint32_t number = 0; records->items && number < records->used; number++)
		file_records_drop(records, number);
	free(records->items);
	records->items = NULL;
}

void file_records_keep(struct file_records *records, struct tm_file *file, uint32_t owner)
{
	if (file->number >= records->used)
		records->used = file->number + 1;
	file_records_drop(records, file->number);
	while (file->event.bytes > FILE_RECORDS_BYTES - records->bytes)
		file_records_drop(records, records->hand++ % records->used);
	records->items[file->number] = (struct file_record){file, owner};
	records->bytes += file->event.bytes;
}

const struct file_record *file_records_find(const struct file_records *records, uint32_t number,
					    uint64_t ktime)
{
	const struct file_record *record = &records->items[number];

	return record->file && record->file->event.ktime == ktime ? record : NULL;
}

uint32_t file_records_path(const struct tm_file *file, char *path)
{
	if (file->event.flags & (TM_PATH_CUT | TM_PATH_DELETED | TM_PATH_UNNAMED) ||
	    !tm_path_is_plain(file->text, file->path_bytes))
		return 0;
	return (uint32_t)tm_path_join(file->text, file->path_bytes, path);
}
