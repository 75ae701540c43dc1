#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# asleep - threads that wait for each other, for timers, for a disk, for io_uring and for a child
# are asleep in the right state, for as long as they say
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

# The program makes its file in the working folder. There must be a disk below.
folder=$WORK
[[ $(stat -f -c %T "$folder") != tmpfs ]] || folder=/var/tmp
[[ $(stat -f -c %T "$folder") != tmpfs ]] || skip "$folder is on a tmpfs"
cd "$folder" || finish

say "threads that wait for each other, and for timers:"
record_waits waits "${EVERY_WAIT[@]}" -- "${SETTLE[@]}" pipes 1000 1000000 futex 300 500000 \
	epoll 50 4000000 asleep 200 20000000 &&
	judge waits ask_pipe answer_pipe join_convoy serve_epoll sleep_often

say "for a disk, for io_uring, for a child of vfork():"
record_waits io "${EVERY_WAIT[@]}" -- "${SETTLE[@]}" disk 3000 0 io_uring 200 4000000 \
	vfork 150 4000000 &&
	judge io read_disk wait_for_ring wait_for_vfork
finish
