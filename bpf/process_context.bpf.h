/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * process_context - the OpenTelemetry process context: what a process says of itself
 *
 * Mapping    a memfd, or anonymous memory, that is named OTEL_CTX and not executable. It begins
 *            with struct process_context_head, which says where the text is and when it was
 *            published; a process that changes it takes the time away meanwhile.
 * Search     (mapping_search.bpf.h) by samples of every process.
 * Trust      the mapping, its head and the text are the process's own, read from its own memory
 *            while it runs, without faults; wherever else it lets them point to is its own memory,
 *            too. What is too large, or not there now, is announced without its text.
 * Source     OTEP 4719, "Process Context: Sharing Resource Attributes with External Readers".
 */

#include "bpf/announce_file.bpf.h"

#define PROCESS_CONTEXT_SIGNATURE 0x5854435f4c45544full /* "OTEL_CTX" */
#define PROCESS_CONTEXT_VERSION   2u

/* Whether the words of a name are memfd:OTEL_CTX; whether they are OTEL_CTX. */
static __always_inline bool process_context_is_memfd(const __u64 *words)
{
	return words[0] == 0x544f3a64666d656dull && words[1] << 8 == 0x5854435f4c45ull << 8;
}

static __always_inline bool process_context_is_name(const __u64 *words)
{
	return words[0] == PROCESS_CONTEXT_SIGNATURE && !(words[1] & 0xff);
}

/*
 * Whether the VMA is named so. Before 6.2 a mapped file's VMA has something else in the place of
 * the name, which is then not this one.
 */
__noinline int process_context_is_marker(__u32 level, __u64 vma)
{
	struct scratch *s = nesting_scratch(level);
	const __u64 *words = NULL;
	__u64 at;

	if (!s || KERNEL_READ(vm_area_struct, vma, vm_flags) & VM_EXEC)
		return 0;
	at = (__u64)KERNEL_READ(vm_area_struct, vma, vm_file);
	if (at)
		words = path_read_name(
			s, (__u64)KERNEL_READ(path, path_of_file(at), dentry, d_name.name));
	if (words && process_context_is_memfd(words))
		return 1;
	if (!bpf_core_field_exists(struct vm_area_struct, anon_name))
		return 0;
	at = (__u64)KERNEL_READ(vm_area_struct, vma, anon_name);
	if (at)
		words = path_read_name(s, at + bpf_core_field_offset(struct anon_vma_name, name));
	return at && words && process_context_is_name(words);
}

/* Reads the head at an address into s->context. Return: whether it is one. */
static __always_inline bool process_context_read(struct scratch *s, __u64 address)
{
	return !bpf_probe_read_user(&s->context, sizeof(s->context), (const void *)address) &&
	       s->context.signature == PROCESS_CONTEXT_SIGNATURE &&
	       s->context.version == PROCESS_CONTEXT_VERSION;
}

/*
 * Takes the mapping at an address, which the search has just found by its name, before @next. One
 * that says nothing yet is searched again, though the mappings will not change before it does.
 * @next 0: it was found before, and is searched again if its head is gone.
 */
__noinline int process_context_take(__u32 level, __u64 address, __u64 next)
{
	struct scratch *s = nesting_scratch(level);

	if (!s)
		return 0;
	s->search.at = next;
	s->search.status = SEARCH_GOES_ON;
	if (process_context_read(s, address) &&
	    (!next || (s->context.published && s->context.bytes))) {
		s->search.at = address;
		s->search.status = SEARCH_FOUND;
	} else if (next) {
		s->search.sequence--;
	}
	return 0;
}

/*
 * Writes the CONTEXT record of what was found; without text if that is too long or not there now,
 * or if nothing is found any more. What is being changed is written with a later epoch.
 */
__noinline int process_context_write(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 published = 0, bytes = 0, text = 0;

	if (!s)
		return 0;
	if (s->search.status == SEARCH_FOUND && process_context_read(s, s->search.at)) {
		published = s->context.published;
		bytes = s->context.bytes;
		if (!published || !bytes)
			return 0;
	}
	kread_opaque(bytes);
	/* Not 0 < bytes as well: one comparison for both says nothing to the verifier of 6.12. */
	if (bytes <= TM_CONTEXT_MAX &&
	    !bpf_probe_read_user(&s->announce.bytes[sizeof(struct tm_context)], (__u32)bytes,
				 (const void *)s->context.text))
		text = bytes;
	if (bytes && (!process_context_read(s, s->search.at) || s->context.published != published))
		return 0;
	s->path.flags = 0;
	s->path.position = (__u32)(sizeof(struct tm_context) + text);
	announce_head(s, TM_EVENT_CONTEXT);
	s->announce.context.published = published;
	s->announce.context.text_bytes = (__u32)bytes;
	s->announce.context.pad = 0;
	announce_write(s, BPF_RB_NO_WAKEUP);
	return 0;
}
