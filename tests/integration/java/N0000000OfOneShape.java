// SPDX-License-Identifier: Apache-2.0

import java.util.function.LongUnaryOperator;

/**
 * N0000000OfOneShape - the pattern of all classes that UnloadingProgram makes: only their numbers
 * differ, before a text of more than a word of memory
 */
public class N0000000OfOneShape implements LongUnaryOperator {
	static long work(long x) {
		do { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; } while ((x & 0x3fff) != 0);
		return x;
	}

	public long applyAsLong(long x) {
		return work(x) | 1;
	}
}
