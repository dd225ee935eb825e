#pragma once

// What Swift can't import by itself: how processes are started, macros with casts, GNU extensions, system calls without a wrapper.
//
// Without _GNU_SOURCE: Swift's own Glibc module is built without it, and two modules must see the same structs.
// What it would declare is declared here, or called by number.

#include "birth.h"
#include "children.h"
#include "files.h"
#include "guard.h"
#include "memory.h"
#include "reach.h"
#include "signals.h"
#include "sockets.h"
#include "threads.h"
