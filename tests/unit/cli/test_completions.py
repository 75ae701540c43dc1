#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_completions - bash and zsh complete every command and option of --help, and nothing else
#
# usage: test_completions.py TIDEMARK BASH_FILE ZSH_FILE; without zsh: 77, once everything else
# holds. zsh runs in a terminal of ours, where the line is completed that is typed.
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 60  # seconds, for a shell that hangs
COMMANDS = ["record", "doctor", "status", "top", "view", "diff", "config", "reload"]

tidemark, bash_file, zsh_file = sys.argv[1:4]
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def printed(command, *arguments, **more):
    return subprocess.run([command, *arguments], stdout=subprocess.PIPE, check=True, text=True,
                          timeout=TIMEOUT, **more).stdout


def options(command):
    found = set()
    for line in re.findall(r"^ {2,6}(-.*)", printed(tidemark, command, "--help"), re.M):
        head = re.match(r"(-\w|--[a-z-]*)( [A-Z=]+)?(, (-\w|--[a-z-]+)( [A-Z=]+)?)*", line)[0]
        found.update(re.findall(r"--?[a-zA-Z-]*", head))
    return found - {"--"}


def commands():
    text = printed(tidemark, "--help")
    return set(re.findall(r"^  tidemark ([a-z]+)", text, re.M)) | {"help"}


def same(what, offered, expected):
    claim(offered == expected, f"{what}: {sorted(offered - expected)} too many, "
                               f"{sorted(expected - offered)} missing")


def in_bash(*words):
    script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidemark; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    return set(printed("bash", "--norc", "-c", script, bash_file, *words).split())


def bash_completes():
    for command in COMMANDS:
        same(f"bash, {command} -", in_bash("tidemark", command, "-") - {"--"}, options(command))
    same("bash, commands", {word for word in in_bash("tidemark", "") if word[0] != "-"}, commands())
    same("bash, --off-cpu-m", in_bash("tidemark", "record", "--off-cpu-m"),
         {"--off-cpu-min", "--off-cpu-max"})
    same("bash, a number", in_bash("tidemark", "record", "-F", ""), set())
    claim(str(os.getpid()) in in_bash("tidemark", "record", "-p", str(os.getpid())[:1]),
          "bash: no process behind -p")
    claim("true" in in_bash("tidemark", "record", "--", "tru"), "bash: no command behind --")
    same("bash, --resource-grouping", in_bash("tidemark", "record", "--resource-grouping", ""),
         {"process", "container", "service"})
    same("bash, a time", in_bash("tidemark", "view", "--since", ""), set())
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/x.html", "w", encoding="utf-8"):
            pass
        os.mkdir(f"{folder}/y")
        for line in (["record", "-o"], ["record", "--summary"], ["status", "-o"], ["view"],
                     ["view", "x.otlp"], ["diff", "x.otlp"], ["config", "--check"],
                     ["reload"], ["reload", "--socket"]):
            same(f"bash, a file behind {line}", in_bash("tidemark", *line, f"{folder}/x"),
                 {f"{folder}/x.html"})
        for command in ("record", "view", "diff"):
            same(f"bash, {command} --spool", in_bash("tidemark", command, "--spool", f"{folder}/"),
                 {f"{folder}/y"})


def zsh_offers():
    """What is handed to _arguments and _describe: each option before its description."""
    for command in COMMANDS:
        script = f'_arguments() {{ print -rl -- "$@" }}; words=(tidemark {command} -); ' \
                 'CURRENT=3; source "$0"'
        text = printed("zsh", "-fc", script, zsh_file)
        found = set(re.findall(r"^(?:\([^)]*\))?\*?(--?[a-zA-Z-]+)\[", text, re.M))
        same(f"zsh, {command} -", found, options(command))
    script = '_arguments() { }; _describe() { print -rl -- $commands }; words=(tidemark ""); ' \
             'CURRENT=2; source "$0"'
    found = set(re.findall(r"^([a-z]+):", printed("zsh", "-fc", script, zsh_file), re.M))
    same("zsh, commands", found, commands())


def in_zsh(typed):
    """The arguments of the line that the real completion of zsh makes of what is typed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PS1="", FPATH_OF_OURS=os.path.dirname(zsh_file))
        os.execlp("zsh", "zsh", "-f", "-i")
    setup = 'fpath=($FPATH_OF_OURS $fpath); autoload -Uz compinit && compinit -u -D; ' \
            'tidemark() { print -r -- "<<$*>>" }; print "is rea""dy"\n'
    received, sent = "", False
    os.write(terminal, setup.encode())
    while ">>\r" not in received:
        if not select.select([terminal], [], [], TIMEOUT)[0]:
            break
        try:
            received += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
        if "is ready" in received and not sent:
            received, sent = "", True
            os.write(terminal, f"tidemark {typed}\t\n".encode())
    os.close(terminal)
    os.waitpid(pid, 0)
    found = re.findall(r"<<(.*?)>>\r", received)
    return found[-1].strip() if found else f"nothing: {received!r}"


def zsh_completes():
    for typed, expected in (("rec", "record"), ("stat", "status"), ("conf", "config"),
                            ("record --off-cpu-k", "record --off-cpu-kernel"),
                            ("record -v --wak", "record -v --wakers"),
                            ("record --resource-grouping c",
                             "record --resource-grouping container"),
                            ("status --prom", "status --prometheus"),
                            ("view --sin", "view --since"),
                            (f"view {zsh_file[:-2]}", f"view {zsh_file}"),
                            (f"diff a.otlp {zsh_file[:-2]}", f"diff a.otlp {zsh_file}"),
                            ("config --ch", "config --check"),
                            ("rel", "reload"), ("reload --so", "reload --socket"),
                            (f"config {zsh_file[:-2]}", f"config {zsh_file}")):
        claim(in_zsh(typed) == expected, f"zsh, {typed}: {in_zsh(typed)}, not {expected}")


bash_completes()
if shutil.which("zsh"):
    subprocess.run(["zsh", "-fn", zsh_file], check=True)
    zsh_offers()
    zsh_completes()
elif not failed:
    print("zsh is not there")
    sys.exit(77)
sys.exit(failed)
