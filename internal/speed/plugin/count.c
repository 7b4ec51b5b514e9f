// A plugin for qemu-user (plugin API version 1, qemu 4.2 and later). It keeps, in the first eight bytes of a file
// that the emulated program can map as well, how many instructions the program has executed.
//
// build: gcc -O2 -shared -fPIC -fvisibility=hidden -o count.so count.c
// use:   UCRYPT_INSTRUCTIONS=FILE qemu-aarch64 -plugin ./count.so,count=FILE ./ucrypt speed 'ctr(sm4)'
//
// The few declarations that it needs of the API are written out, so that it builds without qemu's header.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum flags { NO_REGISTERS };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned thread, void *), enum flags, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

static uint64_t *count;

static void executed(unsigned thread, void *instructions)
{
	(void)thread;
	__atomic_fetch_add(count, (uint64_t)(uintptr_t)instructions, __ATOMIC_RELAXED);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, NO_REGISTERS, (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	const long size = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "count=", 6))
			continue;
		int fd = open(argv[i] + 6, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || ftruncate(fd, size)) {
			perror(argv[i] + 6);
			return -1;
		}
		count = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (!count || count == MAP_FAILED)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
