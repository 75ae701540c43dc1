// SPDX-License-Identifier: Apache-2.0

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.zip.GZIPOutputStream;

/**
 * HttpProgram - a web server of the JDK, with clients of its own that ask it all the time
 *
 * usage: java HttpProgram SECONDS CLIENTS; prints how many requests were answered
 */
public class HttpProgram {
	static byte[] page(String path) throws IOException {
		StringBuilder text = new StringBuilder("<html><table>");
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		for (int i = 0; i < 300; i++)
			text.append(String.format("<tr><td>%d</td><td>%s</td></tr>", i, path));
		try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
			out.write(text.append("</table>").toString().getBytes("UTF-8"));
		}
		return bytes.toByteArray();
	}

	static void answer(HttpExchange exchange) throws IOException {
		byte[] page = page(exchange.getRequestURI().getPath());

		exchange.getResponseHeaders().set("Content-Encoding", "gzip");
		exchange.sendResponseHeaders(200, page.length);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(page);
		}
	}

	static long ask(int port, long end) throws IOException {
		byte[] buffer = new byte[1 << 14];
		long count = 0;

		for (; System.nanoTime() < end; count++) {
			URL url = new URL("http", "127.0.0.1", port, "/page/" + count);
			try (InputStream in = url.openStream()) {
				while (in.read(buffer) >= 0) continue;
			}
		}
		return count;
	}

	public static void main(String[] arguments) throws Exception {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000000L;
		int clients = Integer.parseInt(arguments[1]);
		InetAddress host = InetAddress.getByName("127.0.0.1");
		HttpServer server = HttpServer.create(new InetSocketAddress(host, 0), 0);
		ExecutorService pool = Executors.newFixedThreadPool(4);
		Thread[] threads = new Thread[clients];
		long[] counts = new long[clients];

		server.createContext("/page", HttpProgram::answer);
		server.setExecutor(pool);
		server.start();
		for (int i = 0; i < clients; i++) {
			int own = i, port = server.getAddress().getPort();
			threads[i] = new Thread(() -> {
				try {
					counts[own] = ask(port, end);
				} catch (IOException e) {
					throw new AssertionError(e);
				}
			});
			threads[i].start();
		}
		long sum = 0;
		for (int i = 0; i < clients; i++) {
			threads[i].join();
			sum += counts[i];
		}
		server.stop(0);
		pool.shutdown();
		System.out.println(sum + " requests");
	}
}
