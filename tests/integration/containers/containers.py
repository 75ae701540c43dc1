#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# containers - the pod of containers/kubernetes.yaml runs under runc, and its reports arrive
#
# usage: containers.py MANIFEST BUILD-FOLDER SOURCE-FOLDER SECCOMP...; as root. Each
# container gets exactly the account, capabilities, seccomp profile and folders of the manifest, is
# started again when it ends, as by a kubelet, and is killed once.
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
TIMEOUT = 120  # seconds, for what hangs
LIBEXEC = "/usr/libexec/tidemark"
PROGRAMS = ["collector/tidemark-collector", "collector/opener/tidemark-opener",
            "symbolizer/tidemark-symbolizer", "symbolizer/parser/tidemark-parser",
            "symbolizer/exporter/tidemark-exporter", "service/tidemark-service"]
BITS = {"CAP_SYS_PTRACE": 19, "CAP_SYSLOG": 34, "CAP_PERFMON": 38, "CAP_BPF": 39}
NAMESPACES = ["mount", "ipc", "uts"]  # a pod has one network, and this one the host's processes
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong, flush=True)
        failed = True


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


def until(condition, what):
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            print(f"WRONG: {what} did not come", flush=True)
            return False
        time.sleep(0.05)
    return True


def libraries(program):
    listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", listed)


def make_root(root, programs):
    """An image of nothing but the programs and their libraries."""
    for folder in ("proc", "sys", "dev", "tmp", "etc", "run/tidemark", "run/tidemark-symbolizer",
                   "run/credentials/tidemark", "var/cache/tidemark"):
        os.makedirs(f"{root}/{folder}")
    for program in programs:
        places = {program: f"{LIBEXEC}/{os.path.basename(program)}"}
        places.update({library: library for library in libraries(program)})
        for source, target in places.items():
            os.makedirs(os.path.dirname(root + target), exist_ok=True)
            shutil.copy(os.path.realpath(source), root + target)
            os.chmod(root + target, 0o755)


def expand(text, values):
    return re.sub(r"\$\((\w+)\)", lambda match: values[match[1]], text)


class Container:
    """One of the manifest's, as runc runs it."""

    def __init__(self, container, pod, work, values, seccomp):
        security = container["securityContext"]
        self.name = container["name"]
        self.id = f"tidemark-test-{os.getpid()}-{self.name}"
        self.bundle = f"{work}/{self.name}"
        self.capabilities = ["CAP_" + c for c in security["capabilities"].get("add", [])]
        self.child, self.starts = None, 0
        claim(security["capabilities"]["drop"] == ["ALL"] and security["readOnlyRootFilesystem"]
              and not security["allowPrivilegeEscalation"], f"{self.name}: has more than it needs")
        root = security["runAsUser"] == 0
        mounts = [{"destination": "/proc", "type": "proc", "source": "proc"},
                  {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
                  {"destination": "/sys", "type": "none", "source": "/sys",
                   "options": ["rbind", "ro"]}]
        for mount in container["volumeMounts"]:
            mounts.append({"destination": mount["mountPath"], "type": "none",
                           "source": f"{work}/{mount['name']}",
                           "options": ["bind", "ro" if mount.get("readOnly") else "rw"]})
        # without root, what is added is in no set but the bounding one
        sets = {name: self.capabilities for name in ("bounding", "effective", "permitted")}
        profile = os.path.basename(security["seccompProfile"]["localhostProfile"])
        os.mkdir(self.bundle)
        config = {
            "ociVersion": "1.0.2", "root": {"path": f"{work}/root", "readonly": True},
            "hostname": "pod", "mounts": mounts,
            "process": {
                "args": [expand(word, values) for word in container["command"]], "cwd": "/",
                "env": ["PATH=/usr/bin"], "noNewPrivileges": True,
                "user": {"uid": security["runAsUser"], "gid": security["runAsGroup"],
                         "additionalGids": [pod["securityContext"]["fsGroup"]]},
                "capabilities": sets if root else {}},
            "linux": {"namespaces": [{"type": each} for each in NAMESPACES],
                      "seccomp": seccomp[profile]}}
        with open(f"{self.bundle}/config.json", "w", encoding="utf-8") as file:
            json.dump(config, file)

    def start(self):
        self.starts += 1
        with open(f"{self.bundle}/log", "ab") as log:
            self.child = subprocess.Popen(["runc", "run", "--bundle", self.bundle, self.id],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def keep(self):
        """Starts it again where it has ended: a peer was not there yet, or died."""
        if self.child.poll() is not None:
            self.delete()
            self.start()

    def pid(self):
        state = subprocess.run(["runc", "state", self.id], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False).stdout
        return json.loads(state)["pid"] if state else 0

    def kill(self, signal):
        subprocess.run(["runc", "kill", self.id, signal], check=False, stderr=subprocess.DEVNULL)

    def delete(self):
        subprocess.run(["runc", "delete", "--force", self.id], check=False,
                       stderr=subprocess.DEVNULL)

    def log(self):
        with open(f"{self.bundle}/log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def has_its_rights(self):
        if not until(lambda: self.keep() or self.pid(), f"{self.name}, to run,"):
            claim(False, f"{self.name} does not run")
            return
        with open(f"/proc/{self.pid()}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        bits = sum(1 << BITS[each] for each in self.capabilities)
        claim(int(status["CapBnd"], 16) == bits, f"{self.name}: CapBnd {status['CapBnd'].strip()}")
        claim(int(status["CapEff"], 16) & ~bits == 0, f"{self.name}: CapEff {status['CapEff']}")
        claim(status["Seccomp"].strip() == "2", f"{self.name}: no seccomp filter")
        claim(int(status["Seccomp_filters"]) >= 2, f"{self.name}: not its own filter besides")


def reports(folder):
    return sum(name.endswith(".json") for name in os.listdir(folder))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(containers, inbox):
    """Until reports arrive, and once more after each container was killed."""
    def come(count):
        for each in containers:
            each.keep()
        return reports(inbox) >= count

    for each in containers:
        each.start()
    if not until(lambda: come(3), "the first reports"):
        return
    for each in containers:
        each.has_its_rights()
    for each in containers:
        count = reports(inbox)
        # it may have ended with its peer and be about to run again: then there is nothing to kill
        if not until(lambda: each.kill("KILL") or each.child.poll() is not None,
                     f"the end of {each.name}"):
            print(subprocess.run(["runc", "state", each.id], stdout=subprocess.PIPE, text=True,
                                 check=False).stdout)
            claim(False, f"{each.name} does not end")
            return
        if not until(lambda: come(count + 3), f"a report after the death of {each.name}"):
            return
        claim(each.starts > 1, f"{each.name} was not started again")


def stop(containers):
    for each in reversed(containers):
        each.kill("TERM")
    for each in containers:
        if each.child:
            try:
                each.child.wait(timeout=30 if each.name in ("collector", "symbolizer") else 1)
            except subprocess.TimeoutExpired:
                claim(each.name not in ("collector", "symbolizer"), f"{each.name} does not end")
        each.delete()
        if failed:
            print(f"--- {each.name}\n{each.log()[-3000:]}")


def names_in(inbox):
    found = b""
    for name in os.listdir(inbox):
        if name.endswith(".body"):
            with open(f"{inbox}/{name}", "rb") as file:
                found += file.read()
    return found


def keys_are_those_of_the_configuration(tidemark, data):
    text = subprocess.run([tidemark, "config", "/dev/null"], stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    keys = {key: value for key, value in re.findall(r"^(TIDEMARK_\w+)=(\S*)", text, re.M)
            if not key.startswith("TIDEMARK_SPOOL_")}  # a pod has no spool
    claim(set(keys) == set(data), f"ConfigMap: {sorted(data)}, not {sorted(keys)}")
    for key, value in keys.items():
        claim(key == "TIDEMARK_OTLP_ENDPOINT" or data[key] == value, f"{key} is not {value}")


def main():
    manifest, build, source, *profiles = sys.argv[1:]
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        skip("python3-yaml is not there")
    with open(manifest, encoding="utf-8") as file:
        parts = {part["kind"]: part for part in yaml.safe_load_all(file)}
    values = parts["ConfigMap"]["data"]
    keys_are_those_of_the_configuration(f"{build}/cli/tidemark", values)
    if os.getuid() != 0 or not shutil.which("runc"):
        skip("root and runc are needed")
    pod = parts["DaemonSet"]["spec"]["template"]["spec"]
    seccomp = {}
    for path in profiles:
        with open(path, encoding="utf-8") as file:
            seccomp[os.path.basename(path)] = json.load(file)
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        make_root(f"{work}/root", [f"{build}/{program}" for program in PROGRAMS])
        for volume in pod["volumes"]:
            os.mkdir(f"{work}/{volume['name']}")
            os.chown(f"{work}/{volume['name']}", 0, pod["securityContext"]["fsGroup"])
            os.chmod(f"{work}/{volume['name']}", 0o2770)
        os.mkdir(f"{work}/inbox")
        port = free_port()
        values.update(TIDEMARK_OTLP_ENDPOINT=f"http://127.0.0.1:{port}", NODE_NAME="node",
                      TIDEMARK_INTERVAL_MS="500", TIDEMARK_RATE="97")
        containers = [Container(each, pod, work, values, seccomp) for each in pod["containers"]]
        receiver = [f"{source}/tests/lib/otlp_receiver.py", f"{work}/inbox", str(port)]
        busy = [f"{build}/tests/integration/programs/hot", "1", "600"]
        helpers = [subprocess.Popen(receiver, stdout=subprocess.PIPE),
                   subprocess.Popen(busy, stdout=subprocess.DEVNULL)]
        helpers[0].stdout.readline()
        try:
            run(containers, f"{work}/inbox")
        finally:
            stop(containers)
            for helper in helpers:
                helper.kill()
                helper.wait()
        claim(b"hot_60" in names_in(f"{work}/inbox"), "no report has the function hot_60")
        print(f"{reports(f'{work}/inbox')} reports; starts: "
              + ", ".join(f"{each.name} {each.starts}" for each in containers))


main()
sys.exit(failed)
