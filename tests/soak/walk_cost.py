# SPDX-License-Identifier: Apache-2.0
"""walk_cost - BPF time of a user frame and of a deep sample, bounded

walk_cost.py TIDEMARK BPF_STATE PROGRAMS FOLDER ROUNDS: PROGRAMS is the folder of recurse-cfi and
recurse-fp. Exit status 1: a bound is exceeded.
"""
import statistics
import sys

import frame_cost
import goals

HZ, SECONDS = 999, 1.0
TIMES = 5 # of the goal: for a lost order of magnitude on a noisy machine


def main():
    tidemark, bpf_state, programs, folder, rounds = sys.argv[1:]
    wrong = []
    driven = frame_cost.Driven(tidemark, bpf_state, HZ, folder, programs)
    if not driven.wait_for_table():
        sys.exit("no unwind table was used")
    for which, form, name in frame_cost.CASES:
        found = frame_cost.measure(driven, which, form, SECONDS, int(rounds))
        each, deep, _, frames = (statistics.median(column) for column in zip(*found))
        goal, sample_goal = goals.FRAME[which], goals.SAMPLE["deep", 99]
        print("FIGURE D5 %s | %.1f frames at %d Hz | %.1f ns a frame, %.0f ns a sample | goals %d, "
              "%d" %
              (name, frames, HZ, each, deep, goal, sample_goal))
        if abs(frames - frame_cost.DEEP) > 1:
            wrong.append("%s: %.1f frames were walked of %d" % (name, frames, frame_cost.DEEP))
        if each > TIMES * goal:
            wrong.append("%s: %.1f ns a frame, more than %d" % (name, each, TIMES * goal))
        if deep > TIMES * sample_goal:
            wrong.append("%s: %.0f ns a sample, more than %d" % (name, deep, TIMES * sample_goal))
    driven.end()
    sys.exit("\n".join(wrong) or 0)


main()
