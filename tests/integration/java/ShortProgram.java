// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * ShortProgram - works as fresh programs do: many methods of libraries, few of them often
 *
 * usage: java ShortProgram MS [FILE] - for so long; with FILE, until that exists
 */
public class ShortProgram {
	static Map<String, Integer> counted(String text) {
		Map<String, Integer> found = new HashMap<>();
		String[] words = Pattern.compile("[ ,]+").split(text);

		for (String word : words) found.merge(word, 1, Integer::sum);
		return found;
	}

	static String joined(int round) {
		List<String> words = new ArrayList<>();

		for (int i = 0; i < 200; i++) words.add(String.format("%d word%x,", i, i ^ round));
		Collections.shuffle(words);
		return words.stream().filter(w -> w.length() > 6).sorted()
			.collect(Collectors.joining(" "));
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000;
		Path until = arguments.length > 1 ? Paths.get(arguments[1]) : null;
		int round = 0, sum = 0;

		while (System.nanoTime() < end || (until != null && !Files.exists(until)))
			sum += counted(joined(round++)).size();
		System.out.println(sum);
	}
}
