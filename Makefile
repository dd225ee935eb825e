# What there is to do with this project. Each target installs what it misses and says so.
SWIFT ?= swift
PREFIX ?= /usr/local
STATIC = -c release -Xswiftc -static-executable
# The linker warns that static programs read users and groups without NSS: known, and not used.
QUIET_LINK = 2>&1 | grep -vE "statically linked applications requires|the use of .mktemp. is dangerous"
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.DEFAULT_GOAL := help

.PHONY: help deps demo test check build debug format lint install bench fuzz soak sanitize docs api clean

help:
	@echo "make demo                a bookshop that starts, becomes ready, is deactivated and active again"
	@echo "make test                every test; make lint, make sanitize and make fuzz are further checks"
	@echo "make check               the inner loop: builds, and runs the fast tests"
	@echo "make build               .build/release/initd and initctl, fully static"
	@echo "make install PREFIX=$(PREFIX)"
	@echo "make bench               what initd costs beside a bare loop of posix_spawn, and a manager alone"
	@echo "make soak DURATION=1h    random chaos around initd, with its memory and descriptors watched"
	@echo "make docs                the documentation, in .build/docs"
	@echo "make api                 what breaks who uses the libraries, since the baseline"
	@echo "make format              swift format, in place"

deps:
	@scripts/install-missing

debug: deps
	@echo "== building (debug)"
	@$(SWIFT) build --product initd
	@$(SWIFT) build --product initctl

demo: debug
	@INITD=.build/debug/initd INITCTL=.build/debug/initctl Examples/bookshop/run

test:
	@scripts/install-missing tests
	@scripts/test

check:
	@scripts/install-missing tests
	@scripts/check

build: deps
	@echo "== building (release, static)"
	@$(SWIFT) build $(STATIC) --product initd $(QUIET_LINK)
	@$(SWIFT) build $(STATIC) --product initctl $(QUIET_LINK)

install: build
	install -D -s -m 755 .build/release/initd $(DESTDIR)$(PREFIX)/bin/initd
	install -D -s -m 755 .build/release/initctl $(DESTDIR)$(PREFIX)/bin/initctl

bench: build
	@$(SWIFT) build $(STATIC) --product chain $(QUIET_LINK)
	@Benchmarks/run

fuzz: deps
	@Fuzz/run $(or $(SECONDS_TO_FUZZ),60)

soak: build
	@INITD=.build/release/initd INITCTL=.build/release/initctl Tests/Model/soak --duration $(or $(DURATION),1h)

sanitize: deps
	@scripts/sanitize

docs:
	@scripts/docs

api: deps
	@scripts/api

format:
	@$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests

lint:
	@$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests
	@scripts/check-house

clean:
	rm -rf .build
