// SPDX-License-Identifier: Apache-2.0
// harness - what the tests here share: made-up reports, a browser without a network, a small server
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const { TM_MODULES, TM_MAKE_REPORT, TM_WORK } = process.env;
export const modules = join(TM_MODULES, "node_modules");
export const require = createRequire(join(TM_MODULES, "package.json"));

const made = new Map();

// Writes a case of report_cases.c in every format, once; samples: what went in, as plain objects.
export function makeReport(name) {
  if (!made.has(name))
    made.set(name, writeReport(name));
  return made.get(name);
}

function writeReport(name) {
  const directory = join(TM_WORK, name);
  mkdirSync(directory, { recursive: true });
  execFileSync(TM_MAKE_REPORT, [name, directory], { stdio: "inherit" });
  const { calls, samples } = JSON.parse(readFileSync(join(directory, "plain.json"), "utf8"));
  for (const sample of samples) {
    sample.calls = sample.stack.map((index) => calls[index]); // root first
    sample.names = sample.calls.map((call) => call.name);
    sample.kernel = sample.calls.map((call) => call.kernel);
    if (sample.stop) {
      sample.names.unshift(`[truncated: ${sample.stop}]`);
      sample.kernel.unshift(0);
    }
  }
  return { directory, samples, path: (file) => join(directory, file),
    total: samples.reduce((sum, sample) => sum + sample.count, 0) };
}

// Adds up counts per key, so that two ways to write the same samples can be compared.
export function tally(rows, key, count = (row) => row.count) {
  const sums = new Map();
  for (const row of rows)
    sums.set(key(row), (sums.get(key(row)) || 0) + count(row));
  return sums;
}

export function assertSameTally(found, wanted) {
  for (const [key, count] of wanted)
    assert.equal(found.get(key), count, `count of ${key}`);
  assert.equal(found.size, wanted.size, "nothing beyond what was expected");
}

const BROWSER_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function launchBrowser(flags = []) {
  const { chromium } = require("playwright-core");
  return chromium.launch({ executablePath: execFileSync("which", ["chromium"]).toString().trim(),
    args: [...BROWSER_FLAGS, ...flags] });
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
  ".json": "application/json" };

// Serves directories by prefix on loopback: { "/a/": "/directory" }.
export async function serve(roots) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const prefix = Object.keys(roots).find((one) => path.startsWith(one));
    try {
      const body = readFileSync(join(roots[prefix], path.slice(prefix.length)));
      const type = TYPES[extname(path)] || "application/octet-stream";
      response.writeHead(200, { "content-type": type });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

// Runs named claims one after the other; the first that does not hold ends the test.
export async function claims(list) {
  for (const [name, body] of Object.entries(list)) {
    try {
      await body();
    } catch (error) {
      console.error(`FAILED: ${name}\n${error.stack}`);
      process.exit(1);
    }
    console.log(`ok: ${name}`);
  }
}
