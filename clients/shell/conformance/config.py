"""Turns the subject's argument into shell functions and variables."""

import json
import shlex
import sys

config = json.loads(sys.argv[1])


def text(value):
    return shlex.quote(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def declaration(each):
    words = ["initd_initializer", each["name"]]
    for name in ("priority", "timeout", "description"):
        if name in each:
            words += [f"--{name}", text(each[name])]
    for name in each.get("dependencies", []):
        words += ["--dependency", text(name)]
    for name, option in (("attempts", "retry"), ("delay", "retry-delay"), ("factor", "retry-factor"), ("maxDelay", "retry-max-delay")):
        if name in each.get("retry", {}):
            words += [f"--{option}", text(each["retry"][name])]
    words += ["--optional"] * bool(each.get("optional")) + ["--per-process"] * bool(each.get("perProcess"))
    return " ".join([*words, "--cooperative", "perform"])


def step(each):
    if "ignoreCancelFor" in each:
        return f"patience={each['ignoreCancelFor']}"
    if "sleep" in each:
        return f"step_sleep {each['sleep']}; next"
    if "block" in each:
        return f"step_block {each['block']}; next"
    if "output" in each:
        return f"initd_output {shlex.quote(json.dumps(each['output'], ensure_ascii=False))}; next"
    if "echoInputs" in each:
        return 'initd_inputs > "$INITD_OUTPUT"; next'
    if "echoFence" in each:
        return "initd_output \"{\\\"fence\\\":${INITD_FENCE:-null}}\"; next"
    if "fail" in each:
        return f"begin; initd_fail {text(each['fail'])}"
    if "extend" in each:
        return f"initd_extend {each['extend']}; next"
    if "progress" in each:
        return f"initd_progress {each['progress']} {text(each['message']) if 'message' in each else ''}; next"
    return f"initd_message {text(each['message'])}; next"


def call(each):
    if "hold" in each:
        return f"call_hold {each['hold']}"
    if target := each.get("wait") or each.get("waitFor"):
        return f"call_wait {text(target)} {each['timeout']}"
    return f"call_{next(iter(each))}"


initializers = config["initializers"]
print(f"client={text(config.get('client', 'subject'))}")
print(f"names={text(' '.join(each['name'] for each in initializers))}")
print(f"topics={text(' '.join(config.get('subscribe', [])))}")
print("\n".join(["declare_all() {", ":", *map(declaration, initializers), "}"]))
print("\n".join(["calls() {", ":", *map(call, config.get("calls", [])), "}"]))
print("steps() {\ncase $1 in")
for each in initializers:
    print("\n".join([f"{text(each['name'])})", ":", *map(step, each.get("steps", [])), ";;"]))
print("esac\n}")
