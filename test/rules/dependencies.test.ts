import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "./source-files.ts";

interface LockedPackage {
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
