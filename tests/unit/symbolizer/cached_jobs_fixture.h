/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cached_jobs_fixture - jobs with a cache, whose thread the test plays
 */

#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

#include <sys/mman.h>

/* Announces the file that @fd refers to, as the kernel would. */
static inline void announce(uint32_t number, uint64_t ktime, int fd)
{
	make_file(&record, number, number + 100, "x\0", 2);
	record.event.ktime = ktime;
	make_identity_of(&record, fd);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
}

/* What another thread does in the program. */
static inline void serve_cache(void)
{
	while (table_cache_write_next(&cache) || table_cache_read_next(&cache))
		;
}

static inline void open_cache(void)
{
	static const uint8_t pin[TM_SHA256_BYTES];

	table_cache_open(&cache, memfd_create("cache", MFD_CLOEXEC), pin);
	assert_true(cache.fd >= 0);
	serve_cache();
}
