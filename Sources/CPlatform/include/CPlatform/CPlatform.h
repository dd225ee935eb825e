#pragma once

// System interfaces that Swift can't import: macros with casts, GNU extensions, system calls without a wrapper.
//
// These headers need no _GNU_SOURCE: Swift's Glibc module is built without it, and both modules must see the same structs. The files that
// need GNU functions define it for themselves.

#include "background.h"
#include "commit.h"
#include "crash.h"
#include "files.h"
#include "memory.h"
#include "polls.h"
#include "reach.h"
#include "signals.h"
#include "sockets.h"
#include "threads.h"
