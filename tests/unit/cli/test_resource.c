/* SPDX-License-Identifier: Apache-2.0 */
/* test_resource - machine ids, and the arguments that describe the host */

#include "tests/unit/cli/test_folder.h"

#include <errno.h>

#include "cli/resource.h"

#define ID "0123456789abcdef0123456789abcdef"

static int read_id(const char *text, char id[33])
{
	const char *path = test_folder_path("machine-id");
	FILE *file = fopen(path, "we");
	int r;

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	r = resource_machine_id(path, id);
	(void)unlink(path);
	return r;
}

static void machine_id_is_read(void **state)
{
	char id[33];

	assert_int_equal(read_id(ID "\n", id), 0);
	assert_string_equal(id, ID);
	assert_int_equal(read_id(ID, id), 0);
	assert_string_equal(id, ID);
}

static void what_is_no_machine_id_is_none(void **state)
{
	static const char *const wrong[] = {"",
					    "\n",
					    "uninitialized\n",
					    "0123\n",
					    ID "0\n",
					    ID "\n\n",
					    "0123456789ABCDEF0123456789ABCDEF\n"};
	char id[33];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(read_id(wrong[i], id), -EBADMSG);
		assert_string_equal(id, "");
	}
	assert_int_equal(resource_machine_id(test_folder_path("none"), id), -ENOENT);
	assert_string_equal(id, "");
}

static unsigned arguments_of(const struct resource_options *options, const char *wanted)
{
	struct launch launch;
	unsigned found = 0;

	assert_int_equal(launch_init(&launch, "test", -1, (struct uid_pool_account){0}), 0);
	resource_launch(&launch, options);
	assert_false(launch.failed);
	for (size_t i = 1; i < launch.argument_count; i++)
		found += strncmp(launch.arguments[i], wanted, strlen(wanted)) == 0;
	launch_deinit(&launch);
	return found;
}

static void host_is_described(void **state)
{
	const struct resource_options nothing = {.label_count = 0};

	assert_int_equal(arguments_of(&nothing, "--resource=host.name="), 1);
	assert_int_equal(arguments_of(&nothing, "--resource=os.type=linux"), 1);
	assert_int_equal(arguments_of(&nothing, "--resource=host.arch=amd64"), 1);
	assert_int_equal(arguments_of(&nothing, "--service-name"), 0);
	assert_int_equal(arguments_of(&nothing, "--resource-grouping"), 0);
}

static void label_comes_instead(void **state)
{
	const struct resource_options options = {
		.service_name = "shop",
		.grouping = "service",
		.labels = {"host.name=mine", "zone=a=b"},
		.label_count = 2,
	};

	assert_int_equal(arguments_of(&options, "--resource=host.name="), 1);
	assert_int_equal(arguments_of(&options, "--resource=host.name=mine"), 1);
	assert_int_equal(arguments_of(&options, "--resource=zone=a=b"), 1);
	assert_int_equal(arguments_of(&options, "--service-name=shop"), 1);
	assert_int_equal(arguments_of(&options, "--resource-grouping=service"), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(machine_id_is_read, test_folder_make,
						test_folder_drop),
		cmocka_unit_test_setup_teardown(what_is_no_machine_id_is_none, test_folder_make,
						test_folder_drop),
		cmocka_unit_test(host_is_described),
		cmocka_unit_test(label_comes_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
