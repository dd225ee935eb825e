# The targets of this project. Each installs missing packages, as scripts/install-missing describes: with sudo only after a question.
SWIFT ?= swift
PREFIX ?= /usr/local
# The program that removes symbols, e.g. aarch64-linux-gnu-strip for programs of another architecture.
STRIP ?= strip
# Fully static, and without the folder's path.
STATIC = -c release -Xswiftc -static-executable -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=.
# The commit that --version shows.
COMMIT = $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)
# The linker warns that static programs can load neither name services nor libraries: neither is used.
QUIET_LINK = 2>&1 | grep -vE "statically linked applications requires|the use of .mktemp. is dangerous"
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.DEFAULT_GOAL := help

.PHONY: install-built help deps demo demo-fleet demo-polyglot fleet install-fleet web install-web dist dist-here release test check build debug format lint install bench bench-counts faults fuzz soak sanitize nightly docs site clean

help:
	@echo "make demo                run the demo: a bookshop starts, becomes ready, is deactivated and activated again"
	@echo "make demo-fleet          run the demo of a fleet: etcd, three hosts, a migration that runs once, and a leader"
	@echo "make demo-polyglot       run the demo in six languages: one graph, whose values go from each language to the next"
	@echo "make test                run the tests that must pass before a merge; the others are make lint and make nightly"
	@echo "make check               build, and run the fast tests"
	@echo "make nightly             run everything else: the release programs, deployment, random worlds, sanitizers, fuzzers, a soak, histories, faults."
	@echo "                         MINUTES=45 runs as many of these as fit"
	@echo "make faults              put known faults into the sources, one at a time; a test must notice each. FAULT=stale-status makes one"
	@echo "make build               build fully static programs: .build/release/initd and initctl"
	@echo "make fleet               build initfleet, a package of its own: companions/fleet; the first time it takes minutes"
	@echo "make install-fleet       install initfleet under PREFIX, with its manual page and completions"
	@echo "make web                 build initweb, a package of its own: companions/web; the first time it takes minutes"
	@echo "make install-web         install initweb under PREFIX, with its manual page and completions"
	@echo "make install             install initd and initctl, their manual pages and completions, under PREFIX ($(PREFIX))"
	@echo "make dist                make the packages in dist: a tarball, a Debian package, wheels, an image, and the clients' packages"
	@echo "                         WITH=\"web fleet\" also builds initweb and initfleet, and makes their packages"
	@echo "make release VERSION=0.2.0"
	@echo "                         set the version everywhere, and say what to push; it pushes nothing"
	@echo "make bench               measure the programs and the libraries beside C programs and others, and draw how times grow; five minutes."
	@echo "                         ROW=ping measures one row, GROWTH=1 only draws, BEFORE=initctl compares the start with an earlier program"
	@echo "make bench-counts        count instructions and system calls, and compare them with Benchmarks/counts.json; UPDATE=1 updates it"
	@echo "make soak DURATION=1h    inject random faults into initd, and watch its memory and descriptors"
	@echo "make docs                build the documentation in .build/docs"
	@echo "make site                build the site of the README, the manual and all other pages, with a search, in .build/site"
	@echo "make format              format the sources with swift format"
	@echo "Missing packages are installed with apt; unless you are root, after a question. INSTALL_MISSING=yes answers it."

deps:
	@scripts/install-missing

debug: deps
	@echo "== building (debug)"
	@$(SWIFT) build --product initd
	@$(SWIFT) build --product initctl

demo: debug
	@INITD=.build/debug/initd INITCTL=.build/debug/initctl Examples/bookshop/run

demo-fleet:
	@scripts/install-missing etcd
	@$(MAKE) --no-print-directory debug
	@$(MAKE) --no-print-directory -C companions/fleet debug
	@Examples/fleet/demo

demo-polyglot: debug
	@scripts/install-missing clients
	@$(SWIFT) build --product polyglot-shelf
	@INITD=.build/debug/initd INITCTL=.build/debug/initctl Examples/polyglot/run

test:
	@scripts/install-missing tests
	@scripts/test

check:
	@scripts/install-missing tests
	@scripts/check

build: deps
	@echo "== building (release, static)"
	@INITD_COMMIT=$(COMMIT) $(SWIFT) build $(STATIC) --product initd $(QUIET_LINK)
	@INITD_COMMIT=$(COMMIT) $(SWIFT) build $(STATIC) --product initctl $(QUIET_LINK)

fleet:
	@$(MAKE) --no-print-directory -C companions/fleet build

install-fleet:
	@$(MAKE) --no-print-directory -C companions/fleet install

web:
	@$(MAKE) --no-print-directory -C companions/web build

install-web:
	@$(MAKE) --no-print-directory -C companions/web install

install: build
	@$(MAKE) --no-print-directory install-built

# Without a build: scripts/dist packs the programs that are there.
install-built:
	install -D -s --strip-program=$(STRIP) -m 755 .build/release/initd $(DESTDIR)$(PREFIX)/bin/initd
	install -D -s --strip-program=$(STRIP) -m 755 .build/release/initctl $(DESTDIR)$(PREFIX)/bin/initctl
	for program in initd initctl; do \
	  scripts/man-pages .build/release/$$program $(DESTDIR)$(PREFIX)/share/man/man1 || exit 1; \
	done
	.build/release/initd --schema man >.build/init.yaml.5
	install -D -m 644 .build/init.yaml.5 $(DESTDIR)$(PREFIX)/share/man/man5/init.yaml.5
	for shell in bash zsh fish; do .build/release/initctl completions $$shell >.build/initctl.$$shell || exit 1; done
	install -D -m 644 .build/initctl.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_initctl
	for program in initd initctl; do \
	  install -D -m 644 .build/initctl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$program; \
	  install -D -m 644 .build/initctl.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$program.fish; \
	done

dist:
	@scripts/in-clean-clone make --no-print-directory SWIFT=$(SWIFT) WITH="$(WITH)" dist-here

# Without a clone: scripts/in-clean-clone calls it there.
dist-here: build $(WITH)
	@scripts/install-missing dist
	@SWIFT=$(SWIFT) scripts/dist

release:
	@scripts/release $(VERSION)

bench: build
	@$(SWIFT) build $(STATIC) --product parts $(QUIET_LINK)
	@$(SWIFT) build $(STATIC) --package-path Benchmarks --scratch-path .build/benchmarks --product inprocess $(QUIET_LINK)
	@$(if $(GROWTH),Benchmarks/growth,Benchmarks/run $(ROW) $(if $(ROW),,; missed=$$?; Benchmarks/growth && exit $$missed))

bench-counts: build
	@$(SWIFT) build $(STATIC) --product parts $(QUIET_LINK)
	@scripts/install-missing nightly
	@Benchmarks/counts $(if $(UPDATE),--update)

faults:
	@scripts/install-missing nightly
	@Tests/Faults/run $(FAULT)

fuzz: deps
	@Fuzz/run $(or $(SECONDS_TO_FUZZ),60)

soak: build
	@INITD=.build/release/initd INITCTL=.build/release/initctl Tests/Model/soak --duration $(or $(DURATION),1h)

sanitize:
	@scripts/install-missing nightly
	@scripts/sanitize

nightly:
	@scripts/install-missing nightly
	@scripts/install-missing django
	@scripts/nightly

docs:
	@scripts/docs

site:
	@scripts/install-missing site
	@scripts/site
	@echo "the site is in .build/site; python3 -m http.server -d .build/site shows it"

format:
	@$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests clients companions/fleet/Package.swift companions/fleet/Sources/{Etcd,Fleet,initfleet} companions/fleet/Tests companions/web/{Package.swift,Sources,Tests}

lint:
	@$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests clients companions/fleet/Package.swift companions/fleet/Sources/{Etcd,Fleet,initfleet} companions/fleet/Tests companions/web/{Package.swift,Sources,Tests}
	@scripts/check-house

clean:
	rm -rf .build
