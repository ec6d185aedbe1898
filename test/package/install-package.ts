import { type ExecFileOptions, execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { PROJECT, ROOMS, sourceFiles } from "../rules/source-files.ts";

const execute = promisify(execFile);

/** The parts of `package.json` that decide what an installed package can do. */
export interface PackageFile {
  readonly version: string;
  readonly private: boolean;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** An environment in which neither npm's own variables nor a developer's settings of ours stand. */
export function plainEnvironment(): Record<string, string | undefined> {
  const foreign = /^(npm_|GOVDATA_|VITEST|NODE_OPTIONS|NODE_PATH)/i;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(plain), NO_COLOR: "1", npm_config_update_notifier: "false" };
}

/** The number of the user `nobody`, who has neither a home nor a shell. */
const NOBODY = 65_534;

/** How a service manager starts programs installed in a folder: with nothing but a PATH, and as `nobody` if it can. */
export function bareUser(folder: string): Pick<ExecFileOptions, "env" | "uid" | "gid"> {
  const bare = { env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } };
  const nobody = { ...bare, uid: NOBODY, gid: NOBODY };
  // Folders above the project, which has the other packages, above Node or above this one may be closed to others.
  const mayRead = (path: string) => spawnSync("test", ["-r", path], nobody).status === 0;
  const needed = [folder, process.execPath, join(PROJECT, "package.json")];
  const isPossible = process.getuid?.() === 0 && needed.every(mayRead);
  return isPossible ? nobody : bare;
}

async function run(command: string, args: readonly string[], options: ExecFileOptions): Promise<void> {
  await execute(command, [...args], { ...options, env: plainEnvironment() });
}

/** Whether a build would make this file of `dist/` as it is. */
function isFresh(built: string, sources: readonly string[]): boolean {
  const youngestMs = Math.max(...sources.map((path) => statSync(join(PROJECT, path)).mtimeMs));
  return (statSync(join(PROJECT, built), { throwIfNoEntry: false })?.mtimeMs ?? 0) >= youngestMs;
}

/**
 * What a build makes: files of `dist/` as they are, and those that are not there or older than their source made anew.
 * Types are not checked here, which would take most of the time and is what `npm run check` does.
 */
function buildInto(stage: string): void {
  const { config } = ts.readConfigFile(join(PROJECT, ".tsconfig.build.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, PROJECT);
  const inStage = { ...options, outDir: join(stage, "dist"), noCheck: true };
  const places = sourceFiles().flatMap(({ path: source }) => {
    const code = join("dist", source.replace(/\.ts$/, ".js"));
    const types = code.replace(/\.js$/, ".d.ts");
    return [
      { source, built: code },
      // The shapes of the format use types of the base.
      ...(/^snapshots\/(base|format)\//.test(source) ? [{ source, built: types }] : []),
    ];
  });
  const stale = places.filter(({ source, built }) => {
    const isThere = isFresh(built, [source, ".tsconfig.build.json", "tsconfig.json"]);
    if (isThere) cpSync(join(PROJECT, built), join(stage, built));
    return !isThere;
  });
  const isTypes = ({ built }: { readonly built: string }) => built.endsWith(".d.ts");
  const code = stale.filter((place) => !isTypes(place)).map(({ source }) => join(PROJECT, source));
  // File by file: what a file imports makes no difference to its own code.
  ts.createProgram(code, { ...inStage, declaration: false, noResolve: true, noLib: true, types: [] }).emit();
  if (!stale.some(isTypes)) return;
  const types = { ...inStage, emitDeclarationOnly: true };
  ts.createProgram([join(PROJECT, "snapshots/format/index.ts")], types).emit();
}

/** A copy of what a package is made of. */
async function stagePackage(stage: string): Promise<void> {
  for (const name of [...ROOMS, "package.json", "README.md", "LICENSE"]) {
    const isCopied = (path: string) => path !== join(PROJECT, "snapshots", "published");
    cpSync(join(PROJECT, name), join(stage, name), { recursive: true, filter: isCopied });
  }
  buildInto(stage);
  symlinkSync(join(PROJECT, "node_modules"), join(stage, "node_modules"));
  await run("npm", ["run", "--silent", "build:docs"], { cwd: stage });
}

/**
 * Packs the project and lays the package into an empty folder as `npm install` would, without asking a registry: of other
 * packages only those that `dependencies` names are there, so that one that is missing in the list is missing here.
 */
export async function installPackage(
  root: string,
): Promise<{ readonly folder: string; readonly packed: string }> {
  const stage = join(root, "stage");
  await stagePackage(stage);
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], { cwd: stage });
  const tarball = readdirSync(root).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no package");
  const folder = join(root, "empty");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  await run("tar", ["-xzf", join(root, tarball), "-C", modules], { cwd: root });
  const packed = join(modules, "govdata");
  renameSync(join(modules, "package"), packed);
  const { bin, dependencies, optionalDependencies } = packageFile(packed);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules", name), join(modules, name));
  }
  for (const [name, path] of Object.entries(bin)) {
    chmodSync(join(packed, path), 0o755);
    symlinkSync(join("../govdata", path), join(modules, ".bin", name));
  }
  return { folder, packed };
}

/** `package.json` of a folder. */
export function packageFile(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Files of the rooms that are no TypeScript: what the programs and their readers need beside `dist/`. */
export function otherFiles(folder: string): readonly string[] {
  return ROOMS.filter((room) => existsSync(join(folder, room))).flatMap((room) =>
    readdirSync(join(folder, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !path.startsWith(join("snapshots", "published"))),
  );
}
