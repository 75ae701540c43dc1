#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# otlp_resources - what OTLP says of host, service, process and file is what they are
. "$(dirname "$0")/../../lib/integration.bash"

make_program() {
	cp "$TM_SOURCE/tests/integration/programs/busy.go" "$WORK"
	(cd "$WORK" && GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0 HOME=${HOME:-/root} go build \
		-o "$WORK/busy-go" busy.go) || wrong 'go cannot build'
}

# check NAME TEXT - checks, in Python, the request in $WORK/NAME.otlp
check() {
	python '
import collections, hashlib, os, struct, subprocess, otlp
work = sys.argv[2]
request = otlp.read("%s/%s.otlp" % (work, sys.argv[1]))
resources = [{attribute["key"]: request.value(attribute["value"])
              for attribute in part["resource"]["attributes"]}
             for part in request.message["resource_profiles"]]
'"$2" "$1" "$WORK"
}

HOT=$WORK/hot-program
must cp "$TM_WORKLOADS/hot" "$HOT"

say 'mappings bear the hash and the build ids of the files that ran:'
make_program
record_ok files -F 499 -o "$WORK/files.otlp" -- bash -c "'$HOT' 1 2; '$WORK/busy-go' 2"
check files '
def wanted(path):
    with open(path, "rb") as file:
        data = file.read()
    whole = data[:4096] + data[-4096:] + struct.pack(">Q", len(data))
    notes = subprocess.run(["readelf", "-n", path], capture_output=True,
                           errors="replace").stdout
    gnu = [line.split()[2] for line in notes.splitlines() if "Build ID:" in line]
    go = subprocess.run(["go", "tool", "buildid", path], capture_output=True,
                        errors="replace").stdout
    return {otlp.BUILD_ID + kind: value for kind, value in
            (("htlhash", hashlib.sha256(whole).hexdigest()[:32]),
             ("gnu", gnu[0] if gnu else ""), ("go", go.strip() if "go" in path else ""))
            if value}
places = [place for sample in request.samples for place in sample["stack"]]
seen = collections.Counter(place["mapping"]["path"] for place in places)
for name in ("hot-program", "busy-go"):
    path = os.path.join(work, name)
    check(seen[path], "%s has no mapping" % name)
    for place in places:
        if place["mapping"]["path"] == path:
            found = {key: value for key, value in place["mapping"]["attributes"].items()
                     if not key.startswith("tidemark.")}
            check(found == wanted(path), "%s: %s, not %s" % (name, found, wanted(path)))
            break
types = collections.Counter((place["type"], place["mapping"]["path"]) for place in places)
check(types["go", os.path.join(work, "busy-go")], "there is no frame of Go")
check(not types["go", os.path.join(work, "hot-program")], "a frame of C is one of Go")
check(any(kind == "kernel" and not path for kind, path in types), "there is no kernel frame")
print("  mappings of %d files" % len(seen))
'

say 'host, labels and names of services, of options before those of the environment:'
export OTEL_RESOURCE_ATTRIBUTES='zone=environment,tier=a%2Cb,host.id=mine,process.pid=1'
record_ok given -F 499 -o "$WORK/given.otlp" --label zone=option --label url=x=y \
	--service-name shop -- "$HOT" 1 1
check given '
machine = os.uname()
for resource in resources:
    for key, value in {"service.name": "shop", "zone": "option", "tier": "a,b", "url": "x=y",
                       "host.id": "mine", "host.name": machine.nodename,
                       "host.arch": "amd64", "os.type": "linux"}.items():
        check(resource.get(key) == value, "%s is %r" % (key, resource.get(key)))
    check(resource["process.pid"] > 1, "the pid is that of the environment")
'
record_ok ignored -F 499 -o "$WORK/ignored.otlp" --no-otlp -- "$HOT" 1 1
check ignored '
check(all("zone" not in resource for resource in resources), "a label of the environment is there")
names = {resource.get("process.executable.name"): resource["service.name"]
         for resource in resources}
check(names["hot-program"] == "hot-program", "the service is %r" % names["hot-program"])
'
export OTEL_RESOURCE_ATTRIBUTES='zone=a,nonsense'
record_ok nonsense -F 499 -o "$WORK/nonsense.otlp" -- "$HOT" 1 1
grep -q 'OTEL_RESOURCE_ATTRIBUTES .* is not used' "$WORK/nonsense.err" ||
	wrong "nonsense is not named: $(head -c 600 "$WORK/nonsense.err")"
check nonsense '
check(all("zone" not in resource for resource in resources), "half of the nonsense is there")
'
unset OTEL_RESOURCE_ATTRIBUTES
if [[ -s /etc/machine-id ]]; then
	record_ok host -F 499 -o "$WORK/host.otlp" -- "$HOT" 1 1
	check host '
with open("/etc/machine-id", encoding="ascii") as file:
    wanted = file.read().strip()
check(all(resource["host.id"] == wanted for resource in resources), "the host has another id")
'
fi

# A unit is known by the cgroup, whichever hierarchies this host has.
say 'a service has the name of its unit:'
mapfile -t ROOTS < <(awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /(memory|name=systemd)/) {
	print $2 }' /proc/mounts)
UNIT=system.slice/tidemark-test@1.service
if [[ -n ${TM_INNER:-} || ${#ROOTS[@]} -eq 0 ]]; then
	say '  left out: inside a container, cgroups do not lie where systemd puts them'
else
	SLICES=()
	for root in "${ROOTS[@]}"; do
		if [[ ! -d $root/system.slice ]]; then
			must mkdir "$root/system.slice"
			SLICES+=("$root")
		fi
		must mkdir "$root/$UNIT"
	done
	record_ok unit -F 499 -o "$WORK/unit.otlp" -- bash -c '
		for root in "${@:2}"; do echo $$ >"$root/'"$UNIT"'/cgroup.procs"; done
		exec "$1" 1 1' unit "$HOT" "${ROOTS[@]}"
	check unit '
names = {resource["service.name"] for resource in resources
         if resource.get("process.executable.name") == "hot-program"}
check(names == {"tidemark-test@1"}, "the service is %s" % names)
'
	for root in "${ROOTS[@]}"; do
		until_true 5 rmdir "$root/$UNIT" || wrong "left behind: $root/$UNIT"
	done
	for root in "${SLICES[@]}"; do rmdir "$root/system.slice"; done
fi

say 'one resource for a service has its processes with the samples, and loses none:'
for grouping in process container service; do
	record_ok "$grouping" -F 499 --resource-grouping "$grouping" -o "$WORK/$grouping.otlp" -- \
		bash -c "'$HOT' 1 1 & '$HOT' 1 1 & wait"
	balance "$grouping"
	check "$grouping" '
report = summary("%s/%s.json" % (work, sys.argv[1]))
total = sum(sample["value"] for sample in request.samples)
check(total == report["exported"], "%d of %d samples" % (total, report["exported"]))
where = "resource" if sys.argv[1] == "process" else "attributes"
hot = {(sample[where]["process.pid"], sample[where]["tidemark.process.start"])
       for sample in request.samples
       if sample[where].get("process.executable.name") == "hot-program"}
named = [resource for resource in resources if resource["service.name"] == "hot-program"]
print("  %d processes in %d resources" % (len(hot), len(named)))
check(len(hot) == 2, "%d processes are two" % len(hot))
check(len(named) == (2 if sys.argv[1] == "process" else 1), "%d resources" % len(named))
'
done
finish
