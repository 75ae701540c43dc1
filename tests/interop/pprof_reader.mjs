// SPDX-License-Identifier: Apache-2.0
// pprof_reader - reads a pprof file by the published field numbers, strictly, for comparison
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      assert.notEqual(byte, undefined, "a number ends within its message");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    if ((tag & 7) === 0) {
      yield [tag >> 3, varint()];
      continue;
    }
    assert.equal(tag & 7, 2, "only varints and lengths are used");
    const length = Number(varint());
    assert.ok(at + length <= bytes.length, "a part ends within its message");
    yield [tag >> 3, bytes.subarray(at, at += length)];
  }
}

function packed(bytes) {
  const values = [];
  let value = 0n, shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      values.push(Number(value));
      value = shift = 0n;
    }
  }
  return values;
}

// names: { number: name }; many: names that may repeat.
function read(bytes, names, many = []) {
  const message = Object.fromEntries(Object.values(names).map((name) =>
    [name, many.includes(name) ? [] : 0]));
  for (const [number, value] of fields(bytes)) {
    assert.ok(names[number], `field ${number} is known`);
    const plain = typeof value === "bigint" ? Number(value) : value;
    if (many.includes(names[number]))
      message[names[number]].push(plain);
    else
      message[names[number]] = plain;
  }
  return message;
}

export function readPprof(path) {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const profile = read(gunzipSync(readFileSync(path)), {
    1: "sample_type", 2: "sample", 3: "mapping",
    4: "location", 5: "function", 6: "string_table", 9: "time_nanos", 10: "duration_nanos",
    11: "period_type", 12: "period", 13: "comment", 14: "default_sample_type" },
  ["sample_type", "sample", "mapping", "location", "function", "string_table"]);
  const strings = profile.string_table.map((bytes) => utf8.decode(bytes));
  assert.equal(strings[0], "", "the first string is empty");
  const byId = (list, names, many) => new Map(list.map((bytes) => {
    const one = read(bytes, names, many);
    assert.ok(one.id > 0, "ids are never 0");
    return [one.id, one];
  }));
  const types = profile.sample_type.map((bytes) => read(bytes, { 1: "type", 2: "unit" }));
  const mappings = byId(profile.mapping, { 1: "id", 2: "start", 3: "limit", 4: "offset",
    5: "filename", 6: "build_id", 7: "has_functions", 8: "has_filenames", 9: "has_line_numbers",
    10: "has_inline_frames" });
  const functions = byId(profile.function, { 1: "id", 2: "name", 3: "system_name", 4: "filename",
    5: "start_line" });
  const locations = byId(profile.location, { 1: "id", 2: "mapping_id", 3: "address", 4: "line" },
    ["line"]);
  for (const location of locations.values()) {
    assert.ok(location.mapping_id === 0 || mappings.has(location.mapping_id));
    location.mapping = mappings.get(location.mapping_id);
    location.calls = location.line.map((bytes, at) => { // innermost first
      const { function_id: id, line } = read(bytes, { 1: "function_id", 2: "line" });
      const one = functions.get(id);
      return { id, line, name: strings[one.name], system_name: strings[one.system_name],
        source: strings[one.filename], start_line: one.start_line,
        inlined: at + 1 < location.line.length ? 1 : 0,
        file: location.mapping ? strings[location.mapping.filename] : "" };
    });
  }
  const callsOf = (id) => {
    assert.ok(locations.has(id), `location ${id} is there`);
    return locations.get(id).calls;
  };
  const samples = profile.sample.map((bytes) => {
    const sample = read(bytes, { 1: "location_id", 2: "value", 3: "label" }, ["label"]);
    const labels = {};
    for (const label of sample.label) {
      const { key, str, num } = read(label, { 1: "key", 2: "str", 3: "num", 4: "num_unit" });
      labels[strings[key]] = str ? strings[str] : num;
    }
    const ids = packed(sample.location_id || []);
    const calls = ids.flatMap(callsOf).reverse(); // root first
    return { calls, names: calls.map((call) => call.name), locations: ids,
      values: packed(sample.value), labels };
  });
  return { ...profile, comment: packed(profile.comment), strings, types, mappings, functions,
    locations, samples,
    firstMapping: [...mappings.values()][0] };
}
