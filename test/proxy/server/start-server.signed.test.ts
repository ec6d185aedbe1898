import { generateKeyPairSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCli } from "../../../proxy/cli.ts";
import { manifestSigner } from "../../../snapshots/store/read/manifest-signature.ts";
import { publishSnapshot } from "../../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { sharedRoot } from "../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishedSet, snapshotPlan } from "../../support/published-set.ts";
import { commandWorld } from "../../support/run-in-process.ts";

function newSigner() {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signer = manifestSigner(privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  if (signer === undefined) throw new Error("node made no key");
  return signer;
}

const [trusted, strange] = [newSigner(), newSigner()];
const { root, remove } = sharedRoot();
afterAll(remove);
const { signManifest } = trusted;
await publishSnapshot(
  snapshotPlan(publishedSet(), FIXTURE_AS_OF_MS + 1, { signManifest }),
  createSnapshotDisk(root),
);

/** What `/readyz` of a proxy with this key says; and how the command ended once told to stop. */
async function served(publicKey: string | undefined) {
  let stop = () => {};
  let listening: (address: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const home = join(root, "..", `proxy-${randomBytes(4).toString("hex")}`);
  const said = { text: "" };
  const code = runCli(
    ["--home", home, "--snapshots", root, "serve", "--port", "0"],
    commandWorld({
      stdout: { write: (text: string) => listening(text.match(/http:\S+/)?.[0] ?? "") },
      stderr: {
        write(text: string) {
          said.text += text;
        },
      },
      environment: publicKey === undefined ? {} : { GOVDATA_PUBLIC_KEY: publicKey },
      nowMs: () => Date.now(),
      onStopSignal(handler) {
        stop = handler;
        return () => {};
      },
    }),
  );
  const first = await Promise.race([address, code]);
  if (typeof first === "number") return { code: first, said: said.text };
  const answer = await fetch(`${first}/readyz`);
  const body = await answer.text();
  stop();
  return { code: await code, status: answer.status, body };
}

describe("govdata-proxy serve", () => {
  it.each([
    { why: "asks for no signature without a key", publicKey: undefined },
    { why: "serves what its key has signed", publicKey: trusted.publicKey },
    { why: "serves what one of its keys has signed", publicKey: `${strange.publicKey},${trusted.publicKey}` },
  ])("$why", async ({ publicKey }) => {
    expect(await served(publicKey)).toMatchObject({ code: 0, status: 200 });
  });

  it("serves nothing that another key has signed, and says why", async () => {
    expect(await served(strange.publicKey)).toMatchObject({
      code: 0,
      status: 503,
      body: expect.stringContaining("SNAPSHOT_UNSIGNED"),
    });
  });

  it.each(["", "nonsense", `${trusted.publicKey},`])(
    "does not start with %j for a key",
    async (publicKey) => {
      expect(await served(publicKey)).toMatchObject({
        code: 2,
        said: expect.stringContaining(
          "GOVDATA_PUBLIC_KEY contains something that is not an Ed25519 public key",
        ),
      });
    },
  );
});
