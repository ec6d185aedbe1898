import { generateKeyPairSync } from "node:crypto";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeCanonical } from "../../../snapshots/format/canonical-json.ts";
import {
  FIRST_SEQUENCE_MAX,
  MANIFEST_BYTES_MAX,
  SEQUENCE_LEAD_MAX,
} from "../../../snapshots/format/limits.ts";
import { Pointer } from "../../../snapshots/format/manifest.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { manifestSigner, parseTrustedKeys } from "../../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import type { FaultRule } from "../../support/s3-front.ts";
import {
  copyOf,
  currentDirectory,
  replaceFile,
  reseal,
  sealAgain,
  sharedRoot,
  temporaryRoot,
} from "../store/temporary-root.ts";
import { type MemoryContent, memoryRemote } from "./memory-remote.ts";
import { codeOf, publishNth, pull, push, remoteStage } from "./remote-stage.ts";

const { server, place, again, rootOf } = remoteStage();

function keyPair() {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signer = manifestSigner(privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  if (signer === undefined) throw new Error("no key was made");
  return { ...signer, trustedKeys: parseTrustedKeys(signer.publicKey) ?? [] };
}

/** What `behind` gives copies of; made once. */
let base: { readonly copy: string; readonly content: MemoryContent; readonly version: string } | undefined;
const kept = [sharedRoot(), sharedRoot()] as const;
afterAll(() => {
  for (const { remove } of kept) remove();
});

/** A copy of the first version, and a place that holds a second one. */
async function behindRemote() {
  if (base === undefined) {
    const [{ root: copy }, { root: published }] = kept;
    const { writer, content } = memoryRemote();
    await publishNth(published, 1);
    await push(published, writer);
    await pull(copy, writer);
    await publishNth(published, 2);
    await push(published, writer);
    base = { copy, content, version: readPointer(published).version };
  }
  const { version } = base;
  return { copy: copyOf(base.copy), version, ...memoryRemote(new Map(base.content)) };
}

const spoil = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes);
  changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
  return changed;
};

describe("what is pulled is refused, and the version before stays whole, where", () => {
  it("the manifest names no index, without which no reader opens a version", async () => {
    const root = copyOf((await behindRemote()).copy);
    reseal(root, ({ files }) => ({ files: files.filter(({ path }) => path !== "index.sqlite") }));
    const { writer } = memoryRemote();
    await push(root, writer);
    const copy = temporaryRoot();
    expect(await codeOf(pull(copy, writer))).toBe("REMOTE_INVALID");
    await expect(openSnapshot(root)).rejects.toThrow("manifest.json: does not name index.sqlite");
  });

  const MANIFEST = "VERSION/manifest.json";
  const RUN = "VERSION/run.json";
  const INVALID = "REMOTE_INVALID";
  it.each<[why: string, path: string, change: ((bytes: Buffer) => Buffer) | undefined, code: string]>([
    ["the pointer is no pointer", "current.json", () => Buffer.from("{}\n"), INVALID],
    ["the pointer is endless", "current.json", () => Buffer.alloc(5000), INVALID],
    ["a bit of the pointer is another", "current.json", spoil, "REMOTE_(INVALID|STALE)"],
    ["the manifest is not there yet", MANIFEST, undefined, "REMOTE_STALE"],
    [
      "the manifest is too large for the pointer",
      MANIFEST,
      (bytes) => Buffer.concat([bytes, bytes]),
      INVALID,
    ],
    ["a bit of the manifest is another", MANIFEST, spoil, INVALID],
    ["a file is not there yet", RUN, undefined, "REMOTE_STALE"],
    ["a file is cut", RUN, (bytes) => bytes.subarray(1), INVALID],
    ["a bit of a file is another", RUN, spoil, INVALID],
    ["the signature is none", "VERSION/manifest.sig", () => Buffer.from("x"), INVALID],
  ])("%s", async (_why, path, change, code) => {
    const { copy, content, writer, version } = await behindRemote();
    const remotePath = path.replace("VERSION", version);
    const file = content.get(remotePath) ?? { bytes: Buffer.alloc(0), sha256: undefined };
    if (change === undefined) content.delete(remotePath);
    else content.set(remotePath, { ...file, bytes: change(file.bytes) });
    expect(await codeOf(pull(copy, writer))).toMatch(new RegExp(`^${code}$`));
    expect(readPointer(copy).sequence).toBe(1);
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
    // Put right, the next pull ends well.
    content.set(remotePath, file);
    if (file.sha256 === undefined && path !== "current.json") content.delete(remotePath);
    expect(await pull(copy, writer)).toMatchObject({ kind: "pulled", sequence: 2 });
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [], version });
  });

  it("it is older than what is here, or than what was seen, unless told", async () => {
    const { writer } = memoryRemote();
    const old = await rootOf(1);
    await push(old, writer);
    const root = await rootOf(2);
    expect(await codeOf(pull(root, writer))).toBe("SNAPSHOT_ROLLED_BACK");
    expect(readPointer(root).sequence).toBe(2);
    expect(await codeOf(pull(temporaryRoot(), writer, { sequenceMin: 2 }))).toBe("SNAPSHOT_ROLLED_BACK");
    const told = { allowsRollback: true };
    expect(await codeOf(pull(root, writer, { ...told, sequenceMin: 2 }))).toBe("SNAPSHOT_ROLLED_BACK");
    expect(await pull(root, writer, told)).toMatchObject({ kind: "pulled", sequence: 1 });
  });

  const LEAP = 1 + SEQUENCE_LEAD_MAX + 1;
  it.each([
    { why: "it skips as many as may be", seen: 1, sequence: LEAP - 1, takes: true },
    { why: "it skips one more", seen: 1, sequence: LEAP, takes: false },
    {
      why: "it is the first, and as high as that may be",
      seen: 0,
      sequence: FIRST_SEQUENCE_MAX,
      takes: true,
    },
    { why: "it is the first, and higher", seen: 0, sequence: FIRST_SEQUENCE_MAX + 1, takes: false },
    { why: "it skips one more, and may go back", seen: 1, sequence: LEAP, isAllowed: true, takes: false },
    { why: "it skips one more, and is signed", seen: 1, sequence: LEAP, isSigned: true, takes: true },
  ])("nobody signed it, $why: taken $takes", async ({ seen, sequence, isAllowed, isSigned, takes }) => {
    const keys = keyPair();
    const root = copyOf((await behindRemote()).copy);
    const forge = (path: string) =>
      replaceFile(path, readFileSync(path, "utf8").replace('"sequence":1,', `"sequence":${sequence},`));
    const manifestPath = () => join(currentDirectory(root), "manifest.json");
    forge(manifestPath());
    sealAgain(root, "manifest.json");
    forge(join(root, "current.json"));
    if (isSigned === true)
      replaceFile(
        join(currentDirectory(root), "manifest.sig"),
        keys.signManifest(readFileSync(manifestPath())),
      );
    const { writer } = memoryRemote();
    await push(root, writer);
    const told = {
      sequenceMin: seen,
      ...(isAllowed === true ? { allowsRollback: true } : {}),
      ...(isSigned === true ? { trustedKeys: keys.trustedKeys } : {}),
    };
    const pulling = pull(temporaryRoot(), writer, told);
    if (takes) expect(await pulling).toMatchObject({ kind: "pulled", sequence });
    else await expect(pulling).rejects.toMatchObject({ code: "REMOTE_INVALID", path: "current.json" });
  });

  it("none of the trusted keys has signed it", async () => {
    const [trusted, strange] = [keyPair(), keyPair()];
    const root = await rootOf(1);
    const { writer, content } = memoryRemote();
    await push(root, writer);
    const { trustedKeys } = trusted;
    expect(await codeOf(pull(temporaryRoot(), writer, { trustedKeys }))).toBe("SNAPSHOT_UNSIGNED");
    const { version } = readPointer(root);
    const manifest = content.get(`${version}/manifest.json`)?.bytes ?? Buffer.alloc(0);
    const signedBy = ({ signManifest }: typeof trusted) =>
      content.set(`${version}/manifest.sig`, { bytes: signManifest(manifest), sha256: undefined });
    signedBy(strange);
    expect(await codeOf(pull(temporaryRoot(), writer, { trustedKeys }))).toBe("SNAPSHOT_UNSIGNED");
    signedBy(trusted);
    const copy = temporaryRoot();
    expect(await pull(copy, writer, { trustedKeys })).toMatchObject({ kind: "pulled" });
    expect(await verifySnapshot(copy, { trustedKeys })).toMatchObject({ problems: [] });
  });

  describe("before the manifest is fetched, because", () => {
    const { trustedKeys } = keyPair();
    it.each([
      {
        why: "its signature is none",
        code: "SNAPSHOT_UNSIGNED",
        change: (content: MemoryContent, version: string) =>
          content.set(`${version}/manifest.sig`, { bytes: Buffer.alloc(63), sha256: undefined }),
      },
      {
        why: "the pointer says that it is larger than any",
        code: "REMOTE_INVALID",
        change: (content: MemoryContent) => {
          const pointer = Pointer.parse(JSON.parse(String(content.get("current.json")?.bytes)));
          const manifest = { ...pointer.manifest, bytes: MANIFEST_BYTES_MAX + 1 };
          const bytes = encodeCanonical(Pointer, { ...pointer, manifest });
          content.set("current.json", { bytes, sha256: undefined });
        },
      },
    ])("$why", async ({ code, change }) => {
      const { copy, content, writer, version, calls } = await behindRemote();
      change(content, version);
      expect(await codeOf(pull(copy, writer, { trustedKeys }))).toBe(code);
      expect(calls()).not.toContain(`read ${version}/manifest.json`);
    });

    it("the signature comes first, and only a piece of the manifest is fetched without one", async () => {
      const { copy, writer, version, calls, controls } = await behindRemote();
      // Nothing after the first piece is read: the call would break off there.
      controls.fault = ({ line }) => (line.endsWith("manifest.json") ? "after" : undefined);
      expect(await codeOf(pull(copy, writer, { trustedKeys }))).toBe("SNAPSHOT_UNSIGNED");
      expect(calls().slice(1)).toEqual([`read ${version}/manifest.sig`, `read ${version}/manifest.json`]);
    });

    it("a version that is not complete yet is not unsigned, but stale", async () => {
      const { copy, content, writer, version } = await behindRemote();
      content.delete(`${version}/manifest.json`);
      expect(await codeOf(pull(copy, writer, { trustedKeys }))).toBe("REMOTE_STALE");
    });
  });

  it("somebody publishes into the root at the same time", async () => {
    const { copy, writer } = await behindRemote();
    const unlock = createSnapshotDisk(copy).lock();
    expect(await codeOf(pull(copy, writer))).toBe("PUBLISH_LOCKED");
    unlock();
  });

  it("the disk is full: nothing staged stays behind", async () => {
    const { copy, writer } = await behindRemote();
    const disk = createSnapshotDisk(copy);
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    const create: typeof disk.create = async (path) => ({
      ...(await disk.create(path)),
      write: () => Promise.reject(full),
    });
    expect(await codeOf(pull(copy, writer, { disk: { ...disk, create } }))).toBe("PUBLISH_FAILED");
    expect(readdirSync(copy).filter((name) => name.startsWith(".staging"))).toEqual([]);
    expect(await verifySnapshot(copy)).toMatchObject({ problems: [], sequence: 1 });
  });
});

it("a version whose files rotted here is not pushed", async () => {
  const root = await rootOf(1);
  const { writer, content } = memoryRemote();
  replaceFile(join(root, readPointer(root).version, "daos.json"), "[]\n");
  expect(await codeOf(push(root, writer))).toBe("SNAPSHOT_INVALID");
  expect(content.has("current.json")).toBe(false);
});

it("a pull takes up what another one had staged, of whatever version, and nothing strange stays", async () => {
  const { copy, writer, controls } = await behindRemote();
  controls.fault = ({ line }) => (line.endsWith("run.json") ? "before" : undefined);
  expect(await codeOf(pull(copy, writer))).toBe("REMOTE_AWAY");
  controls.fault = () => undefined;
  const [staged = ""] = readdirSync(copy).filter((name) => name.startsWith(".staging-pull"));
  replaceFile(join(copy, staged, "daos", "strange.json"), "{}");
  replaceFile(join(copy, staged, "nobody", "knows.json"), "{}");
  cpSync(join(copy, staged), join(copy, ".staging-pull-20200101T000000Z-00000000"), { recursive: true });
  expect(await pull(copy, writer)).toMatchObject({ kind: "pulled", sequence: 2 });
  expect(await verifySnapshot(copy)).toMatchObject({ problems: [] });
});

describe("over HTTP", () => {
  it.each<{ why: string; rule: FaultRule; code: string }>([
    {
      why: "403",
      rule: () => ({ kind: "refuse", status: 403, code: "AccessDenied" }),
      code: "REMOTE_REFUSED",
    },
    { why: "503", rule: () => ({ kind: "refuse", status: 503, code: "SlowDown" }), code: "REMOTE_AWAY" },
    { why: "cut", rule: () => ({ kind: "cut", when: "before" }), code: "REMOTE_AWAY" },
    { why: "half an answer", rule: () => ({ kind: "cut", when: "within" }), code: "REMOTE_AWAY" },
  ])("$why is said for what it is, without a secret", async ({ rule, code }) => {
    const writer = await place();
    const root = await rootOf(1);
    await push(root, writer);
    server().meet(rule);
    const copy = temporaryRoot();
    const error = await pull(copy, writer).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: "Failure", code });
    const said = `${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`;
    expect(said).not.toMatch(/S3RVER|Signature|x-amz|Credential/i);
    await expect(codeOf(push(await rootOf(2), writer))).resolves.toBe(code);
  });

  it("a storage that goes silent is away, and not waited for", async () => {
    const writer = await place();
    await push(await rootOf(1), writer);
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const impatient = await again(writer, { silenceMs: 60 });
    for (const when of ["before", "within"] as const) {
      server().meet(({ path }) =>
        path.endsWith("current.json") ? { kind: "stall", when, until } : undefined,
      );
      expect(await codeOf(pull(temporaryRoot(), impatient))).toBe("REMOTE_AWAY");
    }
    release();
  });
});
