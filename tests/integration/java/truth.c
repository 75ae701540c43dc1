/* SPDX-License-Identifier: Apache-2.0 */
/* truth - the native methods of TruthProgram, which call Java */

#include <jni.h>
#include <stdlib.h>
#include <time.h>

static _Thread_local JNIEnv *thread_env;
static _Thread_local jclass thread_class;
static _Thread_local jmethodID compared;

/* Their frames are to be seen: no call is the last thing that a function does. */
#define SEEN() __asm__ volatile("" ::: "memory")

static int compare_in_java(const void *one, const void *other)
{
	jint order = (*thread_env)
			     ->CallStaticIntMethod(thread_env, thread_class, compared,
						   *(const jint *)one, *(const jint *)other);

	SEEN();
	return order;
}

JNIEXPORT void JNICALL Java_TruthProgram_nativeSort(JNIEnv *env, jclass class, jintArray values)
{
	jint sorted[64];

	(*env)->GetIntArrayRegion(env, values, 0, 64, sorted);
	thread_env = env;
	thread_class = class;
	compared = (*env)->GetStaticMethodID(env, class, "compared", "(II)I");
	qsort(sorted, 64, sizeof(sorted[0]), compare_in_java);
	SEEN();
}

JNIEXPORT jlong JNICALL Java_TruthProgram_alternateNative(JNIEnv *env, jclass class, jint left,
							  jlong x)
{
	jmethodID alternate = (*env)->GetStaticMethodID(env, class, "alternate", "(IJ)J");
	jlong result = (*env)->CallStaticLongMethod(env, class, alternate, left - 1, x);

	SEEN();
	return result;
}

JNIEXPORT jlong JNICALL Java_TruthProgram_threadCpu(JNIEnv *env, jclass class)
{
	struct timespec now;

	(void)env;
	(void)class;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}
