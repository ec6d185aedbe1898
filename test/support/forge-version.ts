import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../snapshots/format/canonical-json.ts";
import { Manifest, Pointer } from "../../snapshots/format/manifest.ts";

const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`, "utf8");

/**
 * Changes one JSON file of the current version like an attacker with write access: updates manifest, version name and
 * pointer, so that every hash is right. Returns the new name.
 */
export function forgeVersion(root: string, path: string, edit: (value: unknown) => unknown): string {
  const pointer = Pointer.parse(JSON.parse(readFileSync(join(root, "current.json"), "utf8")));
  const directory = join(root, pointer.version);
  const bytes = line(edit(JSON.parse(readFileSync(join(directory, path), "utf8"))));
  writeFileSync(join(directory, path), bytes);
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")));
  const files = manifest.files.map((file) =>
    file.path === path ? { ...file, bytes: bytes.length, sha256: sha256Hex(bytes) } : file,
  );
  const manifestBytes = line(Manifest.parse({ ...manifest, files }));
  writeFileSync(join(directory, "manifest.json"), manifestBytes);
  const sha256 = sha256Hex(manifestBytes);
  const version = `${pointer.version.slice(0, -8)}${sha256.slice(0, 8)}`;
  renameSync(directory, join(root, version));
  const forged = { ...pointer, version, manifest: { sha256, bytes: manifestBytes.length } };
  writeFileSync(join(root, "current.json"), line(Pointer.parse(forged)));
  return version;
}
