/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - the command line of `tidemark record` as one constant struct
 *
 * Owns       nothing: every string points into argv, of OTLP also into the environment.
 * Errors     OPTIONS_E_HELP (asked for help), OPTIONS_E_USAGE (the sentence is in the problem).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/debuginfod_urls.h"
#include "cli/format.h"
#include "cli/off_cpu_options.h"
#include "cli/otlp_options.h"
#include "cli/problem.h"
#include "cli/spool_options.h"

#define OPTIONS_HZ_DEFAULT       99u /* not in step with timers that run at 100 Hz */
#define OPTIONS_HZ_MAX           10000u
#define OPTIONS_SECONDS_MAX      604800u /* a week */
#define OPTIONS_EVERY_MIN        1u
#define OPTIONS_JITTER_MAX       50u /* percent */
#define OPTIONS_PIDS_MAX         256u
#define OPTIONS_OUTPUTS_MAX      16u
#define OPTIONS_RING_KIB_MIN     4u
#define OPTIONS_RING_KIB_MAX     65536u
#define OPTIONS_CPU_PPM_MIN      1000u /* millionths of all CPUs' time */
#define OPTIONS_CPU_PPM_MAX      1000000u
#define OPTIONS_MEMORY_MIB_MIN   16u
#define OPTIONS_MEMORY_MIB_MAX   2048u /* an eighth of it is what shared/unwind_map.h can hold */
#define OPTIONS_MEMORY_MIB       512u
#define OPTIONS_PERF_MAP_MIB     64u
#define OPTIONS_PERF_MAP_MIB_MAX 512u /* as the parser reads */
#define OPTIONS_ROOTS_MAX        8u
#define OPTIONS_ROOT_DEFAULT     "/usr/lib/debug"
#define OPTIONS_OUTPUT_DEFAULT   "tidemark.html"
#define OPTIONS_MODE_HOST        0600u /* of what shows the whole host */
#define OPTIONS_MODE_MAX         0666u

enum {
	OPTIONS_E_HELP = 1,
	OPTIONS_E_USAGE = PROBLEM_E_USAGE,
};

struct options_output {
	const char *path;
	enum format format;
};

struct options {
	uint64_t duration_ns;    /* 0: no limit of time */
	uint64_t every_ns;       /* between two reports; 0: one, at the end */
	unsigned jitter_percent; /* of it, more or less */
	unsigned hz;             /* per CPU */
	unsigned cpu_max_ppm;    /* what tidemark may cost; 0: no limit */
	unsigned ring_kib;       /* 0: the collector chooses from hz */
	unsigned perf_map_mib;   /* of one perf map that are read */
	unsigned memory_mib;     /* of all processes and BPF maps together */
	unsigned output_mode;    /* of files that are written; 0: by the umask */
	bool is_sudo;            /* somebody who is not root asked for it, by sudo(8) */
	bool is_mode_ours;       /* it is OPTIONS_MODE_HOST, as nobody said otherwise */
	bool public_files;       /* the opener gets no capability that passes file permissions */
	bool restart;            /* a symbolizer that dies is restarted */
	bool verbose;
	bool no_lines;                     /* neither source lines nor inlined calls */
	bool runtime_internals;            /* what runs a runtime's functions is shown, too */
	bool no_demangle;                  /* names are shown as the symbol tables have them */
	bool no_debuginfod;                /* whatever the environment says */
	bool no_debug_files;               /* separate debug files are not looked for */
	bool no_cache;                     /* tables are not kept from one recording to the next */
	const char *cache;                 /* where they are kept; NULL: TABLE_CACHE_DEFAULT */
	const char *folded_lines;          /* format_folded_lines; NULL: those of python */
	const char *summary;               /* or NULL */
	char *const *command;              /* NULL-terminated, or NULL */
	struct debuginfod_urls debuginfod; /* servers; those of the options */
	struct off_cpu_options off_cpu;
	struct otlp_options otlp; /* with what the environment says */
	struct spool_options spool;
	size_t output_count;
	size_t pid_count;
	size_t debug_root_count;
	struct options_output outputs[OPTIONS_OUTPUTS_MAX];
	pid_t pids[OPTIONS_PIDS_MAX];
	const char *debug_roots[OPTIONS_ROOTS_MAX];
};

/*
 * @argv: argv[0] is the word `record`. Return: 0, OPTIONS_E_HELP, OPTIONS_E_USAGE and one sentence
 * in @ret_problem (PROBLEM_BYTES).
 */
int options_parse(struct options *ret_options, int argc, char *const argv[], char *ret_problem);
/* Adds a file to be written. Return: 0, OPTIONS_E_USAGE and one sentence in @ret_problem. */
int options_add_output(struct options *options, const char *path, char *ret_problem);
/* The value of --mode. Return likewise. */
int options_set_mode(struct options *options, const char *text, char *ret_problem);
/* @text into @ret_mib, for @option. Return likewise. */
int options_set_mib(unsigned *ret_mib, const char *option, const char *text, unsigned least,
		    unsigned most, char *ret_problem);
/* What getopt_long returned for @command and is none of its options: 'h', ':' or '?'.
 * Return: OPTIONS_E_HELP, OPTIONS_E_USAGE and one sentence. */
int options_other(int option, char *const argv[], const char *command, char *ret_problem);
