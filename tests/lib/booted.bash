# SPDX-License-Identifier: Apache-2.0
# booted - a Debian that systemd-nspawn has booted, with tidemark installed in it; sourced
#
# The root is made once and kept as a tarball under TM_CACHE. In a booted root `inside COMMAND...`
# runs something. Its systemd has the rights of an ordinary root to trace, and the host's network.

. "$TM_LIB/debian.bash"

TM_CACHE=${TM_CACHE:-/var/cache/tidemark-tests}
BOOTED_PACKAGES=(systemd systemd-sysv dbus libbpf1 libcap2 libelf1 libcurl4 libprotobuf-c1
	libdeflate0 libzstd1 liblzma5 liburing2 zlib1g procps)
BOOTED_TAR=
BOOTED_NSPAWN=
BOOTED_INIT=

BOOTED_COMMAND=(systemd-nspawn --quiet --register=no
	--capability=CAP_BPF,CAP_PERFMON,CAP_SYSLOG,CAP_CHECKPOINT_RESTORE
	'--system-call-filter=bpf perf_event_open')
[[ -d /run/systemd/system ]] || BOOTED_COMMAND+=(--keep-unit)

# booted_tar SUITE [PACKAGE...] - BOOTED_TAR, under TM_CACHE: a Debian with what tidemark needs at
# run time, and with these packages
booted_tar() {
	local root tar IFS=-
	tar=$TM_CACHE/$1-booted${2:+-${*:2}}.tar
	BOOTED_TAR=$tar
	[[ -s $tar ]] && return
	mkdir -p "$TM_CACHE"
	debian_tar "$1" "$TM_CACHE" || return
	root=$(mktemp -d "$TM_CACHE/root.XXXXXX")
	tar -C "$root" -xf "$TM_CACHE/$1.tar" && debian_join_network "$root" &&
		echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/thrown-away" &&
		"${BOOTED_COMMAND[@]}" -D "$root" --pipe --resolv-conf=copy-host \
			"${DEBIAN_ENVIRONMENT[@]/#/--setenv=}" \
			--setenv=DEBIAN_FRONTEND=noninteractive sh -c 'apt-get -q update &&
			apt-get -q -y --no-install-recommends install "$@" && apt-get clean' \
			sh "${BOOTED_PACKAGES[@]}" "${@:2}" </dev/null 2>&1 &&
		chroot "$root" systemd-machine-id-setup && rm -f "$root/etc/hostname" &&
		tar -C "$root" -cf "$tar.$$" . && mv "$tar.$$" "$tar"
	local status=$?
	rm -rf --one-file-system "$root"
	return $status
}

# booted_install FOLDER - what `meson install` does, into the root, under its own prefix
booted_install() {
	DESTDIR=$1 meson install -C "$TM_BUILD" --no-rebuild >"$WORK/install.log" 2>&1 &&
		chroot "$1" systemd-sysusers >"$WORK/sysusers.log" 2>&1
}

inside() { nsenter --target "$BOOTED_INIT" --all "$@"; }

is_booted() {
	BOOTED_INIT=$(pgrep -P "$BOOTED_NSPAWN" -x systemd) || return
	inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'
}

# booted_start FOLDER OPTION... - boots it; options of systemd-nspawn
booted_start() {
	"${BOOTED_COMMAND[@]}" -D "$1" --boot --resolv-conf=off --console=pipe "${@:2}" \
		>"$WORK/console" 2>&1 </dev/null &
	BOOTED_NSPAWN=$!
	STARTED+=("$BOOTED_NSPAWN")
	until_true 60 is_booted
}

# booted_stop - powers it off
booted_stop() {
	[[ $BOOTED_INIT ]] || return
	inside systemctl poweroff >/dev/null 2>&1
	until_true 60 gone "$BOOTED_NSPAWN"
	wait "$BOOTED_NSPAWN" 2>/dev/null
	BOOTED_INIT=
}

# reports_balance FOLDER PERCENT [HOT] - checks what otlp_receiver.py has kept: each report says
# which samples it lacks, and so much of `hot` has the names of its functions
reports_balance() {
	python '
import otlp, re
requests = otlp.received(sys.argv[1])
hot = named = taken = exported = 0
seen = set() # intervals: a report may be several requests, and one may have come twice
for number, (head, request) in enumerate(requests, 1):
    texts = {sample["profile"]["tidemark.completeness"] for sample in request.samples}
    for text in texts:
        found = re.match(r"taken (\d+) = exported (\d+) \+ dropped (\d+)", text)
        check(found, "request %d says: %s" % (number, text[:100]))
        counts = [int(number) for number in found.groups()]
        check(counts[0] == counts[1] + counts[2], "request %d: %s" % (number, text[:100]))
        if seen.isdisjoint(sample["time"] for sample in request.samples):
            taken, exported = taken + counts[0], exported + counts[1]
    seen |= {sample["time"] for sample in request.samples}
    for sample in request.samples:
        if sample["resource"].get("process.executable.name") == sys.argv[3]:
            hot += sample["value"]
            named += sample["value"] * any(name.startswith("hot_") or name == "one_round"
                                            for name in otlp.names(sample))
print("  %d requests: taken %d, exported %d; of hot %d, %d with its functions" %
      (len(requests), taken, exported, hot, named))
check(hot > 0, "no samples of hot")
check(100 * named > int(sys.argv[2]) * hot,
      "only %d of %d samples of hot have its functions" % (named, hot))
' "$1" "$2" "${3:-hot}"
}
