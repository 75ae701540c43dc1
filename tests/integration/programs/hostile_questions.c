/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_questions - questions for separate debug files, most of which no symbolizer may ask */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "tests/integration/programs/hostile_symbolizer.h"

#define REQUEST   77u
#define OTHER_NS  1000000000u /* no announcement has such a time */
#define TEXT(of)  sizeof(of) - 1, of
#define LONG_NAME 256 /* bytes; one more than a name may have */

static const char long_name[LONG_NAME + 1] = {[0 ... LONG_NAME - 1] = 'a'};

const struct hostile_question hostile_questions[] = {
	{"a debug link that leads upwards", TM_DEBUG_LINK, TEXT("../../etc/shadow")},
	{"a debug link with a full path", TM_DEBUG_LINK, TEXT("/etc/shadow")},
	{"a debug link of two components", TM_DEBUG_LINK, TEXT("a/b")},
	{"a debug link to the folder above", TM_DEBUG_LINK, TEXT("..")},
	{"a debug link to the folder", TM_DEBUG_LINK, TEXT(".")},
	{"a debug link without a name", TM_DEBUG_LINK, TEXT("")},
	{"a debug link with a NUL", TM_DEBUG_LINK, TEXT("a\0b")},
	{"a debug link that ends in a NUL", TM_DEBUG_LINK, TEXT("a\0")},
	{"a debug link of 256 bytes", TM_DEBUG_LINK, LONG_NAME, long_name},
	{"a debug link of 65,535 bytes", TM_DEBUG_LINK, UINT16_MAX, long_name},
	{"an alternative file that leads upwards", TM_DEBUG_ALT, TEXT("../../etc/shadow")},
	{"a build id of three bytes", TM_DEBUG_BUILD_ID, TEXT("abc")},
	{"a build id of 65 bytes", TM_DEBUG_BUILD_ID, TM_BUILD_ID_MAX + 1, long_name},
	{"a debug file of no form", 0, TEXT("a")},
	{"a debug file of an unknown form", TM_DEBUG_ALT + 1, TEXT("a")},
};
const size_t hostile_questions_count = sizeof(hostile_questions) / sizeof(*hostile_questions);

int hostile_ask(const struct harness *harness, const struct tm_wire *file,
		const struct hostile_question *question)
{
	struct tm_wire message = {.kind = TM_WIRE_DEBUG_FILE,
				  .number = file->number,
				  .value = file->value,
				  .request = REQUEST,
				  .form = question->form,
				  .text_bytes = question->text_bytes};
	size_t bytes = question->text_bytes < sizeof(message.text) ? question->text_bytes
								   : sizeof(message.text);

	memcpy(message.text, question->text, bytes);
	return tm_fdpass_send(harness->wire, &message, sizeof(message), -1, 0);
}

/* Makes a file below @folder. Return: its inode; 0: it failed. */
static ino_t make_file(int folder, const char *name)
{
	_cleanup_(tm_closep) int fd =
		openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static bool is_answered(const struct harness *harness, const void *until)
{
	return harness->answers >= *(const unsigned *)until;
}

/* Return: what is wrong with the answer; NULL: nothing. */
static const char *judge_answer(const struct harness *harness, const struct tm_wire *file,
				ino_t expected)
{
	const struct tm_wire *answer = &harness->answer;

	if (answer->number != file->number || answer->value != file->value ||
	    answer->request != REQUEST)
		return "the answer is to another question";
	if (harness->opened != expected)
		return expected ? "the file is not opened" : "a file is opened";
	return !expected == (answer->form == 0) ? "the answer gives no reason, or one too many"
						: NULL;
}

unsigned hostile_ask_allowed(struct harness *harness, const char *folder,
			     void (*complain)(const char *name, const char *what, int error))
{
	static const char id[] = "\1\2\3\4\5";
	_cleanup_(tm_closep) int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct tm_wire file, never, other;
	unsigned judged = 0, until = 0;
	ino_t link, by_id;
	int r = harness_next_file(harness, &file);

	if (r < 0 || mkdirat(at, ".build-id", 0755) < 0 || mkdirat(at, ".build-id/01", 0755) < 0 ||
	    symlinkat("/etc/shadow", at, "outside.debug") < 0 ||
	    symlinkat("../../etc/shadow", at, "above.debug") < 0 ||
	    mkfifoat(at, "fifo.debug", 0644) < 0) {
		complain("allowed questions", "cannot be prepared", r < 0 ? r : errno);
		return 0;
	}
	link = make_file(at, "here.debug");
	by_id = make_file(at, ".build-id/01/02030405.debug");
	never = other = file;
	never.number ^= 0x8000u;
	other.value += OTHER_NS;

	const struct {
		const struct tm_wire *file;
		ino_t expected;
		struct hostile_question question;
	} all[] = {
		{&file, link, {"a debug link", TM_DEBUG_LINK, TEXT("here.debug")}},
		{&file, by_id, {"a build id", TM_DEBUG_BUILD_ID, TEXT(id)}},
		{&file, 0, {"a symbolic link to elsewhere", TM_DEBUG_LINK, TEXT("outside.debug")}},
		{&file, 0, {"a symbolic link upwards", TM_DEBUG_LINK, TEXT("above.debug")}},
		{&file, 0, {"a FIFO", TM_DEBUG_LINK, TEXT("fifo.debug")}},
		{&file, 0, {"a name that is not there", TM_DEBUG_LINK, TEXT("none.debug")}},
		{&never, 0, {"a file never announced", TM_DEBUG_LINK, TEXT("here.debug")}},
		{&other, 0, {"another announcement", TM_DEBUG_LINK, TEXT("here.debug")}},
	};

	for (; judged < sizeof(all) / sizeof(*all); judged++) {
		const struct hostile_question *question = &all[judged].question;
		const char *what;

		until = harness->answers + 1;
		r = hostile_ask(harness, all[judged].file, question);
		if (r == 0)
			r = harness_until(harness, is_answered, &until);
		what = r ? "no answer"
			 : judge_answer(harness, all[judged].file, all[judged].expected);
		if (what)
			complain(question->name, what, r);
	}
	return judged;
}
