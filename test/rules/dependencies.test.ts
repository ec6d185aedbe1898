import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "./source-files.ts";

interface LockedPackage {
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly gypfile?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

it("an install without dev dependencies brings no program that is built for one system", () => {
  // What is locked to a system or a processor is a program in binary form: a chain node, an engine, a bundler.
  const binaries = Object.entries(lock.packages).filter(
    ([, { os, cpu }]) => os !== undefined || cpu !== undefined,
  );
  expect(binaries.map(([name]) => name)).toContain("node_modules/@foundry-rs/anvil-linux-amd64");
  expect(binaries.filter(([, { dev }]) => dev !== true).map(([name]) => name)).toEqual([]);
});

it("npm skips the older SQLite package, which takes minutes to compile, on every Node that does not open it", () => {
  // npm leaves out an optional package whose engines exclude the running Node. The range that the package itself states
  // is wider, so it is narrowed in the lock file; restore it if a later `npm install` overwrites it.
  const { optional, engines } = lock.packages["node_modules/better-sqlite3-12"] ?? {};
  expect({ optional, engines }).toEqual({ optional: true, engines: { node: "<22.14" } });
});

it("npm does not compile the SQLite package that brings its binaries", () => {
  // Its own package.json says so, but npm does not copy that field into the lock file, and `npm ci` then compiles.
  expect(lock.packages["node_modules/better-sqlite3"]?.gypfile).toBe(false);
});

it("nothing else in an install without dev dependencies runs a script or needs a compiler", () => {
  const scripted = Object.entries(lock.packages).filter(
    ([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true,
  );
  expect(scripted.map(([name]) => name)).toEqual(["node_modules/better-sqlite3-12"]);
});
