# Every task of the project; the work is done by the scripts, so that nothing depends on make.
.PHONY: help test lint docs ci dev lock bench demo clean

help: ## list the tasks
	@sed -n 's/^\([a-z]*\): .*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

test: ## build, install into .venv and run all tests
	scripts/test

lint: ## formats, lints, types and the stub
	scripts/lint

docs: ## build the documentation, warnings as errors
	scripts/docs

ci: ## everything, as CI does from a clean clone
	bash .ci/run

dev: ## build the extension into the source tree for the quick loop
	scripts/dev-core

lock: ## renew requirements/*.lock (needs uv)
	scripts/lock

bench: ## measure on made inputs; see benches/run.py --help for more
	scripts/install && .venv/bin/python benches/run.py

demo: ## install and run the demo
	scripts/install && .venv/bin/plait demo

clean: ## remove what the scripts made
	rm -rf .venv dist target docs/_build docs/reference/generated
