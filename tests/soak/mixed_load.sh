#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mixed_load - many short processes, a compiler, its programs, interpreters and sleepers, until it
# is ended
#
# mixed_load.sh FOLDER PAUSE: seconds between two rounds of short processes; 0: none
FOLDER=$1
PAUSE=$2

pause() { read -r -t "$1" <> <(:); }

shells() {
	for (( ; ; )); do
		for ((i = 0; i < 20; i++)); do
			(exec sh -c 'cat /dev/null | wc -l') >/dev/null
		done
		[[ $PAUSE == 0 ]] || pause "$PAUSE"
	done
}
# Each program is a new file, which is sampled, and gone; there are 16 texts of them, since new
# names for ever would be new entries of the caches of names, too.
compiler() {
	for ((i = 0; ; i = (i + 1) % 16)); do
		printf '%s\n' 'static volatile unsigned sum;' \
			"static void once_$i(unsigned n) {" \
			"for (; n; n--) sum += n * ${i}u; }" \
			"int main(void) { for (int i = 0; i < 400; i++) once_$i(100000); }" \
			>"$FOLDER/once.c"
		gcc -O1 -o "$FOLDER/once" "$FOLDER/once.c" && "$FOLDER/once"
		rm -f "$FOLDER/once"
		[[ $PAUSE == 0 ]] || pause "$PAUSE"
	done
}

PYTHON='
import json, time
while True:
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        json.loads(json.dumps({str(number): [number] * 10 for number in range(100)}))
    time.sleep(0.6)'
NODE='
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
setInterval(() => fib(24), 100);'

for ((i = 0; i < 40; i++)); do
	sleep infinity &
done
python3 -c "$PYTHON" &
command -v node >/dev/null && node -e "$NODE" &
command -v gcc >/dev/null && compiler &
shells
