// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * LeavingProgram - calls a method that does nothing, again and again
 *
 * usage: java LeavingProgram MS - for so much CPU time
 */
public class LeavingProgram {
	static void empty() { }

	static void calls() {
		for (int i = 0; i < 10000; i++) {
			empty(); empty(); empty(); empty(); empty();
			empty(); empty(); empty(); empty(); empty();
		}
	}

	public static void main(String[] arguments) {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		long end = Long.parseLong(arguments[0]) * 1000000;

		while (clock.getCurrentThreadCpuTime() < end) calls();
	}
}
