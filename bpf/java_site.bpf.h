/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_site - what a CPU remembers of places in the JVM's code
 *
 * Place      an address that a call returns to; of a leaf in compiled code the scope that its
 *            nmethod has there, since addresses of leaves seldom come again.
 * Kept       of compiled code the size of its frame and its METHOD frames; of a stub its METHOD
 *            frame; of the interpreter, that it is the interpreter.
 * Verified   once in each walk: the nmethod there is still the compilation that it was, by method
 *            and compile id. As long as it lives, its methods do. The interpreter does not move.
 * Time       until one of its methods is to be announced again; if one was not announced in this
 *            epoch yet, for a second at most; less if it could not be, or all are to be again.
 */

#include "bpf/java_method.bpf.h"

#define JAVA_SITE_SECONDS 16u /* of 2^30 ns; an epoch and more */

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
	__u64 place = s->java.site_ip ^ (__u64)s->java.site_scope << 32;

	return &s->java.sites[(place * 0x9e3779b97f4a7c15ull) >> 32 & (JAVA_SITES - 1)];
}

/* Makes a place the current one. @scope: with it, @ip is the address of an nmethod. */
static __always_inline void java_site_at(struct scratch *s, __u64 ip, __u32 scope)
{
	s->java.site_ip = ip;
	s->java.site_scope = scope;
}

/* Forgets what was kept of the current place, so that it can be made anew. */
static __always_inline void java_site_begin(struct scratch *s)
{
	java_site(s)->ip = 0;
	java_site(s)->count = 0;
	s->java.site_until = java_site_second(s) + JAVA_SITE_SECONDS;
}

static __always_inline bool java_site_stands(const struct scratch *s, const struct java_site *site)
{
	const struct tm_java *java = &s->java.runtime.java;

	return (__s32)(site->until - java_site_second(s)) > 0 && site->unsaid == java_unsaid(s) &&
	       (!site->bytes ||
		(python_word(site->blob + java->nmethod_method) == site->method &&
		 (__u32)python_word(site->blob + java->nmethod_compile_id) == site->compile_id));
}

/* That of the current place, verified. NULL: there is none, or no room for its frames. */
static __always_inline struct java_site *java_site_known(struct scratch *s)
{
	struct java_site *site = java_site(s);

	if (site->ip != s->java.site_ip || site->scope != s->java.site_scope ||
	    !java_is_process(s, &site->process))
		return NULL;
	if (site->walk != s->java.walk && !java_site_stands(s, site))
		return NULL;
	site->walk = s->java.walk;
	return s->walk.frames + site->count > s->walk.frames_most ? NULL : site;
}

/* Puts its frames in the place of that of the address. */
static __always_inline void java_site_take(struct scratch *s, const struct java_site *site)
{
	frame_take(s);
	for (__u32 i = 0; i < JAVA_SITE_FRAMES; i++)
		if (i < site->count)
			frame_put(s, site->frames[i]);
}

/* The next frame of the current place, which may be kept then. @epoch: in which it was announced.
 */
static __always_inline void java_site_put(struct scratch *s, __u64 frame, __u64 number, __u32 epoch)
{
	__u32 until = java_site_second(s) + 1, turn = (__u32)(method_turn(s, number) >> 30);
	struct java_site *site = java_site(s);

	if (epoch == method_epoch(s, number) && (__s32)(turn - until) > 0)
		until = turn;
	if ((__s32)(s->java.site_until - until) > 0)
		s->java.site_until = until;
	if (site->count < JAVA_SITE_FRAMES)
		site->frames[site->count] = frame;
	site->count++;
}

/* Keeps the current place, unless it has more frames than there is room for. @bytes: of its frame;
 * JAVA_SITE_*; 0: it is in the interpreter. */
static __always_inline void java_site_keep(struct scratch *s, __u32 bytes)
{
	const struct tm_java *java = &s->java.runtime.java;
	struct java_site *site = java_site(s);

	if (site->count > JAVA_SITE_FRAMES)
		return;
	java_note_process(s, &site->process);
	site->ip = s->java.site_ip;
	site->scope = s->java.site_scope;
	site->blob = s->java.blob;
	site->method = java_field(s, java->nmethod_method);
	site->compile_id = java_compile_id(s);
	site->walk = s->java.walk;
	site->until = s->java.site_until;
	site->unsaid = s->java.unsaid;
	site->bytes = bytes;
}
