import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { programVersions } from "../../proxy/cli.ts";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const folder = temporaryFolder();
const OURS = '{"name":"govdata","version":"7.8.9","engines":{"node":">=22.12"}}';

it.each([
  { why: "beside the program", above: "dist/proxy" },
  { why: "further up, as above a build", above: "." },
])("tells the version of the package $why", ({ above }) => {
  const root = mkdtempSync(join(folder, "root-"));
  mkdirSync(join(root, "dist/proxy"), { recursive: true });
  writeFileSync(join(root, above, "package.json"), OURS);
  expect(programVersions(join(root, "dist/proxy"))).toBe(`govdata-proxy 7.8.9, format ${FORMAT_VERSION}`);
});

it("goes past a package.json that is not its own", () => {
  const root = mkdtempSync(join(folder, "root-"));
  mkdirSync(join(root, "dist/proxy"), { recursive: true });
  writeFileSync(join(root, "dist/proxy/package.json"), '{"type":"module"}');
  writeFileSync(join(root, "dist/package.json"), '{"name":"another","version":"1.0.0"}');
  expect(programVersions(join(root, "dist/proxy"))).toContain("version unknown");
  writeFileSync(join(root, "package.json"), OURS);
  expect(programVersions(join(root, "dist/proxy"))).toContain("7.8.9");
});

it.each([
  { why: "the root of the disk", start: "/" },
  { why: "a folder that is not there", start: "/no-such-folder/proxy" },
])("ends where no package lies above, and says so: $why", ({ start }) => {
  expect(programVersions(start)).toBe(
    `govdata-proxy (version unknown: no package.json of govdata found above it), format ${FORMAT_VERSION}`,
  );
});
