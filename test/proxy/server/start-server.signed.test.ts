import { generateKeyPairSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
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

/** What `/readyz` says of a proxy with this key, which is then told to stop. */
async function served(publicKey: string | undefined) {
  let stop = () => {};
  let listening = (_address: string) => {};
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const home = join(root, "..", `proxy-${randomBytes(4).toString("hex")}`);
  const code = runCli(
    ["--home", home, "--snapshots", root, "serve", "--port", "0"],
    commandWorld({
      stdout: { write: (text: string) => listening(text.match(/http:\S+/)?.[0] ?? "") },
      environment: publicKey === undefined ? {} : { GOVDATA_PUBLIC_KEY: publicKey },
      onStopSignal(handler) {
        stop = handler;
        return () => {};
      },
    }),
  );
  const answer = await fetch(`${await address}/readyz`);
  const body = await answer.text();
  stop();
  expect(await code).toBe(0);
  return { status: answer.status, body };
}

it.each([
  { why: "asks for no signature without a key", publicKey: undefined, status: 200 },
  { why: "serves what its key has signed", publicKey: trusted.publicKey, status: 200 },
  {
    why: "serves what one of its keys has signed",
    publicKey: `${strange.publicKey},${trusted.publicKey}`,
    status: 200,
  },
  {
    why: "serves nothing that another key has signed, and says why",
    publicKey: strange.publicKey,
    status: 503,
    says: "SNAPSHOT_UNSIGNED",
  },
])("`govdata-proxy serve` $why", async ({ publicKey, status, says = "" }) => {
  expect(await served(publicKey)).toMatchObject({ status, body: expect.stringContaining(says) });
});
