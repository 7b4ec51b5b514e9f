// A plugin for qemu-user (plugin API version 1, qemu 4.2 and later). It counts how often each translated
// block of guest code is run by a thread that has passed the address "on" and not yet the address "off",
// and writes one line a block when the program ends:
//
//     first-address instructions times
//
// With totals=1 it writes instead one line each time that "off" is passed: how many instructions were run
// since "on" was passed last.
//
// use: qemu-arm -plugin ./plugin.so,on=ADDRESS,off=ADDRESS,out=FILE[,totals=1] PROGRAM
//
// The few declarations that it needs of the API are written out, so that it builds without qemu's header.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum flags { NO_REGISTERS };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned thread, void *), enum flags, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

// A block that is translated again gets a new entry: whoever reads the lines adds them up.
struct block {
	struct block *next;
	uint64_t address, times;
	size_t instructions;
};

static struct block *blocks;
static uint64_t on, off;
static const char *out;
static FILE *totals;         // where they go, or null
static uint64_t total;       // since "on"
static int64_t counted = -1; // the thread that is counted

static void executed(unsigned thread, void *data)
{
	struct block *b = data;
	if (b->address == off && thread == counted) {
		counted = -1;
		if (totals)
			fprintf(totals, "%" PRIu64 "\n", total);
	}
	if (b->address == on) {
		counted = thread;
		total = 0;
	}
	if (thread == counted) {
		b->times++;
		total += b->instructions;
	}
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	struct block *b = calloc(1, sizeof *b);
	if (!b)
		abort();
	b->address = qemu_plugin_tb_vaddr(tb);
	b->instructions = qemu_plugin_tb_n_insns(tb);
	do
		b->next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
	while (!__sync_bool_compare_and_swap(&blocks, b->next, b));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, NO_REGISTERS, b);
}

static void ended(plugin_id id, void *unused)
{
	(void)id, (void)unused;
	if (totals) {
		if (fclose(totals))
			perror(out);
		return;
	}
	FILE *f = fopen(out, "w");
	if (!f) {
		perror(out);
		return;
	}
	for (const struct block *b = blocks; b; b = b->next)
		if (b->times)
			fprintf(f, "%" PRIx64 " %zu %" PRIu64 "\n", b->address, b->instructions, b->times);
	if (fclose(f))
		perror(out);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	int with_totals = 0;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
		else if (!strncmp(argv[i], "on=", 3))
			on = strtoull(argv[i] + 3, NULL, 0);
		else if (!strncmp(argv[i], "off=", 4))
			off = strtoull(argv[i] + 4, NULL, 0);
		else if (!strcmp(argv[i], "totals=1"))
			with_totals = 1;
	}
	if (!out || !on || !off)
		return -1;
	if (with_totals && !(totals = fopen(out, "w"))) {
		perror(out);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
