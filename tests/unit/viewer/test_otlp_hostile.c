/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_hostile - nothing of an OTLP request that does not check is taken over
 */

#include <stdlib.h>

#include "tests/unit/viewer/reading.h"

static void refuse(Otlp__Request *message)
{
	size_t count = otlp__request__get_packed_size(message);
	uint8_t *bytes = malloc(count);

	assert_non_null(bytes);
	(void)otlp__request__pack(message, bytes);
	begin(&everything);
	assert_int_equal(otlp_reader_read(&reading.reader, bytes, count), OTLP_BODY_E_INVALID);
	assert_int_equal(reading.merge.samples.count, 0);
	assert_int_equal(reading.merge.intervals.count, 0);
	assert_int_equal(reading.reader.counts[0].reports, 0);
	assert_int_equal(reading.reader.counts[0].read[0].count, 0);
	end();
	free(bytes);
}

/* Each number that refers to something is broken in turn, in what is read last. */
static void a_number_that_refers_to_nothing_takes_the_whole_request_back(void **state)
{
	struct report *report = build("inlined");
	static const int32_t wrong[] = {-1, INT32_MAX};
	Otlp__Request *message;
	Otlp__Profile *profile;
	Otlp__Sample *sample;
	Otlp__Location *location;

	request_make(&request, report, UINT64_MAX);
	message = otlp__request__unpack(NULL, request.parts[0].count, request.parts[0].bytes);
	assert_non_null(message);
	profile = message->resource_profiles[message->n_resource_profiles - 1]
			  ->scope_profiles[0]
			  ->profiles[0];
	sample = profile->samples[profile->n_samples - 1];
	location = message->dictionary
			   ->location_table[message->dictionary->stack_table[sample->stack_index]
						    ->location_indices[0]];
	for (unsigned i = 0; i < 2; i++) {
		int32_t *const numbers[] = {
			&sample->stack_index,
			&sample->attribute_indices[0],
			&profile->attribute_indices[0],
			&profile->sample_type->type_strindex,
			&message->dictionary->stack_table[sample->stack_index]->location_indices[0],
			&location->mapping_index,
			&location->attribute_indices[0],
			&location->lines[0]->function_index,
			&message->dictionary->attribute_table[1]->key_strindex,
			&message->dictionary->function_table[location->lines[0]->function_index]
				 ->name_strindex,
			&message->dictionary->mapping_table[location->mapping_index]
				 ->filename_strindex,
		};

		for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
			int32_t right = *numbers[j];

			*numbers[j] = wrong[i];
			refuse(message);
			*numbers[j] = right;
		}
	}
	sample->values[0] = -1;
	refuse(message);
	sample->values[0] = INT64_MAX;
	refuse(message);
	sample->n_values = 0;
	refuse(message);
	otlp__request__free_unpacked(message, NULL);
	request_free(&request);
	report_builder_deinit(&builder);
}

static void a_cut_request_is_invalid_and_one_beyond_the_memory_is_not(void **state)
{
	struct report *report = build("tiny");

	request_make(&request, report, UINT64_MAX);
	begin(&everything);
	assert_int_equal(otlp_reader_read(&reading.reader, request.parts[0].bytes,
					  request.parts[0].count - 1),
			 OTLP_BODY_E_INVALID);
	reading.budget.limit = reading.budget.used + 1000;
	assert_int_equal(
		otlp_reader_read(&reading.reader, request.parts[0].bytes, request.parts[0].count),
		OTLP_BODY_E_MEMORY);
	end();
	request_free(&request);
	report_builder_deinit(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_that_refers_to_nothing_takes_the_whole_request_back),
		cmocka_unit_test(a_cut_request_is_invalid_and_one_beyond_the_memory_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
