// SPDX-License-Identifier: Apache-2.0
// JavaLoad - calls, objects, strings, sorting without end, as the loads of Python and node do

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

final class JavaLoad {
	private static final Pattern DIGITS = Pattern.compile("\\d+3");

	private static final class Node {
		final int key;
		Node left;
		Node right;

		Node(int key) {
			this.key = key;
		}
	}

	private static Node insert(Node node, int key) {
		if (node == null)
			return new Node(key);
		if (key < node.key)
			node.left = insert(node.left, key);
		else
			node.right = insert(node.right, key);
		return node;
	}

	private static long total(Node node) {
		return node == null ? 0 : total(node.left) + node.key + total(node.right);
	}

	private static int matches(String text) {
		Matcher matcher = DIGITS.matcher(text);
		int count = 0;

		while (matcher.find())
			count++;
		return count;
	}

	private static String describe(long total) {
		TreeMap<String, Long> rows = new TreeMap<>();

		for (int i = 0; i < 200; i++)
			rows.put("key " + i, total * i);
		return rows.entrySet().stream().map(row -> row.getKey() + ": " + row.getValue())
			.collect(Collectors.joining(", "));
	}

	private static int sorted(Random random) {
		List<String> rows = new ArrayList<>();

		for (int i = 0; i < 2000; i++)
			rows.add("k" + random.nextInt(2003));
		rows.sort(Comparator.comparing((String row) -> row.substring(1)));
		return Arrays.hashCode(rows.toArray());
	}

	public static void main(String[] arguments) {
		Random random = new Random(7);
		long sum = 0;

		for (;;) {
			Node root = null;

			for (int i = 0; i < 500; i++)
				root = insert(root, random.nextInt(100000));
			sum += matches(describe(total(root))) + sorted(random);
			if (sum == 42)
				System.out.println(sum);
		}
	}
}
