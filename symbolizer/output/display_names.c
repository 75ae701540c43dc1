/* SPDX-License-Identifier: Apache-2.0 */
/*
 * display_names - gives the calls of a report the demangled names that are displayed
 */

#include "symbolizer/output/display_names.h"

#include <stdlib.h>

struct display {
	struct strings *strings;
	const char **names; /* owned: distinct system names, */
	uint32_t *ids;      /* owned: their strings */
	uint32_t count;
	uint32_t *shown; /* owned: by string, what is displayed for it; 0: not seen */
};

static void add_name(struct display *display, uint32_t name)
{
	if (name == 0 || display->shown[name])
		return;
	display->shown[name] = name;
	display->names[display->count] = display->strings->items[name];
	display->ids[display->count++] = name;
}

/* What is displayed for a language runtime's function is not made of its system name. */
static void collect(struct display *display, const struct report *report)
{
	for (uint32_t f = 0; f < report->frame_count; f++) {
		const struct report_frame *frame = &report->frames[f];
		uint32_t named = frame->call_count - frame->unnamed;

		if (frame->kind == REPORT_RUNTIME)
			continue;
		for (uint32_t c = 0; c < named; c++)
			add_name(display, report->calls[frame->first_call + c].system_name);
	}
}

static void on_text(void *context, uint32_t index, const char *text)
{
	struct display *display = context;
	uint32_t shown;

	if (strings_add(display->strings, text, STRINGS_MAX_BYTES, &shown) == 0 && shown)
		display->shown[display->ids[index]] = shown;
}

static void show(const struct display *display, struct report_build *build)
{
	for (uint32_t f = 0; f < build->frames.frame_count; f++) {
		const struct report_frame *frame = &build->frames.frames[f];
		struct report_call *calls = &build->frames.calls[frame->first_call];

		for (uint32_t c = 0; frame->kind != REPORT_RUNTIME && c < frame->call_count; c++)
			if (display->shown[calls[c].system_name])
				calls[c].name = display->shown[calls[c].system_name];
	}
}

uint32_t display_names_set(struct report_build *build, struct strings *strings,
			   struct demangle *demangle)
{
	const uint32_t count = strings->count;
	struct display display = {
		.strings = strings,
		.names = calloc(count, sizeof(*display.names)),
		.ids = calloc(count, sizeof(*display.ids)),
		.shown = calloc(count, sizeof(*display.shown)),
	};
	uint32_t unanswered = build->report.call_count;

	if (display.names && display.ids && display.shown) {
		collect(&display, &build->report);
		unanswered =
			demangle_all(demangle, display.names, display.count, on_text, &display);
		show(&display, build);
		build->report.strings = strings->items;
		build->report.string_count = strings->count;
	}
	free((void *)display.names);
	free(display.ids);
	free(display.shown);
	return unanswered;
}
