/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload - loads libraries, calls them and unloads them again, at changing addresses
 *
 * reload SECONDS LIBRARY...: copies of libplug.so. The address range of one is reused by the next.
 */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 20
#define DEPTH 8

typedef uint64_t work_function(uint64_t x, unsigned depth);

static uint64_t use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "plug_work") : NULL;
	work_function *work;
	uint64_t x = 1;

	if (!symbol) {
		(void)fprintf(stderr, "reload: %s\n", dlerror());
		exit(1);
	}
	memcpy(&work, &symbol, sizeof(work));
	for (unsigned i = 0; i < CALLS; i++)
		x = work(x, DEPTH);
	(void)dlclose(library);
	return x;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);
	uint64_t x = 0;

	if (argc < 3)
		return 2;
	for (int i = 0; time(NULL) < end; i++)
		x += use(argv[2 + i % (argc - 2)]);
	(void)printf("%llu\n", (unsigned long long)x);
	return 0;
}
