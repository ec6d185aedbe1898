import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqlite, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { encodeCanonical, sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import { DataPackage, describeVersion } from "../../../snapshots/format/data-package.ts";
import { Manifest, type ManifestFile, Pointer } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { publishFixture } from "../../support/published-set.ts";
import { temporaryHome } from "../../support/run-folder.ts";

/** Where roots are made. */
export const HOME = temporaryHome();

/** A snapshot root of its own (not made yet), for several tests; whoever made it removes it. */
export function sharedRoot(): { readonly root: string; readonly remove: () => void } {
  const home = mkdtempSync(join(HOME, "govdata-store-"));
  return { root: join(home, "published"), remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** A snapshot root of its own (not made yet), gone when the test is over. */
export function temporaryRoot(): string {
  const { root, remove } = sharedRoot();
  onTestFinished(remove);
  return root;
}

/** A root of its own in which the fixture was published. */
export async function publishedRoot(): Promise<string> {
  const root = temporaryRoot();
  await publishFixture(root);
  return root;
}

/** A copy of a root, for a test that breaks it. */
export function copyOf(root: string): string {
  const copy = temporaryRoot();
  cpSync(root, copy, { recursive: true });
  return copy;
}

/** Every file under a folder, by path, as text that says its bytes. */
export function bytesByPath(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((file) => join(file.parentPath, file.name));
  return new Map(paths.map((path) => [path.slice(directory.length + 1), sha256Hex(readFileSync(path))]));
}

/** The folder of the version the pointer names. */
export function currentDirectory(root: string): string {
  return join(root, readPointer(root).version);
}

/** Makes a pipe that nobody writes to; Node has no call of its own for it. */
export function makePipe(path: string): void {
  const command = "mkfifo";
  execFileSync(command, [path]);
}

/** Replaces a file; a hard link's other name keeps the old bytes. */
export function replaceFile(path: string, bytes: Buffer | string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** What the manifest says of the file at a path, as it lies there now. */
function seenAnew(directory: string, file: ManifestFile): ManifestFile {
  const bytes = readFileSync(join(directory, file.path));
  return { ...file, bytes: bytes.length, sha256: sha256Hex(bytes) };
}

/** A data package with its resources as an array. */
export function wholePackage(...about: Parameters<typeof describeVersion>): DataPackage {
  const described = describeVersion(...about);
  return { ...described, resources: [...described.resources] };
}

/** Writes the data package of a manifest's files anew, unless it was itself changed, and answers the files with it. */
function describeAnew(directory: string, manifest: Manifest): readonly ManifestFile[] {
  const { files } = manifest;
  const entry = files.find(({ path }) => path === PATHS.dataPackage);
  if (entry === undefined) return files;
  const path = join(directory, entry.path);
  const bytes = readFileSync(path);
  if (sha256Hex(bytes) !== entry.sha256) return files;
  const before = DataPackage.parse(JSON.parse(bytes.toString("utf8")));
  const schemas = new Map(before.resources.map((resource) => [resource.path, resource.schema]));
  replaceFile(
    path,
    encodeCanonical(
      DataPackage,
      wholePackage(manifest, (schemaPath) => schemas.get(schemaPath)),
    ),
  );
  return files.map((file) => (file === entry ? seenAnew(directory, file) : file));
}

/** Names the folder of a version after the manifest that lies in it now, and has the pointer name both; answers its place. */
function nameAnew(root: string, directory: string, pointer: Pointer): string {
  const bytes = readFileSync(join(directory, "manifest.json"));
  const sha256 = sha256Hex(bytes);
  const version = `${pointer.version.slice(0, -8)}${sha256.slice(0, 8)}`;
  renameSync(directory, join(root, version));
  const named = { ...pointer, version, manifest: { sha256, bytes: bytes.length } };
  replaceFile(join(root, "current.json"), encodeCanonical(Pointer, named));
  return join(root, version);
}

/**
 * Makes the current version agree with itself again after its files were changed: new hashes and sizes in the
 * manifest and the data package, a new name, a new pointer; answers its place. What only a deep look can find is left.
 */
export function reseal(
  root: string,
  change: (manifest: Manifest, directory: string) => Partial<Manifest> = () => ({}),
): string {
  const pointer = readPointer(root);
  const directory = join(root, pointer.version);
  const before = Manifest.parse(JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")));
  const changed = { ...before, ...change(before, directory) };
  const seen = changed.files.map((file) =>
    file.path === PATHS.dataPackage ? file : seenAnew(directory, file),
  );
  const files = describeAnew(directory, { ...changed, files: seen }).map((file) => seenAnew(directory, file));
  replaceFile(join(directory, "manifest.json"), encodeCanonical(Manifest, { ...changed, files }));
  return nameAnew(root, directory, { ...pointer, format: changed.format, sequence: changed.sequence });
}

/**
 * Makes the hash chain agree again after one file of the current version was replaced, whatever it holds now; a
 * manifest that was itself replaced gets its name and pointer only. Answers what puts pointer, manifest, data package
 * and the version's name back.
 */
export function sealAgain(root: string, path: string): { undo(): void } {
  const pointerBytes = readFileSync(join(root, "current.json"));
  const pointer = readPointer(root);
  const directory = join(root, pointer.version);
  const manifestPath = join(directory, "manifest.json");
  const manifestBytes = readFileSync(manifestPath);
  const packageBytes = readFileSync(join(directory, PATHS.dataPackage));
  const sealed = path === "manifest.json" ? nameAnew(root, directory, pointer) : reseal(root);
  return {
    undo() {
      renameSync(sealed, directory);
      if (path !== "manifest.json") replaceFile(manifestPath, manifestBytes);
      if (path !== PATHS.dataPackage) replaceFile(join(directory, PATHS.dataPackage), packageBytes);
      replaceFile(join(root, "current.json"), pointerBytes);
    },
  };
}

/** Replaces text in a file of the current version, and makes every hash agree again. */
export function forgeText(root: string, path: string, from: string | RegExp, to: string): void {
  const file = join(currentDirectory(root), path);
  const before = readFileSync(file, "utf8");
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${path} does not hold ${String(from)}`);
  replaceFile(file, after);
  sealAgain(root, path);
}

/** Changes an open index, or the file at its path. */
export type Forge = (database: SqliteDatabase, path: string) => void;

/** A copy of a root whose index was changed by somebody who could make every hash agree. */
export function forgeIndex(pristine: string, forge: Forge): string {
  const root = copyOf(pristine);
  const path = join(currentDirectory(root), PATHS.index);
  replaceFile(path, readFileSync(path));
  const database = openSqlite(path);
  try {
    database.unsafeMode(true);
    forge(database, path);
  } finally {
    if (database.open) database.close();
  }
  for (const tail of ["-wal", "-shm", "-journal"]) rmSync(`${path}${tail}`, { force: true });
  sealAgain(root, PATHS.index);
  return root;
}
