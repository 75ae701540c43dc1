# SPDX-License-Identifier: Apache-2.0
# debian - makes a bare Debian in a folder, from the mirror that this host itself uses; sourced

# debian_mirror - the mirror of this host, else the public one
debian_mirror() {
	local found
	found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{sources,list} 2>/dev/null |
		grep -Eo 'https?://[^ ]*/debian/?( |$)' | head -n 1)
	echo "${found:-http://deb.debian.org/debian}"
}

# debian_make SUITE FOLDER - the least Debian there is, by debootstrap, whose words go to stdout
debian_make() {
	debootstrap --variant=minbase "$1" "$2" "$(debian_mirror)" 2>&1 || return
	rm -f "$2"/var/cache/apt/archives/*.deb
}

# debian_tar SUITE FOLDER - a tarball FOLDER/SUITE.tar of that Debian, unless it is there already
debian_tar() {
	local root status
	[[ -s $2/$1.tar ]] && return
	root=$(mktemp -d "$2/root.XXXXXX")
	debian_make "$1" "$root/base" && tar -C "$root/base" -cf "$2/$1.tar.$$" . &&
		mv "$2/$1.tar.$$" "$2/$1.tar"
	status=$?
	rm -rf --one-file-system "$root"
	return $status
}

# debian_join_network FOLDER - gives the Debian in the folder what this host needs to reach its
# mirrors: proxies of apt, certificates, the resolver. Variables go into DEBIAN_ENVIRONMENT.
debian_join_network() {
	local name
	apt-config dump 2>/dev/null | grep -E '^Acquire::[a-z]+::Proxy|^Acquire::Check-' \
		>"$1/etc/apt/apt.conf.d/90network"
	mkdir -p "$1/usr/local/share/ca-certificates" "$1/etc/ssl/certs"
	cp /usr/local/share/ca-certificates/*.crt "$1/usr/local/share/ca-certificates/" 2>/dev/null
	cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/" 2>/dev/null
	cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null
	DEBIAN_ENVIRONMENT=()
	for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
		NODE_EXTRA_CA_CERTS GOPROXY; do
		[[ -n ${!name:-} ]] && DEBIAN_ENVIRONMENT+=("$name=${!name}")
	done
	return 0
}
