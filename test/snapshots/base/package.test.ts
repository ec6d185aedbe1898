import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findPackageDirectory, readPackage } from "../../../snapshots/base/package.ts";

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
