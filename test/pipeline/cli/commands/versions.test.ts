import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { editFile } from "../../../support/journey/stage.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, type Stand } from "../stand.ts";

const { world, published } = await makeStands();
const named = world.entities.find((entity) => !entity.isOptedOut);
const publishAt = (setup: Stand, nowMs: number) =>
  setup.govdata(["publish", "--as-of", AS_OF], { nowMs: () => nowMs });
const versionOf = (setup: Stand) => publishedFiles(setup.snapshots).version;
const daysLater = (days: number) => ({ nowMs: () => NOW_MS + days * DAY_MS });

/** A stand with so many versions, a day apart; their names, oldest first. */
async function withVersions(count: number): Promise<{ stand: Stand; versions: string[] }> {
  const setup = published();
  const versions = [versionOf(setup)];
  for (let day = 1; day < count; day += 1) {
    expect(await publishAt(setup, NOW_MS + day * DAY_MS)).toMatchObject({ code: 0 });
    versions.push(versionOf(setup));
  }
  return { stand: setup, versions };
}

describe("govdata prune", () => {
  it("lists what would be deleted, deletes it, and status shows the rest", async () => {
    const { stand: setup, versions } = await withVersions(4);
    const later = daysLater(9);
    const dry = await setup.govdata(["prune", "--keep", "8d", "--dry-run"], later);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^would delete ${versions[0]}\n1 version, \\d+\\.\\d kB; 3 kept\n$`),
      ),
    });
    const end = await setup.govdata(["--json", "prune", "--keep", "8d"], later);
    expect(JSON.parse(end.stdout)).toMatchObject({ removed: [versions[0]], isDryRun: false });
    const status = await setup.govdata(["status"], later);
    expect(status.stdout).not.toContain(versions[0]);
    for (const version of versions.slice(1))
      expect(status.stdout).toMatch(new RegExp(`^${version} +\\d+ +[\\d.]+ k?B`, "m"));
    expect(status.stdout).toMatch(new RegExp(`^${versions[3]} .* current$`, "m"));
  });

  it.each(["400", "d", "-1d", "1.5d", "123456d", "1w"])("refuses an age of %j", async (age) => {
    expect(await published().govdata(["prune", "--keep", age])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not an age in days, such as 400d"),
    });
  });
});

describe("govdata rollback", () => {
  it("publishes the old content again, and the next run goes on from there", async () => {
    const { stand: setup, versions } = await withVersions(2);
    const [first = ""] = versions;
    const end = await setup.govdata(["rollback", first], daysLater(2));
    expect(end).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`(sequence 3): version ${first} again`),
    });
    expect(await setup.govdata(["verify", "--deep", "--min-sequence", "3"])).toMatchObject({ code: 0 });
    expect(await setup.govdata(["recompute"])).toMatchObject({ code: 0 });
    expect(await publishAt(setup, NOW_MS + 3 * DAY_MS)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("(sequence 4)"),
    });
  });

  it("refuses a clock that went back, unless it is allowed", async () => {
    const { stand: setup, versions } = await withVersions(2);
    const args = ["rollback", versions[0] ?? ""];
    const refused = await setup.govdata(args, daysLater(0));
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("--allow clock") });
    expect(await setup.govdata([...args, "--allow", "clock"], daysLater(0))).toMatchObject({ code: 0 });
  });

  it("names nobody who has opted out since", async () => {
    const { stand: setup, versions } = await withVersions(2);
    editFile(setup.archive, "registry.yaml", (text) => {
      const [head = "", tail = ""] = text.split(named?.entityId ?? "none");
      return `${head}${named?.entityId}${tail.replace("OptOut: false", "OptOut: true")}`;
    });
    const end = await setup.govdata(["rollback", versions[0] ?? ""], daysLater(2));
    expect(end).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("names an entity that has opted out since"),
    });
    expect(end.stderr).not.toContain(named?.entityId);
    expect(versionOf(setup)).toBe(versions[1]);
  });

  it.each([
    { why: "is not there", version: "20200101T000000Z-00000000" },
    { why: "has no version's name", version: "current.json" },
  ])("refuses a version that $why", async ({ version }) => {
    const setup = published();
    expect(await setup.govdata(["rollback", version])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/error NOT_FOUND: no version .* is kept[\s\S]*Kept versions: 2026/),
    });
    expect(publishedFiles(setup.snapshots).sequence).toBe(1);
  });

  it("accepts `previous`, and refuses a damaged version", async () => {
    const { stand: setup, versions } = await withVersions(2);
    expect(await setup.govdata(["rollback", "previous"], daysLater(2))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`version ${versions[0]} again`),
    });
    writeFileSync(join(setup.snapshots, versions[1] ?? "", "manifest.json"), "{}\n");
    expect(await setup.govdata(["rollback", versions[1] ?? ""], daysLater(2))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("manifest.json"),
    });
  });
});

describe("govdata sign-key", () => {
  const keyOf = (setup: Stand) => join(setup.home, "signing-key.pem");

  it("makes one key for its owner alone, prints its public half, and signs what is published then", async () => {
    const setup = published();
    const made = await setup.govdata(["sign-key"]);
    const publicKey = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=\n$/;
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(publicKey) });
    expect(statSync(keyOf(setup)).mode & 0o777).toBe(0o600);
    const again = await setup.govdata(["sign-key"]);
    expect(again, "and keeps it").toMatchObject({ stdout: made.stdout, stderr: "" });
    const verify = (key: string) => setup.govdata(["verify", "--public-key", key.trim()]);
    expect(await verify(made.stdout), "nothing is signed afterwards").toMatchObject({
      code: 1,
      stdout: expect.stringContaining("SNAPSHOT_UNSIGNED"),
    });
    expect(await publishAt(setup, NOW_MS)).toMatchObject({ code: 0 });
    expect(await verify(made.stdout)).toMatchObject({ code: 0 });
    expect((await setup.govdata(["status"])).stdout).toMatch(/^signed +yes$/m);
    const rotated = await setup.govdata(["sign-key", "--rotate"]);
    expect(rotated.stdout).not.toBe(made.stdout);
    await publishAt(setup, NOW_MS);
    expect(await verify(made.stdout)).toMatchObject({ code: 1 });
    expect(await verify(`${made.stdout.trim()},${rotated.stdout}`)).toMatchObject({ code: 0 });
    const privateLine = readFileSync(keyOf(setup), "utf8").split("\n")[1] ?? "";
    const { paths, bytes } = publishedFiles(setup.snapshots);
    expect(paths.filter((path) => bytes(path).includes(privateLine))).toEqual([]);
  });

  it("signs for one deployment from then on, and keeps its name when the key changes", async () => {
    const setup = published();
    const plain = (await setup.govdata(["sign-key"])).stdout.trim();
    await publishAt(setup, NOW_MS);
    const before = versionOf(setup);
    const named = (await setup.govdata(["sign-key", "--deployment", "harbor"])).stdout.trim();
    expect(named).toBe(`harbor:${plain}`);
    expect((await setup.govdata(["sign-key"])).stdout.trim()).toBe(named);
    expect(statSync(keyOf(setup)).mode & 0o777).toBe(0o600);
    const verify = async (key: string) => (await setup.govdata(["verify", "--public-key", key])).code;
    const codes = [await verify(named), await verify(`${named},${plain}`)];
    expect(codes, "what was signed before").toEqual([1, 0]);
    await publishAt(setup, NOW_MS + DAY_MS);
    expect([await verify(named), await verify(plain), await verify(`inlet:${plain}`)]).toEqual([0, 0, 1]);
    expect((await setup.govdata(["rollback", before], daysLater(2))).code, "its own, of before").toBe(0);
    expect(await verify(named)).toBe(0);
    expect((await setup.govdata(["sign-key", "--rotate"])).stdout).toMatch(/^harbor:MC/);
    expect(await setup.govdata(["sign-key", "--deployment", "No Name"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--deployment is not a valid name"),
    });
  });

  it("signs again only what was signed: `redact` and `rollback` check the old signature first", async () => {
    const setup = published();
    const unsigned = versionOf(setup);
    const publicKey = (await setup.govdata(["sign-key"])).stdout.trim();
    await publishAt(setup, NOW_MS);
    const forged = versionOf(setup);
    writeFileSync(join(setup.snapshots, forged, "manifest.sig"), "x".repeat(64));
    await publishAt(setup, NOW_MS + DAY_MS);
    expect(await setup.govdata(["rollback", unsigned], daysLater(2))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no signature, and would get one (--allow signature)"),
    });
    expect(await setup.govdata(["rollback", forged], daysLater(2))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has a signature by none of the trusted keys"),
    });
    const allowed = await setup.govdata(["rollback", unsigned, "--allow", "signature"], daysLater(2));
    expect([allowed.code, (await setup.govdata(["verify", "--public-key", publicKey])).code]).toEqual([0, 0]);
    await setup.govdata(["entity", "opt-out", named?.entityId ?? ""]);
    const redacted = await setup.govdata(["--json", "redact"], daysLater(2));
    const signedOf = JSON.parse(redacted.stdout).versions.map(
      (version: { isSigned: boolean }) => version.isSigned,
    );
    expect(signedOf, "the current one, one never signed, one forged, one signed").toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await setup.govdata(["verify", "--public-key", publicKey])).toMatchObject({ code: 0 });
    expect(await setup.govdata(["verify", "--deep"])).toMatchObject({ code: 0 });
  });

  it("accepts a version of the earlier key if that is named", async () => {
    const setup = published();
    const before = (await setup.govdata(["sign-key"])).stdout.trim();
    await publishAt(setup, NOW_MS);
    const signed = versionOf(setup);
    const now = (await setup.govdata(["sign-key", "--rotate"])).stdout.trim();
    await publishAt(setup, NOW_MS + DAY_MS);
    expect((await setup.govdata(["rollback", signed], daysLater(2))).code).toBe(1);
    expect((await setup.govdata(["rollback", signed, "--public-key", before], daysLater(2))).code).toBe(0);
    expect(await setup.govdata(["verify", "--public-key", now])).toMatchObject({ code: 0 });
  });

  it.each([
    { why: "can be read by others", spoil: (path: string) => chmodSync(path, 0o640) },
    { why: "is not an Ed25519 private key", spoil: (path: string) => writeFileSync(path, "nonsense") },
  ])("publishes nothing with a key that $why, rather than unsigned", async ({ why, spoil }) => {
    const setup = published();
    await setup.govdata(["sign-key"]);
    spoil(keyOf(setup));
    expect(await publishAt(setup, NOW_MS)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(why),
    });
    expect(publishedFiles(setup.snapshots).sequence).toBe(1);
  });
});

describe("govdata repair", () => {
  it("is what every command advises if the pointer is lost, and lets all of them continue", async () => {
    const setup = published();
    const pointer = join(setup.snapshots, "current.json");
    const before = readFileSync(pointer, "utf8");
    const { version } = JSON.parse(before);
    rmSync(pointer);
    for (const args of [["status"], ["show", "daos"], ["recompute"], ["rollback", version], ["redact"]]) {
      const end = await setup.govdata(args);
      expect([end.code, end.stderr], args.join(" ")).toEqual([
        1,
        expect.stringContaining("`govdata repair`"),
      ]);
      expect(end.stderr).toContain(`versions are there: 1, the newest ${version}`);
    }
    const repaired = await setup.govdata(["repair"]);
    expect([repaired.code, repaired.stdout]).toEqual([
      0,
      expect.stringContaining(`current.json was missing and was rewritten: it names ${version} (sequence 1)`),
    ]);
    expect(readFileSync(pointer, "utf8")).toBe(before);
    expect((await setup.govdata(["status"])).code).toBe(0);
    expect((await setup.govdata(["repair"])).stdout).toContain("nothing to repair");
  });

  it("reports what is wrong with the version of the pointer, and that publishing repairs it", async () => {
    const setup = published();
    const pointer = join(setup.snapshots, "current.json");
    const { version } = JSON.parse(readFileSync(pointer, "utf8"));
    writeFileSync(join(setup.snapshots, version, "risk", `${LEAF}.json`), "?");
    writeFileSync(pointer, "?");
    const refused = await setup.govdata(["publish", "--as-of", AS_OF]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("`govdata repair`")]);
    const repaired = await setup.govdata(["repair"]);
    expect([repaired.code, repaired.stdout]).toEqual([1, expect.stringContaining("next: `govdata publish`")]);
    expect((await setup.govdata(["publish", "--as-of", AS_OF])).code).toBe(0);
    expect((await setup.govdata(["verify", "--deep"])).code).toBe(0);
  });
});
