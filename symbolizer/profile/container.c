/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container - which container a cgroup path is of, as container runtimes name their cgroups
 */

#include "symbolizer/profile/container.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX   32 /* components looked at; a container lies no deeper */
#define HEX_BYTES   64
#define UUID_BYTES  36
#define TASK_BYTES  32 /* of ECS, and of a static pod's uid */
#define FARGATE_MAX 10 /* digits behind the task */

struct part { /* of a path */
	const char *text;
	size_t bytes;
};

struct path {
	struct part parts[DEPTH_MAX];
	size_t count;
};

/* --- parts of a name --- */

static int is_text(struct part part, const char *text)
{
	return part.bytes == strlen(text) && memcmp(part.text, text, part.bytes) == 0;
}

/* Takes @prefix off. Return: whether it was there. */
static int skip(struct part *part, const char *prefix)
{
	size_t bytes = strlen(prefix);

	if (part->bytes < bytes || memcmp(part->text, prefix, bytes) != 0)
		return 0;
	part->text += bytes;
	part->bytes -= bytes;
	return 1;
}

static int cut(struct part *part, const char *suffix)
{
	size_t bytes = strlen(suffix);

	if (part->bytes < bytes || memcmp(part->text + part->bytes - bytes, suffix, bytes) != 0)
		return 0;
	part->bytes -= bytes;
	return 1;
}

static int is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static int is_hex(struct part part, size_t bytes)
{
	for (size_t i = 0; i < part.bytes; i++)
		if (!is_hex_digit(part.text[i]))
			return 0;
	return part.bytes == bytes;
}

static int is_uuid(struct part part, char dash)
{
	if (part.bytes != UUID_BYTES)
		return 0;
	for (size_t i = 0; i < UUID_BYTES; i++) {
		int is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? part.text[i] != dash : !is_hex_digit(part.text[i]))
			return 0;
	}
	return 1;
}

static void keep(struct part part, char *out)
{
	memcpy(out, part.text, part.bytes);
	out[part.bytes] = '\0';
}

/* --- kubernetes --- */

/* A pod's uid: a UUID, or the digest of a static pod's manifest. */
static int take_uid(struct part uid, char dash, char *out)
{
	if (!is_hex(uid, TASK_BYTES) && !is_uuid(uid, dash))
		return 0;
	keep(uid, out);
	for (char *c = out; *c; c++)
		if (*c == '_')
			*c = '-';
	return 1;
}

/* kubepods[-burstable|-besteffort]-pod<uid>, the slice of a pod without its ending. */
static int take_pod_slice(struct part slice, char *pod)
{
	(void)skip(&slice, "kubelet-");
	if (!skip(&slice, "kubepods"))
		return 0;
	if (!skip(&slice, "-burstable"))
		(void)skip(&slice, "-besteffort");
	return skip(&slice, "-pod") && take_uid(slice, '_', pod);
}

/* .../kubepods[/burstable|/besteffort]/pod<uid>, kubepods at the root or in /kubelet. */
static int take_pod_folder(const struct path *path, size_t at, char *pod)
{
	struct part uid = path->parts[at];

	if (at == 0 || !skip(&uid, "pod"))
		return 0;
	at--;
	if (at > 0 &&
	    (is_text(path->parts[at], "burstable") || is_text(path->parts[at], "besteffort")))
		at--;
	if (!is_text(path->parts[at], "kubepods") || at > 1 ||
	    (at == 1 && !is_text(path->parts[0], "kubelet")))
		return 0;
	return take_uid(uid, '-', pod);
}

/* A pod of either driver that lies at @at. */
static int take_pod(const struct path *path, size_t at, char *pod)
{
	struct part slice = path->parts[at];

	return cut(&slice, ".slice") ? take_pod_slice(slice, pod) : take_pod_folder(path, at, pod);
}

/* <slice of a pod>:<runtime>:<id>, where runtime and kubelet disagree about the driver. */
static int take_colons(struct part part, struct container *container)
{
	static const char *const runtimes[] = {":cri-containerd:", ":crio:", ":docker:"};
	struct part slice = part, id = part;

	if (part.bytes < HEX_BYTES)
		return 0;
	slice.bytes -= HEX_BYTES;
	id.text += slice.bytes;
	id.bytes = HEX_BYTES;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		struct part pod = slice;

		if (!cut(&pod, runtimes[i]) || !cut(&pod, ".slice") || !is_hex(id, HEX_BYTES) ||
		    !take_pod_slice(pod, container->pod))
			continue;
		keep(id, container->id);
		return 1;
	}
	return 0;
}

static int take_in_pod(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at];

	if (at == 0 || !take_pod(path, at - 1, container->pod))
		return 0;
	if (cut(&id, ".scope") && !skip(&id, "docker-") && !skip(&id, "cri-containerd-") &&
	    !skip(&id, "crio-"))
		return 0;
	if (id.bytes == path->parts[at].bytes && !skip(&id, "crio-"))
		(void)skip(&id, "cri-containerd-");
	if (!is_hex(id, HEX_BYTES) && !is_uuid(id, '-'))
		return 0;
	keep(id, container->id);
	return 1;
}

/* --- without kubernetes --- */

/* <slice>/<runtime>-<id>.scope, by systemd. */
static int take_scope(const struct path *path, size_t at, struct container *container)
{
	static const char *const runtimes[] = {"docker-", "libpod-", "cri-containerd-", "crio-",
					       "nerdctl-"};
	struct part id = path->parts[at], slice;

	if (at == 0 || !cut(&id, ".scope"))
		return 0;
	slice = path->parts[at - 1];
	if (!cut(&slice, ".slice"))
		return 0;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		struct part rest = id;

		if (!skip(&rest, runtimes[i]) || !is_hex(rest, HEX_BYTES))
			continue;
		keep(rest, container->id);
		return 1;
	}
	return 0;
}

/* /docker/<id> and the like, by the runtime itself. */
static int take_folder(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at], folder = path->parts[0];

	if (at != 1)
		return 0;
	if (is_text(folder, "libpod_parent")
		    ? !skip(&id, "libpod-")
		    : !is_text(folder, "docker") && !is_text(folder, "k8s.io") &&
			      !is_text(folder, "default"))
		return 0;
	if (!is_hex(id, HEX_BYTES))
		return 0;
	keep(id, container->id);
	return 1;
}

/* <task>-<number>, which Fargate has for an id. */
static int is_fargate(struct part id)
{
	struct part task = {id.text, TASK_BYTES};

	if (id.bytes < TASK_BYTES + 2 || id.bytes > TASK_BYTES + 1 + FARGATE_MAX ||
	    !is_hex(task, TASK_BYTES) || id.text[TASK_BYTES] != '-')
		return 0;
	for (size_t i = TASK_BYTES + 1; i < id.bytes; i++)
		if (id.text[i] < '0' || id.text[i] > '9')
			return 0;
	return 1;
}

/* /ecs/[<cluster>/]<task>/<id>. */
static int take_ecs(const struct path *path, size_t at, struct container *container)
{
	struct part id = path->parts[at], task;

	if (at < 1 || at > 3 || !is_text(path->parts[0], "ecs"))
		return 0;
	task = path->parts[at - 1];
	if (is_fargate(id)) {
		if (at > 1 &&
		    (task.bytes != TASK_BYTES || memcmp(task.text, id.text, TASK_BYTES) != 0))
			return 0;
	} else if (at < 2 || !is_hex(id, HEX_BYTES) ||
		   (!is_hex(task, TASK_BYTES) && !is_uuid(task, '-'))) {
		return 0;
	}
	keep(id, container->id);
	return 1;
}

static int split(const char *text, struct path *path)
{
	path->count = 0;
	if (*text != '/')
		return 0; /* its root end was cut off */
	while (*text && path->count < DEPTH_MAX) {
		const char *end = strchrnul(++text, '/');

		path->parts[path->count++] = (struct part){text, (size_t)(end - text)};
		text = end;
	}
	return 1;
}

void container_of(const char *cgroup, struct container *ret_container)
{
	struct path path;

	if (split(cgroup, &path))
		for (size_t at = 0; at < path.count; at++) {
			*ret_container = (struct container){0};
			if (take_in_pod(&path, at, ret_container))
				return;
			*ret_container = (struct container){0}; /* of a pod around nothing known */
			if (take_colons(path.parts[at], ret_container) ||
			    take_scope(&path, at, ret_container) ||
			    take_folder(&path, at, ret_container) ||
			    take_ecs(&path, at, ret_container))
				return;
		}
	*ret_container = (struct container){0};
}
