#define _GNU_SOURCE
#include "CPlatform/crash.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "CPlatform/signals.h"

// The report of a crash. The handler may interrupt any code, and memory may be damaged: it allocates nothing and takes no lock. The
// unwinder reads the program's unwind tables and the stack. If that crashes too, the report ends with the addresses found so far.

/// The maximum number of callers that are reported.
#define MOST_CALLERS 64
/// How long a write waits for a full standard error.
#define PATIENCE_MILLISECONDS 100

static const struct crash_signal {
  int number;
  const char *name;
  /// Whether the instruction that caused it causes it again after the handler has returned.
  int repeats;
} signals[] = {
    {SIGABRT, "SIGABRT", 0}, {SIGBUS, "SIGBUS", 1}, {SIGFPE, "SIGFPE", 1},   {SIGILL, "SIGILL", 1},
    {SIGSEGV, "SIGSEGV", 1}, {SIGSYS, "SIGSYS", 0}, {SIGTRAP, "SIGTRAP", 0},
};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

/// Data that is collected before a crash.
static struct {
  /// The name and the version.
  char name[96];
  char build[64];
  /// The addresses of the program in memory, and their distance from the addresses in the program's file.
  uintptr_t start, end, shift;
} program;

static struct {
  char bytes[2048];
  size_t count;
} report;

/// The thread that reports; 0 before a crash.
static _Atomic pid_t reporter;
static volatile sig_atomic_t first_signal;
static char handler_stack[64 * 1024];

// MARK: The text

static void add(const char *text) {
  for (; *text != 0 && report.count < sizeof report.bytes; text++) report.bytes[report.count++] = *text;
}

static void add_number(uintptr_t number, unsigned base) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = 0;
  do { digits[--at] = "0123456789abcdef"[number % base]; } while ((number /= base) != 0);
  add(digits + at);
}

static void add_place(uintptr_t address) {
  add(" 0x");
  add_number(address >= program.start && address < program.end ? address - program.shift : address, 16);
}

/// Writes the line. Standard error may be full, and may not block.
static void write_report(void) {
  add("\n");
  for (size_t at = 0; at < report.count;) {
    ssize_t count = write(STDERR_FILENO, report.bytes + at, report.count - at);
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (count > 0) {
      at += (size_t)count;
    } else if (errno != EINTR && (errno != EAGAIN || poll(&ready, 1, PATIENCE_MILLISECONDS) <= 0)) {
      return;
    }
  }
}

// MARK: The stack

struct walk {
  /// The interrupted instruction. The frames before it are the handler's.
  uintptr_t interrupted;
  int is_past, callers;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *frame, void *argument) {
  struct walk *walk = argument;
  int is_instruction = 0;
  uintptr_t address = _Unwind_GetIPInfo(frame, &is_instruction);
  if (!walk->is_past) {
    walk->is_past = address == walk->interrupted;
    return _URC_NO_REASON;
  }
  if (address == 0 || ++walk->callers > MOST_CALLERS) return _URC_END_OF_STACK;
  // The call is before the address to which it returns.
  add_place(is_instruction ? address : address - 1);
  return _URC_NO_REASON;
}

static void add_stack(const ucontext_t *context) {
#if defined(__x86_64__)
  struct walk walk = {.interrupted = (uintptr_t)context->uc_mcontext.gregs[REG_RIP]};
#elif defined(__aarch64__)
  struct walk walk = {.interrupted = (uintptr_t)context->uc_mcontext.pc};
#else
#error "add where this processor's context has the address of the interrupted instruction"
#endif
  add_place(walk.interrupted);
  _Unwind_Backtrace(visit, &walk);
}

// MARK: The handler

static void end(int number) {
  signal(number, SIG_DFL);
  raise(number);
  // The kernel ignores that signal if this is the first process of a container.
  _exit(128 + number);
}

static void crashed(int number, siginfo_t *info, void *context) {
  int is_sent = info->si_code <= 0, is_ours = is_sent && info->si_pid == getpid();
  // Without a handler, the first process of a container wouldn't get it.
  if (is_sent && !is_ours && getpid() == 1) return;
  pid_t before = 0;
  if (!atomic_compare_exchange_strong(&reporter, &before, gettid())) {
    while (before != gettid()) pause();
    write_report();
    end(first_signal);
  }
  first_signal = number;
  const struct crash_signal *known = signals;
  while (known->number != number) known++;

  add(program.name);
  add(" crashed: ");
  add(known->name);
  if (is_sent && !is_ours) {
    add(" from process ");
    add_number((uintptr_t)info->si_pid, 10);
  } else if (number == SIGSEGV || number == SIGBUS) {
    add(" at address 0x");
    add_number((uintptr_t)info->si_addr, 16);
  }
  add("; report this line: build ");
  add(program.build);
  add(", stack");
  add_stack(context);
  write_report();
  if (is_sent || !known->repeats) end(number);
  signal(number, SIG_DFL);
}

// MARK: The start

static uintptr_t align(uintptr_t offset, uintptr_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

static void find_build(uintptr_t start, uintptr_t end, uintptr_t alignment) {
  static const char owner[] = ELF_NOTE_GNU;
  while (start + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)start;
    const unsigned char *id = (const unsigned char *)start + align(sizeof *note + note->n_namesz, alignment);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof owner && memcmp(note + 1, owner, sizeof owner) == 0) {
      for (size_t index = 0; index < note->n_descsz && index * 2 + 2 < sizeof program.build; index++) {
        snprintf(program.build + index * 2, 3, "%02x", id[index]);
      }
      return;
    }
    start = align((uintptr_t)id + note->n_descsz, alignment);
  }
}

static int find_program(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  program.shift = object->dlpi_addr;
  program.start = UINTPTR_MAX;
  for (int number = 0; number < object->dlpi_phnum; number++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
    uintptr_t start = program.shift + segment->p_vaddr, end = start + segment->p_memsz;
    if (segment->p_type == PT_NOTE) find_build(start, end, segment->p_align == 8 ? 8 : 4);
    if (segment->p_type != PT_LOAD) continue;
    if (start < program.start) program.start = start;
    if (end > program.end) program.end = end;
  }
  // The first object is the program; the others are libraries.
  return 1;
}

void platform_report_crashes(const char *name, const char *version) {
  snprintf(program.name, sizeof program.name, "%s %s", name, version);
  snprintf(program.build, sizeof program.build, "unknown");
  dl_iterate_phdr(find_program, NULL);
  // The stack of the handler, for a stack overflow in this thread.
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  sigaltstack(&stack, NULL);
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    struct sigaction before, action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (sigaction(signals[index].number, NULL, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    platform_note_signal(signals[index].number);
    sigaction(signals[index].number, &action, NULL);
  }
}
