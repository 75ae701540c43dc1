/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container - finds the container of a cgroup path, by the names that runtimes give to cgroups
 */

#include "symbolizer/profile/container.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX   32 /* components that are examined; runtimes do not nest deeper */
#define HEX_BYTES   64
#define UUID_BYTES  36
#define TASK_BYTES  32 /* hex digits of an ECS task, and of a static pod's uid */
#define FARGATE_MAX 10 /* digits after the task */

struct part { /* one component of a path */
	const char *text;
	size_t bytes;
};

struct path {
	struct part parts[DEPTH_MAX];
	size_t count;
};

/* --- components --- */

static bool equals(struct part part, const char *text)
{
	return part.bytes == strlen(text) && memcmp(part.text, text, part.bytes) == 0;
}

/* Removes @prefix. Return: whether @part began with it. */
static bool skip_prefix(struct part *part, const char *prefix)
{
	size_t bytes = strlen(prefix);

	if (part->bytes < bytes || memcmp(part->text, prefix, bytes) != 0)
		return false;
	part->text += bytes;
	part->bytes -= bytes;
	return true;
}

/* Removes @suffix. Return: whether @part ended with it. */
static bool cut_suffix(struct part *part, const char *suffix)
{
	size_t bytes = strlen(suffix);

	if (part->bytes < bytes || memcmp(part->text + part->bytes - bytes, suffix, bytes) != 0)
		return false;
	part->bytes -= bytes;
	return true;
}

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_hex(struct part part, size_t bytes)
{
	for (size_t i = 0; i < part.bytes; i++)
		if (!is_hex_digit(part.text[i]))
			return false;
	return part.bytes == bytes;
}

static bool is_uuid(struct part part, char dash)
{
	if (part.bytes != UUID_BYTES)
		return false;
	for (size_t i = 0; i < UUID_BYTES; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? part.text[i] != dash : !is_hex_digit(part.text[i]))
			return false;
	}
	return true;
}

static void copy_part(struct part part, char *out)
{
	memcpy(out, part.text, part.bytes);
	out[part.bytes] = '\0';
}

/* --- kubernetes --- */

/* A pod's uid: a UUID, or the digest of a static pod's manifest. */
static bool match_uid(struct part uid, char dash, char *out)
{
	if (!is_hex(uid, TASK_BYTES) && !is_uuid(uid, dash))
		return false;
	copy_part(uid, out);
	for (char *c = out; *c; c++)
		if (*c == '_')
			*c = '-';
	return true;
}

/* kubepods[-burstable|-besteffort]-pod<uid>: the slice of a pod, without ".slice". */
static bool match_pod_slice(struct part slice, char *pod)
{
	(void)skip_prefix(&slice, "kubelet-");
	if (!skip_prefix(&slice, "kubepods"))
		return false;
	if (!skip_prefix(&slice, "-burstable"))
		(void)skip_prefix(&slice, "-besteffort");
	return skip_prefix(&slice, "-pod") && match_uid(slice, '_', pod);
}

/* .../kubepods[/burstable|/besteffort]/pod<uid>, where kubepods is at the root or in /kubelet. */
static bool match_pod_folder(const struct path *path, size_t at, char *pod)
{
	struct part uid = path->parts[at];

	if (at == 0 || !skip_prefix(&uid, "pod"))
		return false;
	at--;
	if (at > 0 &&
	    (equals(path->parts[at], "burstable") || equals(path->parts[at], "besteffort")))
		at--;
	if (!equals(path->parts[at], "kubepods") || at > 1 ||
	    (at == 1 && !equals(path->parts[0], "kubelet")))
		return false;
	return match_uid(uid, '-', pod);
}

/* The pod at component @at, as either cgroup driver names it. */
static bool match_pod(const struct path *path, size_t at, char *pod)
{
	struct part slice = path->parts[at];

	return cut_suffix(&slice, ".slice") ? match_pod_slice(slice, pod)
					    : match_pod_folder(path, at, pod);
}

/* <slice of a pod>:<runtime>:<id>: runtime and kubelet are configured for different drivers. */
static bool match_colons(struct part part, struct container *container)
{
	static const char *const runtimes[] = {":cri-containerd:", ":crio:", ":docker:"};
	struct part slice = part, id = part;

	if (part.bytes < HEX_BYTES)
		return false;
	slice.bytes -= HEX_BYTES;
	id.text += slice.bytes;
	id.bytes = HEX_BYTES;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		struct part pod = slice;

		if (!cut_suffix(&pod, runtimes[i]) || !cut_suffix(&pod, ".slice") ||
		    !is_hex(id, HEX_BYTES) || !match_pod_slice(pod, container->pod))
			continue;
		copy_part(id, container->id);
		return true;
	}
	return false;
}

/* A container whose parent cgroup is that of a pod. */
static bool match_in_pod(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at];

	if (at == 0 || !match_pod(path, at - 1, container->pod))
		return false;
	if (cut_suffix(&id, ".scope") && !skip_prefix(&id, "docker-") &&
	    !skip_prefix(&id, "cri-containerd-") && !skip_prefix(&id, "crio-"))
		return false;
	if (id.bytes == path->parts[at].bytes && !skip_prefix(&id, "crio-"))
		(void)skip_prefix(&id, "cri-containerd-");
	if (!is_hex(id, HEX_BYTES) && !is_uuid(id, '-'))
		return false;
	copy_part(id, container->id);
	return true;
}

/* --- without kubernetes --- */

/* <slice>/<runtime>-<id>.scope, which systemd creates. */
static bool match_scope(const struct path *path, size_t at, struct container *container)
{
	static const char *const runtimes[] = {"docker-", "libpod-", "cri-containerd-", "crio-",
					       "nerdctl-"};
	struct part id = path->parts[at], slice;

	if (at == 0 || !cut_suffix(&id, ".scope"))
		return false;
	slice = path->parts[at - 1];
	if (!cut_suffix(&slice, ".slice"))
		return false;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		struct part rest = id;

		if (!skip_prefix(&rest, runtimes[i]) || !is_hex(rest, HEX_BYTES))
			continue;
		copy_part(rest, container->id);
		return true;
	}
	return false;
}

/* /docker/<id> and the like, which the runtime itself creates. */
static bool match_folder(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at], folder = path->parts[0];

	if (at != 1)
		return false;
	if (equals(folder, "libpod_parent")
		    ? !skip_prefix(&id, "libpod-")
		    : !equals(folder, "docker") && !equals(folder, "k8s.io") &&
			      !equals(folder, "default"))
		return false;
	if (!is_hex(id, HEX_BYTES))
		return false;
	copy_part(id, container->id);
	return true;
}

/* <task>-<number>, the id of a container on Fargate. */
static bool is_fargate(struct part id)
{
	struct part task = {id.text, TASK_BYTES};

	if (id.bytes < TASK_BYTES + 2 || id.bytes > TASK_BYTES + 1 + FARGATE_MAX ||
	    !is_hex(task, TASK_BYTES) || id.text[TASK_BYTES] != '-')
		return false;
	for (size_t i = TASK_BYTES + 1; i < id.bytes; i++)
		if (id.text[i] < '0' || id.text[i] > '9')
			return false;
	return true;
}

/* /ecs/[<cluster>/]<task>/<id>. */
static bool match_ecs(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at], task;

	if (at < 1 || at > 3 || !equals(path->parts[0], "ecs"))
		return false;
	task = path->parts[at - 1];
	if (is_fargate(id)) {
		if (at > 1 &&
		    (task.bytes != TASK_BYTES || memcmp(task.text, id.text, TASK_BYTES) != 0))
			return false;
	} else if (at < 2 || !is_hex(id, HEX_BYTES) ||
		   (!is_hex(task, TASK_BYTES) && !is_uuid(task, '-'))) {
		return false;
	}
	copy_part(id, container->id);
	return true;
}

/* Splits a path into components. Return: whether it begins at the root. */
static bool split(const char *text, struct path *path)
{
	path->count = 0;
	if (*text != '/')
		return false; /* the beginning of the path is missing */
	while (*text && path->count < DEPTH_MAX) {
		const char *end = strchrnul(++text, '/');

		path->parts[path->count++] = (struct part){text, (size_t)(end - text)};
		text = end;
	}
	return true;
}

void container_of(const char *cgroup, struct container *ret_container)
{
	struct path path;

	if (split(cgroup, &path))
		for (size_t at = 0; at < path.count; at++) {
			*ret_container = (struct container){0};
			if (match_in_pod(&path, at, ret_container))
				return;
			*ret_container = (struct container){0}; /* a pod may have been stored */
			if (match_colons(path.parts[at], ret_container) ||
			    match_scope(&path, at, ret_container) ||
			    match_folder(&path, at, ret_container) ||
			    match_ecs(&path, at, ret_container))
				return;
		}
	*ret_container = (struct container){0};
}
