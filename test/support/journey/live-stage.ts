import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { governedDao } from "../chain/governed-dao.ts";
import { startChain } from "../chain/start-chain.ts";
import { type NodeFront, startNodeFront } from "../chain/start-node-front.ts";
import {
  closedProposal,
  NOW_MS,
  NOW_S,
  putWithVotes,
  sampleSpace,
  voteOn,
} from "../fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../fake-hub/start-fake-hub.ts";
import { type CommandEnd, runGovdata } from "../run-in-process.ts";

/** A DAO of the hub with a governor on the chain, and one of the hub alone. */
export const GOVERNED = "governed.example";
export const PLAIN = "plain.example";
/** The keys of the node and of the hub, which must not appear anywhere. */
export const NODE_KEY = "canary-node-9e07";
export const HUB_KEY = "canary-hub-31ba";
/** The moment of every run: the last one of the hub's day. */
export const AS_OF = new Date(NOW_MS - 1).toISOString();

const DAY_S = 86_400;
const HUB_PROPOSALS = 8;
const HUB_VOTERS = 30;

/** A home with its published snapshots. */
export interface LiveHome {
  readonly directory: string;
  readonly snapshots: string;
  /** Runs `govdata` on this home, with both keys in its environment. */
  govdata(...args: readonly string[]): Promise<CommandEnd>;
}

/** A hub and a chain with both DAOs, and homes to fetch into. */
export interface LiveStage {
  readonly root: string;
  readonly hub: FakeHub;
  readonly node: NodeFront;
  /** Creates an empty home, or a copy of another one. */
  home(copyOf?: LiveHome): LiveHome;
  close(): Promise<void>;
}

/** Starts both. The chain's votes are 20 days old; 10 days ago the third delegate delegated to the first. */
export async function setLiveStage(): Promise<LiveStage> {
  const root = mkdtempSync(join(tmpdir(), "govdata-live-"));
  const [hub, chain] = await Promise.all([
    startFakeHub({ keys: [HUB_KEY] }),
    startChain({ genesisS: NOW_S - 20 * DAY_S }),
  ]);
  const node = await startNodeFront(chain.url, NODE_KEY);
  const { token, governor, firstBlock } = await governedDao(chain);
  const [first, , third] = chain.accounts;
  if (first === undefined || third === undefined) throw new Error("the chain has no accounts");
  await chain.rpc("evm_setNextBlockTimestamp", [NOW_S - 10 * DAY_S]);
  await chain.send(third, token as `0x${string}`, "delegate(address)", [first]);
  await chain.mine(3);
  for (const spaceId of [GOVERNED, PLAIN]) fillSpace(hub, spaceId);

  const registry = join(root, "registry.yaml");
  writeFileSync(
    registry,
    `daos:
  - space_id: ${GOVERNED}
    name: Governed
    category: defi
    governor:
      chain_id: 31337
      governor: "${governor}"
      token: "${token}"
      kind: erc20votes
      decimals: 18
      clock: blocknumber
      first_block: ${firstBlock}
  - { space_id: ${PLAIN}, name: Plain, category: social }
`,
  );
  const environment = { GOVDATA_RPC_31337: node.url, GOVDATA_HUB_KEY: HUB_KEY };
  let homes = 0;
  return {
    root,
    hub,
    node,
    home(copyOf) {
      homes += 1;
      const directory = join(root, `home-${homes}`);
      if (copyOf === undefined) mkdirSync(directory);
      else cpSync(copyOf.directory, directory, { recursive: true });
      const snapshots = join(directory, "published");
      const stores = ["--home", join(directory, "home"), "--snapshots", snapshots, "--registry", registry];
      return {
        directory,
        snapshots,
        govdata: (...args) => runGovdata([...stores, ...args], { environment, nowMs: () => NOW_MS }),
      };
    },
    async close() {
      await Promise.all([hub.close(), node.close(), chain.close()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function fillSpace(hub: FakeHub, spaceId: string): void {
  hub.store.putSpace(sampleSpace({ id: spaceId, name: spaceId }));
  for (let number = 0; number < HUB_PROPOSALS; number += 1) {
    const proposal = closedProposal(`0x${spaceId.slice(0, 1)}${number}`, { space: spaceId }, 5 + 5 * number);
    const votes = Array.from({ length: HUB_VOTERS }, (_, voter) =>
      voteOn(proposal, voter + 1, {
        space: spaceId,
        created: Number(proposal["start"]) + 3600 * (voter + number),
        choice: 1 + (voter % 2),
      }),
    );
    putWithVotes(hub.store, proposal, votes);
  }
}
