/* SPDX-License-Identifier: Apache-2.0 */
/* loader_chunks - makes and drops the maps that unwind tables lie in */

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/loader.h"
#include "shared/cleanup.h"
#include "shared/unwind_map.h"

#define CHUNK_BYTES ((size_t)TM_UNWIND_UNITS_CHUNK * TM_UNWIND_UNIT_BYTES)

static int map_chunk(struct loader *loader, int map, void **ret_memory)
{
	void *memory = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (memory == MAP_FAILED)
		return -errno;
	loader->map_bytes += CHUNK_BYTES + (size_t)sysconf(_SC_PAGESIZE); /* the map's own */
	*ret_memory = memory;
	return 0;
}

static void unmap_chunk(struct loader *loader, void *memory)
{
	(void)munmap(memory, CHUNK_BYTES);
	loader->map_bytes -= CHUNK_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

/* The inner map must be as the BPF side declares it in `unwind_chunks`. It exists as long as it is
 * mapped or stored there. */
int loader_make_chunk(void *context, uint32_t index, void **ret_memory)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	struct loader *loader = context;
	_cleanup_(tm_closep) int map =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", sizeof(index), TM_UNWIND_UNIT_BYTES,
			       TM_UNWIND_UNITS_CHUNK, &options);
	int r = map < 0 ? -errno : map_chunk(loader, map, ret_memory);

	if (r < 0)
		return r;
	/* A collector that died before it used this chunk may have left another one. */
	kept_drop(loader->kept, KEPT_CHUNK, index);
	kept_keep(loader->kept, KEPT_CHUNK, index, map); /* before a table may lie in it */
	if (bpf_map_update_elem(loader->unwind_chunks, &index, &map, BPF_ANY) < 0) {
		r = -errno;
		kept_drop(loader->kept, KEPT_CHUNK, index);
		unmap_chunk(loader, *ret_memory);
	}
	return r;
}

int loader_adopt_chunk(void *context, uint32_t index, void **ret_memory)
{
	struct loader *loader = context;
	_cleanup_(tm_closep) int map = kept_take(loader->kept, KEPT_CHUNK, index);

	return map < 0 ? -ENOENT : map_chunk(loader, map, ret_memory);
}

void loader_drop_chunk(void *context, uint32_t index, void *memory)
{
	struct loader *loader = context;

	(void)bpf_map_delete_elem(loader->unwind_chunks, &index);
	if (loader->unwind_chunks >= 0)
		kept_drop(loader->kept, KEPT_CHUNK, index);
	unmap_chunk(loader, memory);
}
