/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource - what every resource of an OTLP request says, as arguments of the symbolizer
 */

#include "cli/resource.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/utf8.h"

#define ID_BYTES 32

int resource_machine_id(const char *path, char ret_id[33])
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char text[ID_BYTES + 2] = "";
	ssize_t bytes;

	ret_id[0] = '\0';
	if (fd < 0)
		return -errno;
	bytes = read(fd, text, sizeof(text));
	if (bytes < 0)
		return -errno;
	/* With a line break, or without; "uninitialized" is another form of the file. */
	if (bytes < ID_BYTES || bytes > ID_BYTES + 1 ||
	    (bytes > ID_BYTES && text[ID_BYTES] != '\n') ||
	    strspn(text, "0123456789abcdef") != ID_BYTES)
		return -EBADMSG;
	memcpy(ret_id, text, ID_BYTES);
	ret_id[ID_BYTES] = '\0';
	return 0;
}

static void say(struct launch *launch, const struct resource_options *options, const char *key,
		const char *value)
{
	if (value[0] && !resource_options_have(options, key))
		launch_argument(launch, "--resource=%s=%s", key, value);
}

void resource_launch(struct launch *launch, const struct resource_options *options)
{
	struct utsname host;
	char id[ID_BYTES + 1], name[TM_UTF8_CLEAN_BYTES(sizeof(host.nodename))] = "";

	(void)resource_machine_id(RESOURCE_MACHINE_ID, id);
	if (uname(&host) == 0)
		(void)tm_utf8_clean(host.nodename, strlen(host.nodename), name, sizeof(name));
	say(launch, options, "host.id", id);
	say(launch, options, "host.name", name);
	say(launch, options, "host.arch", "amd64"); /* nothing else is recorded on */
	say(launch, options, "os.type", "linux");
	for (size_t i = 0; i < options->label_count; i++)
		launch_argument(launch, "--resource=%s", options->labels[i]);
	if (options->service_name)
		launch_argument(launch, "--service-name=%s", options->service_name);
	if (options->grouping)
		launch_argument(launch, "--resource-grouping=%s", options->grouping);
}
