# One command for each thing a contributor does; CI runs the same ones, two side by side (.ci/run).
#   make setup PYTHON=/path/to/python3.13                  this interpreter, not the first of 3.11 and 3.13 found
#   make test-all BLENDERS="5.0 5.2"                       some of the Blenders only
#   make build PLATFORM=linux-x64 PYTHON_GENERATION=3.11   some of the zips only
#   make pictures PICTURES="panels recipes"                some of the manual's pictures only

PYTHON ?=
BLENDERS ?= 4.2 4.5 5.0 5.2
PLATFORM ?=
PYTHON_GENERATION ?=
# Processes that share the engine's tests.
WORKERS ?= 2

# Seconds for one run of pytest; the extension's zip is built and installed in it, downloads included.
LIMIT := 3600

.PHONY: setup test lint test-engine test-blender test-all scenes impacts demo bench build docs pictures clean muscle-network

setup:
	@PYTHON="$(PYTHON)" tools/venv.sh .venv

test: lint test-engine test-blender

lint: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

test-engine: setup
	.venv/bin/python tools/run_pytest.py $(LIMIT) tests/engine $(if $(filter-out 1,$(WORKERS)),-n $(WORKERS))

test-blender: setup
	.venv/bin/python tools/run_pytest.py $(LIMIT) tests/blender

test-all: $(BLENDERS:%=test-blender-%)

test-blender-%:
	@tools/venv.sh .venvs/blender-$* $*
	.venvs/blender-$*/bin/python tools/run_pytest.py $(LIMIT) tests/blender

# A thousand random scenes with contact, and how each ends, a line of JSON each; nothing is left of an earlier run.
scenes: setup
	@mkdir -p out && rm -f out/scenes.jsonl
	REDMAX_SCENES=1000 REDMAX_SCENES_REPORT=out/scenes.jsonl .venv/bin/python tools/run_pytest.py $(LIMIT) \
		tests/engine/contact/test_contact_random.py -k silently
	@.venv/bin/python tools/count_scenes.py out/scenes.jsonl

# A thousand random impacts: momentum, energy and restitution.
impacts: setup
	REDMAX_IMPACTS=1000 .venv/bin/python tools/run_pytest.py $(LIMIT) tests/engine/contact/test_random_impacts.py -s

demo: setup
	.venv/bin/python -m redmax_blender shot starfish --out out --report out/starfish.json

# Anew, in an environment with PyTorch beside what the engine needs: about twenty minutes of one core.
muscle-network:
	$(or $(PYTHON),python3.11) -m venv .venvs/network
	.venvs/network/bin/python -m pip install --quiet -r requirements/network.txt -r requirements/run.txt numpy==1.26.4
	OMP_NUM_THREADS=1 .venvs/network/bin/python tools/train_muscle_network.py \
		redmax_blender/engine/muscles/paths/network/cylinder.npz

bench: setup
	.venv/bin/python -m redmax_blender bench

build: setup
	.venv/bin/python tools/build_extension.py --platform "$(PLATFORM)" --python "$(PYTHON_GENERATION)"

docs: setup
	.venv/bin/python tools/make_docs.py

# Needs a Blender with a window: see tests/gui/window_blender.py for what REDMAX_BLENDER_GUI names.
pictures: setup
	.venv/bin/python tools/make_pictures.py $(PICTURES)

clean:
	rm -rf .cache dist out .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find redmax_blender tests tools -name __pycache__ -prune -exec rm -rf {} +
