# SPDX-License-Identifier: Apache-2.0
# guest - a Debian that qemu has booted, with one of Debian's kernels and two emulated CPUs; sourced
#
# `inside COMMAND...` runs something in it, as booted.bash does in a container. It goes through a
# port of virtio: a line there, the words quoted and in base64; a line back, with the exit status
# and what was written to stdout and to stderr. The port is qemu's stdin and stdout, so the end of
# qemu ends whoever waits for an answer. The guest reaches this host's 127.0.0.1 as GUEST_HOST.

. "$TM_LIB/booted.bash"

# The kernel has ext4, NVMe and virtio's console built in, and needs no initramfs for them.
GUEST_PACKAGES=(udev kmod)
GUEST_THREADS=${GUEST_THREADS:-multi} # of the emulator: one for each CPU, or single
GUEST_SECONDS=240 # an answer of the guest may take so long, and its boot twice as long
GUEST_HOST=10.0.2.2
GUEST_QEMU=
GUEST_TO=
GUEST_FROM=

# guest_lacks - a program that is not there, or nothing
guest_lacks() {
	local program
	for program in qemu-system-x86_64 mkfs.ext4 debootstrap systemd-nspawn apt-get dpkg-deb; do
		command -v $program >/dev/null || {
			echo "$program"
			return
		}
	done
}

# guest_kernel SERIES - unpacks one of Debian's cloud kernels to $WORK/kernel; GUEST_KERNEL is its
# image
guest_kernel() {
	PYTHONPATH=$TM_SOURCE/tests/kernels python3 -c 'import sys, kernel_image
print(kernel_image.fetch(*sys.argv[1:]))' "$1" "$WORK" >"$WORK/kernel.log" 2>&1 || return
	GUEST_KERNEL=$(tail -n 1 "$WORK/kernel.log")
}

# guest_prepare FOLDER - into the root: the kernel's modules, the network, what answers `inside`
guest_prepare() {
	local units=$1/etc/systemd/system
	cp -a "$WORK/kernel/lib/modules" "$1/usr/lib/" &&
		chroot "$1" depmod "${GUEST_KERNEL#*/vmlinuz-}" || return
	cat >"$1/etc/systemd/network/guest.network" <<-NETWORK
		[Match]
		Type=ether
		[Network]
		Address=10.0.2.15/24
	NETWORK
	cat >"$units/inside.service" <<-'UNIT'
		[Service]
		ExecStart=/usr/local/sbin/inside
		[Install]
		WantedBy=multi-user.target
	UNIT
	cat >"$1/usr/local/sbin/inside" <<-'PROGRAM'
		#!/bin/bash
		exec 3<>/dev/vport0p1
		while read -r command <&3; do
			bash -c "$(base64 -d <<<"$command")" </dev/null >/run/out 2>/run/err 3>&-
			printf '%s %s. %s.\n' $? "$(base64 -w 0 /run/out)" \
				"$(base64 -w 0 /run/err)" >&3
		done
	PROGRAM
	chmod 755 "$1/usr/local/sbin/inside"
	chroot "$1" systemctl enable inside systemd-networkd >"$WORK/enable.log" 2>&1
}

# guest_send TEXT - in a subshell, since writing to a qemu that has ended is the end of a shell
guest_send() { (printf '%s\n' "$(base64 -w 0 <<<"$1")" 1>&"$GUEST_TO"); }

# inside COMMAND... - 255: the guest is gone
inside() {
	local status out err
	guest_send "${*@Q}"
	if ! read -r -t "$GUEST_SECONDS" status out err <&"$GUEST_FROM"; then
		say "the guest does not answer: $*" >&2
		# What it says later would be no answer to what follows.
		kill -KILL "$GUEST_QEMU" 2>/dev/null
		return 255
	fi
	base64 -d <<<"${out%.}"
	base64 -d <<<"${err%.}" >&2
	return "$status"
}

# guest_start FOLDER - boots the root; the serial console is $WORK/console
guest_start() {
	mkfs.ext4 -q -d "$1" -O ^has_journal "$WORK/disk" 1G >"$WORK/mkfs.log" 2>&1 || return
	# qemu64 without cmpxchg16b, whose flags the emulator of qemu 7.2 sets wrongly
	coproc GUEST { exec qemu-system-x86_64 -accel "tcg,thread=$GUEST_THREADS" \
		-cpu qemu64,-cx16 -smp 2 -m 1024 -nodefaults -no-reboot -display none \
		-serial "file:$WORK/console" \
		-drive "file=$WORK/disk,if=none,id=disk,format=raw,cache=unsafe" \
		-device nvme,drive=disk,serial=disk \
		-chardev stdio,id=inside,signal=off -device virtio-serial-pci \
		-device virtserialport,chardev=inside,nr=1 \
		-netdev user,id=network -device virtio-net-pci,netdev=network \
		-kernel "$GUEST_KERNEL" -append "quiet console=ttyS0 panic=-1 root=/dev/nvme0n1 rw \
			systemd.unified_cgroup_hierarchy=1 \
			systemd.mask=serial-getty@ttyS0.service" 2>"$WORK/qemu"; }
	GUEST_QEMU=$GUEST_PID
	STARTED+=("$GUEST_QEMU")
	# Bash closes its own pair in subshells.
	exec {GUEST_TO}>&"${GUEST[1]}" {GUEST_FROM}<&"${GUEST[0]}"
	GUEST_SECONDS=$((2 * GUEST_SECONDS)) inside systemctl is-system-running --wait \
		>"$WORK/booted"
	(($? != 255))
}

# guest_stop - powers it off; fails if that takes too long, or if qemu did not end by itself
guest_stop() {
	[[ $GUEST_QEMU ]] || return 0
	guest_send 'systemctl poweroff'
	until_true "$GUEST_SECONDS" gone "$GUEST_QEMU" && wait "$GUEST_QEMU"
}

# guest_faulted - whether the guest died of a fault of the emulator (tests/kernels/boot.py): a
# breakpoint that its kernel had removed already
guest_faulted() { grep -qs 'Oops: int3' "$WORK/console"; }
