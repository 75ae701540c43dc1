/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_site - what a CPU remembers of the places in the JVM's code that calls return to
 *
 * Kept       of compiled code the size of its frame and its METHOD frames; of the interpreter, that
 *            it is the interpreter.
 * Verified   once in each walk: the nmethod there is still the compilation that it was, by method
 *            and compile id. As long as it lives, its methods do. The interpreter does not move.
 * Time       until the next second begins, when all methods are looked up again, so that they are
 *            announced in each epoch; less if one could not be announced, or all are to be again.
 */

#include "bpf/java_method.bpf.h"

/* Changes whenever a method may have to be announced that was met before. */
static __always_inline __u32 java_unsaid(const struct scratch *s)
{
	return s->method.unsaid + *(volatile __u32 *)&epoch_bumps;
}

static __always_inline __u32 java_site_second(const struct scratch *s)
{
	return (__u32)(s->sample.event.ktime >> 30);
}

/* Where the one of the current place is kept. */
static __always_inline struct java_site *java_site(struct scratch *s)
{
	__u64 at = (s->walk.ip * 0x9e3779b97f4a7c15ull) >> 32;

	return &s->java.sites[at & (JAVA_SITES - 1)];
}

static __always_inline bool java_site_stands(const struct scratch *s, const struct java_site *site)
{
	const struct tm_java *java = &s->java.runtime.java;

	return site->second == java_site_second(s) && site->unsaid == java_unsaid(s) &&
	       (!site->bytes ||
		(python_word(site->blob + java->nmethod_method) == site->method &&
		 (__u32)python_word(site->blob + java->nmethod_compile_id) == site->compile_id));
}

/* That of the current place, verified. NULL: there is none. */
static __always_inline struct java_site *java_site_known(struct scratch *s)
{
	struct java_site *site = java_site(s);

	if (site->ip != s->walk.ip || !java_is_process(s, &site->process))
		return NULL;
	if (site->walk != s->java.walk && !java_site_stands(s, site))
		return NULL;
	site->walk = s->java.walk;
	return site;
}

/* Keeps the current place, whose METHOD frames are there. @bytes: of its frame; 0: it is in the
 * interpreter. */
static __always_inline void java_site_keep(struct scratch *s, __u32 bytes)
{
	const struct tm_java *java = &s->java.runtime.java;
	struct java_site *site = java_site(s);

	java_note_process(s, &site->process);
	site->ip = s->walk.ip;
	site->blob = s->java.blob;
	site->method = java_field(s, java->nmethod_method);
	site->compile_id = (__u32)java_field(s, java->nmethod_compile_id);
	site->walk = s->java.walk;
	site->second = java_site_second(s);
	site->unsaid = s->java.unsaid;
	site->bytes = bytes;
}
