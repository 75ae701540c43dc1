/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_container - cgroup paths of each container runtime give the container's id, and forged
 * ones give none
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/container.h"

#define A    "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376"
#define B    "9ec39b91f3d70e1beff50a308f77067065ea6be0d91a3378375056cd4422cf3d"
#define UID  "74c13223-5a00-11e9-b385-42010a80018d"
#define UID_ "74c13223_5a00_11e9_b385_42010a80018d"
#define HASH "c704ef4c297ab11032b83ce52cbfc87b"

struct path_case {
	const char *path;
	const char *id;
	const char *pod;
};

static const struct path_case known[] = {
	/* docker */
	{"/docker/" A, A, ""},
	{"/docker/" A "/init.scope", A, ""},
	{"/system.slice/docker-" A ".scope", A, ""},
	{"/system.slice/docker-" A ".scope/system.slice/nginx.service", A, ""},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" A ".scope", A, ""},
	{"/limits.slice/docker-" A ".scope", A, ""},
	/* podman */
	{"/machine.slice/libpod-" A ".scope", A, ""},
	{"/machine.slice/libpod-" A ".scope/container", A, ""},
	{"/machine.slice/machine-libpod_pod_" B ".slice/libpod-" A ".scope", A, ""},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" A ".scope/container", A,
	 ""},
	{"/libpod_parent/libpod-" A, A, ""},
	{"/libpod_parent/libpod-" A "/system.slice/cron.service", A, ""},
	/* containerd */
	{"/system.slice/nerdctl-" A ".scope", A, ""},
	{"/default/" A, A, ""},
	{"/k8s.io/" A, A, ""},
	/* kubernetes by cgroupfs */
	{"/kubepods/besteffort/pod" UID "/" A, A, UID},
	{"/kubepods/burstable/pod" UID "/" A, A, UID},
	{"/kubepods/pod" UID "/" A, A, UID},
	{"/kubepods/pod" UID "/" A "/leaf", A, UID},
	{"/kubepods/burstable/pod" HASH "/" A, A, HASH},
	{"/kubepods/burstable/pod" UID "/crio-" A, A, UID},
	{"/kubepods/burstable/pod" UID "/cri-containerd-" A, A, UID},
	{"/kubepods/besteffort/pod" UID "/15aa6e53-b09a-40c7-8558-c6c31e36c88a",
	 "15aa6e53-b09a-40c7-8558-c6c31e36c88a", UID},
	{"/kubelet/kubepods/burstable/pod" UID "/" A, A, UID},
	/* kubernetes by systemd */
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	 ".slice/cri-containerd-" A ".scope",
	 A, UID},
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/crio-" A
	 ".scope",
	 A, UID},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" A ".scope", A, UID},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" A ".scope/container", A, UID},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/" A, A, UID},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" HASH
	 ".slice/cri-containerd-" A ".scope",
	 A, HASH},
	{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
	 "kubelet-kubepods-burstable-pod" UID_ ".slice/cri-containerd-" A ".scope",
	 A, UID},
	{"/system.slice/containerd.service/kubepods-besteffort-pod" UID_ ".slice:cri-containerd:" A,
	 A, UID},
	{"/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" A, A, UID},
	/* ECS on EC2, on Fargate before 1.4, and since */
	{"/ecs/some-cluster/5a0d5ceddf6c44c1928d367a815d890f/" A, A, ""},
	{"/ecs/55091c13-b8cf-4801-b527-f4601742204d/" A, A, ""},
	{"/ecs/5a0d5ceddf6c44c1928d367a815d890f/" A, A, ""},
	{"/ecstasks.slice/ecstasks-5a0d5ceddf6c44c1928d367a815d890f.slice/docker-" A ".scope", A,
	 ""},
	{"/ecs/8cd79a803caf4d2aa945152e934a5c00/8cd79a803caf4d2aa945152e934a5c00-1053176469",
	 "8cd79a803caf4d2aa945152e934a5c00-1053176469", ""},
	{"/ecs/34dc0b5e626f2c5c4c5170e34b10e765-1234567890",
	 "34dc0b5e626f2c5c4c5170e34b10e765-1234567890", ""},
	/* Nested containers: the outer one, whose name the processes inside cannot choose. */
	{"/docker/" A "/docker/" B, A, ""},
	{"/docker/" A "/kubelet/kubepods/besteffort/pod" UID "/" B, A, ""},
	{"/system.slice/docker-" A ".scope/system.slice/docker-" B ".scope", A, ""},
	{"/kubepods/pod" UID "/" A "/kubepods/podffffffff-5a00-11e9-b385-42010a80018d/" B, A, UID},
};

static const char *const unknown[] = {
	"",
	"/",
	"//",
	"/init.scope",
	"/user.slice/user-0.slice/session-83.scope",
	"/system.slice/docker.service",
	"/system.slice/containerd.service",
	/* no id of a container */
	"/machine.slice/libpod-conmon-" A ".scope",
	"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" A ".scope",
	"/machine.slice/machine-libpod_pod_" A ".slice",
	"/machine.slice/machine-debian.scope",
	"/machine.slice/systemd-nspawn@debian.service/payload",
	"/lxc/web",
	"/lxc.payload.web/init.scope",
	"/kubepods/burstable/pod" UID,
	"/kubepods.slice/kubepods-pod" UID_ ".slice",
	"/docker/buildkit/" A,
	/* almost a known form */
	"docker/" A,
	"...r/docker/" A,
	"/" A,
	"/docker/" A "0",
	"/docker/34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea0337",
	"/docker/34DC0B5E626F2C5C4C5170E34B10E7654CE36F0FCD532739F4445BAABEA03376",
	"/docker/g4dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376",
	"/docker//" A,
	"/docker/" A ".scope",
	"/home/docker/" A,
	"/system.slice/docker-" A,
	"/system.slice/docker-" A "0.scope",
	"/system.slice/docker-" A ".scope.scope",
	"/system.slice/Docker-" A ".scope",
	"/docker-" A ".scope",
	"/evil/docker-" A ".scope",
	"/libpod_parent/" A,
	"/evil/libpod-" A,
	"/kubepods/evil/pod" UID "/" A,
	"/evil/kubepods/pod" UID "/" A,
	"/kubepods/burstable/pod" UID_ "/" A,
	"/kubepods/burstable/podevil/" A,
	"/kubepods/burstable/pod" UID "/cri-containerd-" A ".evil",
	"/kubepods/burstable/pod" UID "/evil-" A ".scope",
	"/kubepods/burstable/besteffort/pod" UID "/" A,
	"/kubepods.slice/kubepods-podevil.slice/" A,
	"/kubepods-burstable-pod" UID_ ".slice:evil:" A,
	"/kubepods-burstable-podevil.slice:crio:" A,
	"/:cri-containerd:" A,
	"/ecs/" A,
	"/ecs/cluster/" A,
	"/ecs/a/b/5a0d5ceddf6c44c1928d367a815d890f/" A,
	"/ecs/5a0d5ceddf6c44c1928d367a815d890f/8cd79a803caf4d2aa945152e934a5c00-1053176469",
	"/ecs/8cd79a803caf4d2aa945152e934a5c00-",
	"/ecs/8cd79a803caf4d2aa945152e934a5c00-12345678901",
	"/ecs/8cd79a803caf4d2aa945152e934a5c00-12a",
};

static void every_known_form_gives_its_id(void **state)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct container container;

		container_of(known[i].path, &container);
		if (strcmp(container.id, known[i].id) != 0 ||
		    strcmp(container.pod, known[i].pod) != 0)
			fail_msg("%s: \"%s\", pod \"%s\"", known[i].path, container.id,
				 container.pod);
	}
}

static void other_paths_give_no_id(void **state)
{
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct container container;

		container_of(unknown[i], &container);
		if (container.id[0] || container.pod[0])
			fail_msg("%s: \"%s\", pod \"%s\"", unknown[i], container.id, container.pod);
	}
}

static void depth_of_a_path_is_limited(void **state)
{
	char path[8192] = "";
	struct container container;
	size_t at = 0;

	while (at < sizeof(path) - 200)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "/a");
	(void)snprintf(path + at, sizeof(path) - at, "/system.slice/docker-" A ".scope");
	container_of(path, &container);
	assert_string_equal(container.id, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_known_form_gives_its_id),
		cmocka_unit_test(other_paths_give_no_id),
		cmocka_unit_test(depth_of_a_path_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
