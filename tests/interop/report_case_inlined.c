/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_inlined - a report with inlined calls, segments, equal names, and a pid used again */

#include "tests/interop/report_builder.h"

#define SERVER "/src/server.cc"
#define PARSER "/src/include/parser.h"
#define TOKENS "/src/include/tokens.h"

struct parts { /* frames */
	uint32_t start, main, serve[3], parse;
	uint32_t helper[2];      /* of the same name in two binaries */
	uint32_t init[3];        /* of the same name in two source files, and in one not known */
	uint32_t anonymous[2];   /* the same address in two generations of one pid */
	uint32_t stripped, gone; /* in files without symbols, the second one deleted */
};

static uint32_t add(struct report_builder *builder, const char *name, uint32_t file,
		    uint64_t address)
{
	return report_builder_frame(builder, name, file, address, REPORT_NATIVE);
}

static void inline_parse(struct report_builder *builder, uint32_t line)
{
	report_builder_inlined(builder, "parse(char const*)");
	report_builder_system_name(builder, "_Z5parsePKc");
	report_builder_source(builder, PARSER, line, 12);
}

/* At its first address three functions deep, then without inlined calls, then one deep. */
static void add_serve(struct report_builder *builder, uint32_t server, uint32_t frames[3])
{
	static const uint32_t lines[] = {120, 125, 130};

	for (uint32_t i = 0; i < 3; i++) {
		frames[i] = add(builder, "serve(request&)", server, 0x1300 + 0x40 * i);
		report_builder_system_name(builder, "_Z5serveR7request");
		report_builder_source(builder, SERVER, lines[i], 100);
		if (i != 1)
			inline_parse(builder, 17 + i);
		if (i == 0) {
			report_builder_inlined(builder, "next_token");
			report_builder_source(builder, TOKENS, 9, 5);
		}
	}
}

static void add_server(struct report_builder *builder, struct parts *parts)
{
	uint32_t server = report_builder_file(builder, "/opt/app/server", "aa11", 0);

	report_builder_segment(builder, 0x400000, 0x1000, 0x300000);
	parts->start = add(builder, "_start", server, 0x1100);
	parts->main = add(builder, "main", server, 0x1204);
	report_builder_source(builder, SERVER, 42, 30);
	add_serve(builder, server, parts->serve);
	parts->parse = add(builder, "parse(char const*)", server, 0x1400);
	report_builder_system_name(builder, "_Z5parsePKc");
	report_builder_source(builder, PARSER, 25, 12);
	parts->helper[0] = add(builder, "helper", server, 0x400010);
}

static void add_others(struct report_builder *builder, struct parts *parts)
{
	uint32_t plugin = report_builder_file(builder, "/opt/app/libplugin.so", "bb22", 0);
	uint32_t stripped, gone;

	report_builder_deleted_file(builder, plugin);
	parts->helper[1] = add(builder, "helper", plugin, 0x1500);
	for (uint32_t i = 0; i < 3; i++) {
		parts->init[i] = add(builder, "init", plugin, 0x1600 + 0x10 * i);
		if (i < 2)
			report_builder_source(builder, i ? "/src/b.c" : "/src/a.c", 3 + i, 2 + i);
	}
	stripped = report_builder_file(builder, "/opt/app/stripped", "cc33", 0);
	report_builder_unnamed_file(builder, stripped);
	parts->stripped = add(builder, "stripped+0x1700", stripped, 0x1700);
	gone = report_builder_file(builder, "/opt/app/gone", "", 0);
	report_builder_unnamed_file(builder, gone);
	report_builder_deleted_file(builder, gone);
	parts->gone = add(builder, "gone+0x1800", gone, 0x1800);
}

static void add_sample(struct report_builder *builder, uint32_t process, uint32_t tid,
		       const uint32_t leaf_first[4], uint64_t count)
{
	uint32_t depth = 0;

	while (depth < 4 && leaf_first[depth] != REPORT_NO_FILE)
		depth++;
	report_builder_sample(builder, process, tid, "server",
			      report_builder_stack(builder, leaf_first, depth), TM_STOP_NONE,
			      count);
}

#define END REPORT_NO_FILE /* of a stack */

void report_case_inlined(struct report_builder *builder)
{
	struct parts p;
	uint32_t first = report_builder_process(builder, 500, "server", "/opt/app/server");
	uint32_t second = report_builder_process(builder, 500, "server", "/opt/app/server");
	uint32_t other = report_builder_process(builder, 501, "server", "/opt/app/server");

	report_builder_generation(builder, first, 1000, 1);
	report_builder_generation(builder, second, 9000, 1);
	add_server(builder, &p);
	add_others(builder, &p);
	p.anonymous[0] = report_builder_anonymous(builder, first, 0x7f0000001234);
	p.anonymous[1] = report_builder_anonymous(builder, second, 0x7f0000001234);
	add_sample(builder, first, 500, (uint32_t[4]){p.serve[0], p.main, p.start, END}, 60);
	add_sample(builder, first, 500, (uint32_t[4]){p.serve[1], p.main, p.start, END}, 10);
	add_sample(builder, first, 500, (uint32_t[4]){p.parse, p.serve[1], p.main, p.start}, 20);
	add_sample(builder, first, 500, (uint32_t[4]){p.serve[2], p.main, p.start, END}, 10);
	add_sample(builder, first, 500, (uint32_t[4]){p.anonymous[0], p.start, END, END}, 4);
	add_sample(builder, second, 500, (uint32_t[4]){p.anonymous[1], p.start, END, END}, 3);
	add_sample(builder, second, 500, (uint32_t[4]){p.helper[0], p.main, p.start, END}, 5);
	add_sample(builder, second, 500, (uint32_t[4]){p.helper[1], p.main, p.start, END}, 7);
	for (uint32_t i = 0; i < 3; i++)
		add_sample(builder, other, 501, (uint32_t[4]){p.init[i], p.start, END, END},
			   1u << i);
	add_sample(builder, other, 501, (uint32_t[4]){p.stripped, p.gone, p.start, END}, 2);
}
