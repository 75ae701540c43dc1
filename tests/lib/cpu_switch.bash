# SPDX-License-Identifier: Apache-2.0
# cpu_switch - a CPU that can be switched off and on; sourced after integration.bash
#
# N is the last CPU that can be switched, OTHER one that stays online. Without such a CPU the test
# is skipped; at its end N is online.

N= OTHER=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for candidate in /sys/devices/system/cpu/cpu[0-9]*/online; do
	number=${candidate//[!0-9]/}
	[[ -e $candidate && $(<"$candidate") == 1 && $number != "$OTHER" ]] &&
		((number > ${N:-0})) && N=$number
done
[[ $N ]] || skip "no CPU beside CPU $OTHER can be switched off here"
CPU=/sys/devices/system/cpu/cpu$N
[[ -w $CPU/online ]] && echo 1 2>/dev/null >$CPU/online ||
	skip "CPUs cannot be switched inside a container (TM_INNER): /sys is read-only"

test_clean_up() { echo 1 >$CPU/online; }

switch() { # 0|1
	echo "$1" >$CPU/online || wrong "CPU $N cannot be switched to $1"
}

# joined NAME TIMES - whether CPU N was reported as sampled at least TIMES times
joined() { (($(grep -c "CPU $N came online and is sampled" "$WORK/$1.err") >= $2)); }
