import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { findPackageDirectory, readPackage } from "../../../snapshots/base/package.ts";
import { loadProblem, nodeProblem } from "../../../snapshots/base/platform.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { runFolder } from "../../support/run-folder.ts";

const RANGE = ">=20.19 <21 || >=22.12";

test.each([
  { why: "the lowest", version: "20.19.0", is: true },
  { why: "just below it", version: "20.18.9", is: false },
  { why: "the highest of the first span", version: "20.99.99", is: true },
  { why: "the gap between", version: "21.0.0", is: false },
  { why: "the gap's end", version: "22.11.0", is: false },
  { why: "the second span's lowest", version: "22.12.0", is: true },
  { why: "numbers, not letters", version: "100.0.0", is: true },
])("a version is in the range or not: $why, $version", ({ version, is }) => {
  expect(nodeProblem(version, RANGE) === undefined).toBe(is);
});

test("the range in package.json has the form that is read here", () => {
  const { engines } = readPackage(findPackageDirectory() ?? "");
  for (const bound of engines.node.split(/ (?:\|\| )?/)) expect(bound).toMatch(/^(>=|<)\d+(\.\d+)*$/);
});

test.each([
  {
    why: "the package is missing, as after `npm ci` with another Node",
    name: "better-sqlite3-12" as const,
    error: "Cannot find module 'better-sqlite3-12'\nRequire stack: ...",
    message: "is not installed for Node",
    hint: "`npm ci`",
  },
  {
    why: "it was never compiled, as with --ignore-scripts",
    name: "better-sqlite3-12" as const,
    error: "Could not locate the bindings file. Tried:\n ...",
    message: "has no binary that loads",
    hint: "`npm rebuild better-sqlite3-12`",
  },
  {
    why: "it was compiled for another Node",
    name: "better-sqlite3-12" as const,
    error: "The module was compiled against a different Node.js version using\nNODE_MODULE_VERSION 127.",
    message: "was built for another version of Node",
    hint: "`npm rebuild better-sqlite3-12`",
  },
  {
    why: "there is no binary for this processor",
    name: "better-sqlite3" as const,
    error: "Cannot find module '/x/node_modules/better-sqlite3/build/Release/better_sqlite3.node'",
    message: "has no binary that loads",
    hint: "`npm explore better-sqlite3 -- npm run build-release`",
  },
  {
    why: "the system's library is older than the binary needs",
    name: "better-sqlite3" as const,
    error: "/lib/libc.so.6: version `GLIBC_2.34' not found (required by better_sqlite3.node)",
    message: "has no binary that loads",
    hint: "`npm explore better-sqlite3 -- npm run build-release`",
  },
])("names the package and the command that mends it: $why", ({ name, error, message, hint }) => {
  const problem = loadProblem(name, new Error(error));
  expect(problem.message).toContain(name);
  expect(problem.message).toContain(message);
  expect(problem.hint).toContain(hint);
});

/** Runs a program with code that Node evaluates first, in an empty folder; returns its end and what it left there. */
function runAfter(code: string, main: string, words: readonly string[]) {
  const folder = mkdtempSync(join(runFolder(), "platform-"));
  const preload = `data:text/javascript,${encodeURIComponent(code)}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", preload, compileCopy(main), ...words],
    { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"] } },
  );
  return { status, stdout, stderr, files: readdirSync(folder) };
}

const OLD_NODE = "Object.defineProperty(process, 'version', { value: 'v18.20.4' })";
const NO_BINARY = `
  import { createRequire, Module } from "node:module";
  Module._extensions[".node"] = () => { throw new Error("was built with NODE_MODULE_VERSION 1"); };`;

describe.each([
  { program: "govdata", main: "pipeline/cli/main.ts", words: ["init"] },
  { program: "govdata", main: "pipeline/cli/main.ts", words: ["--help"] },
  { program: "govdata-proxy", main: "proxy/main.ts", words: ["key", "create", "--account", "a"] },
  { program: "govdata-proxy", main: "proxy/main.ts", words: ["serve"] },
])("$program $words.0", ({ main, words }) => {
  it("ends with 2 and one sentence on an unsupported Node, and writes nothing", () => {
    const { status, stdout, stderr, files } = runAfter(OLD_NODE, main, words);
    expect([status, stdout, files]).toEqual([2, "", []]);
    expect(stderr).toBe(
      `error: Node 18.20.4 is not in the range ${RANGE}\nInstall a version in this range, then run the command again.\n`,
    );
  });

  it("ends with 2 and the command that mends a native module of another Node, and writes nothing", () => {
    const { status, stdout, stderr, files } = runAfter(NO_BINARY, main, words);
    expect([status, stdout, files]).toEqual([2, "", []]);
    expect(stderr).toMatch(/^error: the package for SQLite, .* was built for another version of Node/);
    expect(stderr).toMatch(/\nRun `npm .*` in the folder of govdata\. It needs .*\.\n$/);
  });
});

describe("package", () => {
  const root = mkdtempSync(join(tmpdir(), "govdata-package-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const OURS = '{"name":"govdata","version":"7.8.9","engines":{"node":">=22.12"}}';

  mkdirSync(join(root, "dist/pipeline/cli"), { recursive: true });
  writeFileSync(join(root, "package.json"), OURS);
  writeFileSync(join(root, "dist/package.json"), '{"type":"module"}');

  it.each([
    { why: "the package itself", folder: root, found: root },
    {
      why: "a build in it, past a package.json that is not ours",
      folder: join(root, "dist/pipeline/cli"),
      found: root,
    },
    { why: "the root of the disk", folder: "/", found: undefined },
    { why: "a folder under no package", folder: "/no-such-folder/pipeline/cli", found: undefined },
  ])("finds the folder of the package, or none: $why", ({ folder, found }) => {
    expect(findPackageDirectory(folder)).toBe(found);
  });

  it("reads the version and the supported range of Node", () => {
    expect(readPackage(root)).toEqual({ name: "govdata", version: "7.8.9", engines: { node: ">=22.12" } });
  });

  it("finds the project from its own folder", () => {
    expect(findPackageDirectory()).toBe(join(import.meta.dirname, "../../.."));
  });
});
