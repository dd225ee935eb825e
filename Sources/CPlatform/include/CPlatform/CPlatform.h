#pragma once

// System interfaces that Swift can't import: the start of processes, macros with casts, GNU extensions, system calls without a wrapper.
//
// Compiled without _GNU_SOURCE: Swift's Glibc module is built without it, and both modules must see the same structs. GNU functions are
// declared here, or called by number.

#include "birth.h"
#include "children.h"
#include "files.h"
#include "guard.h"
#include "memory.h"
#include "polls.h"
#include "reach.h"
#include "signals.h"
#include "sockets.h"
#include "threads.h"
