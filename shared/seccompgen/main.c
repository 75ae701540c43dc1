/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - compiles one .seccomp table into a C header, at build time
 *
 * Table      one rule a line, '#' begins a comment:
 *              default kill                    may stand first; there is no other default
 *              NAME                            allowed
 *              NAME argN==VALUE                allowed when the argument is VALUE
 *              NAME argN&MASK==VALUE           ... when these bits of it are
 *              NAME ... errno=EPERM            refused with an error instead of allowed
 *              include FILE                    the lines of another table in the same folder, which
 *                                              includes none itself
 *            Conditions on one line must all hold; lines of one name are alternatives. A line
 *            without conditions must be the only one of its name. VALUE and MASK: numbers or C
 *            constants (shared/seccompgen/constants.c), joined by '|'. A negative VALUE is compared
 *            as int.
 * Filter     native architecture only, x32 refused; what no line names kills the process.
 */

#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/seccompgen/constants.h"

#define ARGUMENTS        6
#define LINE_BYTES       512
#define RULES_MAX        256
#define INSTRUCTIONS_MAX 4096 /* BPF_MAXINSNS, include/uapi/linux/bpf_common.h */

struct rule {
	int syscall;
	uint32_t action;
	unsigned conditions;
	struct scmp_arg_cmp condition[ARGUMENTS];
};

struct table {
	const char *path;
	unsigned line;
	unsigned rules;
	bool included; /* what is read now is included by another table */
	struct rule rule[RULES_MAX];
};

static int report_error(const struct table *table, const char *what, const char *word)
{
	(void)fprintf(stderr, "%s:%u: %s: `%s`\n", table->path, table->line, what, word);
	return -EINVAL;
}

static int parse_errno(const struct table *table, const char *name, struct rule *rule)
{
	int error;

	for (error = 1; error < 4096; error++) {
		const char *known = strerrorname_np(error);

		if (known != NULL && strcmp(known, name) == 0) {
			rule->action = SCMP_ACT_ERRNO((uint32_t)error);
			return 0;
		}
	}
	return report_error(table, "unknown error", name);
}

/* argN==VALUE or argN&MASK==VALUE */
static int parse_condition(const struct table *table, char *word, struct rule *rule)
{
	struct scmp_arg_cmp *condition = &rule->condition[rule->conditions];
	char *equals = strstr(word, "=="), *mask_text = NULL;
	int64_t mask = -1, value = 0;
	const char *unknown = "";

	if (strncmp(word, "arg", 3) != 0 || word[3] < '0' || word[3] >= '0' + ARGUMENTS ||
	    equals == NULL || rule->conditions == ARGUMENTS)
		return report_error(table, "not a condition", word);
	if (word[4] == '&')
		mask_text = word + 5;
	else if (word + 4 != equals)
		return report_error(table, "not a condition", word);
	*equals = '\0';
	if (mask_text != NULL && constants_value(mask_text, &mask, &unknown) < 0)
		return report_error(table, "unknown constant", unknown);
	if (constants_value(equals + 2, &value, &unknown) < 0)
		return report_error(table, "unknown constant", unknown);
	/* An int argument: whether its upper half is sign-extended is the caller's affair. */
	if (value < 0) {
		mask &= UINT32_MAX;
		value &= UINT32_MAX;
	}
	if ((value & ~mask) != 0)
		return report_error(table, "a value outside its mask", word);
	*condition = (struct scmp_arg_cmp){
		.arg = (unsigned)(word[3] - '0'),
		.op = mask == -1 ? SCMP_CMP_EQ : SCMP_CMP_MASKED_EQ,
		.datum_a = (uint64_t)(mask == -1 ? value : mask),
		.datum_b = (uint64_t)value,
	};
	rule->conditions++;
	return 0;
}

/* A line that another line makes useless, or contradicts, is a mistake of the table's author. */
static int check_alone(const struct table *table, const struct rule *rule, const char *name)
{
	unsigned i;

	for (i = 0; i < table->rules; i++) {
		const struct rule *other = &table->rule[i];

		if (other->syscall != rule->syscall)
			continue;
		if (other->conditions == 0 || rule->conditions == 0)
			return report_error(table, "a line without conditions must be the only one",
					    name);
		if (other->conditions == rule->conditions &&
		    memcmp(other->condition, rule->condition,
			   rule->conditions * sizeof(rule->condition[0])) == 0)
			return report_error(table, "the same rule twice", name);
	}
	return 0;
}

static int parse_line(struct table *table, char *line)
{
	struct rule rule = {.action = SCMP_ACT_ALLOW};
	char *rest = line, *name = strsep(&rest, " "), *word;
	int r;

	rule.syscall = seccomp_syscall_resolve_name(name);
	if (rule.syscall == __NR_SCMP_ERROR)
		return report_error(table, "unknown system call", name);
	while ((word = strsep(&rest, " ")) != NULL) {
		r = strncmp(word, "errno=", 6) == 0 ? parse_errno(table, word + 6, &rule)
						    : parse_condition(table, word, &rule);
		if (r < 0)
			return r;
	}
	r = check_alone(table, &rule, name);
	if (r < 0)
		return r;
	if (table->rules == RULES_MAX)
		return report_error(table, "too many rules", name);
	table->rule[table->rules++] = rule;
	return 0;
}

/* Cuts the comment, turns runs of blanks into one. Return: length. */
static size_t tidy(char *line)
{
	size_t from, to = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (from = 0; line[from] != '\0'; from++) {
		char c = line[from] == '\t' ? ' ' : line[from];

		if (c != ' ' || (to > 0 && line[to - 1] != ' '))
			line[to++] = c;
	}
	while (to > 0 && line[to - 1] == ' ')
		to--;
	line[to] = '\0';
	return to;
}

static int read_table(struct table *table);

/* @name: relative to the folder of the table that includes it. */
static int include_table(struct table *table, const char *name)
{
	const char *path = table->path, *slash = strrchr(path, '/');
	unsigned line = table->line;
	char other[PATH_MAX];
	int length = snprintf(other, sizeof(other), "%.*s%s", slash ? (int)(slash - path) + 1 : 0,
			      path, name);
	int r;

	if (length < 0 || length >= (int)sizeof(other) || table->included)
		return report_error(table, "cannot be included", name);
	table->path = other;
	table->line = 0;
	table->included = true;
	r = read_table(table);
	table->included = false;
	table->path = path;
	table->line = line;
	return r;
}

static int read_table(struct table *table)
{
	FILE *file = fopen(table->path, "re");
	char line[LINE_BYTES];
	bool first = true;
	int r = 0;

	if (file == NULL)
		return report_error(table, "cannot be opened", strerrordesc_np(errno));
	while (r == 0 && fgets(line, sizeof(line), file) != NULL) {
		table->line++;
		if (strlen(line) == sizeof(line) - 1) {
			r = report_error(table, "line too long", line);
			break;
		}
		if (tidy(line) == 0)
			continue;
		if (strncmp(line, "include ", 8) == 0)
			r = include_table(table, line + 8);
		else if (!first || strcmp(line, "default kill") != 0)
			r = parse_line(table, line);
		first = false;
	}
	if (r == 0 && table->rules == 0)
		r = report_error(table, "no rule in it", table->path);
	(void)fclose(file);
	return r;
}

static int compile(const struct table *table, int fd)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	unsigned i;
	int r;

	if (filter == NULL)
		return -ENOMEM;
	r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (i = 0; r == 0 && i < table->rules; i++) {
		const struct rule *rule = &table->rule[i];

		/* A pseudo number: another architecture has the call, this one does not. */
		if (rule->syscall >= 0)
			r = seccomp_rule_add_array(filter, rule->action, rule->syscall,
						   rule->conditions, rule->condition);
	}
	if (r == 0)
		r = seccomp_export_bpf(filter, fd);
	seccomp_release(filter);
	return r;
}

static int write_header(const char *name, const char *path, const struct sock_filter *code,
			size_t count)
{
	FILE *out = fopen(path, "we");
	size_t i;
	int bad;

	if (out == NULL)
		return -errno;
	(void)fprintf(out,
		      "/* generated by seccompgen: do not edit */\n#pragma once\n\n"
		      "#include \"shared/sandbox.h\"\n\n"
		      "static const struct sock_filter %s_filter_code[] = {\n",
		      name);
	for (i = 0; i < count; i++)
		(void)fprintf(out, "\t{0x%02x, %3u, %3u, 0x%08x},\n", code[i].code, code[i].jt,
			      code[i].jf, code[i].k);
	(void)fprintf(out,
		      "};\n\nstatic const struct tm_filter %s_filter = {%s_filter_code, %zu};\n",
		      name, name, count);
	bad = ferror(out);
	return fclose(out) != 0 || bad ? -EIO : 0;
}

static int generate(const struct table *table, const char *name, const char *path)
{
	static struct sock_filter code[INSTRUCTIONS_MAX];
	_cleanup_(tm_closep) int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t bytes;
	int r;

	if (fd < 0)
		return -errno;
	r = compile(table, fd);
	if (r < 0)
		return r;
	bytes = pread(fd, code, sizeof(code), 0);
	if (bytes <= 0 || (size_t)bytes % sizeof(code[0]) != 0)
		return -EIO;
	return write_header(name, path, code, (size_t)bytes / sizeof(code[0]));
}

int main(int argc, char **argv)
{
	static struct table table;
	int r;

	if (argc != 4) {
		(void)fprintf(stderr, "usage: seccompgen NAME TABLE.seccomp OUTPUT.h\n");
		return 2;
	}
	table.path = argv[2];
	r = read_table(&table);
	if (r == 0) {
		r = generate(&table, argv[1], argv[3]);
		if (r < 0)
			(void)fprintf(stderr, "%s: %s\n", table.path, strerrordesc_np(-r));
	}
	return r < 0 ? 1 : 0;
}
