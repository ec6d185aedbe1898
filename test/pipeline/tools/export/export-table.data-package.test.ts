import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeCanonical, sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { DataPackage } from "../../../../snapshots/format/data-package.ts";
import {
  copyOf,
  currentDirectory,
  replaceFile,
  reseal,
  sealAgain,
} from "../../../snapshots/store/temporary-root.ts";
import { FIXTURE_ENTITY_ID } from "../../../support/published-set.ts";
import { makeExportStage } from "./export-stage.ts";

const stage = await makeExportStage();

type Json = ReturnType<typeof JSON.parse>;

interface Package {
  readonly version: string;
  readonly created: string;
  readonly sequence: number;
  readonly resources: readonly Json[];
}

async function packageOf(...more: readonly string[]): Promise<Package> {
  const end = await stage.govdata("export", "--datapackage", ...more);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(end.stdout);
}

describe.each([0, 1])("the data package of version %i", (index) => {
  const version = stage.versions[index] ?? "";
  const directory = join(stage.snapshots, version);

  it("names every file of the manifest with its size and its SHA-256, each by a name of its own", async () => {
    const { resources } = await packageOf("--version", version);
    const manifest = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"));
    expect(resources.map(({ path }) => path)).toEqual(
      manifest.files.map(({ path }: Json) => path).filter((path: string) => path !== "datapackage.json"),
    );
    expect(new Set(resources.map(({ name }) => name)).size).toBe(resources.length);
    for (const { path, name, bytes, hash } of resources) {
      expect(name, "as Frictionless allows").toMatch(/^[-a-z0-9._/]+$/);
      expect(bytes).toBe(statSync(join(directory, path)).size);
      expect(hash).toBe(`sha256:${sha256Hex(readFileSync(join(directory, path)))}`);
    }
  });

  it("is the file that lies in the version, with the version's name, moment and sequence", async () => {
    const { version: name, created, sequence, ...told } = await packageOf("--version", version);
    const manifest = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"));
    expect([name, created, sequence]).toEqual([version, manifest.created_at, manifest.sequence]);
    expect(told).toEqual(JSON.parse(readFileSync(join(directory, "datapackage.json"), "utf8")));
  });
});

it("does not name who opted out, in the registry or on the live list", async () => {
  const path = `entities/${FIXTURE_ENTITY_ID}.json`;
  const paths = async (...more: readonly string[]) =>
    (await packageOf(...more)).resources.map((resource) => resource.path);
  expect(await paths()).toContain(path);
  expect(await paths("--registry", stage.optedOutRegistry)).not.toContain(path);
  expect(await paths("--optouts", stage.liveList)).not.toContain(path);
});

describe("the data package of a version of another time", () => {
  const FILE = "datapackage.json";
  const packageIn = (root: string) => packageOf("--snapshots", root);

  it("has the words of the file that lies in it", async () => {
    const root = copyOf(stage.snapshots);
    const told = JSON.parse(readFileSync(join(currentDirectory(root), FILE), "utf8"));
    const older = { ...told, title: "As it was called then" };
    replaceFile(join(currentDirectory(root), FILE), encodeCanonical(DataPackage, older));
    sealAgain(root, FILE);
    const { version: _version, created: _created, sequence: _sequence, ...described } = await packageIn(root);
    expect(described).toEqual(older);
  });

  it.each([
    { why: "damaged", harm: (root: string) => replaceFile(join(currentDirectory(root), FILE), "{}\n") },
    {
      why: "missing",
      harm: (root: string) =>
        reseal(root, ({ files }) => ({ files: files.filter(({ path }) => path !== FILE) })),
    },
  ])("is refused where its file is $why", async ({ harm }) => {
    const root = copyOf(stage.snapshots);
    harm(root);
    const end = await stage.govdata("--snapshots", root, "export", "--datapackage");
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(FILE) });
  });
});
