#pragma once

/// The commit of the sources that this program was built from, as make passes it; "unknown" without make.
const char *initweb_commit(void);
