import { execFile, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeWorld } from "../../fixtures/world.ts";
import { PROJECT } from "../rules/source-files.ts";
import { bareUser, installPackage, otherFiles, packageFile, plainEnvironment } from "./install-package.ts";

const execute = promisify(execFile);
const SPACE_ID = "second-breakfast.example";

const root = realpathSync(mkdtempSync(join(tmpdir(), "govdata-package-")));
let folder: string;
let packed: string;
let user: ReturnType<typeof bareUser>;

/** Runs an installed program in the empty folder; its exit code must be 0. */
async function installed(program: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, "node_modules/.bin", program);
  const { stdout } = await execute(path, [...args], { cwd: folder, ...user, encoding: "utf8" });
  return stdout;
}

beforeAll(async () => {
  ({ folder, packed } = await installPackage(root));
  chmodSync(root, 0o755);
  user = bareUser(folder);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.uid);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The units of both programs. */
const unitsOf = (folder: string) => otherFiles(folder).filter((path) => path.includes("/systemd/"));

describe("the package", () => {
  it("holds every file of the rooms that is no TypeScript", () => {
    // Pictures of a README are looked at where the project lives, and would be half of the package.
    const wanted = otherFiles(PROJECT).filter((path) => !path.startsWith("fixtures/pictures/"));
    expect(wanted.length).toBeGreaterThan(15);
    expect([...otherFiles(packed)].sort()).toEqual([...wanted].sort());
  });

  it("holds no test, no demo and no source", () => {
    expect(readdirSync(packed).sort()).toEqual([
      ...["LICENSE", "README.md", "dist", "fixtures", "package.json", "pipeline", "proxy", "snapshots"],
    ]);
    const names = readdirSync(packed, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => /(?<!\.d)\.ts$|\.test\.|^dist\/fixtures/.test(name))).toEqual([]);
  });

  it("holds every file that the guide for operators and the units name below /opt/govdata", () => {
    const texts = ["pipeline/OPERATING.md", "proxy/PRODUCTION.md", ...unitsOf(packed)].map((path) =>
      readFileSync(join(packed, path), "utf8"),
    );
    const named = texts.flatMap((text) => [...text.matchAll(/\/opt\/govdata\/([\w./-]+[\w/])/g)]);
    expect(named.length).toBeGreaterThan(5);
    expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(join(packed, path)))).toEqual([]);
  });

  it("cannot be published by mistake, and is built before it is packed", () => {
    const { private: isPrivate, scripts } = packageFile(PROJECT);
    expect(isPrivate).toBe(true);
    expect(scripts["prepack"]).toContain("npm run --silent build");
  });
});

describe("installed in an empty folder", () => {
  it("does the main job from an archive to an answer, without HOME, for a user without a shell", async () => {
    const archive = join(root, "archive");
    const { asOf } = writeWorld({
      directory: archive,
      seed: "package",
      endDay: "2026-10-31",
      spaceIds: [SPACE_ID],
    });
    await installed("govdata", "init");
    expect(readFileSync(join(folder, ".govdata/registry.yaml"), "utf8")).toContain("daos:");
    const registry = ["--registry", join(archive, "registry.yaml")];
    const from = ["--source", "archive", "--from", archive, "--as-of", asOf];
    const ran = JSON.parse(await installed("govdata", "run", "--json", ...from, ...registry));
    expect(ran.published).toMatchObject({ daosScored: 1, daosFailed: [] });
    expect(await installed("govdata", "show", "daos")).toContain(SPACE_ID);
    await installed("govdata", "report", "-o", "pages");
    expect(readFileSync(join(folder, "pages/index.html"), "utf8")).toContain("report.css");
    expect(existsSync(join(folder, "pages/report.css"))).toBe(true);
    expect(existsSync(join(folder, "pages/ranking.js"))).toBe(true);

    const key = (
      await installed("govdata-proxy", "key", "create", "--account", "me", "--tier", "free")
    ).trim();
    const proxy = spawn(join(folder, "node_modules/.bin/govdata-proxy"), ["serve", "--port", "0"], {
      cwd: folder,
      ...user,
      env: { ...user.env, GOVDATA_PROXY_DRAIN_SECONDS: "0" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise((resolve) => proxy.once("close", resolve));
    try {
      const baseUrl = await new Promise<string>((resolve, reject) => {
        proxy.stdout.once("data", (line) => resolve(String(line).trim().replace("listening on ", "")));
        ended.then(() => reject(new Error("the proxy ended")));
      });
      const answer = await fetch(`${baseUrl}/v1/daos`, { headers: { "x-api-key": key } });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(SPACE_ID);
      const page = await (await fetch(`${baseUrl}/docs`)).text();
      const files = [...page.matchAll(/"(docs\/[^"]+)"/g)].map(([, path]) => fetch(`${baseUrl}/${path}`));
      const statuses = (await Promise.all(files)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    } finally {
      proxy.kill("SIGTERM");
    }
    expect(await ended).toBe(0);
  });

  it("gives the shapes of the format to programs, and their types to the compiler", async () => {
    const program = `import { DaoList, PATHS } from "govdata/format"; console.log(PATHS.daos, DaoList.parse([]).length)`;
    const args = ["--input-type=module", "--eval", program];
    const { stdout } = await execute(process.execPath, args, { cwd: folder, env: plainEnvironment() });
    expect(stdout).toBe("daos.json 0\n");

    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
    const seen = new Set<string>();
    const outside = new Set<string>();
    const look = (name: string, from: string): void => {
      const mode = ts.ModuleKind.ESNext;
      const { resolvedModule } = ts.resolveModuleName(
        name,
        from,
        options,
        ts.sys,
        undefined,
        undefined,
        mode,
      );
      const path = resolvedModule?.resolvedFileName ?? "";
      expect(path, `${name} from ${from}`).toMatch(/\.d\.(ts|mts|cts)$/);
      if (seen.has(path)) return;
      if (!path.startsWith(packed)) return void outside.add(name);
      seen.add(path);
      for (const file of [path, path.replace(".d.ts", ".js")])
        for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles)
          look(fileName, path);
    };
    look("govdata/format", join(folder, "caller.mts"));
    expect([...outside]).toEqual(["zod"]);
    expect(seen.size).toBeGreaterThan(15);
  });
});
