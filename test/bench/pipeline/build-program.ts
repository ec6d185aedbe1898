import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What the program reads from its package beside `dist`. */
const ASSETS = ["warehouse", "registry", "readers"];

/** The program compiled, and the bench's own children: what is measured never runs under a loader. */
export interface BuiltProgram {
  readonly cli: string;
  readonly migrations: string;
  child(name: string): string;
}

/** Compiles the program and the children into a folder of its own. `ready` is a compiled program to measure instead. */
export function buildProgram(folder: string, ready: string | undefined): BuiltProgram {
  const dist = join(folder, "dist");
  mkdirSync(join(folder, "pipeline"), { recursive: true });
  const children = join(ROOT, "test/bench/pipeline/children");
  const project = join(folder, "tsconfig.json");
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(ROOT, ".tsconfig.build.json"),
      compilerOptions: {
        ...{ outDir: dist, rootDir: ROOT, declaration: false },
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
      include: ready === undefined ? ["pipeline", "snapshots"].map((room) => join(ROOT, room)) : [],
      files: readdirSync(children).map((name) => join(children, name)),
    }),
  );
  // A type error elsewhere in the tree does not keep what is there from being measured; it is shown.
  const { stdout } = spawnSync(process.execPath, [
    join(ROOT, "node_modules/typescript/bin/tsc"),
    "-p",
    project,
  ]);
  process.stderr.write(stdout);
  for (const name of ["node_modules", "package.json"]) link(join(ROOT, name), join(folder, name));
  for (const asset of ASSETS) link(join(ROOT, "pipeline", asset), join(folder, "pipeline", asset));
  const cli = join(ready ?? dist, "pipeline/cli/main.js");
  execFileSync(process.execPath, [cli, "--version"], { stdio: "ignore" });
  return {
    cli,
    migrations: join(ROOT, "pipeline/warehouse/migrations"),
    child: (name) => join(dist, "test/bench/pipeline/children", `${name}.js`),
  };
}

function link(target: string, path: string): void {
  if (!existsSync(path)) symlinkSync(target, path);
}
