// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.function.LongUnaryOperator;

/**
 * UnloadingProgram - makes classes that differ in a part of their names alone, runs each for a
 * moment and forgets it; several threads, each with classes of its own
 *
 * usage: java UnloadingProgram FILE THREADS CLASSES MICROSECONDS - CLASSES of each thread, so long
 *
 * FILE.THREAD gets a line `tid NUMBER`, then one `CLASS MADE BEGIN END` for each of its classes:
 * when it was not there yet, when it began to run and when it had ended, in ns of CLOCK_MONOTONIC
 * (which System.nanoTime reads).
 * FILE gets `CLOCK_REALTIME - CLOCK_MONOTONIC` in ns, and how many classes were unloaded.
 */
public class UnloadingProgram extends Thread {
	static final String PATTERN = "N0000000OfOneShape";
	static final int UNLOAD_EVERY = 100; // classes of a thread: then their memory is used again

	static final Charset BYTES = StandardCharsets.ISO_8859_1;

	private final byte[] pattern;
	private final PrintWriter out;
	private final int first, end;
	private final long ns;
	private long x = 88172645463325252L;

	UnloadingProgram(byte[] pattern, String file, int number, int count, long ns)
			throws IOException {
		this.pattern = pattern;
		this.out = new PrintWriter(file + "." + number, "UTF-8");
		this.first = 1 + number * count;
		this.end = first + count;
		this.ns = ns;
	}

	/** A loader of one class, so that it can be unloaded alone. */
	static class Loader extends ClassLoader {
		Class<?> define(String name, byte[] bytes) {
			return defineClass(name, bytes, 0, bytes.length);
		}
	}

	/** The pattern with another name of the same length, which its constant pool alone has. */
	private byte[] renamed(String name) {
		return new String(pattern, BYTES).replace(PATTERN, name).getBytes(BYTES);
	}

	private void runOne(int number) throws ReflectiveOperationException {
		long madeAt = System.nanoTime();
		String name = String.format("N%07dOfOneShape", number);
		Class<?> made = new Loader().define(name, renamed(name));
		Object object = made.getDeclaredConstructor().newInstance();
		LongUnaryOperator one = (LongUnaryOperator) object;
		long begin = System.nanoTime();

		do x = one.applyAsLong(x);
		while (System.nanoTime() - begin < ns);
		out.println(number + " " + madeAt + " " + begin + " " + System.nanoTime());
	}

	@Override
	public void run() {
		try {
			Path self = Files.readSymbolicLink(Paths.get("/proc/thread-self"));

			out.println("tid " + self.getFileName());
			for (int number = first; number < end; number++) {
				runOne(number);
				if (number % UNLOAD_EVERY == 0) System.gc();
			}
			out.close();
		} catch (ReflectiveOperationException | IOException e) {
			throw new AssertionError(e);
		}
	}

	static byte[] pattern() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		try (InputStream in = ClassLoader.getSystemResourceAsStream(PATTERN + ".class")) {
			for (int next = in.read(); next >= 0; next = in.read()) bytes.write(next);
		}
		return bytes.toByteArray();
	}

	public static void main(String[] arguments) throws Exception {
		int threads = Integer.parseInt(arguments[1]);
		int classes = Integer.parseInt(arguments[2]);
		UnloadingProgram[] all = new UnloadingProgram[threads];

		for (int i = 0; i < threads; i++)
			all[i] = new UnloadingProgram(pattern(), arguments[0], i, classes,
				Long.parseLong(arguments[3]) * 1000);
		long ahead = System.currentTimeMillis() * 1000000 - System.nanoTime();
		for (Thread thread : all) thread.start();
		for (Thread thread : all) thread.join();
		try (PrintWriter out = new PrintWriter(arguments[0], "UTF-8")) {
			out.println(ahead + " " +
				ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
		}
	}
}
