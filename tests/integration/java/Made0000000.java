// SPDX-License-Identifier: Apache-2.0

import java.util.function.LongUnaryOperator;

/** Made0000000 - the pattern of all classes that UnloadingProgram makes: only their names differ */
public class Made0000000 implements LongUnaryOperator {
	static long work(long x) {
		do { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; } while ((x & 0x3fff) != 0);
		return x;
	}

	public long applyAsLong(long x) {
		return work(x) | 1;
	}
}
