/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_resources - processes of units, containers and users, and files of each kind of id */

#include "tests/interop/report_builder.h"

#define DATABASE "3333333333333333333333333333333333333333333333333333333333333333"
#define OTHER    "4444444444444444444444444444444444444444444444444444444444444444"
#define GO_HASH  "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define POD      "0a1b2c3d-0000-1111-2222-333344445555"

struct files {
	uint32_t shared[2]; /* the same file in two containers, */
	uint32_t rebuilt;   /* another content at its path */
	uint32_t go, memory, vdso, unread, kernel, module;
};

static void add_files(struct report_builder *builder, struct files *files)
{
	for (uint32_t i = 0; i < 2; i++)
		files->shared[i] = report_builder_file(builder, "/usr/lib/libdb.so", "d0d0", 0);
	files->rebuilt = report_builder_file(builder, "/usr/lib/libdb.so", "d1d1", 0);
	files->go = report_builder_file(builder, "/opt/app/agent", "60", 0);
	report_builder_ids(builder, files->go, GO_HASH, "abc/DEF-_/ghi/0");
	files->memory = report_builder_file(builder, "memfd:sealed", "3e3e", 0);
	files->vdso = report_builder_file(builder, "[vdso]", "fd50", 0);
	files->unread = report_builder_file(builder, "/opt/app/unread", "", 0);
	report_builder_ids(builder, files->unread, "", "");
	files->kernel = report_builder_file(builder, "[kernel]", "", 1);
	files->module = report_builder_file(builder, "[ext4]", "", 1);
}

static void add_sample(struct report_builder *builder, uint32_t process, const char *name,
		       uint32_t file, enum report_kind kind)
{
	uint32_t leaf = report_builder_frame(builder, name, file, 0x1234, kind);

	report_builder_sample(builder, process, 1000 + process, "worker",
			      report_builder_stack(builder, &leaf, 1), TM_STOP_NONE, 1);
	/* The next thread of the same process, and the same place once more. */
	report_builder_sample(builder, process, 2000 + process, "worker",
			      report_builder_stack(builder, &leaf, 1), TM_STOP_NONE, 2);
}

static uint32_t add_process(struct report_builder *builder, uint32_t tgid, const char *exe,
			    const char *cgroup)
{
	uint32_t process = report_builder_process(builder, tgid, "main-thread", exe);

	report_builder_cgroup(builder, process, cgroup, "", "");
	return process;
}

static void add_contained(struct report_builder *builder, const struct files *files)
{
	static const char *const ids[] = {DATABASE, DATABASE, OTHER};

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t process =
			add_process(builder, 10 + i, i == 1 ? "/bin/sh" : "/usr/bin/postgres", "");

		report_builder_cgroup(builder, process, "/system.slice/docker.service/docker/x",
				      ids[i], i < 2 ? POD : "");
		add_sample(builder, process, "db_read", files->shared[i / 2], REPORT_NATIVE);
		add_sample(builder, process, "db_read", files->rebuilt, REPORT_NATIVE);
	}
}

void report_case_resources(struct report_builder *builder)
{
	struct files files;
	uint32_t process;

	add_files(builder, &files);
	add_contained(builder, &files);
	for (uint32_t i = 0; i < 2; i++) { /* two processes of one unit */
		process = add_process(builder, 20 + i, i ? "/usr/bin/helper" : "/usr/sbin/nginx",
				      "/system.slice/system-web.slice/_web@1.service/sub");
		add_sample(builder, process, "main.serve", files.go, REPORT_NATIVE);
		add_sample(builder, process, "memcpy", files.go, REPORT_NATIVE);
	}
	process = add_process(builder, 30, "/home/u/postgres",
			      "/user.slice/user-1000.slice/user@1000.service/app.slice/x.service");
	add_sample(builder, process, "unread+0x1234", files.unread, REPORT_NATIVE);
	add_sample(builder, process, "in_memory", files.memory, REPORT_NATIVE);
	add_sample(builder, process, "__vdso_clock_gettime", files.vdso, REPORT_NATIVE);
	process = add_process(builder, 31, "", "/");
	add_sample(builder, process, "gone", REPORT_NO_FILE, REPORT_NATIVE);
	process = add_process(builder, 32, "", "/");
	add_sample(builder, process, "kworker_fn", files.kernel, REPORT_KERNEL);
	add_sample(builder, process, "ext4_map_blocks", files.module, REPORT_KERNEL);
	report_builder_kernel_thread(builder, process);
}
