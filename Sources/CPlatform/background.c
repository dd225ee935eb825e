#define _GNU_SOURCE
#include "CPlatform/background.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int platform_start_background(
    const char *program, int is_in_path, char *const *arguments, char *const *environment, const char *directory,
    const char *log, int *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  if ((error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) == 0
      && (error = posix_spawn_file_actions_addopen(
              &actions, STDOUT_FILENO, log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY, 0600)) == 0
      && (error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)) == 0
      && (error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)) == 0
      && (error = posix_spawn_file_actions_addchdir_np(&actions, directory)) == 0
      && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
      && (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK)) == 0) {
    error = is_in_path ? posix_spawnp(pid, program, &actions, &attributes, arguments, environment)
                       : posix_spawn(pid, program, &actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
