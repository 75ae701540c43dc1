/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedded - loads an interpreter of CPython, and calls functions of the module `embedded_code` in
 * it: by its first thread, by a thread that C has made, and in a sub-interpreter
 *
 * usage: embedded LIBRARY
 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/programs/noinline.h"

static void *library;

/* Of the library; ends the program where it has none. */
static void *function_of(const char *name)
{
	void *function = dlsym(library, name);

	if (function)
		return function;
	(void)fprintf(stderr, "embedded: no %s\n", name);
	exit(1);
}

/* The callers' names are what the test looks for: none of them may jump into this. */
static void run(const char *text)
{
	int (*run_string)(const char *, void *) = function_of("PyRun_SimpleStringFlags");

	if (run_string(text, NULL))
		exit(1);
}

noinline static void embedded_main(void)
{
	run("import embedded_code\nembedded_code.main_part()\n");
	__asm__ volatile("");
}

noinline static void embedded_thread(void)
{
	int (*ensure)(void) = function_of("PyGILState_Ensure");
	void (*release)(int) = function_of("PyGILState_Release");
	int state = ensure();

	run("import embedded_code\nembedded_code.thread_part()\n");
	release(state);
	__asm__ volatile("");
}

noinline static void embedded_subinterpreter(void)
{
	void *(*begin)(void) = function_of("Py_NewInterpreter");
	void (*end)(void *) = function_of("Py_EndInterpreter");
	void *(*swap)(void *) = function_of("PyThreadState_Swap");
	void *before = swap(NULL), *state;

	swap(before);
	state = begin();
	if (!state)
		exit(1);
	run("import embedded_code\nembedded_code.subinterpreter_part()\n");
	end(state);
	swap(before);
}

static void *work(void *context)
{
	embedded_thread();
	return context;
}

int main(int argc, char **argv)
{
	void *(*save)(void), *state;
	void (*restore)(void *);
	pthread_t thread;

	library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!library) {
		(void)fprintf(stderr, "embedded: %s\n", argc == 2 ? dlerror() : "no library");
		return 1;
	}
	save = function_of("PyEval_SaveThread");
	restore = function_of("PyEval_RestoreThread");
	((void (*)(int))function_of("Py_InitializeEx"))(0);
	embedded_main();
	embedded_subinterpreter();
	state = save();
	if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		return 1;
	restore(state);
	return ((int (*)(void))function_of("Py_FinalizeEx"))();
}
