# SPDX-License-Identifier: Apache-2.0
# phases - how tests/run counts, shows and orders its phases; sourced by it
#
# A phase that runs in the background is a shell of its own, so the results lie in a file, a line
# each: PASSED FAILED SKIPPED SECONDS CPU NAME. PASSED is `-` for a build. CPU is what the phase's
# processes took, also in seconds: without other load, all of them together end no sooner than half
# of its sum on two CPUs.

say() { printf '%s\n' "$*"; }

# cpu: sets CPU to what this shell's ended children took until now, in 1/100 s
cpu()
{
	local fields
	read -ra fields </proc/$BASHPID/stat
	CPU=$((fields[15] + fields[16]))
}

# start: sets from and used, for count
start()
{
	from=$SECONDS
	cpu
	used=$CPU
}

# count PASSED FAILED SKIPPED [NAME]: a result; without a NAME it has no row in the table
count()
{
	cpu
	printf '%s %s %s %s %s %s\n' "$1" "$2" "$3" $((SECONDS - ${from:-0})) \
		$(((CPU - ${used:-0}) / 100)) "${4:-}" >>"$RESULTS"
}

is_wanted()
{
	if ((${#wanted[@]})); then
		[[ " ${wanted[*]} " == *" $1 "* ]]
	elif [[ -n ${TM_INNER:-} && " ${OUTSIDE[*]} " == *" $1 "* ]]; then
		say "  left out: $1: inside a container (TM_INNER) it would be as it is outside"
		return 1
	fi
}

# closing: the table, the sum, and the verdict of the whole run
closing()
{
	local sum
	printf '%-16s %7s %7s %7s %8s %8s\n' phase passed failed skipped seconds cpu
	awk '$6 { printf "%-16s %7s %7s %7s %8d %8d\n",
		$6 ($7 ? " " $7 : ""), $1, $2, $3, $4, $5 }' "$RESULTS"
	[[ -z ${TM_INNER:-} ]] ||
		say "left out, since a container changes nothing of them: ${OUTSIDE[*]}"
	[[ ! -s $RESULTS.failed ]] || {
		say 'failed:'
		sort -u "$RESULTS.failed"
	}
	say "whole run: $((SECONDS - begun)) s"
	sum=$(awk '{ for (i = 1; i <= 3; i++) sum[i] += $i }
		END { printf "%d passed, %d failed, %d skipped", sum[1], sum[2], sum[3] }' \
		"$RESULTS")
	say "$sum"
	[[ $sum == *' 0 failed, 0 skipped' || ($sum == *' 0 failed, '* && -n ${TM_INNER:-}) ]]
	exit
}

# give_up WHAT LOG: what the rest would need is not there
give_up()
{
	say "$1: FAILED"
	say "  $1" >>"$RESULTS.failed"
	tail -n 40 "$2"
	count 0 1 0
	closing
}

# script NAME COMMAND...: a script that counts for itself in its last line, `NAME: N passed, ...`
script()
{
	local name=$1 from used log=$LOGS/$1.log line
	shift
	start
	is_wanted "${name%-*}" || return 0
	"$@" >"$log" 2>&1 || true
	line=$(tail -n 1 "$log" | grep -oE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped')
	if [[ -z $line ]]; then
		line='0 passed, 1 failed, 0 skipped'
		tail -n 20 "$log"
	fi
	awk '/^[^ ]/ { shown = /^FAILED/ } shown' "$log" | tee >(sed 's/^/  /' >>"$RESULTS.failed")
	say "$name: $line ($((SECONDS - from)) s)"
	# shellcheck disable=SC2046 # three numbers
	count $(grep -oE '[0-9]+' <<<"$line") "$name"
}

# one NAME COMMAND...: a command that is one test
one()
{
	local name=$1 from used log=$LOGS/${1// /-}.log
	shift
	start
	if "$@" >"$log" 2>&1; then
		say "$name: passed ($((SECONDS - from)) s)"
		count 1 0 0 "$name"
	else
		say "$name: FAILED"
		say "  $name" >>"$RESULTS.failed"
		tail -n 40 "$log"
		count 0 1 0 "$name"
	fi
}

# suite BUILD SUITE [NAME [PROCESSES]]: one suite of meson's, or several, without their tests that
# are in SUITE-beside, SUITE-alone or long; at most so many at a time
suite()
{
	local folder=$1 suite=${2%% *} name=${3:-$2} from used numbers each chosen=()
	start
	# Limits of time are for hangs, and what runs beside a test makes it slower.
	local options=(--no-suite long --timeout-multiplier 4 ${4:+--num-processes "$4"})
	for each in $2; do
		if is_wanted "${each%-*}" || [[ $folder != "$PLAIN" ]]; then
			chosen+=(--suite "$each")
			options+=(--no-suite "$each-beside" --no-suite "$each-alone")
		fi
	done
	((${#chosen[@]})) || return 0
	[[ $folder == "$TSAN" ]] || options+=(--no-rebuild)
	# Many of these wait: for a child, for a deadline.
	[[ $suite != unit ]] || options+=(--num-processes $((2 * $(nproc))))
	# What an earlier run left is no result of this one.
	rm -f "$folder/meson-logs/$suite.json"
	# Under nohup, or in the background of a script, some signals come ignored; tests send them.
	env --default-signal=HUP,INT,QUIT,TERM,PIPE meson test -C "$folder" "${chosen[@]}" \
		"${options[@]}" --logbase "$suite" >"$LOGS/$folder-$suite.log" 2>&1 || true
	python3 tests/results.py "$folder/meson-logs/$suite.json" \
		"$LOGS/$folder-$suite.numbers" "$RESULTS.failed"
	numbers=$(<"$LOGS/$folder-$suite.numbers")
	# shellcheck disable=SC2086 # three numbers
	set -- $numbers
	say "$name: $1 passed, $2 failed, $3 skipped ($((SECONDS - from)) s)"
	count "$1" "$2" "$3" "$name"
}

# set_up FOLDER CC OPTION...: a build folder, made if it is not there
set_up()
{
	local folder=$1 compiler=$2
	shift 2
	[[ ! -f $folder/build.ninja ]] || return 0
	CC=$compiler meson setup "$folder" -Dtests=enabled "$@" >"$LOGS/$folder-setup.log" 2>&1 ||
		give_up "setup of $folder" "$LOGS/$folder-setup.log"
}

# build FOLDER CC OPTION...: a build folder, made or brought up to date
build()
{
	local from used
	start
	set_up "$@"
	ninja -C "$1" -j "$(nproc)" >"$LOGS/$1-build.log" 2>&1 ||
		give_up "build of $1" "$LOGS/$1-build.log"
	say "built $1 with $2 ($((SECONDS - from)) s)"
	count - - - "$1"
}

# beside COMMAND...: in the background, as a process group of its own; its id is BESIDE. What it
# says comes in one piece, at its end.
beside()
{
	set -m
	(
		text=$("$@")
		status=$?
		[[ -z $text ]] || say "$text"
		exit $status
	) </dev/null &
	BESIDE=$!
	set +m
}

# stop_all: ends what is left in the background
stop_all()
{
	local pid
	for pid in $(jobs -p); do
		kill -TERM -- "-$pid" 2>/dev/null
	done
}
