// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** DeoptLoader - has classes of its own of those whose name begins with TruthProgram$Deopt */
class DeoptLoader extends ClassLoader {
	DeoptLoader() {
		super(DeoptLoader.class.getClassLoader());
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith("TruthProgram$Deopt")) return super.loadClass(name, resolve);
		Class<?> known = findLoadedClass(name);
		if (known != null) return known;
		byte[] bytes = read(name + ".class");
		return defineClass(name, bytes, 0, bytes.length);
	}

	private byte[] read(String name) throws ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		try (InputStream in = getParent().getResourceAsStream(name)) {
			for (int next = in.read(); next >= 0; next = in.read()) bytes.write(next);
		} catch (IOException e) {
			throw new ClassNotFoundException(name, e);
		}
		return bytes.toByteArray();
	}
}
