import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { publishedFiles } from "../../../support/published-files.ts";
import { type S3TestServer, startS3Server } from "../../../support/s3-server.ts";
import { JSON_SHAPES } from "../json-shapes.ts";
import { AS_OF, makeStands, NOW_MS, type RunWith, type Stand } from "../stand.ts";

const { published, fresh, world } = await makeStands();
let server: S3TestServer;
let places = 0;

beforeAll(async () => {
  server = await startS3Server();
});
afterEach(() => {
  server.meet();
  server.enforceConditions(false);
});
afterAll(() => server.close());

/** A place of its own, behind a storage that refuses conflicts. */
function place(): string {
  places += 1;
  server.enforceConditions(true);
  return `s3://${server.bucket}/cli-${places}`;
}

const inStorage = (more: RunWith = {}): RunWith => ({ environment: server.environment, ...more });
const later = () => inStorage({ nowMs: () => NOW_MS + 60_000 });
const versionOf = ({ snapshots }: Stand): string => publishedFiles(snapshots).version;
const entityId = world.entities.find(({ isOptedOut }) => !isOptedOut)?.entityId ?? "";

describe("push and pull", () => {
  it("transfer a version by way of a storage, with text and documented JSON", async () => {
    const to = place();
    const setup = published();
    const version = versionOf(setup);
    const pushed = await setup.govdata(["push", to], inStorage());
    expect(pushed).toMatchObject({ code: 0 });
    expect(pushed.stdout).toMatch(
      new RegExp(`^pushed ${version} \\(sequence 1\\) to ${to}: \\d+ files, [\\d.]+ [kM]?B\n$`),
    );
    const again = await setup.govdata(["--json", "-q", "push", to], inStorage());
    const unchanged = { kind: "unchanged", version, to };
    expect(JSON_SHAPES["push"]?.parse(JSON.parse(again.stdout))).toMatchObject(unchanged);
    const other = fresh();
    const pulled = await other.govdata(["--json", "-q", "pull", to], inStorage());
    expect(pulled.code, pulled.stderr).toBe(0);
    const complete = { kind: "pulled", version, from: to };
    expect(JSON_SHAPES["pull"]?.parse(JSON.parse(pulled.stdout))).toMatchObject(complete);
    expect(await other.govdata(["verify", "--deep"])).toMatchObject({ code: 0 });
    expect((await other.govdata(["pull", to], inStorage())).stdout).toContain("is already here");
  });

  it.each([
    [2, "push somewhere", "begins with neither"],
    [2, "push https://mirror.example", "is a read-only mirror"],
    [2, "publish --to https://mirror.example", "mirror"],
    [2, "pull s3://published/x --public-key x", "--public-key"],
    [1, "pull s3://published/nothing", "nothing is published here"],
    [1, "push s3://nowhere/x", "no such bucket"],
  ])("end with %i: %s", async (code, line, reason) => {
    const setup = published();
    const version = versionOf(setup);
    const end = await setup.govdata(line.split(" "), inStorage());
    expect(end).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(reason) });
    expect(versionOf(setup)).toBe(version);
  });

  it.each([
    { why: "a storage", address: "s3://me:secret@published/x", args: ["status"] },
    { why: "a mirror", address: "https://me:secret@mirror.example/x", args: ["publish", "--as-of", AS_OF] },
    { why: "an address in capitals", address: "S3://secret/x", args: ["pull", "s3://published/x"] },
    { why: "a file's address", address: "file:///secret/x", args: ["verify"] },
  ])("are the way to $why: it is no snapshot root, and is not printed", async ({ address, args }) => {
    const setup = fresh();
    const end = await setup.govdata(["--snapshots", address, ...args], inStorage());
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toMatch(/^error BAD_OPTION.*GOVDATA_SNAPSHOTS.*govdata pull.*--to/s);
    expect(end.stderr).not.toContain("secret");
  });

  it("name the version of another publisher, and what to do", async () => {
    const to = place();
    const [one, two] = [published(), published()];
    await one.govdata(["push", to], inStorage());
    await one.govdata(["publish", "--as-of", AS_OF, "--to", to], later());
    await two.govdata(["publish", "--as-of", "2026-10-30"], inStorage());
    const secondVersion = versionOf(two);
    const lost = await two.govdata(["push", to], inStorage());
    expect(lost).toMatchObject({ code: 1, stdout: "" });
    expect(lost.stderr).toMatch(
      new RegExp(`has ${versionOf(one)} \\(sequence 2, published at .*govdata pull`, "s"),
    );
    expect(versionOf(two)).toBe(secondVersion);
    expect(await two.govdata(["pull", to], inStorage())).toMatchObject({ code: 0 });
    expect(versionOf(two)).toBe(versionOf(one));
  });

  it("go back to an older version only if allowed", async () => {
    const to = place();
    const setup = published();
    await setup.govdata(["push", to], inStorage());
    await setup.govdata(["publish", "--as-of", AS_OF], later());
    const refused = await setup.govdata(["pull", to], inStorage());
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("--allow rollback");
    expect(await setup.govdata(["pull", to, "--allow", "rollback"], inStorage())).toMatchObject({ code: 0 });
    expect(publishedFiles(setup.snapshots).version).toMatch(/^20261101T0600/);
  });
});

describe("--to", () => {
  it("uploads what was published, also by rollback", async () => {
    const to = place();
    const setup = published();
    await setup.govdata(["publish", "--as-of", AS_OF], later());
    const end = await setup.govdata(["--json", "-q", "rollback", "previous", "--to", to], later());
    expect(end.code, end.stderr).toBe(0);
    expect(JSON_SHAPES["rollback"]?.parse(JSON.parse(end.stdout))).toMatchObject({
      uploaded: { kind: "pushed", to, version: versionOf(setup) },
    });
  });

  it("ends with 3 if the upload fails, and prints what is where and what to do", async () => {
    const to = place();
    const setup = published();
    server.meet(() => ({ kind: "refuse", status: 403, code: "AccessDenied" }));
    const end = await setup.govdata(["--json", "publish", "--as-of", AS_OF, "--to", to], later());
    const version = versionOf(setup);
    expect(end.code).toBe(3);
    expect(end.stderr).toContain(`published here as ${version}, but not at ${to}`);
    expect(end.stderr).toContain(`govdata push ${to}`);
    expect(JSON_SHAPES["publish"]?.parse(JSON.parse(end.stdout))).toMatchObject({
      version,
      uploaded: { kind: "failed", code: "REMOTE_FAILED" },
    });
    server.meet();
    expect(await setup.govdata(["push", to], inStorage())).toMatchObject({ code: 0 });
  });

  it("does nothing in a dry run of redact", async () => {
    const to = place();
    const dry = await published().govdata(["redact", "--dry-run", "--to", to], inStorage());
    expect(dry).toMatchObject({ code: 0 });
    expect((await fresh().govdata(["pull", to], inStorage())).stderr).toContain("nothing is published here");
  });

  it("of redact removes the same entities from the storage, even after an interruption", async () => {
    const to = place();
    const setup = published();
    cpSync(join(setup.archive, "registry.yaml"), join(setup.home, "registry.yaml"));
    const named = versionOf(setup);
    await setup.govdata(["push", to], inStorage());
    const registry = ["--registry", join(setup.home, "registry.yaml")];
    expect(await setup.govdata([...registry, "entity", "opt-out", entityId])).toMatchObject({ code: 0 });
    // Nothing is deleted before readers have moved on; the storage is not there when it comes to that.
    server.meet(({ method }) => (method === "POST" ? { kind: "cut", when: "before" } : undefined));
    const cut = await setup.govdata([...registry, "redact", "--to", to], later());
    expect(cut.code, cut.stderr).toBe(3);
    // A push would end well, and leave them there.
    expect(cut.stderr).toContain(`\`govdata redact --to ${to}\``);
    expect(cut.stderr).not.toContain("govdata push");
    server.meet();
    const end = await setup.govdata(["--json", "-q", ...registry, "redact", "--to", to], later());
    expect(end.code, end.stderr).toBe(0);
    expect(JSON_SHAPES["redact"]?.parse(JSON.parse(end.stdout))).toMatchObject({
      versions: [],
      uploaded: { kind: "unchanged", removed: [named] },
    });
    const copy = fresh();
    await copy.govdata(["pull", to], inStorage());
    expect(versionOf(copy)).toBe(versionOf(setup));
    rmSync(copy.snapshots, { recursive: true });
  });
});
