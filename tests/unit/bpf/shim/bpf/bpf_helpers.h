/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * bpf_helpers - stands in for libbpf's header in a user-space build of bpf/: helpers are functions
 *
 * The functions are those of tests/unit/bpf/bpf_host.c. Only what bpf/ uses is here.
 */

#include <linux/bpf.h>
#include <linux/types.h>

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#undef __noinline
#define __noinline __attribute__((noinline))
#define SEC(name)

/* The members of a map's definition; their sizes say what the map is. */
#define __uint(name, value)  int(*name)[value]
#define __type(name, value)  __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]

void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
long bpf_map_delete_elem(void *map, const void *key);
long bpf_probe_read_user(void *to, __u32 bytes, const void *from);
long bpf_probe_read_user_str(void *to, __u32 bytes, const void *from);
long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from);
long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from);
__u64 bpf_ktime_get_ns(void);
__u64 bpf_get_current_task(void);
__u64 bpf_get_current_pid_tgid(void);
long bpf_get_current_comm(void *to, __u32 bytes);
__u32 bpf_get_smp_processor_id(void);
__u32 bpf_get_prandom_u32(void);
long bpf_get_stack(void *context, void *to, __u32 bytes, __u64 flags);
long bpf_loop(__u32 times, void *step, void *data, __u64 flags);
long bpf_ringbuf_output(void *ring, void *record, __u64 bytes, __u64 flags);
__u64 bpf_ringbuf_query(void *ring, __u64 flags);
struct task_struct;
void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags);
long bpf_get_task_stack(struct task_struct *task, void *to, __u32 bytes, __u64 flags);
long bpf_seq_write(void *seq, const void *data, __u32 bytes);
/* Never called: bpf_core_enum_value_exists() says that the kernel does not have it. */
struct task_struct *bpf_get_current_task_btf(void);

#define BPF_SEQ_PRINTF(seq, ...) ((void)(seq))
