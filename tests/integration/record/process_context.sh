#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# process_context - what a process says of itself (OTEP 4719) gets into OTLP, marked as its own, and
# never in the place of what is known otherwise
. "$(dirname "$0")/../../lib/integration.bash"

must cp "$TM_WORKLOADS/otel_context" "$WORK/context-program"
must cp "$TM_WORKLOADS/hot" "$WORK/hot-program"
PROGRAM=$WORK/context-program
TEXT='service.name=checkout,service.version=1%2C2,host.name=elsewhere,team=tests'

# check NAME TEXT - checks, in Python, the request in $WORK/NAME.otlp
check() {
	python '
import otlp
work, text = sys.argv[2:]
request = otlp.read("%s/%s.otlp" % (work, sys.argv[1]))
resources = [{attribute["key"]: request.value(attribute["value"])
              for attribute in part["resource"]["attributes"]}
             for part in request.message["resource_profiles"]]
def of(program):
    """The resources of this program."""
    found = [resource for resource in resources
             if resource.get("process.executable.name") == program]
    check(found, "there is no resource of " + program)
    return found
'"$2" "$1" "$WORK" "$TEXT"
}

say 'by the name of a memfd, or of anonymous memory where the kernel gives it one:'
record_ok both -F 499 -o "$WORK/both.otlp" -- bash -c "
	'$PROGRAM' memfd checkout 2 >'$WORK/memfd' &
	'$PROGRAM' anon checkout 2 >'$WORK/anon' &
	'$WORK/hot-program' 1 2 &
	wait"
[[ $(<"$WORK/memfd") == checkout ]] || wrong 'there is no memfd'
named=1
[[ $(<"$WORK/anon") != checkout ]] || named=2
((named == 2)) || say '  this kernel gives anonymous memory no name: only the unit test does'
check both '
found = [resource for resource in of("context-program")
         if "tidemark.process.context" in resource]
check(len(found) == '"$named"', "%d processes have a context" % len(found))
for resource in found:
    for key, value in {"service.name": "checkout", "service.version": "1,2", "team": "tests",
                       "host.name": os.uname().nodename, "tidemark.process.context": text,
                       "tidemark.service.name.source": "process"}.items():
        check(resource.get(key) == value, "%s is %r" % (key, resource.get(key)))
for resource in of("hot-program"):
    check("tidemark.process.context" not in resource and "team" not in resource,
          "another process has the context: %s" % resource)
    check(resource["service.name"] == "hot-program", "the service is " + resource["service.name"])
'

say 'what the user says comes before it:'
record_ok given -F 499 --service-name shop --label team=ours --label tier=a \
	-o "$WORK/given.otlp" -- "$PROGRAM" memfd checkout 2
check given '
for resource in of("context-program"):
    for key, value in {"service.name": "shop", "team": "ours", "tier": "a",
                       "service.version": "1,2", "tidemark.process.context": text}.items():
        check(resource.get(key) == value, "%s is %r" % (key, resource.get(key)))
'

say 'with the samples where a resource has several processes:'
record_ok service -F 499 --resource-grouping service -o "$WORK/service.otlp" -- \
	bash -c "'$PROGRAM' memfd hot-program 2 & '$WORK/hot-program' 1 2 & wait"
balance service
check service '
named = [resource for resource in resources if resource["service.name"] == "hot-program"]
check(sorted(resource.get("tidemark.service.name.source", "") for resource in named) ==
      ["", "process"], "what says its name itself shares a resource: %s" % named)
own = [sample["attributes"].get("tidemark.process.context") for sample in request.samples
       if sample["attributes"].get("process.executable.name") == "context-program"]
print("  %d of %d samples have the context" % (len([text for text in own if text]), len(own)))
check(own and all(own), "samples without the context")
check(all(not sample["attributes"].get("tidemark.process.context") for sample in request.samples
          if sample["attributes"].get("process.executable.name") != "context-program"),
      "samples of another process have the context")
'

say 'what is invalid is left out, and costs nothing else:'
cat >"$WORK/hostile.py" <<'PYTHON'
import ctypes, mmap, os, struct, sys, time
version, count, where = (int(word, 0) for word in sys.argv[1:])
fd = os.memfd_create("OTEL_CTX")
os.ftruncate(fd, 8192)
memory = mmap.mmap(fd, 8192)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
memory[4096:8192] = b"\x0a\xff" * 2048
memory[:32] = struct.pack("<8sIIQQ", b"OTEL_CTX", version, count, 1, where or at + 4096)
# It is searched ever more rarely; the next time is at most twice as far from the process's start.
published = time.monotonic()
end = published + (published - float(os.environ["STARTED"])) + 1
while time.monotonic() < end or time.process_time() < 1:
    sorted(range(1000))
PYTHON
while read -r -u 3 version count where missing; do
	record_ok hostile -F 499 -o "$WORK/hostile.otlp" -- \
		sh -c 'STARTED=$(cut -d " " -f 1 /proc/uptime) exec "$@"' sh \
		python3 "$WORK/hostile.py" "$version" "$count" "$where"
	balance hostile
	check hostile '
check(request.samples, "there are no samples")
for resource in resources:
    check("tidemark.process.context" not in resource, "a context: %s" % resource)
missing = {resource.get("tidemark.process.context.missing", "") for resource in resources}
check(missing - {""} == {"'"$missing"'"} - {""}, "what is missing is %s" % missing)
'
done 3<<'END'
2 100 0 malformed
2 4097 0 too long
2 4096 0 malformed
2 0 0
3 100 0
2 100 0xffffffff81000000 not readable
2 100 8 not readable
2 0xffffffff 0 too long
END
finish
