import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { GovernorToken } from "../../../../pipeline/facts/tracked.ts";
import { governedDao } from "../../../support/chain/governed-dao.ts";
import { startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { type NodeFront, startNodeFront } from "../../../support/chain/start-node-front.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { sampleSpace } from "../../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { govdata } from "../stand.ts";

const CANARY = "canary-7d10";
const SPACE_ID = "governed.example";
const PARTS = ["space", "strategies", "chain", "token", "first-block", "decimals", "kind", "clock"];
const ALL_PARTS = [...PARTS, "governor", "governor-token"];

describeOnChain("govdata dao check", () => {
  let hub: FakeHub;
  let chain: TestChain;
  let front: NodeFront;
  let governor: GovernorToken;
  let directory: string;
  beforeAll(async () => {
    [hub, chain] = await Promise.all([startFakeHub(), startChain()]);
    front = await startNodeFront(chain.url, CANARY);
    governor = await governedDao(chain);
    directory = mkdtempSync(join(tmpdir(), "govdata-dao-check-"));
  });
  afterAll(async () => {
    await Promise.all([hub.close(), front.close(), chain.close()]);
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    front.setAway(false);
    hub.failWith(undefined);
    const strategies = [{ name: "erc20-votes", network: "31337", params: { address: governor.token } }];
    hub.store.putSpace(sampleSpace({ id: SPACE_ID, name: "Governed", strategies }));
  });

  /** One DAO with an entry of which some of it may be wrong, checked. */
  async function checked(input: { change?: string; args?: readonly string[]; node?: string | undefined }) {
    const { change = "decimals: 18", args = ["--from", hub.url], node } = input;
    const registry = join(mkdtempSync(join(directory, "check-")), "registry.yaml");
    const { token, firstBlock } = governor;
    const contracts = `token: "${token}", governor: "${governor.governor}", kind: erc20votes`;
    const entry = `chain_id: 31337, ${contracts}, clock: blocknumber, first_block: ${firstBlock}, ${change}`;
    const dao = `space_id: ${SPACE_ID}, name: Governed, category: defi, governor: { ${entry} }`;
    writeFileSync(registry, `daos:\n  - { ${dao} }\n`);
    const places = ["--home", join(directory, "home"), "--registry", registry];
    const runWith = { environment: node === undefined ? {} : { GOVDATA_RPC_31337: node } };
    const end = await govdata([...places, "--json", "dao", "check", "--rps", "1000", ...args], runWith);
    expect(`${end.stdout}${end.stderr}`).not.toContain(CANARY);
    const rows = end.stdout === "" ? [] : (JSON.parse(end.stdout) as { part: string; status: string }[]);
    return { ...end, rows, parts: rows.map(({ part, status }) => `${part} ${status}`) };
  }
  const allSame = (...others: readonly string[]) =>
    ALL_PARTS.map((part) => others.find((other) => other.startsWith(`${part} `)) ?? `${part} same`);

  it("finds every part the same, and says so on the way", async () => {
    const end = await checked({ node: front.url });
    expect(end).toMatchObject({ code: 0, parts: allSame() });
    expect(end.rows[0]).toEqual({ spaceId: SPACE_ID, name: "Governed", part: "space", status: "same" });
    expect(end.stderr).toBe(`stage=check done=1/1 space=${SPACE_ID} same=${ALL_PARTS.length}\n`);
  });

  it("ends with 1 if a part differs, and prints both values", async () => {
    const end = await checked({ node: front.url, change: "decimals: 6" });
    expect(end).toMatchObject({ code: 1, parts: allSame("decimals differs") });
    const detail = "the registry has 6, the token 18";
    expect(end.rows).toContainEqual(expect.objectContaining({ part: "decimals", detail }));
  });

  it("ends with 0 where the hub has another name", async () => {
    hub.store.putSpace({ ...hub.store.spaces.get(SPACE_ID), name: "Governed DAO" });
    expect(await checked({ node: front.url })).toMatchObject({ code: 0, parts: allSame("space renamed") });
  });

  it("ends with 1 where the space is gone, and asks the chain all the same", async () => {
    hub.store.spaces.delete(SPACE_ID);
    const end = await checked({ node: front.url });
    const parts = allSame("space missing").filter((part) => part !== "strategies same");
    expect(end).toMatchObject({ code: 1, parts });
  });

  it("asks the chain alone where the hub is left out", async () => {
    hub.forget();
    const end = await checked({ node: front.url, args: ["--from", ""] });
    expect(end).toMatchObject({ code: 0, parts: allSame().slice(2) });
    expect(hub.arrived).toEqual([]);
  });

  it.each([
    { why: "unset", node: undefined },
    { why: "empty", node: "" },
  ])("says what was not checked where the node's variable is $why", async ({ node }) => {
    front.forget();
    const end = await checked({ node });
    expect(end).toMatchObject({ code: 0, parts: ["space same", "strategies same", "chain not-checked"] });
    expect(end.rows[2]).toMatchObject({ detail: expect.stringContaining("GOVDATA_RPC_31337") });
    expect(front.seen).toEqual([]);
  });

  it("ends with 1 where only one of two sources answers", async () => {
    front.setAway(true);
    expect(await checked({ node: front.url })).toMatchObject({
      code: 1,
      parts: ["space same", "strategies same", "chain failed"],
    });
  });

  it.each([
    { why: "hub and node are away", isNodeGiven: true, chain: "failed" },
    { why: "the hub is away and there is no node", isNodeGiven: false, chain: "not-checked" },
  ])("ends with 4 if $why", async ({ isNodeGiven, chain }) => {
    front.setAway(true);
    hub.failWith(() => ({ kind: "status", status: 403, body: { error: "unauthorized" } }));
    const end = await checked({ node: isNodeGiven ? front.url : undefined });
    expect(end).toMatchObject({ code: 4, parts: ["space failed", `chain ${chain}`] });
  });

  it.each([
    { why: "nothing to ask", args: ["--from", ""], says: "there is no source to check" },
    { why: "a hub that is no address", args: ["--from", "./hub"], says: "--from must be the URL" },
  ])("refuses $why", async ({ args, says }) => {
    expect(await checked({ args })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
  });
});
