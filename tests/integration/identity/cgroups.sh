#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cgroups - samples carry the path of their cgroup and the id of their container, in cgroups that
# are named as each container runtime names them
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

[[ -n ${TM_INNER:-} ]] &&
	skip "inside a container, cgroups do not lie where container runtimes put theirs"
must cp "$TM_WORKLOADS/pid_reuse" "$WORK"

V2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
NAMED=
V1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
if [[ -z $V1 ]]; then
	mkdir "$WORK/v1"
	mount -t cgroup -o memory none "$WORK/v1" 2>/dev/null && V1=$WORK/v1
fi
# This hierarchy has no controller. On hosts with version 1, systemd keeps one like it.
mkdir "$WORK/named"
mount -t cgroup -o none,name=tidemark-test none "$WORK/named" 2>/dev/null && NAMED=$WORK/named
MADE=()
identity_clean_up() {
	local i
	for ((i = ${#MADE[@]} - 1; i >= 0; i--)); do
		until_true 5 rmdir "${MADE[i]}" 2>/dev/null || say "left behind: ${MADE[i]}"
	done
	[[ $V1 == "$WORK/v1" ]] && umount "$V1"
	[[ $NAMED ]] && umount "$NAMED"
}

# make HIERARCHY PATH - makes the folders of the path that are missing; the clean-up removes them
make() {
	local at=$1 part
	for part in ${2//\// }; do
		at+=/$part
		[[ -d $at ]] && continue
		must mkdir "$at"
		MADE+=("$at")
	done
}

# place NUMBER V2-PATH V1-PATH NAMED-PATH SHOWN CONTAINER POD - makes the cgroups and notes that
# process gNUMBER will be put into them (`-` stands for the root), and that its samples must then
# show the cgroup SHOWN, and that container and pod (`-` stands for none)
place() {
	[[ $2 != - ]] && make "$V2" "$2"
	[[ $3 != - ]] && make "$V1" "$3"
	[[ $4 != - ]] && make "$NAMED" "$4"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$WORK/placed"
}

id=$(printf '0123456789abcdef%.0s' 1 2 3 4)
other=$(printf 'fedcba9876543210%.0s' 1 2 3 4)
task=0123456789abcdef0123456789abcdef
uid=01234567-89ab-cdef-0123-456789abcdef
under=${uid//-/_}
slices=kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod$under.slice

# forms - prints a line KIND PATH CONTAINER POD for each form of a path, without its first slash
forms() {
	cat <<-FORMS
		docker docker/$id $id -
		docker-systemd system.slice/docker-$id.scope $id -
		nerdctl system.slice/nerdctl-$id.scope $id -
		podman machine.slice/libpod-$id.scope $id -
		cri-containerd $slices/cri-containerd-$id.scope $id $uid
		cri-o $slices/crio-$id.scope $id $uid
		kubepods kubepods/besteffort/pod$uid/$id $id $uid
		kubepods-guaranteed kubepods/pod$uid/$id $id $uid
		ecs ecs/$task/$id $id -
		fargate ecs/$task/$task-1234567890 $task-1234567890 -
		nested docker/$id/docker/$other $id -
		no-container tidemark-test/$id.service - -
		too-short docker/${id:1} - -
	FORMS
}

number=0
if [[ $V2 && -w $V2/cgroup.procs ]]; then
	while read -r kind path container pod; do
		place $((number++)) "$path" - - "/$path" "$container" "$pod"
	done < <(forms)
else
	say "left out: there is no cgroup2 hierarchy that can be written to"
fi
if [[ $V1 && -w $V1/cgroup.procs ]]; then
	while read -r kind path container pod; do
		place $((number++)) - "$path" - "/$path" "$container" "$pod"
	done < <(forms)
else
	say "left out: there is no version 1 hierarchy with the memory controller," \
		"and none can be mounted beside version 2"
fi
if [[ $V1 && -w $V1/cgroup.procs && $V2 && -w $V2/cgroup.procs ]]; then
	# The host has both versions. There docker makes the cgroups of its containers in version 1
	# only, while the service that starts them has its own cgroup in version 2.
	place $((number++)) tidemark-test/docker.service docker/$id - "/docker/$id" $id -
	# Only version 2 tells one session from another; in version 1 all of them share a cgroup.
	place $((number++)) tidemark-test/user-0/session tidemark-test - \
		/tidemark-test/user-0/session - -
fi
if [[ $NAMED ]]; then
	while read -r kind path container pod; do
		place $((number++)) - - "$path" "/$path" "$container" "$pod"
	done < <(forms | head -n 5)
else
	say "left out: no hierarchy without a controller can be mounted"
fi
((number > 0)) || skip "no cgroup hierarchy under /sys to write to"

cat >"$WORK/cases" <<'CASES'
while IFS=$'\t' read -r number v2 v1 named rest; do
	(
		# A process for which no cgroup is named goes to the root, wherever the test is.
		for at in "$2/${v2#-}" "$3/${v1#-}" "$4/${named#-}"; do
			[ ! -w "$at/cgroup.procs" ] || echo "$BASHPID" >"$at/cgroup.procs"
		done
		exec "$1/pid_reuse" spin "$number" 100000
	)
done <"$1/placed"
CASES
record_ok cgroups -F 997 -o "$WORK/cgroups.html" -o "$WORK/cgroups.pb.gz" -- \
	bash "$WORK/cases" "$WORK" "$V2" "$V1" "$NAMED" || finish
balance cgroups zero-drops
python '
from process_page import *
work = sys.argv[1]
page, bad = ProcessPage(work + "/cgroups.html"), []
labels = collections.defaultdict(collections.Counter)
for values, label, _ in Pprof(work + "/cgroups.pb.gz").samples:
    place = tuple(label.get(key, "") for key in ("cgroup", "container_id", "pod_uid"))
    labels[label["comm"]][place] += values[0]
for line in open(work + "/placed"):
    number, v2, v1, named, *wanted = line.rstrip("\n").split("\t")
    wanted = tuple(text if text != "-" else "" for text in wanted)
    shown = labels["g" + number]
    on_page = {h.generation.cgroup for h in page.hits if h.comm == "g" + number}
    hierarchies = (("v2", v2), ("v1", v1), ("named", named))
    where = " ".join(word for word, path in hierarchies if path != "-")
    print("  %-5s %s: %d samples %s" %
          (where, wanted[0].replace("0123456789abcdef" * 4, "0123..ef"), sum(shown.values()),
           "right" if set(shown) == {wanted} else dict(shown)))
    if sum(shown.values()) < 20:
        bad.append("%s: only %d samples" % (wanted[0], sum(shown.values())))
    if set(shown) != {wanted} or on_page != {wanted[0]}:
        bad.append("%s: shown as %s, on the page as %s" % (wanted, dict(shown), on_page))
for line in bad:
    print("    " + line)
check(not bad, "%d cgroups are shown wrong, or have too few samples" % len(bad))
' "$WORK"
finish
