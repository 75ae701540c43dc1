/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * container - finds the container of a cgroup path, by the names that runtimes give to cgroups
 *
 * Forms      docker, containerd (CRI, nerdctl, the k8s.io and default namespaces), CRI-O, podman,
 *            kubernetes with either cgroup driver, ECS on EC2 and Fargate; the same on cgroup v1
 *            and v2. LXC and systemd-nspawn let the user choose the names of their cgroups, so
 *            those cannot be recognized.
 * Trust      whoever may create cgroups chooses their names. So a path must match a form exactly,
 *            an id is lower-case hex of one length or a UUID, and the match nearest to the root
 *            wins: a process in a container cannot claim the id of another container by creating
 *            a cgroup below its own.
 */

#define CONTAINER_ID_BYTES  65 /* with the NUL */
#define CONTAINER_POD_BYTES 37

struct container {
	char id[CONTAINER_ID_BYTES];   /* "": none */
	char pod[CONTAINER_POD_BYTES]; /* uid of the kubernetes pod, with dashes; "": none */
};

/* @cgroup: a path from the root of the cgroup hierarchy. */
void container_of(const char *cgroup, struct container *ret_container);
