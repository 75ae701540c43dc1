/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sections - loads sections of an image, by name or by address
 *
 * Trust      a section that is malformed (beyond the end of the file), compressed or empty counts
 *            as absent.
 */

#include <stdbool.h>

#include "symbolizer/parser/elf/image.h"

#define SECTIONS_NAMES_MAX  (4u << 20)
#define SECTIONS_WANTED_MAX 64u

struct sections {
	struct image *image;               /* borrowed */
	const struct image_source *source; /* borrowed */
	const char *names;                 /* of sections; NULL: none */
	uint64_t name_bytes;
};

struct section {
	const uint8_t *bytes; /* in the image's copy; NULL: absent */
	uint64_t size;
	uint64_t vaddr;
	uint64_t offset;
};

/* Return: 0, or an enum parser_status. */
int sections_open(struct sections *sections, struct image *image,
		  const struct image_source *source);
/* The header of the first section of that name, NULL. */
const Elf64_Shdr *sections_header(const struct sections *sections, const char *name);
/* Copies the section of that name; an absent one is empty. Return: 0, or an enum parser_status. */
int sections_load(const struct sections *sections, const char *name, struct section *ret_section);
/* Copies the section of that header. Return: as above. */
int sections_load_header(const struct sections *sections, const Elf64_Shdr *header,
			 struct section *ret_section);
/* Whether the section of that header contains @wanted, 1 to SECTIONS_WANTED_MAX bytes; it is read
 * in pieces, not copied. Return: 0, PARSER_FAILED (reading). */
int sections_contain(const struct sections *sections, const Elf64_Shdr *header, const void *wanted,
		     size_t bytes, bool *ret_contains);
/* Copies from an address to the end of its segment, at most @most bytes. Return: as above. */
int sections_load_at(const struct sections *sections, uint64_t vaddr, uint64_t most,
		     struct section *ret_section);
