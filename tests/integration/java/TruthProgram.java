// SPDX-License-Identifier: Apache-2.0

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * TruthProgram - calls methods in each way that HotSpot has; writes each part's stacks and CPU
 * time, as it knows them itself
 *
 * usage: java -Djava.library.path=FOLDER TruthProgram FILE SECONDS RECURSION ALTERNATIONS
 *
 * FILE gets JSON: {part: {"cpu": seconds, "stacks": [["Class.method (file:line)", outermost
 * first]]}}; a native method has no file and line. A part is a method of that name, and uses
 * SECONDS of CPU time. RECURSION and ALTERNATIONS: how deep the stacks of these parts are, in
 * calls, and in calls of C that call Java. The JVM must not limit the depth of stack traces
 * (MaxJavaStackTraceDepth).
 *
 * In a part's first round every stack is noted where it works: `note` takes its caller's line for
 * the one that works, the next one. Such a line has a loop in which each turn is a safepoint, so
 * that what the JIT compilers note of it is right.
 */
public class TruthProgram {
	static final int ROUNDS = 100;
	static final int COPIES = 1000;
	public static final int DEOPT_ROUNDS = 10000;
	static final int LEAVES = 50;
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final List<String> PARTS = new ArrayList<>();
	static final ThreadLocal<Set<List<StackTraceElement>>> STACKS = new ThreadLocal<>();
	static final byte[] FROM = new byte[1 << 16], TO = new byte[1 << 16];
	static final int[] VALUES = IntStream.range(0, 64).map(i -> i * 37 % 64).toArray();
	static final Object[] OLD = new Comparable<?>[1 << 16];
	static double seconds;
	static int recursionDepth, alternationDepth;
	static volatile int noting; // parts that are in their first round
	static volatile long sink;

	// --- what works, and what knows of it ---------------------------------------------------

	public static long leaf(long x) {
		if (noting > 0) note();
		do { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; } while ((x & 0x3ff) != 0);
		return x;
	}

	static long leaves(long x) {
		int rounds = noting > 0 ? 1 : LEAVES;
		for (int i = 0; i < rounds; i++) x = leaf(x);
		return x;
	}

	static String place(StackTraceElement frame, int further) {
		String name = frame.getClassName() + "." + frame.getMethodName();
		int line = frame.getLineNumber() + further;

		if (frame.isNativeMethod()) return name;
		return name + " (" + frame.getFileName() + ":" + line + ")";
	}

	static void note() {
		STACKS.get().add(Arrays.asList(new Throwable().getStackTrace()));
	}

	/** Outermost first, without `note`. */
	static String places(List<StackTraceElement> frames) {
		List<String> places = new ArrayList<>();

		for (int i = frames.size() - 1; i > 0; i--)
			places.add('"' + place(frames.get(i), i == 1 ? 1 : 0) + '"');
		return places.toString();
	}

	static synchronized void count(int more) {
		noting += more;
	}

	static synchronized void keep(String name, long ns) {
		List<String> stacks = new ArrayList<>();

		for (List<StackTraceElement> frames : STACKS.get()) stacks.add(places(frames));
		PARTS.add("\"" + name + "\": {\"cpu\": " + ns / 1e9 + ", " +
			"\"stacks\": " + stacks + "}");
	}

	static void part(String name, Runnable body, LongSupplier clock) {
		long begin = clock.getAsLong(), end = begin + (long) (seconds * 1e9), now;
		int first = 1;

		STACKS.set(new LinkedHashSet<>());
		count(1);
		do {
			body.run();
			count(-first);
			first = 0;
			now = clock.getAsLong();
		} while (now < end);
		keep(name, now - begin);
	}

	static void part(String name, Runnable body) {
		part(name, body, CLOCK::getCurrentThreadCpuTime);
	}

	// --- in Java ----------------------------------------------------------------------------

	static void warmUp() {
		for (int i = 0; i < ROUNDS; i++) sink = leaf(i + 1);
	}

	static long level5(long x) { return leaf(x | 1); }
	static long level4(long x) { return level5(x | 2); }
	static long level3(long x) { return level4(x | 4); }
	static long level2(long x) { return level3(x | 8); }
	static long level1(long x) { return level2(x | 16); }

	static void inlined() {
		for (int i = 0; i < ROUNDS; i++) sink = level1(i);
	}

	static long recurse(int depth, long x) {
		return depth > 0 ? recurse(depth - 1, x) : leaves(x);
	}

	static void recursion() {
		sink = recurse(recursionDepth, 1);
	}

	static long ofBoxed(Integer value) { return leaf(value + 1); }

	static void lambdas() {
		LongUnaryOperator inner = x -> leaf(x | 1), reference = TruthProgram::leaf;
		LongUnaryOperator outer = x -> inner.applyAsLong(reference.applyAsLong(x | 1));

		for (int i = 0; i < ROUNDS; i++) sink = outer.applyAsLong(i);
	}

	static void streams() {
		sink = IntStream.range(0, 50).filter(i -> i > 3).mapToLong(i -> leaf(i + 1)).sum();
		sink = Stream.of(1, 2, 3, 4, 5).map(TruthProgram::ofBoxed).reduce(0L, Long::sum);
		Arrays.asList(1, 2, 3).forEach(value -> sink = ofBoxed(value));
	}

	static int byValue(Integer one, Integer other) {
		sink = leaf(one + 1);
		return one - other;
	}

	static void sorting() {
		Integer[] values = Arrays.stream(VALUES).boxed().toArray(Integer[]::new);

		Arrays.sort(values, TruthProgram::byValue);
	}

	static class Failure extends Exception { }

	static long failing(int depth) throws Failure {
		if (depth > 0) return failing(depth - 1) + 1;
		sink = leaves(1);
		throw new Failure();
	}

	static void exceptions() {
		for (int i = 0; i < 10; i++) {
			try {
				sink = failing(50);
			} catch (Failure expected) {
				sink = leaf(4);
			}
		}
	}

	interface Shape { long area(long x); }
	static abstract class Solid implements Shape { abstract long volume(long x); }
	static class A extends Solid {
		public long area(long x) { return leaf(x | 1); }
		long volume(long x) { return leaf(x | 2); }
	}
	static class B extends Solid {
		public long area(long x) { return leaf(x | 4); }
		long volume(long x) { return leaf(x | 8); }
	}
	static class C extends Solid {
		public long area(long x) { return leaf(x | 16); }
		long volume(long x) { return leaf(x | 32); }
	}
	static class D extends Solid {
		public long area(long x) { return leaf(x | 64); }
		long volume(long x) { return leaf(x | 128); }
	}
	static final Solid[] SOLIDS = {new A(), new B(), new C(), new D()};
	static final Shape[] SHAPES = {new A(), new B(), new C(), new D()};

	static void megamorphic() {
		for (int i = 0; i < ROUNDS; i++) sink = SHAPES[i & 3].area(i);
		for (int i = 0; i < ROUNDS; i++) sink = SOLIDS[i & 3].volume(i);
	}

	// --- stubs and intrinsics ---------------------------------------------------------------

	/** So small that the compilers have enough of them where memory is slow, and so many that
	 * the clock of `part` does not count where it is fast. */
	static void copies() {
		if (noting > 0) note();
		for (int i = 0; i < COPIES; i++) System.arraycopy(FROM, i & 7, TO, i & 15, 6000);
	}

	static void checksums() {
		CRC32 sum = new CRC32();
		if (noting > 0) note();
		for (int i = 0; i < ROUNDS; i++) sum.update(FROM, i, 60000);
		sink = sum.getValue();
	}

	static void hashes() {
		if (noting > 0) note();
		for (int i = 0; i < 20 * ROUNDS; i++) sink = new Object().hashCode();
	}

	static void concatenation() {
		if (noting > 0) note();
		for (int i = 0; i < 10 * ROUNDS; i++) sink = ("a" + i + "b" + sink + 'c').length();
	}

	/** Never compiled, by an option: an adapter is between it and compiled callers. */
	static long kept(long a, long b, long c, long d, long e, long f, long g, int h) {
		return a + b + c + d + e + f + g + h;
	}

	static void adapters() {
		if (noting > 0) note();
		for (int i = 0; i < 50 * ROUNDS; i++) sink = kept(i, sink, 1, 2, 3, 4, 5, i);
	}

	/** With barriers of the collector, and checks of the type by what classes implement. */
	static void stores() {
		Object[] values = {"a", 1, 2L, 'c', 1.5};
		if (noting > 0) note();
		for (int i = 0; i < 50 * ROUNDS; i++) OLD[i & 0xffff] = values[i % 5];
	}

	// --- code that is thrown away -----------------------------------------------------------

	/** Of a class loader for each round: a call that can be only one, until it can be two. */
	public static abstract class DeoptBase { public abstract long value(long x); }
	public static class DeoptFirst extends DeoptBase {
		public long value(long x) { return leaf(x | 1); }
	}
	public static class DeoptSecond extends DeoptBase {
		public long value(long x) { return leaf(x | 2); }
	}
	public static class DeoptLoop implements Runnable {
		static long loop(DeoptBase one, int rounds, long x) {
			for (int i = 0; i < rounds; i++) x = one.value(x);
			return x;
		}

		public void run() {
			int rounds = isNoting() ? 20 : DEOPT_ROUNDS;
			long x = loop(new DeoptFirst(), rounds, 1);
			DeoptBase[] both = {new DeoptFirst(), new DeoptSecond()};
			for (int i = 0; i < rounds / 10; i++) x = loop(both[i & 1], 2, x);
			loop(both[1], rounds / 10, x);
		}
	}
	public static boolean isNoting() { return noting > 0; }

	static void deopts() {
		try {
			Class<?> loop = new DeoptLoader().loadClass("TruthProgram$DeoptLoop");
			Runnable made = (Runnable) loop.getDeclaredConstructor().newInstance();
			made.run();
		} catch (ReflectiveOperationException e) {
			throw new AssertionError(e);
		}
	}

	// --- threads ----------------------------------------------------------------------------

	/**
	 * It holds the lock for several leaves: who blocks and is woken more often spends a part of
	 * his time where interrupts are off: it counts as his, but is sampled as that of who runs
	 * next.
	 */
	static synchronized long locked(long x) { return leaves(x | 1); }

	static void contend() {
		for (int i = 0; i < ROUNDS; i++) sink = locked(i);
	}

	static void contendedFirst() { contend(); }
	static void contendedSecond() { contend(); }

	static void threads() throws InterruptedException {
		Runnable one = () -> part("contendedFirst", TruthProgram::contendedFirst);
		Runnable other = () -> part("contendedSecond", TruthProgram::contendedSecond);
		Thread first = new Thread(one), second = new Thread(other);

		first.start();
		second.start();
		first.join();
		second.join();
	}

	static void inVirtualThread() { inlined(); }

	/** Where there are such threads. Their CPU time is known to the system alone. */
	static void virtualThread() throws ReflectiveOperationException, InterruptedException {
		Runnable body = () -> part("inVirtualThread", TruthProgram::inVirtualThread,
			TruthProgram::threadCpu);
		try {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
			((Thread) start.invoke(null, body)).join();
		} catch (NoSuchMethodException | java.lang.reflect.InvocationTargetException none) {
			return; // not before 21
		}
	}

	// --- Java called from C -----------------------------------------------------------------

	/** By libc's qsort, whose comparison is `compared`. */
	static native void nativeSort(int[] values);
	/** Calls alternate(left - 1, x). */
	static native long alternateNative(int left, long x);
	static native long threadCpu();

	static int compared(int one, int other) {
		sink = leaf(one + 1);
		return one - other;
	}

	static void qsort() { nativeSort(VALUES); }

	static long alternate(int left, long x) {
		return left > 0 ? alternateNative(left, x) : leaves(x);
	}

	static void alternations() { sink = alternate(alternationDepth, 1); }

	public static void main(String[] arguments) throws Exception {
		seconds = Double.parseDouble(arguments[1]);
		recursionDepth = Integer.parseInt(arguments[2]);
		alternationDepth = Integer.parseInt(arguments[3]);
		System.loadLibrary("truth");
		part("warmUp", TruthProgram::warmUp);
		part("inlined", TruthProgram::inlined);
		part("recursion", TruthProgram::recursion);
		part("lambdas", TruthProgram::lambdas);
		part("streams", TruthProgram::streams);
		part("sorting", TruthProgram::sorting);
		part("exceptions", TruthProgram::exceptions);
		part("megamorphic", TruthProgram::megamorphic);
		part("copies", TruthProgram::copies);
		part("checksums", TruthProgram::checksums);
		part("hashes", TruthProgram::hashes);
		part("concatenation", TruthProgram::concatenation);
		part("adapters", TruthProgram::adapters);
		part("stores", TruthProgram::stores);
		part("deopts", TruthProgram::deopts);
		part("qsort", TruthProgram::qsort);
		part("alternations", TruthProgram::alternations);
		threads();
		virtualThread();
		try (PrintWriter out = new PrintWriter(arguments[0], "UTF-8")) {
			out.println("{" + String.join(",\n", PARTS) + "}");
		}
	}
}
