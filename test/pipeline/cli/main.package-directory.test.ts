import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { packageDirectoryAbove } from "../../../pipeline/cli/main.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-package-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "dist/pipeline/cli"), { recursive: true });
writeFileSync(join(root, "package.json"), "{}");

it.each([
  { why: "the package itself", folder: root, found: root },
  { why: "a build in it", folder: join(root, "dist/pipeline/cli"), found: root },
  { why: "the root of the disk", folder: "/", found: undefined },
  { why: "a folder under no package", folder: "/no-such-folder/pipeline/cli", found: undefined },
])("gives the folder of the package, or ends at the root: $why", ({ folder, found }) => {
  expect(packageDirectoryAbove(folder)).toBe(found);
});
