/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_compile - one file's bytes in, one table of rows out
 */

#include "symbolizer/parser/unwind_compile.h"

#include <stdlib.h>

#include "symbolizer/parser/cfi/pointer.h"
#include "symbolizer/parser/cfi/program.h"
#include "symbolizer/parser/cfi/rule.h"
#include "symbolizer/parser/elf/decompress.h"
#include "symbolizer/parser/go/pclntab.h"
#include "symbolizer/parser/go/pclntab_rules.h"
#include "symbolizer/parser/table_writer.h"
#include "symbolizer/parser/x86/disassembly.h"
#include "symbolizer/parser/x86/known_code.h"

#define HDR_BYTES 64u /* of .eh_frame_hdr: as many as its first pointer may need */

struct compilation {
	struct image image;
	struct sections sections;
	struct section eh_frame, debug_frame;
	void *expanded; /* owned; the bytes of debug_frame, when they were compressed */
	struct fde_list frames;
	struct program program;
	struct pclntab golang;
	struct disassembly heights;
	struct table_writer make;
	const struct span *span; /* whose rows are being put */
	uint64_t scan_left;
	int unsayable; /* a state of this span that no rule can say */
};

static const struct tm_rule nothing = {.cfa = TM_CFA_NONE};
static const struct tm_rule outermost = {.cfa = TM_CFA_END};

/* A part that is too large or lies costs itself. */
static int part(struct compilation *compilation, int status)
{
	if (status == PARSER_FAILED)
		return status;
	compilation->frames.cut |= status != 0;
	return 0;
}

/* Without section headers the program header leads to .eh_frame_hdr, and that to .eh_frame. */
static int load_by_header(struct compilation *compilation)
{
	const struct image *image = &compilation->image;
	struct section header = {0};
	struct cursor cursor;
	uint64_t vaddr;
	int r = 0;

	for (uint32_t i = 0; !r && !header.bytes && i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_GNU_EH_FRAME)
			r = sections_load_at(&compilation->sections, image->segments[i].p_vaddr,
					     HDR_BYTES, &header);
	if (r || !header.bytes || header.size < 4 || header.bytes[0] != 1)
		return r;
	cursor = cursor_of(header.bytes, header.size);
	cursor_skip(&cursor, 4);
	if (pointer_read(&cursor, header.bytes[1], header.vaddr + 4, &vaddr) || cursor.bad)
		return 0;
	return sections_load_at(&compilation->sections, vaddr, IMAGE_MAX_BYTES,
				&compilation->eh_frame);
}

static int collect_eh_frame(struct compilation *compilation)
{
	int stop_at_zero = 0;
	int r = sections_load(&compilation->sections, ".eh_frame", &compilation->eh_frame);

	if (!r && !compilation->eh_frame.bytes) {
		stop_at_zero = 1;
		r = load_by_header(compilation);
	}
	if (r)
		return part(compilation, r);
	return fde_list_collect(&compilation->frames, &compilation->image, &compilation->eh_frame,
				SPAN_EH_FRAME, stop_at_zero);
}

static int collect_debug_frame(struct compilation *compilation)
{
	int r = decompress_load(&compilation->sections, ".debug_frame", &compilation->debug_frame,
				&compilation->expanded);

	if (r)
		return part(compilation, r);
	return fde_list_collect(&compilation->frames, &compilation->image,
				&compilation->debug_frame, SPAN_DEBUG_FRAME, 0);
}

static int collect_go(struct compilation *compilation)
{
	int r = pclntab_open(&compilation->golang, &compilation->sections);

	if (r)
		return part(compilation, r);
	return pclntab_add(&compilation->golang, &compilation->frames, &compilation->image);
}

static int collect(struct compilation *compilation)
{
	int r = part(compilation, sections_open(&compilation->sections, &compilation->image,
						compilation->sections.source));

	if (!r)
		r = collect_go(compilation);
	if (!r)
		r = collect_eh_frame(compilation);
	if (!r)
		r = collect_debug_frame(compilation);
	if (!r)
		r = part(compilation, known_code_add(&compilation->frames, &compilation->sections));
	fde_list_sort(&compilation->frames);
	return r;
}

static int put_state(void *context, uint64_t at, const struct program_state *state)
{
	struct compilation *compilation = context;
	const struct span *span = compilation->span;
	struct tm_rule rule = nothing;

	if (state)
		rule = rule_of_state(state, compilation->frames.cies[span->cie].signal);
	compilation->unsayable |= rule.cfa == TM_CFA_NONE;
	return table_writer_put(&compilation->make, span->start + at, &rule);
}

static int put_span(struct compilation *compilation, const struct span *span, uint64_t limit)
{
	int refused = 0;
	int r;

	/* What compilers say of it by habit is not so: nobody has called it. */
	if (fde_list_is_root(&compilation->frames, span->vaddr))
		return table_writer_put(&compilation->make, span->start, &outermost);
	compilation->span = span;
	compilation->unsayable = 0;
	switch (span->source) {
	case SPAN_GO:
		r = pclntab_rules_put(&compilation->golang, &compilation->make, span, limit,
				      &refused);
		break;
	case SPAN_STUB:
		return known_code_put(&compilation->make, span, limit);
	default:
		r = program_run(&compilation->program, span, limit, &refused);
		break;
	}
	compilation->frames.refused += refused || compilation->unsayable;
	return r;
}

/* How much of span @i is its own: the next of its source, or of a better one, ends it. */
static uint64_t own_bytes(const struct fde_list *frames, uint32_t i)
{
	const struct span *span = &frames->spans[i];
	uint64_t end = (uint64_t)span->start + span->bytes;

	for (uint32_t j = i + 1; j < frames->count && frames->spans[j].start < end; j++)
		if (frames->spans[j].start > span->start && frames->spans[j].source <= span->source)
			return frames->spans[j].start - span->start;
	return span->bytes;
}

static int put_unknown(struct compilation *compilation, uint64_t from, uint64_t to)
{
	int r;

	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	r = table_writer_put(&compilation->make, from, &nothing);
	return r ? r
		 : part(compilation, known_code_scan(&compilation->make, &compilation->sections,
						     from, to, &compilation->scan_left));
}

static int put_gap(struct compilation *compilation, uint64_t from, uint64_t to)
{
	int r = 0;

	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	while (!r && from < to) {
		const struct stack_height *height;
		uint64_t run = disassembly_find(&compilation->heights, from, to, &height);
		struct tm_rule rule;

		if (height) {
			rule = stack_height_rule(height);
			r = table_writer_put(&compilation->make, from, &rule);
		} else {
			r = put_unknown(compilation, from, from + run);
		}
		from += run;
	}
	return r;
}

static int read_gap(struct compilation *compilation, uint64_t from, uint64_t to)
{
	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	return part(compilation, disassembly_add(&compilation->heights, from, to));
}

static int pass_span(struct compilation *compilation, const struct span *span, uint64_t limit)
{
	return 0;
}

/* Every place of the file, in order: what somebody describes, and what is between. */
static int walk(struct compilation *compilation,
		int (*take_span)(struct compilation *, const struct span *, uint64_t),
		int (*take_gap)(struct compilation *, uint64_t, uint64_t))
{
	const struct fde_list *frames = &compilation->frames;
	uint64_t end = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < frames->count; i++) {
		const struct span *span = &frames->spans[i];
		uint64_t own;

		if (span->start < end) /* somebody better describes it */
			continue;
		own = own_bytes(frames, i);
		r = take_gap(compilation, end, span->start);
		if (!r)
			r = take_span(compilation, span, own);
		end = span->start + own;
	}
	return r ? r : take_gap(compilation, end, UINT32_MAX);
}

static int put_all(struct compilation *compilation)
{
	struct disassembly *heights = &compilation->heights;
	int r;

	disassembly_open(heights, &compilation->sections);
	r = walk(compilation, pass_span, read_gap);
	if (!r)
		r = part(compilation, disassembly_read(heights));
	compilation->frames.cut |= heights->cut;
	return r ? r : walk(compilation, put_span, put_gap);
}

static int finish(struct compilation *compilation, struct symbolize *answer)
{
	const struct fde_list *frames = &compilation->frames;
	const struct tm_unwind_table header = {.magic = TM_UNWIND_TABLE_MAGIC,
					       .flags = frames->cut ? TM_UNWIND_TABLE_CUT : 0,
					       .frames = frames->described,
					       .refused = frames->refused};

	return table_writer_finish(&compilation->make, &header, &answer->blob, &answer->bytes);
}

static int run(struct compilation *compilation, struct symbolize *answer)
{
	struct program *program = &compilation->program;
	int r = table_writer_open(&compilation->make);

	if (!r)
		r = collect(compilation);
	if (!r)
		r = program_open(program, &compilation->frames);
	if (r)
		return r;
	program->eh_frame = &compilation->eh_frame;
	program->debug_frame = &compilation->debug_frame;
	program->row = put_state;
	program->context = compilation;
	r = put_all(compilation);
	return r ? r : finish(compilation, answer);
}

int unwind_compile_file(struct symbolize *answer, const struct image_source *source)
{
	static struct compilation compilation; /* large; a process compiles one file at a time */
	int r;

	compilation = (struct compilation){.scan_left = KNOWN_CODE_SCAN_MAX};
	compilation.sections.source = source;
	*answer = (struct symbolize){0};
	r = image_open(&compilation.image, source);
	if (!r)
		r = run(&compilation, answer);
	free(compilation.expanded);
	disassembly_close(&compilation.heights);
	program_close(&compilation.program);
	table_writer_close(&compilation.make);
	fde_list_free(&compilation.frames);
	image_close(&compilation.image);
	return r;
}
