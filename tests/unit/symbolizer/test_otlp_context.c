/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_context - what processes say of themselves stands in their resource, or with their
 * samples, and takes the place of nothing that is known
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/otlp_message.h"
#include "symbolizer/profile/process_context.h"
#include "tests/unit/symbolizer/otlp_context_fixture.h"

#define MANY_ATTRIBUTES 100u
#define MANY_BYTES      16384u

static struct otlp_parts parts;

static int end(void **state)
{
	otlp_parts_deinit(&parts);
	return 0;
}

/* --- resources -------------------------------------------------------------------------------- */

static void make(void)
{
	otlp_parts_deinit(&parts);
	assert_int_equal(otlp_parts_init(&parts, &report, NULL), 0);
	assert_int_equal(otlp_parts_next(&parts, UINT64_MAX), 0);
}

static const Otlp__Resource *resource_of(uint32_t process)
{
	const Otlp__Request *request = &parts.message->request;
	const uint32_t number = parts.services.resources[process];

	assert_true(number < request->n_resource_profiles);
	return request->resource_profiles[number]->resource;
}

/* The value of a text; NULL: there is none. No key is there twice. */
static const char *resource_text(uint32_t process, const char *key)
{
	const Otlp__Resource *of = resource_of(process);
	const char *text = NULL;

	for (size_t i = 0; i < of->n_attributes; i++) {
		if (strcmp(of->attributes[i]->key, key) != 0)
			continue;
		assert_null(text);
		assert_int_equal(of->attributes[i]->value->value_case,
				 OTLP__ANY_VALUE__VALUE_STRING_VALUE);
		text = of->attributes[i]->value->string_value;
	}
	return text;
}

static bool resource_has(uint32_t process, const char *value)
{
	const Otlp__Resource *of = resource_of(process);

	for (size_t i = 0; i < of->n_attributes; i++)
		if (of->attributes[i]->value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE &&
		    strcmp(of->attributes[i]->value->string_value, value) == 0)
			return true;
	return false;
}

/* Makes one process say this. */
static void say(uint32_t process, const char *context)
{
	strings[CONTEXT] = context;
	processes[process].context = CONTEXT;
	make();
}

static void attributes_of_a_process_stand_in_its_resource_at_their_own_keys(void **state)
{
	make();
	assert_string_equal(resource_text(DECLARED, "service.name"), "shop");
	assert_string_equal(resource_text(DECLARED, "service.version"), "2");
	assert_string_equal(resource_text(DECLARED, "service.instance.id"), "x,y");
	assert_string_equal(resource_text(DECLARED, OTLP_CONTEXT), strings[SHOP]);
	assert_string_equal(resource_text(UNIT_DECLARED, "service.version"), "2");
	assert_string_equal(resource_text(UNIT_DECLARED, OTLP_CONTEXT), strings[SHOP]);
	assert_null(resource_text(IN_UNIT, "service.version"));
	assert_null(resource_text(IN_UNIT, OTLP_CONTEXT));
}

static void what_is_missing_of_it_is_said_with_or_without_attributes(void **state)
{
	processes[DECLARED].missing = PROCESS_CONTEXT_CUT;
	processes[IN_UNIT].missing = PROCESS_CONTEXT_TOO_LONG;
	make();
	assert_string_equal(resource_text(DECLARED, OTLP_MISSING), "some attributes");
	assert_string_equal(resource_text(DECLARED, OTLP_CONTEXT), strings[SHOP]);
	assert_string_equal(resource_text(IN_UNIT, OTLP_MISSING), "too long");
	assert_null(resource_text(IN_UNIT, OTLP_CONTEXT));
	assert_null(resource_text(UNIT_DECLARED, OTLP_MISSING));
	for (unsigned i = PROCESS_CONTEXT_WHOLE + 1; i < PROCESS_CONTEXT_MISSING_N; i++) {
		processes[IN_UNIT].missing = (uint8_t)i;
		make();
		assert_non_null(resource_text(IN_UNIT, OTLP_MISSING));
	}
}

static void a_resource_says_that_its_name_is_declared(void **state)
{
	static const bool declared[SAMPLED_N] = {
		[DECLARED] = true, [DECLARED_TOO] = true, [IN_CONTAINER] = true};

	for (enum report_grouping grouping = REPORT_BY_PROCESS; grouping <= REPORT_BY_SERVICE;
	     grouping++) {
		resource.grouping = grouping;
		make();
		for (uint32_t i = 0; i < SAMPLED_N; i++) {
			const char *source = resource_text(i, OTLP_NAME_SOURCE);

			assert_string_equal(source ? source : "", declared[i] ? "process" : "");
		}
	}
}

static void what_is_known_otherwise_is_never_what_a_process_says(void **state)
{
	static const char *const keys[] = {
		"service.name",       "host.name",     "host.id",          "os.type",
		"cloud.region",       "container.id",  "container.name",   "k8s.pod.uid",
		"k8s.namespace.name", "process.pid",   OTLP_NS_PID,        OTLP_EXE,
		"process.owner",      "thread.id",     "thread.name",      "cpu.mode",
		OTLP_FRAME_TYPE,      OTLP_CONTEXT,    OTLP_PROCESS_COMM,  OTLP_PROCESS_START,
		OTLP_NAME_SOURCE,     "operators.own", "deployment.region"};
	static const struct report_attribute given[] = {{"operators.own", "said"},
							{"deployment.region", "here"}};
	char context[64];

	resource.attributes = given;
	resource.attribute_count = 2;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		(void)snprintf(context, sizeof(context), "a=1,%s=claimed,b=2", keys[i]);
		say(UNIT_DECLARED, context);
		assert_false(resource_has(UNIT_DECLARED, "claimed"));
		assert_string_equal(resource_text(UNIT_DECLARED, OTLP_CONTEXT), context);
		assert_string_equal(resource_text(UNIT_DECLARED, "a"), "1");
		assert_string_equal(resource_text(UNIT_DECLARED, "b"), "2");
		assert_string_equal(resource_text(UNIT_DECLARED, "service.name"), "shop");
		assert_string_equal(resource_text(UNIT_DECLARED, OTLP_EXE), strings[PYTHON]);
		assert_string_equal(resource_text(UNIT_DECLARED, "operators.own"), "said");
		assert_string_equal(resource_text(UNIT_DECLARED, "deployment.region"), "here");
	}
}

static void keys_that_only_begin_as_a_known_one_are_a_process_s_own(void **state)
{
	static const char *const keys[] = {
		"service.namespace", "service.names", "hosts", "operators",
		"operators.owner",   "oscar",         "k8s"};
	static const struct report_attribute given[] = {{"operators.own", "said"}};
	char context[64];

	resource.attributes = given;
	resource.attribute_count = 1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		(void)snprintf(context, sizeof(context), "%s=mine", keys[i]);
		say(DECLARED, context);
		assert_non_null(resource_text(DECLARED, keys[i]));
		assert_string_equal(resource_text(DECLARED, keys[i]), "mine");
	}
}

/* --- samples ---------------------------------------------------------------------------------- */

static const char *sample_text(const Otlp__Sample *sample, const char *key)
{
	const Otlp__Dictionary *tables = &parts.message->dictionary;

	for (size_t i = 0; i < sample->n_attribute_indices; i++) {
		const Otlp__Attribute *attribute =
			tables->attribute_table[sample->attribute_indices[i]];

		if (strcmp(tables->string_table[attribute->key_strindex], key) == 0)
			return attribute->value->string_value;
	}
	return NULL;
}

/* Samples that say of their processes what SHOP is, and those that say nothing. */
static void count_samples(unsigned *ret_saying, unsigned *ret_silent)
{
	const Otlp__Request *request = &parts.message->request;

	*ret_saying = *ret_silent = 0;
	for (size_t i = 0; i < request->n_resource_profiles; i++) {
		const Otlp__Profile *profile =
			request->resource_profiles[i]->scope_profiles[0]->profiles[0];

		for (size_t k = 0; k < profile->n_samples; k++) {
			const char *text = sample_text(profile->samples[k], OTLP_CONTEXT);

			*ret_saying += text && strcmp(text, strings[SHOP]) == 0;
			*ret_silent += !text;
		}
	}
}

static void in_a_resource_of_many_processes_samples_have_the_list(void **state)
{
	unsigned saying, silent;

	for (enum report_grouping grouping = REPORT_BY_CONTAINER; grouping <= REPORT_BY_SERVICE;
	     grouping++) {
		resource.grouping = grouping;
		make();
		count_samples(&saying, &silent);
		assert_int_equal(saying, 5); /* SHOP */
		assert_int_equal(silent, 3); /* the others say something else */
		for (uint32_t i = 0; i < SAMPLED_N; i++) {
			assert_null(resource_text(i, OTLP_CONTEXT));
			assert_null(resource_text(i, "service.version"));
			assert_null(resource_text(i, "service.instance.id"));
		}
		assert_string_equal(resource_text(DECLARED, "service.name"), "shop");
	}
	resource.grouping = REPORT_BY_PROCESS;
	make();
	count_samples(&saying, &silent);
	assert_int_equal(silent, SAMPLED_N);
}

/* --- limits ----------------------------------------------------------------------------------- */

static const char *many(void)
{
	static char context[MANY_BYTES];
	size_t used = 0;

	for (unsigned i = 0; i < MANY_ATTRIBUTES; i++)
		used += (size_t)snprintf(context + used, sizeof(context) - used, "%ck%u=%.*d",
					 i ? ',' : ' ', i, 100, 1);
	context[0] = 'k'; /* of the first key, "kk0" */
	return context;
}

static void a_resource_has_no_more_attributes_than_a_list_may_have(void **state)
{
	static const struct report_attribute given[] = {{"operators.own", "said"}};
	char last[16], beyond[16];

	resource.attributes = given;
	resource.attribute_count = 1;
	processes[IN_CONTAINER].pod = CONTAINER;
	processes[IN_CONTAINER].ns_tgid = 77;
	processes[IN_CONTAINER].missing = PROCESS_CONTEXT_CUT;
	(void)snprintf(last, sizeof(last), "k%u", PROCESS_CONTEXT_ATTRIBUTES - 1);
	(void)snprintf(beyond, sizeof(beyond), "k%u", PROCESS_CONTEXT_ATTRIBUTES);
	say(IN_CONTAINER, many());
	assert_non_null(resource_text(IN_CONTAINER, last));
	assert_null(resource_text(IN_CONTAINER, beyond));
	assert_int_equal(resource_of(IN_CONTAINER)->n_attributes,
			 1 + OTLP_PROCESS_FACTS + 1 + PROCESS_CONTEXT_ATTRIBUTES);
}

static void without_memory_there_is_no_message_and_nothing_is_kept(void **state)
{
	unsigned refused = 0;
	int r = -ENOMEM;

	strings[CONTEXT] = many();
	for (uint32_t i = 0; i < PROCESSES_N; i++)
		processes[i].context = CONTEXT;
	for (uint64_t limit = 0; r != 0; limit += 4096, refused += r != 0) {
		struct budget budget = {.limit = limit};

		report.memory = &budget;
		r = otlp_parts_init(&parts, &report, NULL);
		if (r == 0)
			r = otlp_parts_next(&parts, UINT64_MAX);
		assert_true(r == 0 || r == -ENOMEM);
		otlp_parts_deinit(&parts);
		assert_int_equal(budget.used, 0);
	}
	assert_true(refused > 10);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(attributes_of_a_process_stand_in_its_resource_at_their_own_keys),
		claim(what_is_missing_of_it_is_said_with_or_without_attributes),
		claim(a_resource_says_that_its_name_is_declared),
		claim(what_is_known_otherwise_is_never_what_a_process_says),
		claim(keys_that_only_begin_as_a_known_one_are_a_process_s_own),
		claim(in_a_resource_of_many_processes_samples_have_the_list),
		claim(a_resource_has_no_more_attributes_than_a_list_may_have),
		claim(without_memory_there_is_no_message_and_nothing_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
