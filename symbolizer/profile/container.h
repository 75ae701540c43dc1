/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * container - which container a cgroup path is of, as container runtimes name their cgroups
 *
 * Forms      docker, containerd (CRI, nerdctl, the k8s.io and default namespaces), CRI-O, podman,
 *            kubernetes with either cgroup driver, ECS on EC2 and Fargate; the same on cgroup v1
 *            and v2. LXC and systemd-nspawn name theirs freely, so that theirs look like any
 *            other.
 * Trust      whoever may make cgroups chooses their names. So a form holds exactly or not at all,
 *            an id is lower-case hex of one length or a UUID, and the match nearest to the root
 *            wins: what runs in a container cannot give itself another one's id by a cgroup of its
 *            own.
 */

#define CONTAINER_ID_BYTES  65 /* with its NUL */
#define CONTAINER_POD_BYTES 37

struct container {
	char id[CONTAINER_ID_BYTES];   /* "": none */
	char pod[CONTAINER_POD_BYTES]; /* uid of the kubernetes pod, dashes in it; "": none */
};

/* @cgroup: from the root, with slashes. */
void container_of(const char *cgroup, struct container *ret_container);
