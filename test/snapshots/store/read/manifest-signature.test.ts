import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../../../snapshots/format/limits.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import {
  keyFileFor,
  manifestSigner,
  parseTrustedKeys,
} from "../../../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { publishSnapshot } from "../../../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishedSet, snapshotPlan } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

function newSigner() {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signer = manifestSigner(privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  if (signer === undefined) throw new Error("node made no key");
  return signer;
}

const trusted = (...texts: readonly string[]) => {
  const keys = parseTrustedKeys(texts.join(","));
  if (keys === undefined) throw new Error("not a list of keys");
  return keys;
};

const [ours, strange] = [newSigner(), newSigner()];

async function publishSigned(root: string, signManifest = ours.signManifest): Promise<string> {
  const plan = snapshotPlan(publishedSet(), FIXTURE_AS_OF_MS + 1, { signManifest });
  await publishSnapshot(plan, createSnapshotDisk(root));
  return join(currentDirectory(root), "manifest.sig");
}

const problemsOf = async (root: string, ...keys: readonly string[]) =>
  (await verifySnapshot(root, { trustedKeys: trusted(...keys) })).problems.map(({ code }) => code);

describe("a signed version", () => {
  it("carries the signature of the manifest's bytes beside it, and is whole with and without a key", async () => {
    const root = temporaryRoot();
    expect(statSync(await publishSigned(root)).size).toBe(64);
    expect(await problemsOf(root, ours.publicKey)).toEqual([]);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it("is opened with any one of the keys that are trusted, as while they rotate", async () => {
    const root = temporaryRoot();
    await publishSigned(root);
    const reader = await openSnapshot(root, { trustedKeys: trusted(strange.publicKey, ours.publicKey) });
    expect(reader.sequence).toBe(1);
    reader.close();
  });

  it.each<{ why: string; damage: (signature: string) => void }>([
    { why: "is missing", damage: (path) => rmSync(path) },
    { why: "is empty", damage: (path) => replaceFile(path, "") },
    { why: "is cut", damage: (path) => truncateSync(path, 63) },
    {
      why: "is too long",
      damage: (path) => replaceFile(path, Buffer.concat([readFileSync(path), Buffer.alloc(1)])),
    },
    { why: "is all zeroes", damage: (path) => replaceFile(path, Buffer.alloc(64)) },
    {
      why: "is somebody else's",
      damage: (path) =>
        replaceFile(path, strange.signManifest(readFileSync(join(path, "..", "manifest.json")))),
    },
    { why: "is of other bytes", damage: (path) => replaceFile(path, ours.signManifest(Buffer.from("{}\n"))) },
    {
      why: "is a link",
      damage: (path) => {
        copyFileSync(path, `${path}.copy`);
        rmSync(path);
        symlinkSync(`${path}.copy`, path);
      },
    },
    {
      why: "is a folder",
      damage: (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    },
  ])("is refused by who has the key when the signature $why", async ({ damage }) => {
    const root = temporaryRoot();
    damage(await publishSigned(root));
    expect(await problemsOf(root, ours.publicKey)).toEqual(["SNAPSHOT_UNSIGNED"]);
    const opening = openSnapshot(root, { trustedKeys: trusted(ours.publicKey) });
    await expect(opening).rejects.toMatchObject({ code: "SNAPSHOT_UNSIGNED", path: "manifest.sig" });
  });

  it("is refused by who trusts another key alone", async () => {
    const root = temporaryRoot();
    await publishSigned(root);
    expect(await problemsOf(root, strange.publicKey)).toEqual(["SNAPSHOT_UNSIGNED"]);
  });

  it("is refused after a forger made hashes, names and pointer agree again", async () => {
    const root = temporaryRoot();
    await publishSigned(root);
    reseal(root, () => ({ as_of: "2026-04-01T00:00:00.000Z" }));
    expect((await verifySnapshot(root)).problems, "without a key nobody can tell").toEqual([]);
    expect(await problemsOf(root, ours.publicKey)).toEqual(["SNAPSHOT_UNSIGNED"]);
  });

  it("is not whole with something else in the signature's place, also without a key", async () => {
    const root = temporaryRoot();
    replaceFile(await publishSigned(root), Buffer.alloc(65));
    expect((await verifySnapshot(root)).problems).toEqual([
      { path: "manifest.sig", code: "FILE_WRONG_SIZE", message: "manifest.sig: is no file of 64 bytes" },
    ]);
  });

  it.skipIf(!existsSync("/usr/bin/openssl"))("is verified by openssl, with nothing of ours", async () => {
    const root = temporaryRoot();
    const signature = await publishSigned(root);
    const pem = join(root, "..", "key.pem");
    replaceFile(pem, `-----BEGIN PUBLIC KEY-----\n${ours.publicKey}\n-----END PUBLIC KEY-----\n`);
    const manifest = join(signature, "..", "manifest.json");
    const args = [
      "pkeyutl",
      "-verify",
      "-pubin",
      "-inkey",
      pem,
      "-rawin",
      "-in",
      manifest,
      "-sigfile",
      signature,
    ];
    expect(execFileSync("openssl", args, { encoding: "utf8" })).toContain("Verified Successfully");
  });
});

describe("a version that is signed for a deployment", () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const signerFor = (deployment: string) => {
    const signer = manifestSigner(keyFileFor(deployment, pem) ?? "");
    if (signer === undefined) throw new Error("no signer");
    return signer;
  };
  const unnamed = manifestSigner(pem) ?? ours;
  const [harbor, inlet] = [signerFor("harbor"), signerFor("inlet")];

  it.each([
    { why: "of the same deployment", signer: harbor, key: harbor.publicKey, want: [] },
    {
      why: "of another deployment of the same key",
      signer: inlet,
      key: harbor.publicKey,
      want: ["SNAPSHOT_UNSIGNED"],
    },
    {
      why: "that names none, of before",
      signer: unnamed,
      key: harbor.publicKey,
      want: ["SNAPSHOT_UNSIGNED"],
    },
    { why: "that names none, to the key alone", signer: unnamed, key: harbor.plainKey, want: [] },
    { why: "that names one, to the key alone", signer: inlet, key: harbor.plainKey, want: [] },
    {
      why: "that names none, while both are trusted",
      signer: unnamed,
      key: `${harbor.publicKey},${harbor.plainKey}`,
      want: [],
    },
  ])("$why: $want", async ({ signer, key, want }) => {
    const root = temporaryRoot();
    await publishSigned(root, signer.signManifest);
    expect(await problemsOf(root, key)).toEqual(want);
    const opening = openSnapshot(root, { trustedKeys: trusted(key) }).then((reader) => reader.close());
    if (want.length === 0) await opening;
    else await expect(opening).rejects.toMatchObject({ code: "SNAPSHOT_UNSIGNED" });
  });

  it("names it at the head of its manifest; one that is signed for none has the bytes it always had", async () => {
    const headOf = async (signer: typeof harbor) =>
      readFileSync(
        join(await publishSigned(temporaryRoot(), signer.signManifest), "..", "manifest.json"),
        "utf8",
      );
    const head = `^\\{"format":${FORMAT_VERSION},`;
    expect(await headOf(harbor)).toMatch(new RegExp(`${head}"deployment":"harbor","methodology_version"`));
    expect(await headOf(unnamed)).toMatch(new RegExp(`${head}"methodology_version"`));
  });

  it("is named in the key's file and before the public key, and can be renamed", () => {
    expect(harbor.publicKey).toBe(`harbor:${unnamed.publicKey}`);
    expect(keyFileFor("inlet", keyFileFor("harbor", pem) ?? "")).toBe(keyFileFor("inlet", pem));
    for (const name of ["", "Harbor", "har bor", "-harbor", "a".repeat(64), "harbor\n"])
      expect(keyFileFor(name, pem), name).toBe(undefined);
  });
});

describe("parseTrustedKeys", () => {
  const key = ours.publicKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({
    format: "der",
    type: "spki",
  });
  it.each<{ why: string; text: string; keys: number | undefined }>([
    { why: "one key", text: key, keys: 1 },
    { why: "a key of a deployment", text: `harbor:${key}`, keys: 1 },
    { why: "a key of what is no name", text: `Harbor:${key}`, keys: undefined },
    { why: "a key of an empty name", text: `:${key}`, keys: undefined },
    { why: "a key of two names", text: `harbor:inlet:${key}`, keys: undefined },
    { why: "a name without a key", text: "harbor:", keys: undefined },
    { why: "two keys, with blanks", text: `${key}, ${strange.publicKey}`, keys: 2 },
    { why: "nothing", text: "", keys: undefined },
    { why: "a comma too many", text: `${key},`, keys: undefined },
    { why: "one good and one bad key", text: `${key},nonsense`, keys: undefined },
    { why: "a cut key", text: key.slice(0, -4), keys: undefined },
    { why: "a key with rubbish behind it", text: `${key}AAAA`, keys: undefined },
    { why: "another spelling of the same bytes", text: key.replace("MC", "M C"), keys: undefined },
    { why: "a key of another kind", text: rsa.toString("base64"), keys: undefined },
    { why: "more keys than anybody rotates", text: Array(9).fill(key).join(","), keys: undefined },
  ])("$why", ({ text, keys }) => {
    expect(parseTrustedKeys(text)?.length).toBe(keys);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => parseTrustedKeys(text) === undefined));
  });
});

describe("manifestSigner", () => {
  const pem = (type: "pkcs8", pair: ReturnType<typeof generateKeyPairSync>) =>
    (pair.privateKey as unknown as { export(o: object): string }).export({ format: "pem", type });
  it.each([
    { why: "nothing", text: "" },
    { why: "no key", text: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" },
    { why: "a key of another kind", text: pem("pkcs8", generateKeyPairSync("x25519") as never) },
  ])("takes $why for no signer", ({ text }) => {
    expect(manifestSigner(text)).toBeUndefined();
  });
});
