/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decompress - loads a section and decompresses it if it is compressed
 */

#include "symbolizer/parser/elf/decompress.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

static int decompress(const struct image *image, size_t index, struct section *ret_section,
		      void **ret_owned)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE
			   ? NULL
			   : elf_memory((char *)image->copy, image->bytes);
	Elf_Scn *section = elf ? elf_getscn(elf, index) : NULL;
	Elf_Data *data = NULL;
	GElf_Chdr header;
	GElf_Shdr place;

	if (section && gelf_getchdr(section, &header) && header.ch_size <= DECOMPRESS_MAX &&
	    elf_compress(section, 0, 0) > 0)
		data = elf_rawdata(section, NULL);
	if (data && data->d_buf && data->d_size && data->d_size <= DECOMPRESS_MAX &&
	    gelf_getshdr(section, &place)) {
		*ret_owned = malloc(data->d_size);
		if (*ret_owned) {
			memcpy(*ret_owned, data->d_buf, data->d_size);
			*ret_section = (struct section){*ret_owned, data->d_size, place.sh_addr,
							place.sh_offset};
		}
	}
	(void)elf_end(elf);
	return 0;
}

int decompress_load(const struct sections *sections, const char *name, struct section *ret_section,
		    void **ret_owned)
{
	struct image *image = sections->image;
	const Elf64_Shdr *header = sections_header(sections, name);
	uint64_t offset, bytes;
	int r;

	*ret_owned = NULL;
	*ret_section = (struct section){0};
	if (!header || !(header->sh_flags & SHF_COMPRESSED))
		return sections_load(sections, name, ret_section);
	offset = header->sh_offset;
	bytes = header->sh_size;
	if (header->sh_type == SHT_NOBITS || offset > image->bytes || bytes > image->bytes - offset)
		return 0;
	r = image_fill(image, sections->source, offset, bytes);
	return r ? r
		 : decompress(image, (size_t)(header - image->sections), ret_section, ret_owned);
}
