#pragma once

// System calls that start, watch and end children, and that Swift can't import. These headers need no _GNU_SOURCE (CPlatform.h).

#include "children.h"
#include "guard.h"
#include "spawn.h"
