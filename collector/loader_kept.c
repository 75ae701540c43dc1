/* SPDX-License-Identifier: Apache-2.0 */
/* loader_kept - keeps maps, links and programs for the next collector, and goes on with the last's
 */

#include "collector/loader_kept.h"

#include "shared/bpf_state.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <tidemark.skel.h>

#include "shared/ring.h"

/* Before the load. @bss: descriptor of the kept variables; they are mapped here, since libbpf maps
 * those of a map that is reused before 1.5 only. Return: 0, -errno. */
static int announce_again(struct kept *kept, int bss)
{
	void *at = kept->variables ? kept->variables
				   : mmap(NULL, sizeof(*kept->variables), PROT_READ | PROT_WRITE,
					  MAP_SHARED, bss, 0);

	if (at == MAP_FAILED)
		return -errno;
	kept->variables = at;
	/* relaxed: as in reclaim_advance_epoch */
	(void)atomic_fetch_add_explicit((_Atomic uint32_t *)&kept->variables->epoch_bumps, 1,
					memory_order_relaxed);
	return 0;
}

int loader_kept_reuse(struct tidemark_bpf *skeleton, struct kept *kept)
{
	struct bpf_map *map = NULL;
	int r = 0;

	/* Not by the skeleton's list: its entries are as large as bpftool has made them, which is
	 * less than libbpf 1.5 declares. */
	for (uint64_t i = 0; r == 0 && (map = bpf_object__next_map(skeleton->obj, map)); i++) {
		int fd = kept_look(kept, KEPT_MAP, i);

		if (bpf_map__autocreate(map))
			r = fd < 0 ? -ENOENT : bpf_map__reuse_fd(map, fd);
		if (r == 0 && map == skeleton->maps.bss)
			r = announce_again(kept, fd);
	}
	for (int i = 0; i < skeleton->skeleton->prog_cnt; i++)
		if (kept_look(kept, KEPT_PROGRAM, (uint64_t)i) >= 0)
			(void)bpf_program__set_autoload(*skeleton->skeleton->progs[i].prog, false);
	return r;
}

uint64_t loader_kept_layout(uint64_t digest)
{
	const uint64_t layout[] = {KEPT_VERSION, TM_RING_MAGIC, sizeof(struct tm_ring_header)};
	size_t bytes = 0;
	const void *object = tidemark_bpf__elf_bytes(&bytes);

	return kept_digest(kept_digest(digest, layout, sizeof(layout)), object, bytes);
}

void loader_kept_keep(const struct tidemark_bpf *skeleton, const struct kept *kept, int sample)
{
	const struct bpf_object_skeleton *all = skeleton->skeleton;
	struct bpf_map *map = NULL;

	for (uint64_t i = 0; (map = bpf_object__next_map(skeleton->obj, map)); i++)
		kept_keep(kept, KEPT_MAP, i, bpf_map__fd(map));
	for (int i = 0; i < all->prog_cnt; i++) {
		const struct bpf_link *link = *all->progs[i].link;
		int program = bpf_program__fd(*all->progs[i].prog);

		if (link)
			kept_keep(kept, KEPT_LINK, (uint64_t)i, bpf_link__fd(link));
		if (link || program == sample)
			kept_keep(kept, KEPT_PROGRAM, (uint64_t)i, program);
	}
}
