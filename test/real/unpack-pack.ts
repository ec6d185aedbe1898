import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const BESIDE = fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** Where the packs that the archive was made from lie; `undefined` where one of them is missing. */
export function packsDirectory(packs: readonly string[]): string | undefined {
  const directory = process.env["GOVDATA_REAL_DATA"] ?? BESIDE;
  return packs.every((pack) => existsSync(join(directory, `${pack}.tar.xz`))) ? directory : undefined;
}

/** Unpacks one file of a pack, and answers the folder its path begins at; that goes when the test file is done. */
export function unpackPack(directory: string, pack: string, path: string): string {
  const folder = mkdtempSync(join(tmpdir(), `govdata-${pack}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(directory, `${pack}.tar.xz`);
  // A pack begins with one folder, named after the repository.
  execFileSync("tar", ["-xJf", archive, "-C", folder, "--strip-components=1", "--wildcards", `*/${path}`]);
  return folder;
}
